"""What leaves a process beside its answers: errors, logs, warnings, files, children, output.

Everything here turns such a thing into text or bytes for ``support.leaks``. Nothing is left out
because it looks harmless. Proof: tests/leaks/test_leak_check.py.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import harkback

_PACKAGE = str(Path(harkback.__file__).parent)


def told(error: BaseException) -> str:
    """All that an error says: its own words, its chain, and the variables of the package's frames.

    What the caller's own frames hold is the caller's.
    """
    pieces: list[str] = []
    waiting: list[BaseException] = [error]
    known: set[int] = set()
    while waiting:
        each = waiting.pop()
        if id(each) in known:
            continue
        known.add(id(each))
        pieces += (str(each), repr(each), repr(each.args), repr(vars(each)))
        pieces += map(repr, getattr(each, "__notes__", ()))
        shown = traceback.TracebackException(
            type(each), each, _inside(each.__traceback__), capture_locals=True
        )
        pieces += shown.format()
        # The chain is followed even where `from None` hides it: an error reporter may look there.
        waiting += [cause for cause in (each.__cause__, each.__context__) if cause is not None]
        waiting += getattr(each, "exceptions", ())
    return "\n".join(pieces)


def _inside(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        trace = trace.tb_next
    return trace


def stacks() -> str:
    """What ``faulthandler`` would write of every thread at this moment."""
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        return file.read()


@dataclass
class Heard:
    """What was written elsewhere than into the answer while something ran."""

    lines: list[str] = field(default_factory=list)

    def text(self) -> str:
        return "\n".join(self.lines)


class _Handler(logging.Handler):
    def __init__(self, heard: Heard) -> None:
        super().__init__(level=1)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.lines.append(f"{record.getMessage()} {record.__dict__!r}")
        if record.exc_info and record.exc_info[1]:
            self._heard.lines.append(told(record.exc_info[1]))


#: Who listens to audit events. A hook cannot be taken out again, so there is one for good.
_listening: list[Heard] = []
_hooked = False
#: What tells of files and children: their names, and what they are started with.
_EVENTS = ("open", "os.", "shutil.", "tempfile.", "subprocess.", "sqlite3.connect", "socket.")


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening and event.startswith(_EVENTS):
        line = f"{event} {arguments!r}"
        for heard in _listening:
            heard.lines.append(line)


@contextmanager
def listening() -> Iterator[Heard]:
    """Records logs at every level, warnings, lost errors, and each file and child by name."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    heard = Heard()
    handler = _Handler(heard)
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in (None, *root.manager.loggerDict)}
    lost = sys.unraisablehook

    def unraisable(found: Any) -> None:
        heard.lines.append(f"{found.err_msg} {found.object!r}")
        if found.exc_value is not None:
            heard.lines.append(told(found.exc_value))

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        root.addHandler(handler)
        for name in levels:
            logging.getLogger(name).setLevel(1)
        sys.unraisablehook = unraisable
        _listening.append(heard)
        try:
            yield heard
        finally:
            _listening.remove(heard)
            sys.unraisablehook = lost
            root.removeHandler(handler)
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)
    heard.lines += [str(warning) for warning in raised]


@dataclass
class Files:
    """Folders under watch: which files are new in them, and what they hold."""

    folders: tuple[Path, ...]
    before: dict[Path, tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.before = dict(self._look())

    def changed(self) -> dict[str, bytes]:
        """Name and content of each file that is new or was written since."""
        found: dict[str, bytes] = {}
        for path, state in self._look():
            if self.before.get(path) != state:
                content = path.read_bytes() if path.is_file() else b""
                found[str(path)] = os.fsencode(path) + b"\n" + content
        return found

    def _look(self) -> Iterator[tuple[Path, tuple[int, int]]]:
        for folder in self.folders:
            for path in folder.rglob("*"):
                found = path.lstat()
                size = found.st_size if path.is_file() else -1
                yield path, (size, found.st_mtime_ns if path.is_file() else 0)


def reprs(objects: Iterable[object]) -> str:
    """What a debugger, a log or an error reporter would show of objects."""
    return "\n".join(text for each in objects for text in (repr(each), str(each), f"{each}"))
