"""The leak check itself: whatever is planted and not redacted, it sees, wherever it shows."""

from __future__ import annotations

import base64
import json
import logging
import subprocess
import sys
import warnings
from pathlib import Path
from urllib.parse import quote

import pytest

import harkback
from harkback import Policy, Recall
from support.capture import Files, listening, reprs, stacks, told
from support.leaks import RUN, Planted, assert_silent, seen
from support.planting import WORD, Garden

SECRET = "gh" + "p_" + "Q7zK9mB2xV4nL8pR1tW6yC3dF5gH0jS2aE4u"
PLANTED = Planted("here", SECRET)
NOTHING = Policy(())
#: No surface shows them, redacted or not: the text a person did not see, and a torn record.
NEVER_SHOWN = {"hidden text", "damaged record"}

FORMS = {
    "plain": SECRET,
    "upper case": SECRET.upper(),
    "swapped case": SECRET.swapcase(),
    "json": json.dumps({"a": SECRET}),
    "escapes": "".join(f"\\u{ord(char):04X}" for char in SECRET),
    "percent": "".join(f"%{byte:02X}" for byte in SECRET.encode()),
    "entities": "".join(f"&#{ord(char)};" for char in SECRET),
    "hex": SECRET.encode().hex(),
    "utf-16": SECRET.encode("utf-16-le"),
    "bytes": b"\xff\x00" + SECRET.encode(),
    "backwards": SECRET[::-1],
    **{
        f"base64 behind {lead}": base64.b64encode(b"?" * lead + SECRET.encode() + b"??").decode()
        for lead in range(3)
    },
    "base64 for URLs": base64.urlsafe_b64encode(b"\xfb\xff" + SECRET.encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_seen_in_every_form(form: str) -> None:
    with pytest.raises(AssertionError, match="here"):
        assert_silent({"surface": FORMS[form]}, [PLANTED])


@pytest.mark.parametrize("form", ["plain", "swapped case", "escapes", "percent", "hex"])
def test_a_run_of_twelve_characters_is_enough(form: str) -> None:
    width = len(FORMS[form]) // len(SECRET)
    for at in range(len(SECRET) - RUN):
        shown = FORMS[form][at * width : (at + RUN) * width]
        assert seen({"surface": f"~{shown}~"}, [PLANTED])
        assert not seen({"surface": f"~{shown[:-width]}~"}, [PLANTED])


def test_what_json_and_addresses_escape_is_seen_too() -> None:
    planted = Planted("here", 'pa"ss\\wörd/ 密钥&17')
    for shown in (json.dumps(planted.secret), json.dumps(json.dumps(planted.secret))):
        assert seen({"surface": shown}, [planted])
    assert seen({"surface": quote(planted.secret, safe="")}, [planted])
    assert seen({"surface": planted.secret.encode()}, [planted])


def test_a_short_secret_counts_whole() -> None:
    planted = Planted("here", "hunter2")
    assert seen({"surface": "it is Hunter2."}, [planted])
    assert not seen({"surface": "it is hunter"}, [planted])


def test_a_failure_names_the_place_and_not_the_secret() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_silent({"stderr": f"oh: {SECRET}"}, [PLANTED])
    assert str(caught.value) == "1 leaks\nstderr: here (plain)"
    assert not seen({"message": str(caught.value)}, [PLANTED])


def test_without_rules_every_channel_shows_its_secret(garden: Garden) -> None:
    with Recall(garden.path, policy=NOTHING, engine="native") as recall:
        answer = recall.search([WORD], limit=None, explain=True)
    surfaces = {"text": answer.text(), "json": answer.to_json(), "repr": reprs([answer])}
    for name, surface in surfaces.items():
        channels = {leak.channel for leak in seen({name: surface}, garden)}
        missing = garden.planted.keys() - channels - NEVER_SHOWN
        # The text form has no use for ids of Messages and Turns, nor for the tool of a long call.
        ids = {"turn id", "message id", "row id", "call id", "session id"}
        assert missing == (ids if name == "text" else set())
    with pytest.raises(AssertionError):
        assert_silent(surfaces, garden)


def _fail(where: str) -> None:
    """Raises as code of the package would: ``SECRET`` stands where it is told to."""
    source = (
        "def fail(secret, where):\n"
        "    error = ValueError(secret if where == 'message' else 'refused')\n"
        "    if where == 'note':\n"
        "        error.add_note(secret)\n"
        "    if where == 'attribute':\n"
        "        error.doc = secret\n"
        "    if where in ('cause', 'hidden context'):\n"
        "        try:\n"
        "            raise KeyError(secret)\n"
        "        except KeyError as cause:\n"
        "            del secret\n"
        "            raise error from (None if where == 'hidden context' else cause)\n"
        "    if where != 'variable':\n"
        "        del secret\n"
        "    raise error\n"
    )
    space: dict[str, object] = {}
    file = Path(harkback.__file__).parent / "nowhere.py"
    exec(compile(source, str(file), "exec"), space)
    space["fail"](SECRET, where)  # type: ignore[operator]


@pytest.mark.parametrize(
    "where", ["message", "note", "attribute", "cause", "hidden context", "variable"]
)
def test_an_error_that_carries_a_secret_is_seen(where: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # an error of the test's own
        _fail(where)
    assert seen({"error": told(caught.value)}, [PLANTED])
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        _fail("nowhere")
    assert_silent(told(caught.value), [PLANTED])


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: logging.getLogger("harkback.x").debug("it is %s", SECRET),
        lambda folder: logging.getLogger("other").info("it", extra={"about": SECRET}),
        lambda folder: warnings.warn(SECRET, stacklevel=1),
        lambda folder: (folder / SECRET).touch(),
        lambda folder: subprocess.run([sys.executable, "-c", "", SECRET], check=True),
        lambda folder: subprocess.run([sys.executable, "-c", ""], env={"A": SECRET}, check=True),
    ],
    ids=["log", "log record", "warning", "file name", "argument of a child", "its environment"],
)
def test_what_is_written_elsewhere_is_heard(act, tmp_path: Path) -> None:
    with listening() as heard:
        act(tmp_path)
    assert seen({"heard": heard.text()}, [PLANTED])
    with listening() as silent:
        logging.getLogger("harkback.x").debug("nothing")
    assert_silent(silent.text(), [PLANTED])


def test_a_file_is_seen_by_name_and_by_content(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("as it was")
    watched = Files((tmp_path,))
    assert watched.changed() == {}
    (tmp_path / "new").write_bytes(b"\x80" + SECRET.encode())
    assert seen(watched.changed(), [PLANTED])
    (tmp_path / "new").unlink()
    old.write_text(SECRET)
    assert seen(watched.changed(), [PLANTED])
    (tmp_path / SECRET).mkdir()
    old.unlink()
    assert seen(watched.changed(), [PLANTED])


def test_stacks_are_those_of_the_moment() -> None:
    assert "test_stacks_are_those_of_the_moment" in stacks()
