"""Typed errors: a stable slug, what happened, and what to do next.

Invariant: no error carries transcript text or a term, nor do the variables of the calls that it
shows a host; places are named by file and by reason.
Python owns the classes, so both engines fail alike. Proof: tests/unit/test_errors.py enumerates
every reason and holds it against docs/gaps.md; tests/leaks/test_surfaces.py.
"""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

QueryReason: TypeAlias = Literal[
    "tool_unknown",
    "arguments_invalid",
    "no_terms",
    "too_many_terms",
    "term_not_text",
    "term_empty",
    "term_too_long",
    "term_credential",
    "limit_out_of_range",
    "time_range",
    "unknown_kind",
    "unknown_order",
    "deadline_invalid",
    "active_invalid",
    "cancel_invalid",
    "cancelled",
    "incognito_active",
    "workspace_invalid",
    "not_found",
    "unknown_view",
    "neighbours_out_of_range",
    "cursor_invalid",
]
SourceReason: TypeAlias = Literal[
    "source_missing",
    "source_not_a_store",
    "source_unreadable",
    "source_locked",
    "source_damaged",
    "source_unsettled",
    "source_too_large",
    "source_duplicate",
]
StoreReason: TypeAlias = Literal[
    "store_exists",
    "store_foreign",
    "store_invalid",
    "fact_invalid",
    "fact_unknown",
    "operation_conflict",
]
UsageReason: TypeAlias = Literal[
    "engine_unknown",
    "engine_unavailable",
    "policy_invalid",
    "rule_unknown",
    "finder_invalid",
    "finder_failed",
    "projects_invalid",
    "grants_invalid",
    "extra_missing",
    "not_loopback",
    "input_too_large",
    "mapping_invalid",
    "closed",
]
SettingsReason: TypeAlias = Literal["settings_unreadable", "settings_invalid"]
CacheReason: TypeAlias = Literal["cache_unsafe", "cache_unusable", "cache_busy"]
Reason: TypeAlias = (
    QueryReason | SourceReason | StoreReason | UsageReason | SettingsReason | CacheReason
)


class HarkbackError(Exception):
    """Base of everything Harkback raises on purpose.

    Attributes:
        reason: stable slug, safe to switch on.
        message: one sentence for a person, with the next step. Never transcript text.
    """

    reason: Reason
    message: str

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message

    def bare(self) -> Self:
        """Itself, without the calls it came through and the error it was made from.

        Their variables hold stored text, and what reports an error may show variables.
        """
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)


class QueryError(HarkbackError):
    """The question cannot be asked as it stands, or its answer is not wanted any more.

    But for ``not_found``, ``cursor_invalid`` and ``cancelled`` no source was touched.
    """

    def __init__(self, reason: QueryReason, message: str) -> None:
        super().__init__(reason, message)


class SourceError(HarkbackError):
    """A source as a whole cannot be opened or read."""

    def __init__(self, reason: SourceReason, message: str) -> None:
        super().__init__(reason, message)


class StoreError(HarkbackError):
    """The store writer was asked for something it must not or cannot write."""

    def __init__(self, reason: StoreReason, message: str) -> None:
        super().__init__(reason, message)


class UsageError(HarkbackError):
    """The host wired Harkback up in a way that cannot work."""

    def __init__(self, reason: UsageReason, message: str) -> None:
        super().__init__(reason, message)


class SettingsError(HarkbackError):
    """The config file cannot be used as it stands; a value of it is never repeated."""

    def __init__(self, reason: SettingsReason, message: str) -> None:
        super().__init__(reason, message)


class CacheError(HarkbackError):
    """The cache cannot be used now. A search never raises it: it goes on without the cache."""

    def __init__(self, reason: CacheReason, message: str) -> None:
        super().__init__(reason, message)


class SegmentDamaged(ValueError):
    """A block of an attached segment cannot be read, or is not what was written.

    Attributes:
        key: of the segment, as its Corpus holds it.
    """

    def __init__(self, key: str) -> None:
        super().__init__("a segment is damaged")
        self.key = key
