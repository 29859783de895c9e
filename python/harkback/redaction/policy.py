"""Policy: which rules and finders there are, checked once, and a policy bound to an engine.

Rules are data; the engines run them. Finders are a host's code, which ``finders`` runs. Invariant:
a Policy holds only rules that both engines run alike, and its version changes with anything that
could change a span. Proof: tests/unit/redaction/test_policy.py.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Final, get_args

from harkback.engine import Engine, Redactor
from harkback.errors import UsageError
from harkback.model import Leaf, RedactedSpan, Rule, Span, Validator
from harkback.redaction import pairs
from harkback.redaction.blocks import Blocks
from harkback.redaction.finders import Examined, Finder, check_finder, examine
from harkback.redaction.marking import marked
from harkback.redaction.naming import named
from harkback.redaction.shape import check, check_run
from harkback.redaction.unfinished import Unfinished

#: Names what both engines do with rules; changes whenever that could change a span.
ALGORITHM = "harkback-redaction-3"


@dataclass(frozen=True, slots=True)
class Policy:
    """A set of rules and finders, and what can be made of it; it never changes itself.

    Two policies are equal when their versions are: when both take out the same of every text.

    Attributes:
        rules: what both engines run; their order means nothing.
        finders: a host's own code, run beside the rules.
        version: hexadecimal digest over the algorithm, every field of every rule, and id and
            version of every finder. Whatever is derived from redacted text carries it.

    Raises:
        UsageError: ``policy_invalid``: a rule is outside what both engines run, or two share an id;
            ``finder_invalid``: a finder is not callable, or has no id or version.
    """

    rules: tuple[Rule, ...] = field(compare=False, repr=False)
    finders: tuple[Finder, ...] = field(default=(), compare=False, repr=False)
    version: str = field(init=False)

    def __post_init__(self) -> None:
        for rule in self.rules:
            problem = _problem(rule)
            if problem is not None:
                raise UsageError("policy_invalid", f"Redaction rule {rule.id!r} {problem}.")
        for finder in self.finders:
            check_finder(finder)
        for name, count in Counter(self.ids).items():
            if count > 1:
                raise UsageError("policy_invalid", f"Two redaction rules are called {name!r}.")
        object.__setattr__(self, "version", _version(self.rules, self.finders))

    @classmethod
    def shipped(cls, rules: tuple[Rule, ...]) -> Policy:
        """A policy of the package's own rules, which a test checks and not every start."""
        made = object.__new__(cls)
        for name, value in (("rules", rules), ("finders", ()), ("version", _version(rules, ()))):
            object.__setattr__(made, name, value)
        return made

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of its rules, then of its finders."""
        return (*(rule.id for rule in self.rules), *(finder.id for finder in self.finders))

    @property
    def short_version(self) -> str:
        """The first 12 digits of the version: enough to tell policies apart by eye."""
        return self.version[:12]

    def add(self, *more: Rule | Finder) -> Policy:
        """This policy with these rules and finders too."""
        rules = tuple(each for each in more if isinstance(each, Rule))
        others = tuple(each for each in more if not isinstance(each, Rule))
        return Policy(self.rules + rules, self.finders + others)

    def remove(self, *ids: str) -> Policy:
        """This policy without the rules and finders of these ids.

        Raises:
            UsageError: ``rule_unknown``: it has none of that id; the message names near ones.
        """
        for name in ids:
            if name not in self.ids:
                from difflib import get_close_matches  # for a mistake alone

                near = get_close_matches(name, self.ids)
                hint = f" Near: {', '.join(near)}." if near else ""
                raise UsageError("rule_unknown", f"The policy has no rule {name!r}.{hint}")
        return Policy(
            tuple(rule for rule in self.rules if rule.id not in ids),
            tuple(finder for finder in self.finders if finder.id not in ids),
        )

    def add_names(self, *names: str) -> Policy:
        """This policy, to which the values of these names are secrets too: ``session pin``.

        Spelling does not matter: ``sessionPin``, ``SESSION_PIN`` and ``user-session-pin`` are the
        same name. Each becomes a rule ``name:session-pin``; one that is there already stays.

        Raises:
            UsageError: ``policy_invalid``: a name has no letters, or mixes scripts.
        """
        new = {rule.id: rule for rule in map(named, names) if rule.id not in self.ids}
        return self.add(*new.values())

    def bind(self, engine: Engine) -> Redaction:
        """Prepares the policy on ``engine``; rules once, since they compile as they are used."""
        return Redaction(self, engine, _prepared(self.rules, engine))


@functools.lru_cache(maxsize=16)
def _prepared(rules: tuple[Rule, ...], engine: Engine) -> Redactor:
    return engine.redactor(rules)


@functools.lru_cache(maxsize=4)
def _blocks(rules: tuple[Rule, ...]) -> Blocks:
    return Blocks(rules)


@functools.lru_cache(maxsize=4)
def _unfinished(rules: tuple[Rule, ...]) -> Unfinished:
    return Unfinished(rules)


class Redaction:
    """A policy bound to an engine. Safe to use from several threads."""

    def __init__(self, policy: Policy, engine: Engine, redactor: Redactor) -> None:
        self.policy = policy
        self.redactor = redactor
        self._engine = engine
        self._paths: dict[tuple[str, ...], bool] = {}

    # Looked up once: hashing the rules of a policy takes longer than most messages do.

    @functools.cached_property
    def _blocks(self) -> Blocks:
        return _blocks(self.policy.rules)

    @functools.cached_property
    def _unfinished(self) -> Unfinished:
        return _unfinished(self.policy.rules)

    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]:
        """What is taken out of a whole leaf; all of it if it stands under a sensitive name."""
        return self._examine(text, sensitive, self.policy.finders).spans

    def cuts(
        self, leaves: Sequence[tuple[str, bool]], *, in_progress: bool = False
    ) -> tuple[list[list[Span]] | None, int]:
        """What finders and rules take out of prepared leaves, and how many a finder failed on.

        None without finders: then the Corpus finds it all by itself.

        Args:
            in_progress: they are still being written; the beginning of a key goes too.
        """
        finders = self.policy.finders
        if in_progress:
            finders = (*finders, self._unfinished)
        if not finders:
            return None, 0
        examined = [self._examine(text, sensitive, finders) for text, sensitive in leaves]
        cuts = [[(span.start, span.end) for span in each.spans] for each in examined]
        return cuts, sum(each.failed is not None for each in examined)

    def found(self, leaves: Sequence[Leaf], *, in_progress: bool = False) -> list[list[Span]]:
        """What finders and rules take out of the leaves of one Message, as the Corpus does."""
        prepared = self.prepare(leaves)
        cuts, _ = self.cuts(prepared, in_progress=in_progress)
        if cuts is not None:
            return cuts
        return [
            [(span.start, span.end) for span in self.redactor.spans(text, sensitive)]
            for text, sensitive in prepared
        ]

    def _examine(self, text: str, sensitive: bool, finders: Sequence[Finder]) -> Examined:
        if sensitive or not finders:
            return Examined(self.redactor.spans(text, sensitive))
        return examine(self._engine, self.redactor, finders, text)

    def prepare(self, leaves: Iterable[Leaf]) -> list[tuple[str, bool]]:
        """Leaves as the Corpus takes them: text, and whether other text makes it a secret.

        That is a name, a key of its path or another leaf beside it, or a leaf that opens a block.

        Args:
            leaves: all of one Message, none of them empty, in document order.
        """
        leaves = list(leaves)
        known: dict[str, bool] = {}  # beside the kept ones: a long name is judged once a Message
        beside = pairs.values(leaves, self.sensitive)
        if len(leaves) > 1:
            beside |= self._blocks.inside(leaves)
        return [
            (text, at in beside or self._hides(path, known))
            for at, (path, text) in enumerate(leaves)
        ]

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
        """Whether the redactor would change ``text``: such a term is refused.

        Raises:
            UsageError: ``finder_failed``: a finder raised, so nobody knows.
        """
        examined = self._examine(text, sensitive=False, finders=self.policy.finders)
        if examined.failed is not None:
            raise UsageError(
                "finder_failed",
                f"The finder {examined.failed!r} of the redaction policy raised on a term.",
            )
        return bool(examined.spans)


#: Keys of tool arguments can be data; the cache of their verdicts stays small, in paths and in
#: parts and code points per path.
MAX_CACHED_PATHS = 4096
MAX_CACHED_PATH = 256


def apply(text: str, spans: Sequence[RedactedSpan]) -> str:
    """``text`` with the mark in place of each of ``spans``, which are disjoint and in order."""
    return marked(text, ((span.start, span.end) for span in spans))[0]


_FIELDS: Final = tuple(each.name for each in fields(Rule))


def _version(rules: Iterable[Rule], finders: Iterable[Finder]) -> str:
    """See ``Policy.version``; ``asdict`` would copy every field of every rule at every start."""
    by_id = sorted(rules, key=lambda rule: rule.id)
    values = [{name: getattr(rule, name) for name in _FIELDS} for rule in by_id]
    versions = sorted((finder.id, finder.version) for finder in finders)
    data = json.dumps([ALGORITHM, values, versions], sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()


@functools.lru_cache(maxsize=4096)  # a policy made of another has most of its rules
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
    words = [word for name in rule.names for word in name.split("-")]
    for name in (*words, *rule.qualifiers):
        if not (name.isalpha() and one_script(name) and (name.islower() or not name.isascii())):
            return "needs names in letters, the ASCII ones in lower case"
    return None if rule.names else "needs names"
