"""Incognito closes history, in doubt too, before anything of a Source or of a host is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall, Session
from harkback.cache import SegmentCache
from harkback.engine import Engine
from harkback.errors import Reason
from support.asking import WORD
from support.capture import told
from support.leaks import Planted, assert_silent
from support.planting import SHAPES, make
from support.speaking import Speaking, said
from support.stores import BASE_MS

SECRET = "gh" + "p_" + "Q7w" * 12


def grep(recall: Recall, terms: list[str] | None = None) -> Any:
    with recall.grep([WORD] if terms is None else terms) as found:
        return list(found.matches())


ASKS: dict[str, Callable[[Recall], Any]] = {
    "search": lambda recall: recall.search([WORD]),
    "question": lambda recall: recall.search(question=WORD),
    "more": lambda recall: recall.more("0" * 32),
    "audit": lambda recall: recall.more("0" * 32, view="audit", cursor="5"),
    "grep": grep,
    "pointer": lambda recall: recall.compaction_pointer("s"),
    "material": lambda recall: recall.material("0" * 32, vision=True),
}


def fails() -> bool:
    raise RuntimeError(f"cannot tell, {SECRET}")


ANSWERS: dict[str, Callable[[], Any]] = {
    "yes": lambda: True,
    "nothing": lambda: None,
    "zero": lambda: 0,
    "one": lambda: 1,
    "text": lambda: "",
    "mapping": dict,
    "awaitable": lambda: object(),
    "raises": fails,
}


class Watched(Speaking):
    """Fails at whatever is asked of it, from its name on."""

    def __getattribute__(self, name: str) -> Any:
        if name not in ("name", "close", "touched", "__class__"):
            raise AssertionError(f"{name} was asked for")
        return super().__getattribute__(name)


def watched() -> Watched:
    source = Speaking({"s": [said("m", WORD)]})
    source.__class__ = Watched
    return source  # type: ignore[return-value]


def eligible(session: Session) -> bool:
    raise AssertionError("the host was asked")


def refused(recall: Recall, ask: Callable[[Recall], Any], reason: Reason) -> QueryError:
    with pytest.raises(QueryError) as caught:
        ask(recall)
    assert caught.value.reason == reason
    return caught.value


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("ask", ASKS)
def test_whatever_is_not_a_clear_no_closes_history(engine: Engine, ask: str, answer: str) -> None:
    with Recall(
        watched(), engine=engine.name, incognito=ANSWERS[answer], eligible=eligible
    ) as recall:
        error = refused(recall, ASKS[ask], "incognito_active")
    assert_silent(told(error), [Planted("what the host raised", SECRET)])


def test_a_clear_no_opens_it_each_time_anew(engine: Engine) -> None:
    asked = iter([False, True, False])
    source = Speaking({"s": [said("m", WORD)]})
    with Recall(source, engine=engine.name, incognito=lambda: next(asked)) as recall:
        assert recall.search([WORD]).passages
        before = list(source.touched)
        refused(recall, ASKS["search"], "incognito_active")
        assert source.touched == before
        assert recall.search([WORD]).passages


def test_an_interrupt_is_not_swallowed(engine: Engine) -> None:
    def interrupted() -> bool:
        raise KeyboardInterrupt

    with (
        Recall(watched(), engine=engine.name, incognito=interrupted) as recall,
        pytest.raises(KeyboardInterrupt),
    ):
        recall.search([WORD])


def test_the_question_is_checked_before_the_host_is_asked(engine: Engine) -> None:
    """A term that is refused is refused alike, incognito or not."""

    def never() -> bool:
        raise AssertionError("the host was asked")

    import random

    with Recall(watched(), engine=engine.name, incognito=never) as recall:
        for shape in SHAPES:
            planted = make(shape, random.Random(7))
            for ask in (
                lambda r, t=planted.text: r.search([t]),
                lambda r, t=planted.text: r.search([WORD, t]),
                lambda r, t=planted.text: grep(r, [t]),
            ):
                error = refused(recall, ask, "term_credential")
                assert_silent(str(error) + repr(error), [planted])
        refused(recall, lambda r: r.search([]), "no_terms")
        refused(recall, lambda r: r.more("x"), "not_found")


def test_it_is_not_asked_of_what_was_closed(engine: Engine) -> None:
    recall = Recall(Speaking({"s": [said("m", WORD, at=BASE_MS)]}), engine=engine.name)
    recall.close()
    with pytest.raises(Exception, match="closed") as caught:
        recall.search([WORD])
    assert caught.value.reason == "closed"  # type: ignore[attr-defined]


@pytest.mark.parametrize("ask", [Recall.persist, Recall.coverage, lambda r: r.persist(0.2)])
def test_nothing_is_stored_or_looked_at_for_it(
    ask: Callable[[Recall], Any], engine: Engine, tmp_path: Path
) -> None:
    cache = SegmentCache(tmp_path / "cache")
    with Recall(watched(), engine=engine.name, cache=cache, incognito=fails) as recall:
        refused(recall, ask, "incognito_active")
    assert not (tmp_path / "cache").exists()
