"""Builds host stores to measure on: ``python benches/corpus.py SHAPE PATH``.

A shape says how many Sessions and messages, how many bytes, and which terms lie in how many
messages of how many Sessions; the same shape and seed give the same store, byte for byte of text.
Invariant: a Manifest counts what the rows hold, not what was meant; ``build`` refuses a store
whose counts differ from its shape. Proof: tests/unit/test_bench_corpus.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from corpus_records import Kind, Planted
from corpus_session import Rows, SessionWriter, turns
from corpus_text import Filler
from harkback.sources.sqlite.schema import METADATA_SCHEMA_VERSION, RUNTIME_SCHEMA_VERSION, SCHEMA

VERSION: Final = 1  # of the generator; a change of any output raises it
SEED: Final = 20_260_801
DATA: Final = Path(__file__).parent / "data"
PRE_LEDGER_SHARE: Final = 0.2
ABSENT: Final = "zzzznotfound"  # the term that no corpus holds
TURNS_PER_SPARSE_SESSION: Final = 10
SPARSE_TURN: Final[tuple[Kind, ...]] = ("user", "tool_call", "tool_result", "assistant")

SENTENCES: Final[dict[str, tuple[str, ...]]] = {
    "模型": (
        "先换一个模型再试，延迟会低一些。",
        "这里的模型名称写错了：应该读配置。",
        "模型返回了空结果",
    ),
    "图片": ("上传图片之后预览是空白的。", "图片压缩放到后台队列里做。", "缩略图片没有清理"),
    "context window": (
        "The context window fills up before the third step.",
        "It reads the context window size from the provider table.",
    ),
    "needle-term": ("The needle-term is only written down here.",),
}
CONTEXT_SENTENCE: Final = "模型的上下文窗口是有限的：压缩之后，逐字的命令和路径最先丢失。"


@dataclass(frozen=True, slots=True)
class Plant:
    """A term, and in how many messages of which Sessions it lies."""

    term: str
    messages: int
    sessions: int | tuple[int, ...]  # how many, drawn; or which, each holding its equal share
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """What a store has to look like. Session 0 is the newest."""

    sizes: tuple[int, ...]  # messages per Session
    bytes: int  # of payload_json, record_json and chunks together
    plants: tuple[Plant, ...]
    pre_ledger: bool = False  # whether some Sessions date from before the ledger
    sparse_turns: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """Where a planted term lies: (Session, message) ids of every message that shows it."""

    messages: int
    sessions: list[str]
    ids: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a store holds, counted while it was written."""

    shape: str
    seed: int
    version: int
    sessions: list[str]  # newest first
    pre_ledger: list[str]
    messages: int
    bytes: int
    searchable_bytes: int
    tool_result_bytes: int  # of the searchable ones
    terms: dict[str, Term] = field(default_factory=dict)


def _scaled(sizes: tuple[int, ...], size: int) -> Shape:
    total, sessions = sum(sizes), len(sizes)
    plants = (
        Plant("模型", round(0.028 * total), round(0.4 * sessions)),
        Plant("图片", round(0.028 * total), round(0.4 * sessions)),
        Plant("context window", round(0.002 * total), max(1, round(0.1 * sessions))),
    )
    return Shape(sizes, size, plants, pre_ledger=True)


def _sample_sizes() -> tuple[int, ...]:
    return (211,) * 5 + (210,)  # 1,265 messages in six Sessions


SHAPES: Final[dict[str, Shape]] = {
    "small": _scaled(_sample_sizes(), 1_800_000),
    "medium": _scaled((1265,) * 14, 25_000_000),
    "large": _scaled((1265,) * 100, 178_000_000),
    "huge": _scaled((1265,) * 1000, 1_780_000_000),
    "sparse": Shape(
        (len(SPARSE_TURN) * TURNS_PER_SPARSE_SESSION,) * 200,
        10_000_000,
        (Plant("needle-term", 3, 3),),
        sparse_turns=True,
    ),
    "dense": Shape(
        _sample_sizes(),
        1_780_000,
        (Plant("模型", 35, 5), Plant("图片", 35, 5), Plant("context window", 5, 5)),
    ),
    # The Session that answers holds its term once; two that only mention it hold it more often.
    "quota": Shape(
        (400, 120, 160, 110, 120, 100, 120, 135),
        1_780_000,
        (
            Plant("模型", 29, (0,)),
            Plant("模型", 4, (2,)),
            Plant("模型", 1, (5,), (CONTEXT_SENTENCE,)),
        ),
    ),
}


class CorpusError(ValueError):
    """A store came out other than its shape says."""


def build(
    shape: str,
    path: Path,
    seed: int = SEED,
    visible: Callable[[str, list[tuple[str, str]]], None] | None = None,
) -> Manifest:
    """Writes the store ``path``, which must not exist, and counts what it holds.

    Args:
        visible: is told each Session, newest first: its id, (message id, visible text) in order.

    Raises:
        KeyError: no such shape.
        CorpusError: the rows do not hold what the shape plants.
    """
    spec = SHAPES[shape]
    if path.exists():
        raise FileExistsError(path.name)
    rng = random.Random(f"harkback:{VERSION}:{shape}:{seed}")
    filler = Filler(rng)
    planted = _placed(rng, spec)
    old = _pre_ledger(spec)
    terms = {term: Term(0, [], []) for term in (*(p.term for p in spec.plants), ABSENT)}
    manifest = Manifest(shape, seed, VERSION, [], [], 0, 0, 0, 0, {})
    connection = _create(path)
    share = spec.bytes / sum(spec.sizes)
    try:
        for index, size in enumerate(spec.sizes):
            writer = SessionWriter(rng, filler, index, ledger=index not in old)
            plan = (
                [SPARSE_TURN] * TURNS_PER_SPARSE_SESSION if spec.sparse_turns else turns(rng, size)
            )
            due = share * (sum(spec.sizes[: index + 1]))  # what is owed corrects itself
            rows = writer.write(plan, planted[index], round(due) - manifest.bytes)
            _insert(connection, rows)
            if visible is not None:
                visible(writer.id, rows.messages)
            manifest = _counted(manifest, rows, writer.id, old=index in old)
            terms = {term: _found(term, so_far, writer.id, rows) for term, so_far in terms.items()}
        connection.commit()
        connection.execute("PRAGMA journal_mode = WAL").fetchone()  # as a host leaves it
    finally:
        connection.close()
    manifest = dataclasses.replace(manifest, terms=terms)
    _check(spec, manifest)
    return manifest


def cached(shape: str, seed: int = SEED) -> tuple[Path, Manifest]:
    """The store of this shape, built once per generator version and seed."""
    DATA.mkdir(exist_ok=True)
    path = DATA / f"{shape}-v{VERSION}-{seed}.sqlite"
    beside = path.with_suffix(".json")
    if not (path.exists() and beside.exists()):
        with tempfile.TemporaryDirectory(dir=DATA) as scratch:
            fresh = Path(scratch) / path.name
            manifest = build(shape, fresh, seed)
            fresh.with_suffix(".json").write_text(to_json(manifest), encoding="utf-8")
            fresh.replace(path)
            fresh.with_suffix(".json").replace(beside)
    return path, from_json(beside.read_text(encoding="utf-8"))


def to_json(manifest: Manifest) -> str:
    """A Manifest as JSON text."""
    return json.dumps(dataclasses.asdict(manifest), ensure_ascii=False, indent=1)


def from_json(text: str) -> Manifest:
    """The Manifest that ``to_json`` wrote."""
    values = json.loads(text)
    terms = {
        term: Term(kept["messages"], kept["sessions"], [(s, m) for s, m in kept["ids"]])
        for term, kept in values.pop("terms").items()
    }
    return Manifest(**values, terms=terms)


def _pre_ledger(spec: Shape) -> set[int]:
    """Indexes of the Sessions that date from before the ledger, evenly among the others."""
    count = len(spec.sizes)
    old = round(PRE_LEDGER_SHARE * count) if spec.pre_ledger else 0
    return {int((place + 0.5) * count / old) for place in range(old)}


def _placed(rng: random.Random, spec: Shape) -> list[dict[int, Planted]]:
    """Per Session: which message holds which terms, and the sentences that say them."""
    placed: list[dict[int, Planted]] = [{} for _ in spec.sizes]
    for plant in spec.plants:
        sentences = plant.sentences or SENTENCES[plant.term]
        for session, count in _shares(rng, spec, plant).items():
            for number in rng.sample(range(spec.sizes[session]), count):
                entry = placed[session].setdefault(number, Planted())
                entry.terms.append(plant.term)
                entry.sentences.append(rng.choice(sentences))
    return placed


def _shares(rng: random.Random, spec: Shape, plant: Plant) -> dict[int, int]:
    """Messages per Session: at least one each, some Sessions far more than others."""
    if isinstance(plant.sessions, tuple):
        return {session: plant.messages // len(plant.sessions) for session in plant.sessions}
    chosen = rng.sample(range(len(spec.sizes)), plant.sessions)
    weights = [(place + 1) ** -0.5 for place in range(len(chosen))]
    spare = plant.messages - len(chosen)
    shares = [1 + int(spare * weight / sum(weights)) for weight in weights]
    shares[0] += plant.messages - sum(shares)
    return dict(zip(chosen, shares, strict=True))


def _create(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -131072;"
        f"{SCHEMA}PRAGMA user_version = {RUNTIME_SCHEMA_VERSION};"
    )
    connection.execute(
        "INSERT INTO session_metadata_schema VALUES ('session_metadata', ?)",
        (METADATA_SCHEMA_VERSION,),
    )
    connection.execute("INSERT INTO projects VALUES ('prj_1', 'git:shop', 'shop', 1, NULL)")
    connection.execute("INSERT INTO project_locations VALUES ('prj_1', '/home/dev/shop', 0, 1)")
    return connection


def _insert(connection: sqlite3.Connection, rows: Rows) -> None:
    for table, values in rows.tables.items():
        if values:
            marks = ", ".join("?" * len(values[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)


def _counted(so_far: Manifest, rows: Rows, session: str, *, old: bool) -> Manifest:
    return dataclasses.replace(
        so_far,
        sessions=[*so_far.sessions, session],
        pre_ledger=[*so_far.pre_ledger, session] if old else so_far.pre_ledger,
        messages=so_far.messages + len(rows.messages),
        bytes=so_far.bytes + rows.bytes,
        searchable_bytes=so_far.searchable_bytes + rows.searchable,
        tool_result_bytes=so_far.tool_result_bytes + rows.in_results,
    )


def _found(term: str, so_far: Term, session: str, rows: Rows) -> Term:
    ids = [(session, message) for message, visible in rows.messages if term in visible]
    if len(ids) != sum(term in raw for raw in rows.raw):
        raise CorpusError(f"{term!r} lies in a row outside visible text")
    if not ids:
        return so_far
    return Term(so_far.messages + len(ids), [*so_far.sessions, session], so_far.ids + ids)


def _check(spec: Shape, manifest: Manifest) -> None:
    """Holds the store against its shape."""
    for term, found in manifest.terms.items():
        meant = sum(plant.messages for plant in spec.plants if plant.term == term)
        if found.messages != meant:
            raise CorpusError(f"{term!r} lies in {found.messages} messages, not {meant}")
    if manifest.messages != sum(spec.sizes):
        raise CorpusError(f"{manifest.messages} messages, not {sum(spec.sizes)}")
    if abs(manifest.bytes - spec.bytes) > 0.03 * spec.bytes:
        raise CorpusError(f"{manifest.bytes} bytes, not {spec.bytes}")
    share = manifest.tool_result_bytes / manifest.searchable_bytes
    if spec.pre_ledger and not 0.84 <= share <= 0.88:
        raise CorpusError(f"{share:.1%} of the searchable bytes are tool results")


def main() -> None:
    """Builds one store where the caller wants it."""
    parser = argparse.ArgumentParser(description="Builds a host store to measure on.")
    parser.add_argument("shape", choices=sorted(SHAPES))
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    manifest = build(chosen.shape, chosen.path, chosen.seed)
    counts = {term: (found.messages, len(found.sessions)) for term, found in manifest.terms.items()}
    share = manifest.tool_result_bytes / manifest.searchable_bytes
    print(f"{manifest.bytes:,} bytes, {manifest.messages:,} messages, {share:.1%} tool results")
    print(f"(messages, Sessions) per term: {counts}")


if __name__ == "__main__":
    main()
