"""One Session of the bench corpus as rows of a host store, ledger-born or pre-ledger.

A Session is planned as Turns of kinds; people's messages are written first, then the tool results
share what is left of the Session's byte budget, so that a corpus has the size it says.
Invariant: rows are what a host writes: ordinals are dense, a body over 65,536 bytes is cut in
slices of exactly that length, each with its digest. Proof: tests/unit/test_bench_corpus.py.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from corpus_records import (
    COMPLETED,
    EVENT_KINDS,
    MODEL,
    Draft,
    Ids,
    Kind,
    Planted,
    dispatch,
    dumps,
    envelope,
    event,
    header,
    record,
    run_record,
    thinking,
)
from corpus_text import (
    SHORT_PROMPTS,
    STYLE_WEIGHTS,
    STYLES,
    TITLES,
    Filler,
    Json,
    Language,
    call,
    result,
)
from harkback.sources.sqlite.schema import CHUNK_BYTES, CHUNK_MARKER

Row: TypeAlias = tuple[Any, ...]

EPOCH_MS: Final = 1_790_000_000_000  # the newest Session's start; older ones lie before it
SESSION_GAP_MS: Final = 9 * 3_600_000
EVENT_GAP_MS: Final = 700
RESULT_BYTES: Final = (200, 20_000)  # inline tool results lie between these
LARGE_BODY_BYTES: Final = (70_000, 150_000)  # pre-ledger bodies that must be chunked
LANGUAGES: Final[tuple[Language, ...]] = (
    *("zh", "en", "vi", "de", "en"),
    *("zh", "zh", "en", "ja", "en"),
)
SECOND_LANGUAGES: Final[tuple[Language, ...]] = ("ja", "zh", "en", "zh", "en")  # say less


@dataclass(slots=True)
class Rows:
    """Rows by table, and what the corpus counts of them."""

    tables: dict[str, list[Row]]
    messages: list[tuple[str, str]]  # (message id, visible text), in order
    raw: list[str]  # every JSON text that was written, whole
    bytes: int = 0
    searchable: int = 0
    in_results: int = 0


def turns(rng: random.Random, count: int) -> list[list[Kind]]:
    """Turns that hold ``count`` messages in all: a prompt, tool steps, an answer."""
    plan: list[list[Kind]] = []
    left = count
    while left >= 4:
        kinds: list[Kind] = ["user"]
        for _ in range(rng.choices((0, 1, 2, 3, 5, 8), (18, 22, 22, 18, 14, 6))[0]):
            if len(kinds) + 4 > left:
                break
            if rng.random() < 0.3:
                kinds.append("assistant")
            kinds += ["tool_call", "tool_result"]
        kinds.append("assistant")
        plan.append(kinds)
        left -= len(kinds)
    tail: list[Kind] = ["user", "assistant", "assistant"]
    if left == 1 and plan:
        plan[-1].append("assistant")
    elif left:
        plan.append(tail[:left])
    return plan


class SessionWriter:
    """Writes one Session; ``index`` 0 is the newest of its store."""

    def __init__(self, rng: random.Random, filler: Filler, index: int, *, ledger: bool) -> None:
        self._rng = rng
        self._filler = filler
        self._ledger = ledger
        self.id = self._uuid()
        self._started = EPOCH_MS - index * SESSION_GAP_MS
        self._clock = self._started
        self._first: Language = LANGUAGES[index % len(LANGUAGES)]
        self._second: Language = SECOND_LANGUAGES[index % len(SECOND_LANGUAGES)]

    def write(
        self, plan: Sequence[Sequence[Kind]], planted: dict[int, Planted], budget: int
    ) -> Rows:
        """Rows of a Session of about ``budget`` bytes; ``planted`` is by message number."""
        drafts = self._drafts(plan, planted)
        rows = Rows({}, [], [])
        fixed = [d for d in drafts if d.kind != "tool_result"]
        for draft in fixed:
            self._say(draft)
        spent = sum(len(self._message_json(d).encode()) for d in fixed)
        spent += sum(self._beside_bytes(d) for d in drafts)
        tools = {d.call_id: d.tool for d in fixed}
        results = [d for d in drafts if d.kind == "tool_result"]
        for draft in results:
            draft.tool = tools[draft.call_id]
        self._fill(results, budget - spent)
        for draft in drafts:
            size = len(draft.visible.encode())
            rows.searchable += size
            rows.in_results += size if draft.kind == "tool_result" else 0
            rows.messages.append((draft.id, draft.visible))
        write = self._ledger_rows if self._ledger else self._message_rows
        write(drafts, rows)
        self._metadata(rows)
        rows.bytes = sum(len(text.encode()) for text in rows.raw)
        return rows

    # --- what is said -----------------------------------------------------------------------

    def _drafts(self, plan: Sequence[Sequence[Kind]], planted: dict[int, Planted]) -> list[Draft]:
        drafts: list[Draft] = []
        call_id = ""
        for turn, kinds in enumerate(plan):
            for kind in kinds:
                if kind == "tool_call":
                    call_id = f"toolu_{self._rng.getrandbits(80):020x}"
                own = call_id if kind == "tool_call" else self._uuid()
                draft = Draft(own, kind, turn, planted.get(len(drafts)))
                draft.call_id = call_id if kind.startswith("tool") else ""
                drafts.append(draft)
        return drafts

    def _say(self, draft: Draft) -> None:
        rng = self._rng
        if draft.kind == "tool_call":
            term = " ".join(draft.planted.terms) if draft.planted else None
            draft.tool, draft.value, draft.visible = call(rng, self._filler, term)
            return
        language = self._first if rng.random() < 0.75 else self._second
        if draft.kind == "user" and rng.random() < 0.35:
            text = rng.choice(SHORT_PROMPTS[language])
        else:
            longest = 3 if draft.kind == "user" else 6
            text = self._filler.prose(rng, language, rng.randint(1, longest))
        if draft.planted:
            text = "\n".join([text, *draft.planted.sentences])
        draft.value = draft.visible = text
        if draft.kind == "user" and rng.random() < 0.04:
            name = rng.choice(("image.png", "notes.md", "report.pdf"))
            draft.attachments.append(self._attachment(name))
            draft.visible += "\n" + name

    def _fill(self, results: list[Draft], budget: int) -> None:
        """Shares ``budget`` bytes among the results by drawn weights, correcting as it goes."""
        rng = self._rng
        large = set()
        if not self._ledger and results:
            large = set(rng.sample(range(len(results)), min(len(results), 1 + budget // 1_000_000)))
        weights = [rng.lognormvariate(0, 0.9) for _ in results]
        sizes = {i: rng.randint(*LARGE_BODY_BYTES) for i in large}
        if sum(sizes.values()) > budget // 2:
            sizes = dict.fromkeys(large, LARGE_BODY_BYTES[0])
        left, heavy = budget - sum(sizes.values()), sum(weights)
        heavy -= sum(weights[i] for i in large)
        for index, draft in enumerate(results):
            share = left * weights[index] / heavy if heavy > 0 else 0
            size = sizes.get(index) or min(RESULT_BYTES[1], max(RESULT_BYTES[0], int(share)))
            self._result(draft, size)
            wrote = len(self._message_json(draft).encode())
            if index not in large:
                heavy -= weights[index]
                left -= wrote
            else:
                left += sizes[index] - wrote

    def _result(self, draft: Draft, size: int) -> None:
        """Content whose record is about ``size`` bytes long."""
        rng = self._rng
        style = rng.choices(STYLES, STYLE_WEIGHTS)[0]
        body = max(60, round((size - (560 if self._ledger else 230)) * 0.9))
        lines = self._filler.lines(rng, style, body)
        if style in ("log", "code") and rng.random() < 0.15:
            lines.append(self._filler.prose(rng, self._first, 2))
        for sentence in draft.planted.sentences if draft.planted else ():
            for _ in range(rng.choices((1, 2, 5, 11), (80, 12, 5, 3))[0]):
                lines.insert(rng.randint(0, len(lines)), sentence)
        draft.value, draft.visible = result(rng, style, lines, self._filler.path(rng))

    def _attachment(self, name: str) -> Json:
        kind, mime = {
            "png": ("image", "image/png"),
            "pdf": ("pdf", "application/pdf"),
            "md": ("doc", "text/markdown"),
        }[name.rpartition(".")[2]]
        place: Json = {
            "kind": "session_file",
            "sessionId": self.id,
            "relativePath": f"attachments/{self._rng.getrandbits(64):016x}-{name}",
        }
        size = self._rng.randrange(2_000, 900_000)
        return {"kind": kind, "name": name, "mimeType": mime, "bytes": size, "ref": place}

    # --- how it is stored -------------------------------------------------------------------

    def _message_json(self, draft: Draft) -> str:
        """What ``draft`` takes up as a row, for sizing: ids and times as long as real ones."""
        if self._ledger:
            return dumps(event(Ids(), self.id, draft, self._clock))
        return dumps(record(draft, Ids().turn, self._clock))

    def _beside_bytes(self, draft: Draft) -> int:
        """Bytes of the events that a message brings with it, on the average."""
        if not self._ledger:
            return 0
        return {"user": 340, "assistant": 265, "tool_call": 520, "tool_result": 0}[draft.kind]

    def _ledger_rows(self, drafts: list[Draft], rows: Rows) -> None:
        events: list[Row] = []
        runs: list[Row] = []
        ids = Ids()
        seq = 0

        def put(kind: str, payload: dict[str, Json]) -> None:
            nonlocal seq
            seq += 1
            text = dumps(payload)
            rows.raw.append(text)
            place = (ids.event, self.id, ids.invocation, ids.run, ids.turn, seq)
            events.append((*place, kind, text, self._clock))

        def beside(kind: str, payload: dict[str, Json]) -> None:
            nonlocal ids
            ids = replace(ids, event=self._uuid())
            put(kind, {**envelope(ids, self.id, self._tick()), **payload})

        for number, draft in enumerate(drafts):
            if number == 0 or draft.turn != drafts[number - 1].turn:
                run = self._uuid()
                ids, seq = Ids("", f"inv-{run}", run, self._uuid()), 0
                kept = dumps(run_record(ids, self.id, self._clock))
                runs.append((self.id, run, self._clock, kept, None))
            if draft.kind == "assistant" and self._rng.random() < 0.5:
                beside("thinking", thinking(draft, self._filler.prose(self._rng, "en", 2)))
            ids = replace(ids, event=self._uuid())
            put(EVENT_KINDS[draft.kind], event(ids, self.id, draft, self._tick()))
            if draft.kind == "tool_call":
                beside("runtime_fact", dispatch(draft))
            if number + 1 == len(drafts) or drafts[number + 1].turn != draft.turn:
                beside("completed", COMPLETED)
        rows.tables["runtime_events"] = events
        rows.tables["core_agent_runs"] = runs
        rows.tables["runtime_session_event_ordinals"] = [
            (self.id, ordinal, row[0]) for ordinal, row in enumerate(events, start=1)
        ]

    def _message_rows(self, drafts: list[Draft], rows: Rows) -> None:
        messages: list[Row] = []
        payloads: list[Row] = []
        chunks: list[Row] = []
        turn = ""
        for number, draft in enumerate(drafts):
            if number == 0 or draft.turn != drafts[number - 1].turn:
                turn = self._uuid()
            at = self._tick()
            text = dumps(record(draft, turn, at))
            rows.raw.append(text)
            body = text.encode()
            if len(body) > CHUNK_BYTES:
                text = CHUNK_MARKER
                rows.raw.append(text)
                payloads.append((self.id, number, len(body), _sha256(body)))
                for place, start in enumerate(range(0, len(body), CHUNK_BYTES)):
                    data = body[start : start + CHUNK_BYTES]
                    chunks.append((self.id, number, place, data, _sha256(data)))
            messages.append((self.id, number, draft.id, draft.kind, at, text))
        rows.tables["session_messages"] = messages
        rows.tables["session_message_payloads"] = payloads
        rows.tables["session_message_chunks"] = chunks

    def _metadata(self, rows: Rows) -> None:
        name = self._rng.choice(TITLES)
        kept = dumps(header(self.id, name, self._started, self._clock, ledger=self._ledger))
        times = (self._started, self._clock, self._clock)
        flags = (name, 0, 0, None, None, None, 0, "ai-sdk", "anthropic", MODEL, 1, self._started)
        row = (self.id, kept, *times, *flags, *(None,) * 10)
        rows.tables["session_metadata"] = [row]

    def _tick(self) -> int:
        self._clock += EVENT_GAP_MS
        return self._clock

    def _uuid(self) -> str:
        text = f"{self._rng.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
