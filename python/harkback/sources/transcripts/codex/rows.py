"""The rows of a rollout become the Messages of its Session, in one pass.

A rollout has three forms: enveloped rows (``type`` and ``payload``), bare items, and the items of
one JSON document. Response items are the text; events only say what became of it. A fork, or an
agent that another one started, begins with a copy of its parent's rows: they keep the ids of their
Turns, and get the ids that they have in the parent's rollout, so that replays are recognised.
Invariant: an id is made of what a copy, an archive and a compression leave alone: ids of calls, or
of the Turn; the Source numbers like Messages of one Turn. Proof:
tests/unit/sources/transcripts/test_codex.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from harkback.model import Part, StoredMessage, TextPart
from harkback.sources.transcripts.codex import injected, items
from harkback.sources.transcripts.codex.items import Item
from harkback.sources.transcripts.values import (
    count_unknown,
    mappings,
    milliseconds,
    text,
    visible,
)

_UUID7: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7")
#: Rows beside the transcript: the harness's own state and figures.
_SILENT_ROWS: Final = frozenset(
    {
        "inter_agent_communication_metadata",
        "retained_context",
        "security_risk_score",
        "token_usage_record",
        "world_state",
    }
)
#: Events whose text is thinking, a twin of an item, a notice of the harness, or none at all.
_SILENT_EVENTS: Final = frozenset(
    {
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "background_event",
        "context_compacted",
        "deprecation_notice",
        "dynamic_tool_call_request",
        "dynamic_tool_call_response",
        "entered_review_mode",
        "error",
        "exec_command_begin",
        "exec_command_end",
        "image_generation_end",
        "item_completed",
        "item_started",
        "mcp_tool_call_begin",
        "mcp_tool_call_end",
        "patch_apply_begin",
        "patch_apply_end",
        "plan_update",
        "shutdown_complete",
        "stream_error",
        "sub_agent_activity",
        "task_complete",
        "thread_goal_updated",
        "thread_name_updated",
        "thread_settings_applied",
        "token_count",
        "turn_aborted",
        "turn_complete",
        "turn_diff",
        "user_message",
        "view_image_tool_call",
        "warning",
        "web_search_begin",
        "web_search_end",
    }
)
_COLLABORATION: Final = "collab_"  # links to other agents: spawned, waited for, closed


class Rows:
    """Reads rows in order; ``messages`` grows with them."""

    def __init__(self, session: str, problems: Counter[str]) -> None:
        self.messages: list[StoredMessage] = []
        self.head: dict[str, Any] = {}  # the first session_meta, which is the Session's own
        self.folder: str | None = None  # as the context block of an old version names it
        self.origin = session  # of the copied rows: the Session that had them first
        self._session = session
        self._problems = problems
        self._owner = session  # whose rows these are: a copy of the parent's comes first
        self._time = 0
        self._codex_turn = ""
        self._turn: str | None = None
        self._prompted = False  # the Turn under way has had its prompt
        self._prompts: list[int] = []  # indices of the Messages from which a rollback counts
        self._turns: Counter[str] = Counter()
        self._own_prompt: str | None = None

    @property
    def copied(self) -> bool:
        """Whether rows of another Session were met."""
        return self.origin != self._session

    @property
    def own_prompt(self) -> str:
        """The first prompt that is no copy; "" while there is none."""
        return self._own_prompt or ""

    def row(self, row: dict[str, Any]) -> None:
        """One line of a ``.jsonl`` rollout."""
        payload = row.get("payload")
        if not isinstance(payload, dict):
            self.bare(row)
            return
        self._time = milliseconds(row.get("timestamp")) or self._time
        kind = text(row.get("type"))
        if kind == "response_item":
            self._add(items.read(payload, self._problems))
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "turn_context":
            self._enter_turn(text(payload.get("turn_id")), of_last_prompt=True)
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "compacted":
            self._compacted(payload)
        elif kind not in _SILENT_ROWS:
            count_unknown(self._problems, row)

    def bare(self, item: dict[str, Any]) -> None:
        """A line without an envelope, or an item of a whole document."""
        if items.is_item(item):
            if self.folder is None and item.get("role") == "user":
                for block in mappings(item.get("content")):
                    self.folder = self.folder or injected.working_folder(text(block.get("text")))
            self._add(items.read(item, self._problems))
        elif not self.head and not self.messages and isinstance(item.get("id"), str):
            self.old_head(item)
        elif "record_type" not in item:
            count_unknown(self._problems, item)

    def old_head(self, meta: dict[str, Any]) -> None:
        """The head of a bare rollout: its time is the only one that there is."""
        self.head = {k: meta[k] for k in ("id", "timestamp") if k in meta}
        self._time = milliseconds(meta.get("timestamp"))

    def _meta(self, payload: dict[str, Any]) -> None:
        # Instructions and tool definitions are no part of what is kept of it.
        kept = {k: v for k, v in payload.items() if k not in ("base_instructions", "dynamic_tools")}
        if not self.head:
            self.head = kept
            return
        name = text(payload.get("id"))
        if name and name != self._session:
            self._owner = self.origin = name
            self._codex_turn = ""

    def _enter_turn(self, turn: str, *, of_last_prompt: bool = False) -> None:
        """A Turn begins, unless its context only follows the prompt that has begun it."""
        if not turn or turn == self._codex_turn:
            return
        self._codex_turn = turn
        if self._owner != self._session and _begins_after(turn, self._session):
            self._owner = self._session
        if of_last_prompt and self._prompts and self._prompts[-1] == len(self.messages) - 1:
            return
        self._turn, self._prompted = self._new_turn(turn), False

    def _event(self, payload: dict[str, Any]) -> None:
        kind = text(payload.get("type"))
        if kind in ("task_started", "turn_started"):
            self._enter_turn(text(payload.get("turn_id")))
        elif kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            if isinstance(turns, int) and not isinstance(turns, bool) and turns > 0:
                self._roll_back(turns)
        elif kind == "exited_review_mode":
            # The review itself ran in a rollout of its own, or in none.
            review = visible("review_output", payload.get("review_output"))
            self._add([Item("assistant", tuple(review))])
        elif kind not in _SILENT_EVENTS and not kind.startswith(_COLLABORATION):
            count_unknown(self._problems, payload)

    def _compacted(self, payload: dict[str, Any]) -> None:
        """Of a compaction only its summary is new; the history it carries is a copy."""
        summary = text(payload.get("message"))
        if summary:
            self._add([Item("summary", (TextPart("message", summary),))])
            return
        for item in reversed(list(mappings(payload.get("replacement_history")))):
            for entry in items.read(item, Counter()):
                if entry.kind == "summary":
                    self._add([entry])
                    return

    def _roll_back(self, turns: int) -> None:
        if not self._prompts:
            return
        turns = min(turns, len(self._prompts))
        start = self._prompts[-turns]
        del self._prompts[-turns:]
        for index in range(start, len(self.messages)):
            self.messages[index] = self.messages[index]._replace(abandoned=True)

    def _add(self, found: Iterable[Item]) -> None:
        for kind, parts, call in found:
            if not parts and kind not in ("tool_call", "tool_result"):
                continue
            if kind == "user":
                self._prompt(parts)
            place = self._codex_turn or self._owner
            base = f"{call}/{kind}" if call else f"{place}/{kind}"
            self.messages.append(StoredMessage(base, kind, self._turn, self._time, parts, ""))

    def _prompt(self, parts: tuple[Part, ...]) -> None:
        if self._prompted or self._turn is None:
            self._turn = self._new_turn(self._codex_turn or "turn")
        self._prompted = True
        self._prompts.append(len(self.messages))
        if self._own_prompt is None and self._owner == self._session:
            self._own_prompt = next((p.text for p in parts if isinstance(p, TextPart)), None)

    def _new_turn(self, base: str) -> str:
        self._turns[base] += 1
        number = self._turns[base]
        return base if number == 1 else f"{base}#{number}"


def _begins_after(turn: str, session: str) -> bool:
    """Whether ids that carry their time say that the Turn is no older than the Session.

    Without such ids there is no telling: then nothing is claimed to be the Session's own.
    """
    if not (_UUID7.match(turn) and _UUID7.match(session)):
        return False
    return turn[:13] >= session[:13]
