"""Projects by glob: which Sessions belong to one that is never to be searched.

A glob is compared with the path of a project and of every folder above it, so a folder takes what
lies in it along. One that starts with ``/``, ``~`` or a drive is the whole path; any other may
begin at any folder. ``*`` and ``?`` stay inside one name, ``**`` goes over many. Case and the
direction of slashes do not count: a folder too many is told by a Gap, one too few is a leak.
Proof: tests/unit/test_projects.py.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from harkback.errors import UsageError
from harkback.model import Session

Globs: TypeAlias = tuple[re.Pattern[str], ...]

_ANCHORED = re.compile(r"/|[A-Za-z]:(/|$)")


def compile_globs(globs: Iterable[str]) -> Globs:
    """Globs, prepared.

    Raises:
        UsageError: ``projects_invalid``: one is no string, or names nothing.
    """
    given = () if isinstance(globs, str) else tuple(globs)
    if isinstance(globs, str) or not all(isinstance(glob, str) for glob in given):
        raise UsageError("projects_invalid", "Projects are excluded by a list of globs.")
    return tuple(map(_compile, given))


def excluded(globs: Globs, project: str | None) -> bool:
    """Whether a project is one of these, or lies in one."""
    if project is None or not globs:
        return False
    path = _normal(project)
    return any(glob.match(path) is not None for glob in globs)


def project_of(session: str, describe: Callable[[str], Session | None]) -> str | None:
    """The project of a Session, or of the nearest one it was started from that has one."""
    seen = set()
    at = describe(session)
    while at is not None and at.project is None and at.id not in seen:
        seen.add(at.id)
        at = None if at.parent is None else describe(at.parent)
    return None if at is None else at.project


def _compile(glob: str) -> re.Pattern[str]:
    home = glob == "~" or glob.startswith(("~/", "~\\"))
    path = _normal(str(Path.home()) + glob[1:] if home else glob)
    names = [name for name in path.split("/") if name]
    if set(names) <= {"**", ".", ".."}:
        raise UsageError("projects_invalid", "A glob of excluded projects names no folder.")
    start = "/" * path.startswith("/") if _ANCHORED.match(path) else "(?:.*/)?"
    pattern = "".join(map(_name, names))
    try:
        return re.compile(start + pattern, re.IGNORECASE | re.DOTALL)
    except re.error:
        problem = "A glob of excluded projects has a class in brackets that means nothing."
    raise UsageError("projects_invalid", problem)


def _name(glob: str) -> str:
    """A glob of one name, and the slash behind it, as a pattern; ``**`` is many names."""
    if glob == "**":
        return "(?:[^/]+/)*"
    pieces = ["(?=[^/])"]
    for token in re.findall(r"\[!?\]?[^\]]*\]|.", glob, re.DOTALL):
        if token == "*":
            pieces.append("[^/]*")
        elif token == "?":
            pieces.append("[^/]")
        elif len(token) > 1:
            inside = re.sub(r"([\\^\[\]&~|])", r"\\\1", token[1:-1].removeprefix("!"))
            pieces.append(f"(?!/)[{'^' * token.startswith('[!')}{inside}]")
        else:
            pieces.append(re.escape(token))
    return "".join((*pieces, "(?:/|$)"))


def _normal(path: str) -> str:
    """With forward slashes, without ``.``, ``..`` and doubled or trailing slashes."""
    whole = posixpath.normpath(path.replace("\\", "/")) if path else ""
    return whole.replace("//", "/", 1) if whole.startswith("//") else whole
