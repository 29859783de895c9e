"""The vocabulary of the domain as frozen values; no behaviour beyond what a value is.

Data flow: a Source decodes records into StoredMessages (typed parts); projection turns them into
Messages (leaves); the Corpus verifies them into Hits; ranking and passages build an Envelope.
Times are integer milliseconds since the epoch, offsets are code points.
Proof: tests/unit/test_model.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["user", "assistant", "tool_call", "tool_result", "summary", "title"]
KINDS: tuple[Kind, ...] = ("user", "assistant", "tool_call", "tool_result", "summary", "title")
ABANDONED: Final = 16  # added to the index of a kind: a rewound Message

MaterialKind: TypeAlias = Literal["image", "pdf", "doc", "code", "output", "other"]
MATERIAL_KINDS: tuple[MaterialKind, ...] = ("image", "pdf", "doc", "code", "output", "other")

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Span: TypeAlias = tuple[int, int]  # [start, end), code points


# --- what a Source yields -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation, as its Source's catalog lists it."""

    source: str
    id: str
    title: str
    project: str | None
    started_at: int
    last_activity_at: int
    archived: bool = False
    parent: str | None = None
    parent_kind: Literal["subagent", "branch", "revision"] | None = None
    lineage: str = ""  # id of the first Session of its lineage; its own id when it has no parent
    generation: int = 0  # place in the lineage, 0 = first
    copied: bool = False  # fork-marked: its first Messages replay another Session's
    agent: str = ""  # whose history it is, as people write it in a command
    place: str = ""  # the file that it has to itself


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text a record shows as it stands; ``field`` is its key path, e.g. ``content.stdout``."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A JSON value whose string leaves are visible, e.g. the arguments of a tool call."""

    field: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class AttachmentPart:
    """A file that came with a Message; its name is visible, its bytes are never text.

    Where its bytes lie and how large it is in pixels does not make it another file.
    """

    name: str
    kind: MaterialKind
    mime: str
    bytes: int | None
    ref: str = field(default="", compare=False)  # opaque outside its Source; "": not to be read
    pixels: tuple[int, int] | None = field(default=None, compare=False)  # as its first bytes tell


Part: TypeAlias = TextPart | JsonPart | AttachmentPart


class StoredMessage(NamedTuple):
    """What a Source decodes from its records: kind and typed parts, before projection."""

    id: str
    kind: Kind
    turn: str | None
    timestamp: int
    parts: tuple[Part, ...]
    locator: str  # opaque outside its Source: where the records of this Message lie
    in_progress: bool = False
    abandoned: bool = False  # rewound, rolled back or edited away; still there, out of scope


# --- after projection -----------------------------------------------------------------------


class Leaf(NamedTuple):
    """One piece of a Message's visible text: a contiguous substring of one decoded string."""

    path: tuple[str, ...]  # key path; list positions are left out
    text: str


# --- redaction rules are data, run by both engines ------------------------------------------

RuleKind: TypeAlias = Literal["pattern", "run", "between", "key", "word"]
#: What a secret that was found has to hold, beyond its shape; "" asks for nothing.
Validator: TypeAlias = Literal["", "mixed", "random", "luhn"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One class of secret. See ``harkback.redaction`` for what each kind does."""

    id: str
    kind: RuleKind
    keywords: tuple[str, ...]  # literals, matched ASCII case-insensitively; none of kind "word"
    reason: str
    shape: str = ""  # matched at the keyword; group 1 is the secret, else the whole match
    before: int = 0  # code points between the start of the shape and its keyword
    boundary: bool = False  # the code point before the shape is not [A-Za-z0-9_]
    run: str = ""  # kind "run": the class the secret goes on in; "word": the class of whole runs
    end: str = ""  # kind "between": the literal that closes the block
    names: tuple[str, ...] = ()  # kind "key": last segments that make a name sensitive
    qualifiers: tuple[str, ...] = ()  # kind "key": segments that make a following `key` sensitive
    validator: Validator = ""  # run on the whole secret, of which it reads a bounded start
    back: str = ""  # a class: up to 64 code points of it left of the keyword belong to the secret


class RedactedSpan(NamedTuple):
    """A stretch of one leaf that is taken out, and the rules that ask for it (sorted ids)."""

    start: int
    end: int
    rules: tuple[str, ...]


# --- the Corpus -----------------------------------------------------------------------------


class Entry(NamedTuple):
    """A Message as the Corpus takes it. ``sensitive`` leaves are redacted whole."""

    id: str
    turn: str | None
    timestamp: int
    kind: int  # index into KINDS, plus ABANDONED
    locator: str
    leaves: list[tuple[str, bool]]  # (text, sensitive)
    #: Redacted spans of each leaf where the policy found them itself, disjoint and in order; None:
    #: the redactor of the Corpus finds them.
    cuts: list[list[Span]] | None = None


class Row(NamedTuple):
    """What a segment keeps of a Message beside its folded text: positions, never text."""

    id: str
    turn: str | None
    timestamp: int
    kind: int
    locator: str
    spans: list[list[Span]]  # redacted spans, per leaf


class Scope(NamedTuple):
    """Which of the Messages that hold a term are Hits; times are inclusive, None is no bound."""

    kinds: tuple[int, ...]  # indexes into KINDS
    since: int | None
    until: int | None
    abandoned: bool  # whether those of rewound Turns are in
    #: Indexes of keys, and the Turn of theirs that is under way: out.
    active: tuple[tuple[int, ...], str] | None = None


class Hits(NamedTuple):
    """Verified Messages as parallel columns, in (key, row) order."""

    key: list[int]  # index into the keys that were searched
    row: list[int]  # index of the Message in its segment
    turn: list[int]  # ordinal of its Turn in the segment, -1 without one
    timestamp: list[int]
    kind: list[int]
    length: list[int]  # code points of surviving text
    ident: list[int]  # first 8 bytes, big-endian, of SHA-256(id)
    digest: list[int]  # the same of SHA-256(folded surviving text, spans joined by 0xFF)
    frequency: list[list[int]]  # one column per term
    holding: list[int]  # indexes of keys that hold a term at all, in scope or not
    outside_time: int  # of how many Messages the time is out of scope
    abandoned: int  # how many are left out because their Turn was rewound


class Counts(NamedTuple):
    """What scores are made of."""

    total: int  # Hits
    length: int  # sum of their lengths, as far as they count
    holding: list[int]  # per term, Hits that hold it
    per_key: list[int]  # Hits


class Ranked(NamedTuple):
    """A Hit with its score. Keys are counted over all searches of a Tally."""

    key: int
    row: int
    turn: int
    timestamp: int
    kind: int
    length: int  # as far as it counts
    score: float
    frequency: tuple[int, ...]  # per term
    also_in: list[int]  # keys of the Sessions that replay the Message


# --- the answer -----------------------------------------------------------------------------

GapCode: TypeAlias = Literal[
    "not_searched",
    "facts_unavailable",
    "source_failed",
    "source_unreadable",
    "source_locked",
    "source_incomplete",
    "session_unreadable",
    "record_damaged",
    "record_oversized",
    "format_drift",
    "stream_in_flight",
    "archived_excluded",
    "abandoned_excluded",
    "active_turn_excluded",
    "host_excluded",
    "project_excluded",
    "outside_scope",
    "outside_time",
    "deadline",
    "fast_path_declined",
    "body_archived",
    "finder_failed",
    "term_without_match",
    "hits_not_shown",
    "text_shortened",
]


@dataclass(frozen=True, slots=True)
class Gap:
    """One structured reason why the answer may be incomplete."""

    code: GapCode
    message: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """A file that a Message came with, or a tool gave out: metadata alone, safe to show."""

    id: str  # 32 hex digits; what it names is looked up and checked anew at every call
    name: str
    kind: MaterialKind
    mime: str
    bytes: int | None
    tokens: int | None  # an estimate of what reading it costs
    available: bool = True  # whether its Source holds the bytes; what lies elsewhere is not read


@dataclass(frozen=True, slots=True)
class PassageMessage:
    """One Message as a Passage shows it: redacted, then cut to a window.

    ``materials`` are its own and those of tool results that follow it and are not shown.
    """

    id: str
    kind: Kind
    timestamp: int
    text: str
    field: str | None = None  # key path of the leaf the window is cut from; None: all leaves
    spans: tuple[Span, ...] = ()  # occurrences of the terms in ``text``
    is_anchor: bool = False
    truncated: bool = False
    in_progress: bool = False
    abandoned: bool = False
    anchor: str | None = None  # where it is not the Passage's own
    materials: tuple[Material, ...] = ()
    more_materials: int = 0  # that are not listed


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score as a tree: what it is, its value, and the values it is made of."""

    label: str
    value: float
    parts: tuple[Explanation, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionCard:
    """What an answer says of a Session: redacted and shortened, safe to show."""

    id: str
    title: str
    source: str
    project: str | None
    started_at: int
    last_activity_at: int
    parent: str | None = None
    agent: str = ""
    place: str = ""  # for a person, to open it: it is in no form that a model reads


@dataclass(frozen=True, slots=True)
class Passage:
    """The anchor, and its bounded neighbours of the same Turn, in order."""

    anchor: str
    session: SessionCard
    turn_id: str | None
    sequence: int  # of the anchor in its Session, from 0
    is_current_session: bool
    matched_terms: tuple[str, ...]
    score: float
    has_more_before: bool
    has_more_after: bool
    messages: tuple[PassageMessage, ...]
    also_in: tuple[str, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One distilled fact as an answer shows it: redacted, then cut."""

    id: str
    content: str
    kind: str
    scope: Literal["global", "workspace", "file"]
    observed_at: int
    updated_at: int
    matched_terms: tuple[str, ...]
    anchors: tuple[str, ...] = ()  # of Messages that it was taken from
    source: str = ""  # the store it is kept in, or the file


@dataclass(frozen=True, slots=True)
class Searched:
    """How far a search reached."""

    sessions: int
    records: int
    oldest_activity: int | None
    every_session: bool
