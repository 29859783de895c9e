"""Copies and heads of rollouts: replays, forks, subagents, titles, links; one rule in each test."""

from __future__ import annotations

import json

from harkback.sources.transcripts.base import Decoded
from harkback.sources.transcripts.codex import Codex
from support.codex_rows import (
    CHILD,
    OWN_ROWS,
    PARENT,
    PARENT_ROWS,
    TURN_1,
    context,
    event,
    forked,
    later,
    message,
    meta,
    outline,
    read,
    rollout,
)
from support.transcripts import decoded, lines


def test_a_replay_has_the_ids_that_it_has_in_the_parents_rollout() -> None:
    original = read(meta(), *PARENT_ROWS)
    child = decoded(Codex(), forked(meta(CHILD, forked_from_id=PARENT))).messages
    assert [(m.id, m.parts) for m in child[: len(original)]] == [(m.id, m.parts) for m in original]
    own = {m.id for m in child[len(original) :]}
    assert not own & {m.id for m in original}


def test_a_replay_without_ids_of_turns_is_known_by_the_head_it_copies() -> None:
    rows = [message("user", "Why is it slow?"), message("assistant", "No index.")]
    original = read(meta(), *rows)
    child = rollout(meta(CHILD), meta(), *later(rows), session=CHILD)
    assert [m.id for m in decoded(Codex(), child).messages] == [m.id for m in original]
    alone = rollout(meta(CHILD), *rows, session=CHILD)
    assert not {m.id for m in decoded(Codex(), alone).messages} & {m.id for m in original}


def test_the_title_of_a_copy_is_its_own_first_prompt() -> None:
    assert decoded(Codex(), forked(meta(CHILD, forked_from_id=PARENT))).title == "Look for keys."
    assert decoded(Codex(), rollout(meta(), *PARENT_ROWS)).title == ""
    # Where ids do not tell the time, nothing tells which prompt is its own.
    turns = json.loads(json.dumps(forked(meta(CHILD)).popitem()[1].decode()).replace("-7", "-4"))
    name = f"sessions/2026/06/12/rollout-2026-06-12T09-30-00-{CHILD}.jsonl"
    assert decoded(Codex(), {name: turns.encode()}).title == ""


def test_a_name_is_a_title_unless_it_is_the_first_prompt() -> None:
    def titled(title: str) -> Decoded:
        index = lines({"id": PARENT, "thread_name": title})
        return decoded(Codex(), {**rollout(meta(), *PARENT_ROWS), "session_index.jsonl": index})

    assert titled("Slow search").title == "Slow search"
    assert titled("Why is it").title == ""


def test_links_to_parents() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    for head, kind in (
        (meta(CHILD, forked_from_id=PARENT), "branch"),
        (meta(CHILD, parent_thread_id=PARENT), "subagent"),
        (meta(CHILD, source=spawn, forked_from_id=PARENT), "subagent"),
    ):
        told = outline(forked(head), CHILD)
        assert (told.parent, told.parent_kind, told.origin) == (PARENT, kind, PARENT)
        assert told.copied
        told = outline(rollout(head, *OWN_ROWS, session=CHILD), CHILD)
        assert (told.parent, told.origin, told.copied) == (PARENT, PARENT, False)
    for head in (meta(), meta(source="cli", forked_from_id=PARENT, parent_thread_id=7)):
        told = outline(rollout(head, *PARENT_ROWS))
        assert (told.parent, told.parent_kind, told.origin) == (None, None, PARENT)
        assert not told.copied


def test_a_fork_of_a_fork_has_the_origin_of_the_first() -> None:
    third = "019eb950-0000-7000-8000-000000000000"
    rows = [meta(third, forked_from_id=CHILD), meta(CHILD, forked_from_id=PARENT), meta()]
    told = outline(rollout(*rows, *PARENT_ROWS, *OWN_ROWS, session=third), third)
    assert (told.parent, told.origin) == (CHILD, PARENT)


def test_what_the_head_tells() -> None:
    told = outline(rollout(meta(), *PARENT_ROWS))
    assert (told.project, told.started_at, told.empty) == ("/srv/app", 1781224200000, False)
    assert outline(rollout(meta(), message("developer", "x"), context(TURN_1))).empty
    assert not outline(rollout(meta(), b'{"broken')).empty
    assert not outline(rollout(meta(), *[event("token_count")] * 80)).empty  # not read to its end
