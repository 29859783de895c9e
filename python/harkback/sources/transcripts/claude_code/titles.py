"""What a transcript is called: a given title, else a made one, else its first prompt.

Invariant: the last title of a kind wins, an empty one takes it back, and a title is one string of
a record, or the first line of one. Proof: tests/unit/sources/transcripts/claude_code/test_titles.py.
"""

from __future__ import annotations

from typing import Any, Final

from harkback.sources.transcripts import values

#: Type of a row, and the field that holds the title; the best first.
_FIELDS: Final = {
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "last-prompt": "lastPrompt",
}
LINE: Final = 200  # code points of a prompt that stands in for a title


class Titles:
    """The titles that the rows of one Session give it."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._summary = ""
        self._opening: dict[str, str] = {}  # summaries ahead of every row, by the row they end at

    def add(self, kind: str, row: dict[str, Any]) -> bool:
        """Takes a row that may be a title; False if it is of another type."""
        name = _FIELDS.get(kind)
        if name is None:
            return False
        self._given[kind] = values.text(row.get(name)).strip()
        return True

    def rename(self, name: str) -> None:
        """What ``/rename`` was told."""
        self._given["custom-title"] = name

    def summarise(self, row: dict[str, Any], rows: dict[str, str | None]) -> None:
        """Takes a summary row. It belongs to the Session that holds the row it names.

        Ahead of all rows it tells of the history that a resume copied into its new file.
        """
        summary, leaf = values.text(row.get("summary")).strip(), row.get("leafUuid")
        if not isinstance(leaf, str):
            return
        if not rows:
            self._opening[leaf] = summary
        elif leaf in rows:
            self._summary = summary

    def ends_history(self, row: str) -> bool:
        """Whether ``row`` is the last of a history that was copied from another file."""
        return row in self._opening

    def best(self, elsewhere: str, prompt: str, is_first: bool) -> str:
        """The title; "" if the first user Message is the best there is.

        Args:
            elsewhere: a summary of this Session that stands in another file.
            prompt: the first that was not copied from another Session, "" without one.
            is_first: whether it is the first user Message.
        """
        given = next((title for title in map(self._given.get, _FIELDS) if title), "")
        if given or self._summary or elsewhere:
            return given or self._summary or elsewhere
        if not prompt:
            return next((summary for summary in self._opening.values() if summary), "")
        return "" if is_first else prompt.strip().partition("\n")[0][:LINE]
