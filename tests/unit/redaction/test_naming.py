"""Names of one's own: any spelling is one rule, and both engines find its values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.redaction import DEFAULT, Policy
from harkback.redaction.naming import named
from harkback.reference.redact.name import segments

SPELLINGS = ("session pin", "sessionPin", "SESSION_PIN", "session-pin", "Session.Pin", "sessionPIN")


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_one_name_are_one_rule(name: str) -> None:
    assert named(name) == named("session pin")
    assert Policy(()).add_names(*SPELLINGS).ids == ("name:session-pin",)


@given(st.text("abcXYZ_- .09", min_size=1))
def test_names_are_split_as_the_engines_do(name: str) -> None:
    words = [part for part in segments(name) if not part[0].isdigit()]
    if words:
        assert named(name).id == "name:" + "-".join(words)
    else:
        with pytest.raises(UsageError):
            named(name)


@pytest.mark.parametrize("name", ["", "  ", "123", "口令pin", "口 令", "contraseña", "🔑"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        DEFAULT.add_names(name)
    assert caught.value.reason == "policy_invalid"


@pytest.mark.parametrize("name", [*SPELLINGS, "user_session_pin", "sessionpin", "userSessionPin2"])
def test_values_of_a_name_of_several_words_go(engine: Engine, name: str) -> None:
    redaction = DEFAULT.add_names("session-pin").bind(engine)
    if name.isidentifier() or "-" in name or "." in name:
        assert redaction.clean(f"{name}=a1b2c3d4 x") == f"{name}=[redacted] x"
    assert redaction.sensitive(name)


@pytest.mark.parametrize("name", ["pin", "session", "pin_session", "session_pin_count", "spin"])
def test_values_of_other_names_stay(engine: Engine, name: str) -> None:
    redaction = DEFAULT.add_names("session-pin").bind(engine)
    assert not redaction.sensitive(name)
    assert not redaction.changes(f"{name}=a1b2c3d4")


def test_a_name_in_another_script(engine: Engine) -> None:
    redaction = DEFAULT.add_names("暗号").bind(engine)
    assert redaction.clean("会话暗号=a1b2c3d4") == "会话暗号=[redacted]"
    assert redaction.sensitive("会话暗号")


@given(st.text("sessionPINpin_-.2 ", max_size=20))
def test_engines_judge_names_alike(name: str) -> None:
    policy = Policy(()).add_names("session pin", "a b c", "暗号")
    native, reference = (policy.bind(engines.load(e)) for e in ("native", "reference"))
    assert native.sensitive(name) == reference.sensitive(name)
    assert native.spans(f"{name}=a1b2c3d4") == reference.spans(f"{name}=a1b2c3d4")


def test_a_name_that_is_known_stays() -> None:
    policy = DEFAULT.add_names("pin")
    assert policy.add_names("PIN") == policy
    assert policy.remove("name:pin") == DEFAULT
