"""The tour of ``harkback demo``: a made-up history, a few questions, what their answers teach.

Invariant: every answer and every time is measured as it is shown; nothing is canned. Proof:
tests/surfaces/test_cli_demo.py.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from harkback.cli import tour_history
from harkback.cli.sources import size_of
from harkback.cli.terminal import Terminal, duration
from harkback.errors import QueryError
from harkback.recall import Recall

_REPEATS: Final = 30


class Tour:
    """A walk through what the product does.

    Args:
        store: where to make the history up.
        keep: whether it stays; only to say so.
    """

    def __init__(self, store: Path, keep: bool) -> None:
        self._store = store
        self._keep = keep
        self._terminal = Terminal(sys.stdout)

    def run(self) -> None:
        """The whole tour, top to bottom."""
        tour_history.write(self._store)
        size = sum(each.stat().st_size for each in self._store.parent.iterdir())
        self._say(
            f"A made-up history of seven sessions, {size_of(size)}, in {self._store.parent}",
            "It is kept." if self._keep else "It is removed at the end; --keep keeps it.",
        )
        with Recall(self._store) as recall:
            self._frequent_word(recall)
            self._long_output(recall)
            self._secret(recall)
            self._refusal(recall)
        self._timings()
        path = str(self._store.parent) if self._keep else "PATH"
        self._say(f'Next: harkback search "what you remember" --store {path}')

    def _frequent_word(self, recall: Recall) -> None:
        many, few, one = tour_history.MODEL_MESSAGES
        self._heading(f"1. A word said {many + few + one} times; one message is meant")
        self._ask(recall, ("模型", "上下文窗口"), 3)
        self._say(
            f"{many} messages of one session say 模型, {few} of another, {one} of a third. The "
            "rarer term weighs more, and no session fills the answer by repeating a word."
        )

    def _long_output(self, recall: Recall) -> None:
        self._heading("2. One line of a 200 KB log")
        self._ask(recall, (tour_history.LOG_ERROR,), 1)
        self._say("However long an output is, it is searched to its end and shown as a window.")

    def _secret(self, recall: Recall) -> None:
        self._heading("3. A key that was pasted into a session")
        self._ask(recall, ("deploy token",), 3, gaps=True)
        self._say(
            "Keys are cut out before matching, so no search can find one or show one. What an "
            "answer does not cover is said: an archived session, a reply still being written."
        )

    def _refusal(self, recall: Recall) -> None:
        key = tour_history.fake_key()
        self._heading("4. Searching for a key itself")
        self._command((key[:8] + "…",))
        try:
            recall.search([key])
        except QueryError as error:
            self._say(f"harkback: {error.message} ({error.reason})")

    def _timings(self) -> None:
        self._heading("5. How long it takes")
        times = []
        with Recall(self._store) as recall:
            for _ in range(_REPEATS):
                started = time.perf_counter()
                recall.search(["模型", "上下文窗口"])
                times.append(time.perf_counter() - started)
        self._say(
            f"First search, nothing prepared:  {duration(times[0])}",
            f"The same again, held in memory:  {duration(statistics.median(times[2:]))}",
        )

    def _ask(self, recall: Recall, terms: Sequence[str], limit: int, *, gaps: bool = False) -> None:
        self._command(terms)
        answer = recall.search(terms, limit=limit)
        self._terminal.passages(answer.passages)
        if gaps:
            self._terminal.gaps(answer)
            click.echo()

    def _heading(self, text: str) -> None:
        self._terminal.print(Text(text, "bold underline"))

    def _command(self, terms: Sequence[str]) -> None:
        quoted = (f'"{term}"' if " " in term else term for term in terms)
        self._terminal.print(Text(f"$ harkback search {' '.join(quoted)} --store …\n", "green"))

    def _say(self, *sentences: str) -> None:
        for sentence in sentences:
            self._terminal.note(sentence)
        click.echo()
