"""The question, checked before any source is touched.

Invariant: a Query that exists is askable: 1 to 8 distinct folded terms, none of which the redactor
would change (a credential-shaped term would make the answer an oracle). Proof:
tests/unit/test_query.py.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

from harkback.config import (
    DEFAULT_KINDS,
    MAX_LIMIT,
    MAX_TERM_CODE_POINTS,
    MAX_TERMS,
)
from harkback.decoding import clean
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import KINDS, Kind
from harkback.projects import Globs, compile_globs
from harkback.redaction import Redaction

Order: TypeAlias = Literal["relevance", "newest"]
ORDERS: tuple[Order, ...] = ("relevance", "newest")
Moment: TypeAlias = int | datetime
_MIN_WORD = 3
_MIN_CJK_WORD = 2
MAX_DEADLINE_SECONDS = 10**9
_QUOTES = "\"'`“”‘’«»「」『』《》"


class Query(NamedTuple):
    """What is asked. ``terms`` keep the caller's spelling; ``folded`` is what is compared."""

    terms: tuple[str, ...]
    folded: tuple[str, ...]
    limit: int | None  # Passages; None: every one, without a Budget
    order: Order
    kinds: frozenset[Kind]
    within: str | None
    since: int | None
    until: int | None
    include_archived: bool
    include_abandoned: bool
    projects: Globs  # none: all of them
    active: tuple[str, str] | None
    explain: bool
    deadline: float | None  # on the monotonic clock
    cancel: threading.Event | None = None
    workspace: str | None = None  # whose facts are searched beside those of all

    def expired(self) -> bool:
        """Whether the deadline has passed; raises as ``heed`` does."""
        heed(self.cancel)
        return self.left() <= 0

    def left(self) -> float:
        """Seconds until the deadline."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()


def build(
    engine: Engine,
    redaction: Redaction,
    terms: Sequence[str],
    *,
    limit: int | None,
    order: Order,
    within: str | None,
    kinds: Iterable[Kind] | None,
    since: Moment | None,
    until: Moment | None,
    include_archived: bool,
    include_abandoned: bool,
    projects: Iterable[str],
    question: str | None = None,
    active: tuple[str, str] | None = None,
    explain: bool = False,
    deadline: float | None = None,
    cancel: threading.Event | None = None,
    workspace: str | None = None,
) -> Query:
    """Checks and normalises a question.

    Raises:
        QueryError: with the reason; the message never repeats a term.
    """
    spoken, folded = _terms(engine, redaction, terms, question)
    if limit is not None and (type(limit) is not int or not 1 <= limit <= MAX_LIMIT):
        raise QueryError("limit_out_of_range", f"limit is a whole number from 1 to {MAX_LIMIT}.")
    chosen = DEFAULT_KINDS if kinds is None else _listed(kinds)
    if not chosen or not all(kind in KINDS for kind in chosen):
        raise QueryError("unknown_kind", f"kinds are some of: {', '.join(KINDS)}.")
    if order not in ORDERS:
        raise QueryError("unknown_order", f"order is one of: {', '.join(ORDERS)}.")
    start, stop = _millis(since), _millis(until)
    if start is not None and stop is not None and start > stop:
        raise QueryError("time_range", "since lies after until; swap them or drop one.")
    if deadline is not None and not _is_duration(deadline):
        raise QueryError("deadline_invalid", "deadline is a positive number of seconds.")
    under_way = check_active(active)
    check_cancel(cancel)
    if not isinstance(workspace, str | None):
        raise QueryError("workspace_invalid", "workspace is the key of a workspace, a string.")
    return Query(
        terms=spoken,
        folded=folded,
        limit=limit,
        order=order,
        kinds=frozenset(chosen),
        within=within,
        since=start,
        until=stop,
        include_archived=include_archived,
        include_abandoned=include_abandoned,
        projects=compile_globs(projects),
        active=under_way,
        explain=explain,
        deadline=None if deadline is None else time.monotonic() + deadline,
        cancel=cancel,
        workspace=workspace,
    )


def admit(incognito: Callable[[], bool] | None) -> None:
    """Raises QueryError unless the host says, in exactly that word, that it is not incognito."""
    try:
        closed = incognito is not None and incognito() is not False
    except Exception:
        closed = True
    if closed:
        raise QueryError(
            "incognito_active",
            "History is closed while the host is incognito, or cannot tell whether it is.",
        )


def not_found(where: str) -> QueryError:
    """Whatever the cause, so that it tells nothing.

    Args:
        where: what was named, as a sentence ends.
    """
    return QueryError("not_found", f"Nothing that may be read {where}; search again.")


def check_active(active: object) -> tuple[str, str] | None:
    """The (Session, Turn) that is under way; raises QueryError if it is no such pair."""
    if active is None:
        return None
    if isinstance(active, tuple | list) and len(active) == 2:
        session, turn = active
        if isinstance(session, str) and isinstance(turn, str):
            return session, turn
    raise QueryError("active_invalid", "active is a pair of strings: Session id, Turn id.")


def check_cancel(cancel: object) -> None:
    """Raises QueryError unless ``cancel`` can be asked, or if it is set already."""
    if cancel is not None and not isinstance(cancel, threading.Event):
        raise QueryError("cancel_invalid", "cancel is a threading.Event, or None.")
    heed(cancel)


def heed(cancel: threading.Event | None) -> None:
    """Raises QueryError once the caller does not want the answer any more."""
    if cancel is not None and cancel.is_set():
        raise QueryError("cancelled", "The caller gave up; nothing was answered.")


def terms_from_query(query: str) -> list[str]:
    """Literal terms out of a line of text: the whole phrase, then its words.

    Quotes around words are dropped; words shorter than 3 characters (2 if they hold CJK) are
    left out; at most 8 terms, none longer than a term may be.
    """
    phrase = " ".join(query.split())
    words = (word.strip(_QUOTES) for word in phrase.split(" "))
    long_enough = (w for w in words if len(w) >= (_MIN_CJK_WORD if _holds_cjk(w) else _MIN_WORD))
    found = dict.fromkeys((phrase.strip(_QUOTES), *long_enough))
    return [term for term in found if term and len(term) <= MAX_TERM_CODE_POINTS][:MAX_TERMS]


def _holds_cjk(word: str) -> bool:
    return any(
        "\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" or c >= "\U00020000" for c in word
    )


def _terms(
    engine: Engine, redaction: Redaction, terms: Sequence[str], question: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if (
        isinstance(terms, str)
        or not isinstance(terms, Sequence)
        or not all(isinstance(term, str) for term in terms)
    ):
        raise QueryError("term_not_text", "Terms are a list of strings, one literal each.")
    if not isinstance(question, str | None):
        raise QueryError("term_not_text", "A question is a string.")
    given = list(terms) or terms_from_query(question or "")
    if not given:
        raise QueryError("no_terms", "Give at least one literal term.")
    spoken: dict[str, str] = {}
    for raw in given:
        term = clean(raw).strip()
        if not term:
            raise QueryError("term_empty", "A term is empty; leave it out.")
        if len(term) > MAX_TERM_CODE_POINTS:
            raise QueryError(
                "term_too_long",
                f"A term has {len(term)} characters; at most {MAX_TERM_CODE_POINTS} are taken. "
                "Use a distinctive part of it.",
            )
        if redaction.changes(term):
            raise QueryError(
                "term_credential",
                "A term looks like a credential. History is searched without its secrets, so it "
                "cannot be found; search for the name of the service or variable instead.",
            )
        spoken.setdefault(engine.fold(term), term)
    if len(spoken) > MAX_TERMS:
        raise QueryError(
            "too_many_terms",
            f"{len(spoken)} terms are given; at most {MAX_TERMS} are taken. Keep the rarest.",
        )
    return tuple(spoken.values()), tuple(spoken)


def _millis(moment: Moment | None) -> int | None:
    """Milliseconds since the epoch; a datetime without a zone is taken as UTC."""
    if moment is None:
        return None
    if isinstance(moment, datetime):
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1000)
    if isinstance(moment, bool) or not isinstance(moment, int):
        raise QueryError("time_range", "A time is a datetime or whole milliseconds since 1970.")
    return moment


def _listed(kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    return tuple(kinds) if isinstance(kinds, Iterable) and not isinstance(kinds, str) else ()


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and 0 < value < MAX_DEADLINE_SECONDS  # NaN is not
