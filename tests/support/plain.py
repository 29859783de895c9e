"""The plainest transcript format that there can be, and files of it: for tests of what reads them.

A Session is a file ``<folder>/<id>.jsonl``; beside it may lie ``<id>.json`` (a document) and
``<id>.txt`` (text). A record is ``{"t": text}`` with, if it has them, ``"n"``: JSON in a string,
``"id"``, ``"title"``, ``"origin"``, ``"parent"``, ``"copied"``, ``"at"``, ``"problem"``. One
without text is no Message.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harkback.decoding import Damaged, parse
from harkback.model import JsonPart, Part, StoredMessage, TextPart
from harkback.sources.transcripts.base import Decoded, FileRef, Files, Form, Found, Outline

OTHERS: tuple[tuple[str, Form], ...] = (("json", "json"), ("txt", "text"))


class Plain:
    """See ``harkback.sources.transcripts.base.Format``."""

    agent = "plain"
    nested = True

    def __init__(self, titles: dict[str, str] | None = None) -> None:
        self.titles = titles or {}  # of an index
        self.decoded: list[str] = []  # Sessions, each time that one was

    def find(self, files: Files) -> Iterator[Found]:
        for folder in files.listing("", "*"):
            for entry in files.listing(folder.path, "*.jsonl*") if folder.is_folder else ():
                name = entry.path.rpartition("/")[2].split(".")[0]
                refs = [FileRef(entry.path, "lines", entry.size, entry.modified)]
                for ending, form in OTHERS:
                    refs += [
                        FileRef(other.path, form, other.size, other.modified)
                        for other in files.listing(folder.path, f"{name}.{ending}")
                    ]
                yield Found(name, tuple(refs), title=self.titles.get(name, ""))

    def outline(self, files: Files, found: Found) -> Outline:
        for record in files.records(found.files[0].path, limit=1):
            value = record.value
            return Outline(
                project=value.get("project"),
                started_at=value.get("at", 0),
                parent=value.get("parent"),
                parent_kind="branch" if value.get("parent") else None,
                origin=value.get("origin", ""),
                copied=value.get("copied", False),
            )
        return Outline(empty=True)

    def decode(self, files: Files, found: Found) -> Decoded:
        self.decoded.append(found.id)
        messages: list[StoredMessage] = []
        title = found.title
        for ref in found.files:
            if ref.form == "lines":
                for record in files.records(ref.path):
                    if "problem" in record.value:
                        files.problems[record.value["problem"]] += 1
                    title = record.value.get("title", title)
                    if "t" in record.value:
                        messages.append(_message(record.offset, record.value))
            elif ref.form == "json":
                document = files.document(ref.path)
                if document is not None:
                    messages.append(_made("document", 0, (JsonPart("document", document),)))
            else:
                text = files.text(ref.path)
                if text:
                    messages.append(_made("text", 0, (TextPart("text", text),)))
        return Decoded(tuple(messages), title)


def _message(offset: int, value: dict[str, Any]) -> StoredMessage:
    parts: tuple[Part, ...] = (TextPart("t", str(value["t"])),)
    if "n" in value:
        try:
            parts = (*parts, JsonPart("n", parse(value["n"].encode())))
        except Damaged:
            parts = (*parts, TextPart("n", value["n"]))
    return _made(value.get("id", str(offset)), value.get("at", offset), parts)


def _made(name: str, at: int, parts: tuple[Part, ...]) -> StoredMessage:
    return StoredMessage(name, "user", name, at, parts, "")


def line(text: str, **more: Any) -> bytes:
    return json.dumps({"t": text, **more}).encode() + b"\n"


def write(root: Path, session: str, *lines: bytes, folder: str = "p") -> Path:
    """A transcript, last touched long ago."""
    path = root / folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    settle(path)
    return path


def settle(*paths: Path, seconds: int = 60) -> None:
    """Makes files look as if nobody had written to them for a while."""
    for path in paths:
        at = path.stat().st_mtime_ns - seconds * 10**9
        os.utime(path, ns=(at, at))


def texts(messages: Iterable[StoredMessage]) -> list[str]:
    return [part.text for m in messages for part in m.parts if isinstance(part, TextPart)]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Nobody's rights for a while, for tests that run as root."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        if own == 0:
            os.seteuid(own)
