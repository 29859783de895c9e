"""Whole samples of an agent's history, and the lists of what a correct reader finds in them."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from harkback.model import AttachmentPart, StoredMessage


def copied(samples: Path, agent: str, to: Path) -> Path:
    """A copy with the rights of a user's own files."""
    return shutil.copytree(samples / agent, to / agent, copy_function=shutil.copyfile)


def expectation(sample: Path) -> Any:
    return json.loads((sample / "expected.json").read_text(encoding="utf-8"))


def sent(message: StoredMessage) -> list[AttachmentPart]:
    """The files of a Message that the lists tell of: outputs they list as text."""
    parts = (part for part in message.parts if isinstance(part, AttachmentPart))
    return [part for part in parts if part.kind != "output"]


def holds(text: str, entry: dict[str, Any]) -> None:
    """Fails unless the text is the entry's: long ones are listed by length, digest and needles."""
    if "text" in entry:
        assert text == entry["text"]
    else:
        assert len(text) == entry["text_len"]
        assert hashlib.sha256(text.encode()).hexdigest() == entry["text_sha256"]
        for needle in entry["needles"]:
            assert text.index(needle["needle"]) == needle["char_offset"]
