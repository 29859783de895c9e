"""Filler text for the bench corpus: what people and tools say in sessions about software work.

Invariant: no filler line holds a planted term, in any case or across a join, so that every
occurrence in a corpus was put there on purpose. ``corpus.build`` counts every row and refuses a
store that breaks it. Proof: tests/unit/test_bench_corpus.py.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh", "ja", "vi", "de"]
Style: TypeAlias = Literal["log", "code", "diff", "tests", "json", "listing"]
Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json]"

POOL_LINES: Final = 3000  # distinct lines per style
POOL_SENTENCES: Final = 600  # distinct sentences per language
STYLES: Final[tuple[Style, ...]] = ("log", "code", "diff", "tests", "json", "listing")
STYLE_WEIGHTS: Final = (30, 26, 8, 12, 14, 10)

# Four slots per language: who, does what, to what, and a tail that closes the sentence.
SENTENCES: Final[dict[Language, tuple[str, str, tuple[str, ...]]]] = {
    "en": (
        " ",
        " ",
        (
            "The worker|Our parser|This migration|The retry loop|The login page|The cache layer"
            "|Staging|The build on main|That endpoint|The nightly job|A stale lock|The client",
            "drops|rewrites|still blocks|duplicates|silently skips|now validates|times out on"
            "|depends on|reads|no longer touches|retries|logs",
            "the second batch|every empty row|the billing queue|two header fields"
            "|the upload handler|the session token path|large responses|the old schema"
            "|the feature flag|the index rebuild|concurrent writers|the release branch",
            "before the commit.|when the disk is full.|so I reverted it.|under load."
            "|and the test proves it.|because of a missing await.|on the first run only."
            "|after the upgrade.|unless the flag is set.|which explains the flaky run.",
        ),
    ),
    "zh": (
        "",
        "",
        (
            "登录接口|定时任务|缓存层|数据库迁移|前端页面|重试逻辑|构建脚本|消息队列|配置文件"
            "|日志采集|权限校验|发布流程",
            "现在会重复写入|没有正确处理|偶尔丢失|应该先检查|已经改成异步读取|还在依赖|超时后回滚了"
            "|跳过了|需要重新整理|提前释放了",
            "第二批数据|空的返回值|旧的表结构|用户的会话记录|上传的附件|并发的请求|测试环境的开关"
            "|索引重建的步骤|错误码和提示|分页参数",
            "，所以我先回退了这次改动。|（见上面的日志），原因还没查清。|；建议补一个回归测试。"
            "|，只在高负载时出现！|，请确认一下：是否影响线上？|。接下来处理剩下的两个问题。"
            "|，“重启后恢复”只是表象。|——升级之后才有。",
        ),
    ),
    "ja": (
        "",
        "",
        (
            "ログイン処理は|バッチの再実行は|設定ファイルは|この関数は|キャッシュは|テスト環境は"
            "|アップロード機能は",
            "二件目のデータを|空の応答を|古いスキーマを|同時書き込みを|添付ファイルの名前を"
            "|タイムアウト値を",
            "正しく扱えていません|まだ参照しています|重複して保存します|無視していました"
            "|検証するように直しました",
            "。|、先に戻しておきます。|（ログを参照）。|ので、テストを追加します。",
        ),
    ),
    "vi": (
        " ",
        " ",
        (
            "Đường dẫn tải lên|Bộ nhớ đệm|Tiến trình nền|Cơ sở dữ liệu|Trang đăng nhập|Ở máy chủ",
            "vẫn ghi trùng|bỏ qua|không kiểm tra|đã đọc lại|phụ thuộc vào|chờ quá lâu",
            "dòng thứ hai|các giá trị rỗng|lược đồ cũ|phiên làm việc|tệp đính kèm|hàng đợi",
            "sau khi nâng cấp.|nên tôi đã hoàn tác.|khi tải cao.|trước lúc phát hành.",
        ),
    ),
    "de": (
        " ",
        " ",
        (
            "Die Anmeldung|Der Zwischenspeicher|Das Prüfskript|Die Übertragung|Der Nachtlauf"
            "|Die Änderung",
            "überschreibt|überspringt|prüft jetzt|verliert gelegentlich|benötigt weiterhin|liest",
            "die zweite Zeile|alle leeren Felder|das alte Schema|die Größe der Anhänge"
            "|den Schlüsselnamen|die Warteschlange",
            "vor dem Übernehmen.|bei hoher Last.|und das ist Absicht.|nach der Umstellung.",
        ),
    ),
}
SHORT_PROMPTS: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("go on", "yes, do it", "looks good, next", "why?", "run the tests again"),
    "zh": ("继续做吧", "你看看", "可以，下一步", "为什么？", "再跑一遍测试"),
    "ja": ("続けてください", "お願いします", "なぜですか？"),
    "vi": ("tiếp tục đi", "được rồi", "tại sao?"),
    "de": ("weiter bitte", "ja, mach das", "warum?"),
}
TITLES: Final = (
    "Fix the upload retry",
    "数据库迁移",
    "Flaky login test",
    "整理发布流程",
    "設定の見直し",
)

_WORDS: Final = (
    *("alpha", "batch", "cache", "delta", "event", "frame", "guard", "hash"),
    *("index", "job", "kernel", "lock", "merge", "node", "offset", "parse"),
    *("queue", "retry", "stream", "table", "user", "vector", "worker", "yield"),
    *("zone", "billing", "upload", "session", "router", "schema"),
)
_DIRS: Final = ("src", "lib", "tests", "app", "packages/core", "packages/web", "tools", "docs")
_SUFFIXES: Final = (".py", ".ts", ".rs", ".md", ".tsx", ".sql", ".json")
_TYPES: Final = ("str", "int", "bytes", "list[str]", "dict[str, int]", "Path")
_TESTS: Final = ("\u001b[32mPASS\u001b[0m", "\u001b[31mFAIL\u001b[0m", "PASS", "ok", "SKIP")


class Filler:
    """Pools of lines and sentences, drawn once from ``rng``; cheap to take from afterwards."""

    def __init__(self, rng: random.Random) -> None:
        makers: dict[Style, Callable[[random.Random], str]] = {
            "log": _log_line,
            "code": _code_line,
            "diff": _diff_line,
            "tests": _test_line,
            "json": _json_line,
            "listing": _path,
        }
        self._lines = {
            style: [maker(rng) for _ in range(POOL_LINES)] for style, maker in makers.items()
        }
        self._sentences = {
            language: [_sentence(rng, language) for _ in range(POOL_SENTENCES)]
            for language in SENTENCES
        }
        self._mean = {
            style: sum(len(line) + 1 for line in lines) / len(lines)
            for style, lines in self._lines.items()
        }

    def prose(self, rng: random.Random, language: Language, sentences: int) -> str:
        """So many sentences in one paragraph."""
        return SENTENCES[language][1].join(rng.choices(self._sentences[language], k=sentences))

    def lines(self, rng: random.Random, style: Style, characters: int) -> list[str]:
        """About so many characters of tool output; at least one line."""
        count = max(1, round(characters / self._mean[style]))
        return rng.choices(self._lines[style], k=count)

    def path(self, rng: random.Random) -> str:
        """A path inside a source tree."""
        return rng.choice(self._lines["listing"])


def result(rng: random.Random, style: Style, lines: list[str], path: str) -> tuple[Json, str]:
    """A tool's content in the shape that its kind of output has, and its visible text."""
    body = "\n".join(lines)
    if style == "diff":
        head = (
            f"--- a/{path}\n+++ b/{path}\n@@ -{rng.randrange(900)},7 +{rng.randrange(900)},9 @@\n"
        )
        return {
            "kind": "file_diff",
            "paths": [path],
            "diff": head + body,
        }, path + "\n" + head + body
    if style == "json" and rng.random() < 0.5:
        rows: list[Json] = [
            {"line": number, "match": line, "exact": True} for number, line in enumerate(lines)
        ]
        return {"kind": "json", "value": {"path": path, "rows": rows}}, path + "\n" + body
    if style in ("log", "tests"):
        command = "make test" if style == "tests" else f"tail -n {len(lines)} {path}"
        return {
            "kind": "terminal",
            "cwd": "/home/dev/shop",
            "cmd": command,
            "status": "completed",
            "exitCode": 0,
            "output": {"mode": "pipes", "stdout": body, "stderr": ""},
        }, body
    return {"kind": "text", "text": body}, body


def call(rng: random.Random, filler: Filler, term: str | None) -> tuple[str, dict[str, Json], str]:
    """A tool's name, its arguments and their visible text; ``term`` is what it looks for."""
    path = filler.path(rng)
    if term is not None:
        return "Grep", {"pattern": term, "path": path}, f"Grep\n{term}\n{path}"
    if rng.random() < 0.5:
        return "Read", {"path": path, "limit": rng.randrange(50, 900)}, f"Read\n{path}"
    command = f"sed -n {rng.randrange(900)},+40p {path} | head -n {rng.randrange(9, 99)}"
    return "Bash", {"command": command, "cwd": "/home/dev/shop"}, f"Bash\n{command}\n/home/dev/shop"


def _sentence(rng: random.Random, language: Language) -> str:
    joiner, _, slots = SENTENCES[language]
    who, verb, what, tail = (rng.choice(slot.split("|")) for slot in slots)
    if rng.random() < 0.2:
        what += f" `{rng.choice(_WORDS)}_{rng.choice(_WORDS)}` "
    return f"{who}{joiner}{verb}{joiner}{what}{joiner}{tail}".replace("  ", " ")


def _path(rng: random.Random) -> str:
    folder, stem, other = rng.choice(_DIRS), rng.choice(_WORDS), rng.choice(_WORDS)
    return f"{folder}/{stem}/{other}_{rng.randrange(1000)}{rng.choice(_SUFFIXES)}"


def _log_line(rng: random.Random) -> str:
    level = rng.choice(("INFO", "INFO", "DEBUG", "WARN", "\u001b[33mWARN\u001b[0m", "ERROR"))
    subject = _sentence(rng, "zh" if rng.random() < 0.12 else "en")
    return (
        f"2026-0{rng.randrange(1, 9)}-{rng.randrange(10, 28)}T{rng.randrange(10, 24)}:"
        f"{rng.randrange(10, 60)}:{rng.randrange(10, 60)}Z {level} {rng.choice(_WORDS)}."
        f"{rng.choice(_WORDS)}[{rng.randrange(99_999)}]: {subject} took={rng.randrange(999)}ms"
    )


def _code_line(rng: random.Random) -> str:
    one, two, number = rng.choice(_WORDS), rng.choice(_WORDS), rng.randrange(1000)
    return rng.choice(
        (
            f"    {one}_{two} = self._{two}.get({one!r}, {number})",
            f"def {one}_{number}({two}: {rng.choice(_TYPES)}) -> {rng.choice(_TYPES)}:",
            f"\tif ({one}.{two} !== null && {two}.length > {number}) {{ return {one}; }}",
            f"    # {_sentence(rng, 'zh' if rng.random() < 0.3 else 'en')}",
            f'    raise ValueError("{one} {two}: expected {number} rows")',
            f"        let {two} = {one}.iter().map(|x| x + {number}).collect::<Vec<_>>();",
            "",
            f"    return {{'{one}': {two}, 'count': {number}}}",
        )
    )


def _diff_line(rng: random.Random) -> str:
    return rng.choice("+- ") + _code_line(rng)


def _test_line(rng: random.Random) -> str:
    return f"{rng.choice(_TESTS)} {_path(rng)}::test_{rng.choice(_WORDS)} ({rng.randrange(99)} ms)"


def _json_line(rng: random.Random) -> str:
    return json.dumps(
        {
            "path": _path(rng),
            "line": rng.randrange(2000),
            "text": _code_line(rng).strip(),
            "ok": rng.random() < 0.5,
        },
        ensure_ascii=False,
    )
