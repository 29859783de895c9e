"""``harkback demo``: a made-up workspace, a few questions to it, and what their answers teach.

Invariant: every answer and every time shown is measured as it is shown; nothing is canned, and
nothing stays behind unless asked. Proof: tests/surfaces/test_cli_demo.py.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harkback.cli import demo_history
from harkback.errors import QueryError
from harkback.recall import Recall

if TYPE_CHECKING:
    from harkback.cli.terminal import Terminal

STORE_NAME: Final = "runtime.sqlite"
_REPEATS: Final = 30


@click.command()
@click.option("--keep", is_flag=True, help="Keep the made-up workspace to try things on.")
def demo(keep: bool) -> None:
    """Shows in a second what harkback does, on made-up sessions.

    Writes a small history into a temporary folder, searches it, explains
    what comes back and why, and removes the folder.
    """
    folder = Path(tempfile.mkdtemp(prefix="harkback-demo-"))
    try:
        _Tour(folder / STORE_NAME, keep).run()
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


class _Tour:
    def __init__(self, store: Path, keep: bool) -> None:
        from harkback.cli.terminal import Terminal

        self._store = store
        self._keep = keep
        self._terminal: Terminal = Terminal(sys.stdout)

    def run(self) -> None:
        """The whole tour, top to bottom."""
        demo_history.write(self._store)
        size = sum(each.stat().st_size for each in self._store.parent.iterdir())
        self._say(
            f"A made-up history of seven sessions, {size // 1024} KB, in {self._store.parent}",
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
        many, few, one = demo_history.MODEL_MESSAGES
        self._heading(f"1. A word said {many + few + one} times; one message is meant")
        self._ask(recall, ("模型", "上下文窗口"), 3)
        self._say(
            f"{many} messages of one session say 模型, {few} of another, {one} of a third. The "
            "rarer term weighs more, and no session fills the answer by repeating a word."
        )

    def _long_output(self, recall: Recall) -> None:
        self._heading("2. One line of a 200 KB log")
        self._ask(recall, (demo_history.LOG_ERROR,), 1)
        self._say("However long an output is, it is searched to its end and shown as a window.")

    def _secret(self, recall: Recall) -> None:
        self._heading("3. A key that was pasted into a session")
        self._ask(recall, ("deploy token",), 3, gaps=True)
        self._say(
            "Keys are cut out before matching, so no search can find one or show one. What an "
            "answer does not cover is said: an archived session, a reply still being written."
        )

    def _refusal(self, recall: Recall) -> None:
        key = demo_history.fake_key()
        self._heading("4. Searching for a key itself")
        self._command((key[:8] + "…",))
        try:
            recall.search([key])
        except QueryError as error:
            self._say(f"harkback: {error.message} ({error.reason})")

    def _timings(self) -> None:
        from harkback.cli.terminal import duration

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
        from rich.text import Text

        self._terminal.print(Text(text, "bold underline"))

    def _command(self, terms: Sequence[str]) -> None:
        from rich.text import Text

        quoted = (f'"{term}"' if " " in term else term for term in terms)
        self._terminal.print(Text(f"$ harkback search {' '.join(quoted)} --store …\n", "green"))

    def _say(self, *sentences: str) -> None:
        for sentence in sentences:
            self._terminal.note(sentence)
        click.echo()
