"""The leak check: what was planted, and whether any byte that a surface gives out shows it.

A surface is anything that leaves the process or could: an answer in either form, a line of output,
an error with its chain and the variables of its frames, a log record, a warning, the repr of an
object, the name and content of a file, what a child process was started with. ``assert_silent``
looks in it for each planted secret and for every run of 12 characters of it, in any case, as it
stands and in the encodings that programs write text in. It says which secret was seen in which
form and never shows it. Proof: tests/leaks/test_leak_check.py.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

#: As short a part of a secret as may not be shown; a secret that is shorter counts whole.
RUN = 12
_HEAD = 8


@dataclass(frozen=True)
class Planted:
    """A secret in a store: where it was put, and what stands before and behind it."""

    channel: str
    secret: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The secret in its context."""
        return self.before + self.secret + self.after

    def runs(self) -> list[str]:
        """Every stretch of it that may not be seen."""
        width = min(RUN, len(self.secret))
        return [self.secret[at : at + width] for at in range(len(self.secret) - width + 1)]


@dataclass(frozen=True)
class Seen:
    """A leak: of which secret, in which form, on which surface."""

    channel: str
    form: str
    surface: str


def _base64(run: str) -> Iterator[str]:
    """What is the same of its encoding whatever stands before and behind it."""
    data = run.encode()
    for lead in range(3):
        encoded = base64.b64encode(b"\0" * lead + data).decode()
        first = (0, 2, 3)[lead]
        yield encoded[first : (lead + len(data)) * 8 // 6]


#: Forms of one run; compared without regard to the case of ASCII letters.
_FORMS: Mapping[str, Callable[[str], Iterable[str]]] = {
    "plain": lambda run: (run,),
    "json": lambda run: (json.dumps(run)[1:-1], json.dumps(json.dumps(run)[1:-1])[1:-1]),
    "escapes": lambda run: ("".join(f"\\u{ord(char):04x}" for char in run),),
    "percent": lambda run: (
        quote(run, safe=""),
        "".join(f"%{byte:02x}" for byte in run.encode()),
    ),
    "entities": lambda run: ("".join(f"&#{ord(char)};" for char in run),),
    "hex": lambda run: (run.encode().hex(), " ".join(f"{byte:02x}" for byte in run.encode())),
    "utf-16": lambda run: (run.encode("utf-16-le").decode("latin-1"),),
    "backwards": lambda run: (run[::-1],),
}
#: Their case carries what they say.
_CASED: Mapping[str, Callable[[str], Iterable[str]]] = {
    "base64": lambda run: (each for form in _base64(run) for each in (form, _url_safe(form))),
}


def _url_safe(text: str) -> str:
    return text.replace("+", "-").replace("/", "_")


def _lower(text: str) -> str:
    return text.translate({code: code + 32 for code in range(ord("A"), ord("Z") + 1)})


@functools.lru_cache(maxsize=1024)
def _needles(planted: Planted, as_bytes: bool) -> tuple[tuple[str, str, bool], ...]:
    """(form, text to look for, whether its case counts)."""
    found: dict[tuple[str, bool], str] = {}
    for run in planted.runs():
        for forms, cased in ((_FORMS, False), (_CASED, True)):
            for form, write in forms.items():
                for text in write(run):
                    if as_bytes and form != "utf-16":
                        text = text.encode().decode("latin-1")
                    found.setdefault((text if cased else _lower(text), cased), form)
    return tuple((form, text, cased) for (text, cased), form in found.items())


class _Shown:
    """One surface. Almost every needle is ruled out by its head, without a search of the text."""

    def __init__(self, surface: str | bytes) -> None:
        self.is_bytes = isinstance(surface, bytes)
        text = surface if isinstance(surface, str) else surface.decode("latin-1")
        self._texts = {False: _lower(text), True: text}
        self._heads = {
            cased: {text[at : at + _HEAD] for at in range(len(text))}
            for cased, text in self._texts.items()
        }

    def holds(self, needle: str, cased: bool) -> bool:
        head = needle[:_HEAD]
        ruled_out = len(head) == _HEAD and head not in self._heads[cased]
        return not ruled_out and needle in self._texts[cased]


def seen(surfaces: Mapping[str, str | bytes], planted: Iterable[Planted]) -> list[Seen]:
    """Every secret that shows on a surface, once in each form."""
    shown = {name: _Shown(surface) for name, surface in surfaces.items()}
    found = (
        Seen(each.channel, form, name)
        for each in planted
        for name, surface in shown.items()
        for form, needle, cased in _needles(each, surface.is_bytes)
        if surface.holds(needle, cased)
    )
    return list(dict.fromkeys(found))


def assert_silent(
    surfaces: Mapping[str, str | bytes] | str | bytes, planted: Iterable[Planted]
) -> None:
    """Fails if any part of a planted secret shows. The failure names it by channel and form."""
    if isinstance(surfaces, str | bytes):
        surfaces = {"surface": surfaces}
    leaks = seen(surfaces, planted)
    if leaks:
        told = "\n".join(f"{leak.surface}: {leak.channel} ({leak.form})" for leak in leaks)
        raise AssertionError(f"{len(leaks)} leaks\n{told}")
