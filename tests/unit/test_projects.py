"""Projects by glob: folders and what lies in them, whatever slashes and case."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback.errors import UsageError
from harkback.model import Session
from harkback.projects import compile_globs, excluded, project_of

HOME = Path.home().as_posix()


def test_without_globs_nothing_is_excluded() -> None:
    assert not excluded(compile_globs([]), "/srv/a")


@pytest.mark.parametrize(
    ("glob", "project"),
    [
        ("/srv/a", "/srv/a"),
        ("/srv/a", "/srv/a/b/c"),
        ("/srv/a/", "/srv/A"),
        ("/srv/./x/../a", "/srv/a//b/"),
        ("/srv/a", "/srv/other/../a"),
        ("~/private", f"{HOME}/private/notes"),
        ("~", f"{HOME}/anything"),
        ("a", "/srv/a/b"),
        ("a", "a"),
        ("clients/acme", "/srv/clients/acme/web"),
        ("client-*", "/srv/client-7/web"),
        ("/srv/*/web", "/srv/a/web"),
        ("/srv/**/web", "/srv/a/b/web/x"),
        ("/srv/**/web", "/srv/web"),
        ("/**/web", "/web"),
        ("**/web", "/srv/web"),
        ("/srv/a/**", "/srv/a/b"),
        ("/srv/v?", "/srv/v2"),
        ("/srv/[ab]", "/srv/b"),
        ("/srv/[!ab]", "/srv/c"),
        ("/srv/a[", "/srv/a["),
        ("C:\\Users\\Lin", "c:\\users\\lin\\work"),
        ("C:/Users", "C:\\Users\\Lin"),
        ("//server/share", "\\\\server\\share\\x"),
        ("客户", "/srv/客户/甲"),
        ("a.b", "/srv/a.b"),
    ],
)
def test_excluded(glob: str, project: str) -> None:
    assert excluded(compile_globs(["/nowhere", glob]), project)


@pytest.mark.parametrize(
    ("glob", "project"),
    [
        ("/srv/a", None),
        ("/srv/a", ""),
        ("/srv/a", "/srv/ab"),
        ("/srv/a", "/srv"),
        ("/srv/a", "/mnt/srv/a"),
        ("/srv/a", "srv/a"),
        ("a", "/srv/ab"),
        ("clients/acme", "/srv/clients/x/acme"),
        ("/srv/*", "/srv"),
        ("/srv/*/web", "/srv/a/b/web"),
        ("/srv/v?", "/srv/v/x"),
        ("/srv/[!ab]", "/srv/a"),
        ("/srv/[!a]b", "/srv//b"),
        ("a.b", "/srv/axb"),
    ],
)
def test_kept(glob: str, project: str | None) -> None:
    assert not excluded(compile_globs([glob]), project)


@pytest.mark.parametrize("glob", ["", "/", "**", "/**", ".", "..", "[z-a]"])
def test_a_glob_that_names_nothing_is_refused(glob: str) -> None:
    with pytest.raises(UsageError) as caught:
        compile_globs([glob])
    assert caught.value.reason == "projects_invalid"


@pytest.mark.parametrize("globs", ["/srv/a", [3], [None]])
def test_globs_are_a_list_of_strings(globs: object) -> None:
    with pytest.raises(UsageError) as caught:
        compile_globs(globs)  # type: ignore[arg-type]
    assert caught.value.reason == "projects_invalid"


def session(id: str, project: str | None, parent: str | None = None) -> Session:
    return Session("s", id, "", project, 0, 0, parent=parent)


def test_a_session_without_a_project_belongs_where_it_was_started() -> None:
    sessions = (
        session("a", "/srv/a"),
        session("b", None, "a"),
        session("c", None, "b"),
        session("d", "/srv/d", "a"),
        session("e", None, "gone"),
        session("f", None, "g"),
        session("g", None, "f"),
    )
    known = {each.id: each for each in sessions}
    found = [project_of(each.id, known.get) for each in sessions]
    assert found == ["/srv/a", "/srv/a", "/srv/a", "/srv/d", None, None, None]
