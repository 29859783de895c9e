"""Policy: which rules there are, checked once, and a policy bound to an engine.

Rules are data; the engines run them. Invariant: a Policy holds only rules that both engines run
alike, and its version changes with anything that could change a span. Proof:
tests/unit/redaction/test_policy.py.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import get_args

from harkback.config import REDACTED_MARK
from harkback.engine import Engine, Redactor
from harkback.errors import UsageError
from harkback.model import Leaf, RedactedSpan, Rule, Validator
from harkback.redaction.shape import check, check_run

#: Names what both engines do with rules; changes whenever that could change a span.
ALGORITHM = "harkback-redaction-2"


@dataclass(frozen=True, slots=True)
class Policy:
    """A set of rules.

    Attributes:
        version: hexadecimal digest over the algorithm and every field of every rule. Whatever is
            derived from redacted text carries it.

    Raises:
        UsageError: ``policy_invalid``: a rule is outside what both engines run, or two share an id.
    """

    rules: tuple[Rule, ...]
    version: str = field(init=False)

    def __post_init__(self) -> None:
        for rule in self.rules:
            problem = _problem(rule)
            if problem is not None:
                raise UsageError("policy_invalid", f"Redaction rule {rule.id!r} {problem}.")
        ids = [rule.id for rule in self.rules]
        for name in ids:
            if ids.count(name) > 1:
                raise UsageError("policy_invalid", f"Two redaction rules are called {name!r}.")
        data = json.dumps([ALGORITHM, *map(asdict, self.rules)], sort_keys=True)
        object.__setattr__(self, "version", hashlib.sha256(data.encode()).hexdigest())

    def bind(self, engine: Engine) -> Redaction:
        """Prepares the rules on ``engine``, once: what is bound compiles as it is used."""
        return _bound(self, engine)


@functools.lru_cache(maxsize=16)
def _bound(policy: Policy, engine: Engine) -> Redaction:
    return Redaction(policy, engine.redactor(policy.rules))


class Redaction:
    """A policy bound to an engine. Safe to use from several threads."""

    def __init__(self, policy: Policy, redactor: Redactor) -> None:
        self.policy = policy
        self.redactor = redactor
        self._paths: dict[tuple[str, ...], bool] = {}

    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]:
        """What is taken out of a whole leaf; all of it if it stands under a sensitive name."""
        return self.redactor.spans(text, sensitive)

    def prepare(self, leaves: Iterable[Leaf]) -> list[tuple[str, bool]]:
        """Leaves as the Corpus takes them: text, and whether a key of its path is sensitive."""
        known: dict[str, bool] = {}  # beside the kept ones: a long name is judged once a Message
        return [(text, self._hides(path, known)) for path, text in leaves]

    def _hides(self, path: tuple[str, ...], known: dict[str, bool]) -> bool:
        hidden = self._paths.get(path)
        if hidden is None:
            for name in path:
                if name not in known:
                    known[name] = self.sensitive(name)
            hidden = any(known[name] for name in path)
            if (
                len(self._paths) < MAX_CACHED_PATHS
                and len(path) + sum(map(len, path)) <= MAX_CACHED_PATH
            ):
                self._paths[path] = hidden
        return hidden

    def sensitive(self, name: str) -> bool:
        """Whether a value under this key name is a secret, whatever it looks like."""
        return self.redactor.sensitive(name)

    def clean(self, text: str) -> str:
        """``text`` with the mark in place of each span: for titles, names and paths."""
        return apply(text, self.spans(text))

    def changes(self, text: str) -> bool:
        """Whether the redactor would change ``text``: such a term is refused."""
        return bool(self.spans(text))


#: Keys of tool arguments can be data; the cache of their verdicts stays small, in paths and in
#: parts and code points per path.
MAX_CACHED_PATHS = 4096
MAX_CACHED_PATH = 256


def apply(text: str, spans: Sequence[RedactedSpan]) -> str:
    """``text`` with the mark in place of each of ``spans``, which are disjoint and in order."""
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += (text[at : span.start], REDACTED_MARK)
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)


def _problem(rule: Rule) -> str | None:
    if not rule.id or not rule.reason:
        return "has no id or no reason"
    if rule.validator not in get_args(Validator):
        return "has an unknown validator"
    if rule.before < 0:
        return "starts behind its keyword"
    return _key_problem(rule) if rule.kind == "key" else _shape_problem(rule)


def _shape_problem(rule: Rule) -> str | None:
    if rule.kind == "word" and (rule.keywords or rule.back or rule.before or rule.boundary):
        return "looks at whole runs, not at keywords"
    if rule.kind != "word" and (not rule.keywords or "" in rule.keywords):
        return "needs keywords"
    if not all(word.isascii() for word in rule.keywords):
        return "needs keywords that are ASCII"
    parts = {"shape": check(rule.shape), "back": check_run(rule.back) if rule.back else None}
    if rule.kind in ("run", "word"):
        parts["run"] = check_run(rule.run)
    for part, problem in parts.items():
        if problem is not None:
            return f"has a {part} that {problem}"
    if rule.kind == "between":
        return None if rule.end else "has no end"
    return None if rule.kind in ("pattern", "run", "word") else "has an unknown kind"


def _key_problem(rule: Rule) -> str | None:
    if not rule.keywords or "" in rule.keywords:
        return "needs keywords"
    if rule.validator or rule.back:
        return "finds its values by their forms, not by validator or back"

    def one_script(name: str) -> bool:
        return name.isascii() or not any(char.isascii() for char in name)

    if not all(map(one_script, rule.keywords)):
        return "needs keywords that are ASCII or hold nothing of it"
    for name in (*rule.names, *rule.qualifiers):
        if not (name.isalpha() and one_script(name) and (name.islower() or not name.isascii())):
            return "needs names in letters, the ASCII ones in lower case"
    return None if rule.names else "needs names"
