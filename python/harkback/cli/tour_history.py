"""The made-up history that ``harkback demo`` searches: seven Sessions of a small team's agent.

Invariant: 29, 4 and 1 Messages of three Sessions say 模型, and the one is the only Message of all
that is about a model's context window; what looks like a key is put together here at run time and
opens nothing. Proof: tests/surfaces/test_cli_demo.py.
"""

from __future__ import annotations

import os
import random
import time
from typing import Final

from harkback.store import Store

MODEL_MESSAGES: Final = (29, 4, 1)
LOG_ERROR: Final = "ECONNRESET"
_DAY: Final = 86_400_000  # milliseconds
_LOG_BYTES: Final = 200_000
_PROJECT: Final = "/home/lin/atlas"


def fake_key() -> str:
    """Shaped like a code forge's access token."""
    return "gh" + "p_" + "Harkback0Demo" * 2 + "0123456789"


def write(path: str | os.PathLike[str]) -> None:
    """Creates the store."""
    with Store.create(path) as store, store.batch():
        now = time.time_ns() // 1_000_000
        _classifier(store, now - 40 * _DAY)
        _domain_model(store, now - 21 * _DAY)
        _context_window(store, now - 12 * _DAY)
        _deployment(store, now - 9 * _DAY)
        _failing_build(store, now - 3 * _DAY)
        _archived(store, now - 200 * _DAY)
        _in_flight(store, now - 60_000)


def _classifier(store: Store, at: int) -> None:
    asked = (
        "换成小一号的模型再跑一遍，看看准确率掉多少。",
        "这个模型在暗光图片上总是认错，查一下原因。",
        "把模型的版本号写进日志。",
        "模型导出成 ONNX 以后体积是多少？",
    )
    answered = (
        "小模型的准确率低了 1.8 个百分点，延迟减半。",
        "训练集中暗光图片不到 2%，模型没有见过这种光线；已加入增强。",
        "每行日志现在带有模型版本。",
        "导出后的模型为 46 MB，量化后 12 MB。",
    )
    session = store.session("给商品图片换分类模型", _PROJECT, started_at=at)
    for step in range(14):
        turn = session.turn()
        moment = at + step * 600_000
        turn.user(f"第 {step + 1} 步：{asked[step % 4]}", at=moment)
        turn.assistant(answered[step % 4], at=moment + 30_000)
    session.turn().user("今天先到这里，模型明天再发布。", at=at + 15 * 600_000)


def _domain_model(store: Store, at: int) -> None:
    session = store.session("重构订单的领域模型", _PROJECT, started_at=at)
    for step, (asked, answered) in enumerate(
        (
            (
                "订单的领域模型里为什么有两个金额字段？",
                "一个含税一个不含税；模型里只该留一个。",
            ),
            ("那就合并，顺便更新模型的文档。", "已合并，领域模型的文档也改好了。"),
        )
    ):
        turn = session.turn()
        turn.user(asked, at=at + step * 900_000)
        turn.assistant(answered, at=at + step * 900_000 + 45_000)


def _context_window(store: Store, at: int) -> None:
    session = store.session("长会话为什么会忘记约定", _PROJECT, started_at=at)
    turn = session.turn()
    turn.user("昨天约好不改 public API，今天它又改了，为什么？", at=at)
    turn.assistant(
        "模型的上下文窗口（context window）是有限的：会话一长就要压缩，最先丢的是逐字的约定。"
        "把约定写进 AGENTS.md，每次开场都会重新读到。",
        at=at + 40_000,
    )
    turn.user("好，写进去。", at=at + 90_000)


def _deployment(store: Store, at: int) -> None:
    session = store.session("Deploy the preview environment", _PROJECT, started_at=at)
    turn = session.turn()
    turn.user(
        f"The preview deploy asks for a deploy token. Use GITHUB_TOKEN={fake_key()} for now.", at=at
    )
    call = turn.tool_call(
        "Bash", {"command": "make preview"}, intent="Deploy the preview", at=at + 5_000
    )
    turn.tool_result(call, "preview is up at https://preview.atlas.example\n", at=at + 65_000)
    turn.assistant(
        "The preview is up. Revoke that deploy token; keep a new one in the vault.",
        at=at + 70_000,
    )


def _failing_build(store: Store, at: int) -> None:
    session = store.session("The arm64 build fails now and then", _PROJECT, started_at=at)
    turn = session.turn()
    turn.user("The arm64 job failed again, and only there. What happened?", at=at)
    call = turn.tool_call(
        "Bash", {"command": "ci logs --job build-arm64"}, intent="Read the log", at=at + 4_000
    )
    turn.tool_result(call, {"kind": "text", "text": _log()}, at=at + 9_000)
    turn.assistant(
        "The mirror closed the connection while one crate was fetched. The retry limit was 0; "
        "I set net.retry to 3.",
        at=at + 30_000,
    )


def _log() -> str:
    """Some 200 KB of a build, with the one line that matters two thirds in."""
    dice = random.Random(29)
    names = ("serde", "tokio", "hyper", "rustls", "regex", "bytes", "tracing", "clap")
    lines = []
    size = 0
    while size < _LOG_BYTES:
        name, version = dice.choice(names), f"{dice.randrange(9)}.{dice.randrange(40)}"
        lines.append(f"[{size:>7}] Compiling {name} v{version} (aarch64-unknown-linux-gnu)")
        size += len(lines[-1]) + 1
    lines.insert(
        len(lines) * 2 // 3,
        f"error: failed to fetch `rustls`: read {LOG_ERROR} by mirror.example:443 (retries: 0)",
    )
    return "\n".join(lines)


def _archived(store: Store, at: int) -> None:
    session = store.session("An experiment that was put away", archived=True, started_at=at)
    turn = session.turn()
    turn.user("Try the deploy token of the staging account.", at=at)
    turn.assistant("It works, but staging goes away next month.", at=at + 20_000)


def _in_flight(store: Store, at: int) -> None:
    session = store.session("Write the release notes", _PROJECT, started_at=at)
    turn = session.turn()
    turn.user("Write the release notes for 2.4.", at=at)
    stream = turn.stream(at=at + 2_000)
    stream.append("## 2.4\n\n- Preview deployments use a deploy token from the")
