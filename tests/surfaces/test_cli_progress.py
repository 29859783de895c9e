"""The sign of life: only on a terminal, only when it takes long, and wiped afterwards."""

from __future__ import annotations

import io
import time

import pytest

from harkback.cli import progress
from harkback.cli.progress import Bar, sign_of_life


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_wiped_after_a_long_search():
    screen = Screen()
    with sign_of_life(screen, patience=0.01):
        time.sleep(0.3)
    written = screen.getvalue()
    assert "searching" in written
    *_, blank, rest = written.split("\r")
    assert rest == ""
    assert not blank.strip()
    assert len(blank) == len(written.split("\r")[1])


def test_wiped_when_the_search_fails():
    screen = Screen()

    def search() -> None:
        with sign_of_life(screen, patience=0.01):
            time.sleep(0.1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search()
    assert screen.getvalue().endswith("\r")


def test_silent_when_quick_or_unwatched():
    screen, pipe = Screen(), io.StringIO()
    with sign_of_life(screen):
        pass
    with sign_of_life(pipe, patience=0.0):
        time.sleep(0.05)
    assert screen.getvalue() == pipe.getvalue() == ""


def test_a_bar_says_how_far_how_fast_and_how_long(monkeypatch: pytest.MonkeyPatch):
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    screen, pipe = Screen(), io.StringIO()
    for stream in (screen, pipe):
        now = 0.0
        with Bar(stream, "keeping", 1200, 1000) as bar:
            for _ in range(50):
                now += 0.5
                bar.step()
    shown = screen.getvalue().split("\r")
    assert shown[50].rstrip() == "keeping 1,050 of 1,200, 2 a second, 75 s left"
    assert not shown[-2].strip()
    assert pipe.getvalue() == ""
