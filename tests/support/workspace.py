"""A small workspace that is the same on every run: two stores, some forty Sessions, known text.

``workspace`` writes it and gives back what a person would find in it by reading: the text of each
visible Message by (Session, sequence). Sessions of every form a host has: ledger and pre-ledger,
chunked, streaming, archived, deleted, spawned, revised, copied, damaged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harkback.store import Store
from support.stores import BASE_MS, StoreBuilder

SECRET = "gh" + "p_" + "Q7w" * 12
DAY = 86_400_000
TOPICS = (
    ("retry", "Why does the retry queue drop jobs?", "The retry queue drops a job after 5 tries."),
    ("cache", "Is the cache warm after a deploy?", "No: the cache starts cold, deploy by deploy."),
    ("index", "Which index serves the order query?", "The index on (customer, created_at) does."),
    ("window", "How large is the context window?", "The context window holds 200,000 tokens."),
    ("lock", "Who holds the lock?", "A reader that never closed; the lock is POSIX, fcntl."),
    ("parse", 'What does "\\n" mean in C:\\new?', 'A backslash and an n; quote it: "C:\\\\new".'),
    ("diff", "Show me the diff of src/main.rs", "--- a/src/main.rs\n+++ b/src/main.rs\n+fn main()"),
    ("naming", "camelCase or snake_case?", "snake_case, except in JSON: there it is camelCase."),
    ("shell", "rm -rf ./build && make -j8", "Done. 0 errors, 2 warnings: -Wunused."),
    ("percent", "100% of users_2024 or 99.9%?", "99.9%; LIKE needs an escape for % and _."),
)
CHINESE = (
    ("模型选择", "哪个模型的上下文窗口最大?", "这个模型的上下文窗口有二十万个词元。"),
    ("数据库", "为什么查询这么慢?", "索引没有用上,加一个联合索引就好了。"),
    ("部署", "部署之后缓存是空的", "是的,缓存要预热。模型也要重新加载。"),
    ("会议", "把会议纪要整理成行动项", "行动项:王伟负责上线,李娜负责测试。"),
    ("全角", "ＡＰＩ的ＵＲＬ是什么?", "API 的 URL 是 https://例子.测试/v1。"),
)
OTHERS = (
    ("tieng-viet", "Đường đến cửa sổ ngữ cảnh?", "Cửa sổ ngữ cảnh rộng 200 nghìn từ."),
    ("turkce", "İSTANBUL'da IŞIK var mı?", "Evet, ışık var; istanbul aydınlık."),
    ("ellinika", "Ο ΔΡΟΜΟΣ ΤΟΥ ΛΟΓΟΥ", "Ο δρόμος του λόγου είναι μακρύς."),
    ("deutsch", "Wie heißt die STRASSE?", "Die Straße heißt Große Bergstraße."),
    ("hangugeo", "문맥 창의 크기는?", "문맥 창은 이십만 토큰입니다."),
    ("nihongo", "ｶﾞｲﾄﾞはどこ?", "ガイドは docs/ にあります。"),
)


@dataclass
class Workspace:
    """Where the stores lie, and what a reader sees in the Sessions that are not kept away."""

    paths: list[Path]
    text: dict[tuple[str, int], str] = field(default_factory=dict)


def workspace(folder: Path) -> Workspace:
    made = Workspace([folder / "host.sqlite", folder / "written.sqlite"])
    builder = StoreBuilder(made.paths[0])
    builder.db.execute("BEGIN")
    _talks(made, builder)
    _odd_sessions(made, builder)
    _kept_away(builder)
    builder.db.execute("COMMIT")
    builder.close()
    with Store.create(made.paths[1]) as store, store.batch():
        _written(made, store)
    return made


class _Session:
    """Adds Messages to one Session of the host store and notes their text."""

    def __init__(
        self,
        made: Workspace | None,
        builder: StoreBuilder,
        id: str,
        ledger: bool = True,
        **header: Any,
    ) -> None:
        at = builder.tick()
        columns = {"is_archived": int(bool(header.get("isArchived")))}
        builder.session(id, ledger=ledger, name=f"About {id}", header=header, columns=columns)
        self.made, self.builder, self.id, self.ledger = made, builder, id, ledger
        self.at, self.sequence = at, 0

    def say(self, kind: str, text: str, *, id: str = "", turn: int = 1) -> None:
        at, name = self.builder.tick(), id or f"{self.id}-{self.sequence}"
        if not self.ledger:
            record: dict[str, Any] = {"ts": at, "turnId": f"turn-{turn}"}
            shown = {"content": {"kind": "text", "text": text}}
            record |= shown if kind == "tool_result" else {"text": text}
            self.builder.message(self.id, self.sequence, kind, record, id=name)
        else:
            self._event(kind, text, name, at)
        if self.made is not None:
            self.made.text[self.id, self.sequence] = text
        self.sequence += 1

    def _event(self, kind: str, text: str, name: str, at: int) -> None:
        content: dict[str, Any]
        content, role = {"kind": "text", "text": text}, "user" if kind == "user" else "model"
        if kind == "tool_result":
            content, role = {"kind": "function_response", "result": content}, "tool"
        elif kind == "tool_call":
            content = {"kind": "function_call", "name": "", "args": {"input": text}}
        refs = {"storedMessageId": name, "toolCallId": name}
        self.builder.event(self.id, content, role=role, ts=at, id=f"e-{self.id}-{name}", refs=refs)


def _talks(made: Workspace, builder: StoreBuilder) -> None:
    for number, (id, question, answer) in enumerate((*TOPICS, *CHINESE, *OTHERS)):
        session = _Session(made, builder, id, ledger=number % 3 != 2)
        session.say("user", question)
        session.say("tool_call", f"grep -rn {id} .")
        session.say("tool_result", f"{id}: {answer}\n" * (1 + number % 4))
        session.say("assistant", answer)


def _odd_sessions(made: Workspace, builder: StoreBuilder) -> None:
    chunked = _Session(made, builder, "chunked", ledger=False)
    chunked.say("user", "模" * 21_840 + " deep needle 深处的针 " + "x" * 5_000)
    secret = _Session(made, builder, "secret")
    secret.say("user", f"before {SECRET} behind")
    secret.say("assistant", 'config: {"password": "tuna-salad-9", "port": 8080} loaded')
    streaming = _Session(made, builder, "streaming")
    streaming.say("user", "tell me a tale of tides")
    builder.stream("streaming", "tide", ["Once the ti", "des ro", "se over the harbour"])
    made.text["streaming", 1] = "Once the tides rose over the harbour"
    child = _Session(
        made, builder, "child", subagentParent={"kind": "subagent", "parentSessionId": "retry"}
    )
    child.say("user", "Investigate the retry queue for the parent")
    child.say("assistant", "The queue is drained twice.")
    for id, more in (("first", {}), ("revised", {"revisionParentSessionId": "first"})):
        session = _Session(made if id == "first" else None, builder, id, **more)
        session.say("user", "Draft the harbour letter", id="draft-1")
        session.say("assistant", "Dear harbour master,", id="draft-2")
        if id == "revised":
            session.made = made
            session.say("assistant", "Dearest harbour master, revised")
    copy = _Session(None, builder, "copy", parentSessionId="window", conversationCopy={"from": "w"})
    copy.say("user", "How large is the context window?", id="window-0")
    copy.made = made
    copy.say("user", "And of the copy?")
    damaged = _Session(made, builder, "damaged")
    damaged.say("user", "the lantern is lit")
    builder.event("damaged", None, kind="text", payload='{"role":"user","content":{"kind":"text"')
    builder.result("damaged", {"kind": "archived_tool_result", "bytes": 5})
    loud = _Session(made, builder, "loud")
    for number in range(30):
        loud.say("tool_result", f"{number}: retry retry retry cache window")


def _kept_away(builder: StoreBuilder) -> None:
    archived = _Session(None, builder, "archived", isArchived=True)
    archived.say("user", "an archived lantern and the context window")
    gone = _Session(None, builder, "gone")
    gone.say("user", "a deleted lantern")
    builder.db.execute(
        "INSERT INTO session_metadata_tombstones (session_id, deleted_at) VALUES ('gone', 1)"
    )
    _Session(None, builder, "staging", transcriptLedgerVersion=0).say("user", "a staged lantern")
    hidden = _Session(None, builder, "hidden")
    hidden.say("user", "the visible half")
    content = {"kind": "text", "text": "a hidden lantern"}
    builder.event("hidden", content, role="user", modelVisibility="hidden")
    builder.event("hidden", {"kind": "thinking", "text": "a lantern of thought"})


def _written(made: Workspace, store: Store) -> None:
    for number in range(6):
        id = f"log-{number}"
        session = store.session(f"Log {number}", id=id, started_at=BASE_MS - number * DAY)
        turn = session.turn()
        at = BASE_MS - number * DAY
        texts = (
            f"Log of day {number}: the tide table",
            f"tide {number * 3} cm, wind {'SW' if number % 2 else 'NE'}",
            json.dumps({"tide": number, "note": "spring tide" if number == 3 else "neap"}),
        )
        turn.user(texts[0], at=at)
        turn.assistant(texts[1], at=at + 1)
        turn.tool_result("call", texts[2], at=at + 2)
        for sequence, text in enumerate(texts):
            made.text[id, sequence] = text
