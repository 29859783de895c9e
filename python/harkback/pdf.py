"""The text of a PDF, taken out in a process of its own, because a PDF may be made to do harm.

The child has a limit on memory and on time, is given the bytes and nothing else, and is killed when
it goes over. Invariant: whatever the bytes are, the caller gets text of a bounded length, or None.
The library is the extra ``pdf``; without it there is no text. Proof: tests/unit/test_pdf.py.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

from harkback.config import MAX_PDF_CODE_POINTS, MAX_PDF_PAGES, PDF_MEMORY_BYTES, PDF_SECONDS
from harkback.decoding import decode

_LIBRARY: Final = "pypdf"
_TAKE_OUT: Final = """
import io, logging, sys
pages, length, memory, seconds = map(int, sys.argv[1:])
try:
    import resource
    for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        resource.setrlimit(limit, (value, value))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
except (ImportError, OSError, ValueError):
    pass  # no such limits on this system: the time is left
logging.disable(logging.CRITICAL)
from pypdf import PdfReader
reader = PdfReader(io.BytesIO(sys.stdin.buffer.read()))
count, texts = len(reader.pages), []
for number, page in enumerate(reader.pages):
    if number == pages or length <= 0:
        break
    texts.append(page.extract_text()[:length])
    length -= len(texts[-1])
told = str(count - len(texts)) + "\\n" + "\\n\\n".join(texts)
sys.stdout.buffer.write(told.encode("utf-8", "replace"))
"""


@dataclass(frozen=True, slots=True)
class Extract:
    """The text of the first pages, and how many pages were not read."""

    text: str
    unread: int


def available() -> bool:
    """Whether the library is there."""
    return importlib.util.find_spec(_LIBRARY) is not None


def extract(data: bytes) -> Extract | None:
    """The text of a PDF; None if it cannot be had within the limits."""
    limits = (MAX_PDF_PAGES, MAX_PDF_CODE_POINTS, PDF_MEMORY_BYTES, PDF_SECONDS)
    # -P: the working folder is no place to import from.
    command = [sys.executable, "-P", "-c", _TAKE_OUT, *map(str, limits)]
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PDF_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    unread, line, text = decode(done.stdout).partition("\n")
    return Extract(text, int(unread)) if line and unread.isdecimal() else None
