"""The bytes of a file that a transcript holds: in a record, or in a file of their own beside it.

Whatever the format is, the records of a Session are read until one has the string that was listed.
Invariant: no file is read but those of the Session. Proof: tests/sources/test_material_bytes.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harkback.sources import attachments
from harkback.sources.transcripts.base import Found
from harkback.sources.transcripts.files import FolderFiles


def fetch(files: FolderFiles, found: Found, ref: str) -> bytes | None:
    """What the ``ref`` of a part means; None if it is not there any more."""
    if ref.startswith(attachments.FILE):
        name = ref.removeprefix(attachments.FILE)
        for file in found.files:
            if file.form == "text" and file.path.rpartition("/")[2] == name:
                return files.content(file.path)
        return None
    for record in _records(files, found):
        data = attachments.find(record, ref)
        if data is not None:
            return data
    return None


def _records(files: FolderFiles, found: Found) -> Iterator[dict[str, Any]]:
    for file in found.files:
        if file.form == "lines":
            for record in files.records(file.path):
                yield record.value
        elif file.form == "json":
            document = files.document(file.path)
            if document is not None:
                yield document
