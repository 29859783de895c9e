"""The config file: what it may say, and that anything else is refused by its place."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from harkback import settings
from harkback.engine import Engine
from harkback.errors import SettingsError
from harkback.redaction import DEFAULT, STRICT
from harkback.settings import Settings, default_path, load

FULL = """
[redaction]
strict = true
remove = ["jwt", "bare-hex"]
names = ["passcode", "session pin", "暗号"]

[[redaction.rules]]
id = "acme-key"
kind = "run"
keywords = ["acme_"]
reason = "ACME key"
shape = "acme_[a-z0-9]{8}"
run = "a-z0-9"
boundary = true

[[redaction.rules]]
id = "ticket"
kind = "pattern"
keywords = ["-t"]
reason = "Ticket"
shape = "x-t[0-9]{4}"
before = 1

[projects]
exclude = ["~/private", "client-*"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_all_that_it_may_say(config: Path, engine: Engine) -> None:
    config.write_text(FULL, encoding="utf-8")
    read = load(config)
    assert read.path == config
    assert read.exclude_projects == ("~/private", "client-*")
    own = {"acme-key", "ticket", "name:passcode", "name:session-pin", "name:暗号"}
    assert set(read.policy.ids) == set(STRICT.ids) - {"jwt", "bare-hex"} | own
    redaction = read.policy.bind(engine)
    shown = redaction.clean("xacme_a1b2c3d4 acme_a1b2c3d4e5 x-t1234 passcode=a1b2c3d4")
    assert shown == "xacme_a1b2c3d4 [redacted] [redacted] passcode=[redacted]"


@pytest.mark.parametrize("text", ["", "# nothing\n", "[redaction]\n[projects]\n", "\ufeff"])
def test_a_file_that_says_nothing(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")
    assert load(config) == Settings(DEFAULT, path=config)
    assert load(config, strict=True).policy == STRICT


def test_the_cache(config: Path, tmp_path: Path) -> None:
    assert Settings().cache
    config.write_text("[cache]\nenabled = false\n")
    assert not load(config).cache
    config.write_text(f"[cache]\nfolder = '{tmp_path / 'cache'}'\n")
    assert (load(config).cache, load(config).cache_folder) == (True, tmp_path / "cache")
    config.write_text("[cache]\nfolder = '~/cache'\n")
    assert load(config).cache_folder == Path.home() / "cache"


def test_where_it_lies(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARKBACK_CONFIG")
    monkeypatch.setattr("platformdirs.user_config_path", lambda *a, **k: tmp_path / "own")
    assert default_path() == tmp_path / "own" / "config.toml"
    assert load() == Settings()
    assert load(strict=True).policy == STRICT
    assert not (tmp_path / "own").exists()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").write_text("[redaction]\nstrict = true\n")
    assert load().policy == STRICT
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    with pytest.raises(SettingsError):
        load()
    config.write_text("[projects]\nexclude = ['x']\n")
    assert load().exclude_projects == ("x",)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "no" / "where"):
        with pytest.raises(SettingsError) as caught:
            load(place)
        assert caught.value.reason == "settings_unreadable"


RULE = '[[redaction.rules]]\nid = "a"\nkind = "pattern"\nkeywords = ["a"]\nreason = "r"\n'
WORD = "swordfish"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("redaction = true", "redaction has to be a table"),
        ("[redactions]", "redactions is unknown; is redaction meant?"),
        ("[redaction]\nstritc = true", "redaction.stritc is unknown; is strict meant?"),
        (f"[redaction]\n{WORD}1 = true", "redaction.a key is unknown."),
        (f"[redaction]\nstrict = '{WORD}'", "redaction.strict has to be true or false"),
        ("[redaction]\nstrict = 1", "redaction.strict"),
        ("[redaction]\nremove = 'jwt'", "redaction.remove has to be a list of strings"),
        ("[redaction]\nremove = ['jwt', 'jwtt']", "redaction.remove[1] is refused"),
        ("[redaction]\nremove = ['jwt', 'jwt']", "redaction.remove[1] is refused"),
        ("[redaction]\nnames = ['a', 3]", "redaction.names has to be"),
        (f"[redaction]\nnames = ['{WORD}口令']", "redaction.names[0] is refused"),
        ("[redaction]\nrules = 'x'", "redaction.rules has to be a list of tables"),
        ("[redaction]\nrules = ['x']", "redaction.rules[0] has to be a table"),
        (RULE, "redaction.rules[0] is refused"),
        (RULE + f"shape = '{WORD}*'", "redaction.rules[0] is refused"),
        (RULE + f"shape = 'a'\nbefore = '{WORD}'", "redaction.rules[0].before has to be a whole"),
        (RULE + "shape = 'a'\nbefore = true", "redaction.rules[0].before"),
        (RULE + "shape = 'a'\nboundary = 1", "redaction.rules[0].boundary has to be true"),
        (RULE + f"shape = ['{WORD}']", "redaction.rules[0].shape has to be a string"),
        (RULE + "sahpe = 'a'", "redaction.rules[0].sahpe is unknown; is shape meant?"),
        (RULE.replace('reason = "r"\n', "shape = 'a'"), "redaction.rules[0].reason is missing"),
        (RULE + "shape = 'a'\n" + RULE + "shape = 'b'", "redaction.rules[1] is refused"),
        ("[projects]\nexclude = '~/x'", "projects.exclude has to be a list of strings"),
        ("[projects]\nexclude = ['x', '/']", "projects.exclude[1] is refused"),
        ("[projects]\nonly = ['x']", "projects.only is unknown"),
        ("[cache]\nenabled = 'no'", "cache.enabled has to be true or false"),
        (f"[cache]\nfolder = '{WORD}'", "cache.folder has to be the whole path"),
        ("[cache]\nfolder = 3", "cache.folder has to be the whole path"),
        ("[cache]\nsize = 3", "cache.size is unknown"),
        ("cache = false", "cache has to be a table"),
        (f"strict = {WORD}", "is not TOML at line 1, column 10"),
        (f"a = 1\na = '{WORD}'", "is not TOML at "),
        (f"a = ['{WORD}", "is not TOML at "),
        ("a=" + "[" * 100_000, "The config file"),
    ],
)
def test_what_is_refused_is_named_by_its_place(config: Path, text: str, place: str) -> None:
    config.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load(config)
    assert caught.value.reason == "settings_invalid"
    assert place in caught.value.message
    assert WORD not in "".join(traceback.format_exception(caught.value))


def test_bytes_that_are_no_text(config: Path) -> None:
    config.write_bytes(b"a = '\xff'")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load(config)


def test_every_field_of_a_rule_can_be_given() -> None:
    """A field of another type than these needs its own check."""
    known = {"str", "int", "bool", "tuple[str, ...]", "RuleKind", "Validator"}
    assert {str(field.type) for field in settings.fields(settings.Rule)} <= known
