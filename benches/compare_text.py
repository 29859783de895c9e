"""What every row of the comparison is asked, of what text, and what the right answer is.

The visible text of a store is written once as one file a Session, one line a Message; the answer to
a query is the set of Messages whose line holds one of its terms, whatever the case. Invariant: the
answer is counted from that text by plain Python, and by none of the programs compared.
Proof: tests/unit/test_bench_compare.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpus import ABSENT, DATA, SEED, VERSION, build, cached

#: Size by name: the shape of the store.
SIZES: Final = {"1.8mb": "small", "25mb": "medium", "178mb": "large", "1780mb": "huge"}
LINE_BREAK: Final = "\x0b"  # inside a Message; no query holds one


@dataclass(frozen=True, slots=True)
class Question:
    """Terms, any of which a Message has to hold, and what kind of question it is."""

    kind: str
    terms: tuple[str, ...]


def _of(kind: str, *lines: str) -> tuple[Question, ...]:
    return tuple(Question(kind, tuple(line.split(" | "))) for line in lines)


#: 40, fixed: what people and agents ask for, and what is hard on the one or the other engine.
QUESTIONS: Final = (
    *_of("rare", "context window", "fills up before the third", "缩略图片没有清理"),
    *_of("rare", "provider table", "_417.rs", "模型返回了空结果", "took=998ms", "x + 777"),
    *_of("common", "worker", "session", "return", "INFO", "the", "count", "模型", "self._"),
    *_of("absent", ABSENT, "quetzalcoatl", "不存在的词语", "ENOTFOUND_77", "zz top", "x9q7"),
    *_of("two CJK", "图片", "延迟", "压缩", "队列", "重试"),
    *_of("several", "context window | 图片", f"{ABSENT} | 模型 | provider table"),
    *_of("several", "zzq | zzr | zzs | zzt | zzu | zzv | zzw | zzx", "retry | timeout | 缓存"),
    *_of("punctuation", "();", "!==", "5 ms)", '"path":', "&& ", "--"),
    *_of("one character", "e", "是", "7"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """The visible text of a store: a file for each Session, newest first."""

    folder: Path
    sessions: tuple[str, ...]
    ids: tuple[tuple[str, ...], ...]  # of the Messages, line by line
    bytes: int

    def file(self, index: int) -> Path:
        """The text of Session ``index``."""
        return self.folder / f"{index:05}.txt"

    def lines(self, index: int) -> list[str]:
        """The Messages of Session ``index``."""
        return self.file(index).read_text("utf-8").split("\n")[:-1]

    def answer(self, terms: tuple[str, ...]) -> set[tuple[int, int]]:
        """(Session, line) of every Message that holds one of ``terms``."""
        asked = [term.lower() for term in terms]
        found: set[tuple[int, int]] = set()
        for index in range(len(self.sessions)):
            whole = self.file(index).read_text("utf-8").lower()
            if any(term in whole for term in asked):
                for number, line in enumerate(whole.split("\n")[:-1]):
                    if any(term in line for term in asked):
                        found.add((index, number))
        return found


def text_of(shape: str) -> Text:
    """The text of the store of this shape, written once beside it."""
    folder = DATA / f"{shape}-v{VERSION}-{SEED}-text"
    about = folder / "about.json"
    if not about.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path, _ = cached(shape)
        scratch = path.with_suffix(".again")
        scratch.unlink(missing_ok=True)
        sessions: list[str] = []
        ids: list[list[str]] = []

        def write(session: str, messages: list[tuple[str, str]]) -> None:
            lines = "".join(visible.replace("\n", LINE_BREAK) + "\n" for _, visible in messages)
            (folder / f"{len(sessions):05}.txt").write_text(lines, "utf-8", newline="")
            sessions.append(session)
            ids.append([message for message, _ in messages])

        build(shape, scratch, visible=write)
        scratch.unlink()
        about.write_text(json.dumps({"sessions": sessions, "ids": ids}), encoding="utf-8")
    kept = json.loads(about.read_text("utf-8"))
    size = sum(file.stat().st_size for file in folder.glob("*.txt"))
    return Text(folder, tuple(kept["sessions"]), tuple(map(tuple, kept["ids"])), size)


def answers_of(shape: str, text: Text) -> list[set[tuple[int, int]]]:
    """The right answer to each question, counted once for each set of questions."""
    asked = [list(question.terms) for question in QUESTIONS]
    kept = text.folder / "answers.json"
    if kept.exists():
        known = json.loads(kept.read_text("utf-8"))
        if known["asked"] == asked:
            return [{(a, b) for a, b in each} for each in known["answers"]]
    answers = [text.answer(question.terms) for question in QUESTIONS]
    kept.write_text(json.dumps({"asked": asked, "answers": [sorted(a) for a in answers]}))
    return answers
