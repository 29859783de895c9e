"""The config file: what a person has the command redact and leave alone, in ``config.toml``.

The command reads it; the library does not, unless its host calls ``load``. Invariant: a file that
says anything unknown is refused as a whole, with the place and never the value in the message, so
a slip of the pen cannot switch a rule off. Proof: tests/unit/test_settings.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from harkback.errors import HarkbackError, SettingsError
from harkback.model import Rule
from harkback.projects import compile_globs
from harkback.redaction import DEFAULT, Policy

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")

CONFIG_VARIABLE: Final = "HARKBACK_CONFIG"
CONFIG_NAME: Final = "config.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a config file says; without one, what it would say if it were empty.

    Attributes:
        policy: what is redacted.
        exclude_projects: globs of projects that are never searched.
        cache: whether Sessions that were searched are kept on disk, redacted.
        cache_folder: where; None: in the user's cache folder.
        path: the file that was read, None if there is none.
    """

    policy: Policy = DEFAULT
    exclude_projects: tuple[str, ...] = ()
    cache: bool = True
    cache_folder: Path | None = None
    path: Path | None = None


def default_path() -> Path:
    """Where the config file lies: where ``HARKBACK_CONFIG`` says, else in the user's own folder."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("harkback", appauthor=False) / CONFIG_NAME


def load(path: str | os.PathLike[str] | None = None, *, strict: bool = False) -> Settings:
    """Reads the config file, by default the one of ``default_path``.

    Args:
        path: the file. One that is named, here or by ``HARKBACK_CONFIG``, has to exist.
        strict: start from the strict policy, whatever the file says.

    Raises:
        SettingsError: ``settings_unreadable``; ``settings_invalid``, with the key at fault.
    """
    file = default_path() if path is None else Path(path)
    named = path is not None or bool(os.environ.get(CONFIG_VARIABLE))
    try:
        data = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if named:
            raise SettingsError("settings_unreadable", "The config file is missing.") from None
        return Settings(_strict() if strict else DEFAULT)
    except OSError:
        raise SettingsError("settings_unreadable", "The config file cannot be read.") from None
    return _settings(_parse(data), file, strict)


def _strict() -> Policy:
    from harkback.redaction import STRICT  # made when it is asked for

    return STRICT


def _parse(data: bytes) -> dict[str, Any]:
    if not data:
        return {}
    import tomllib  # there is seldom a file

    place = ""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        # The rest of its message may quote the file.
        found = re.search(r"\(at (line \d+, column \d+|end of document)\)$", str(error))
        place = f" at {found[1]}" if found else ""
        problem = "is not TOML"
    except RecursionError:
        problem = "nests too deep"
    raise SettingsError("settings_invalid", f"The config file {problem}{place}.")


def _settings(content: Mapping[str, Any], path: Path, strict: bool) -> Settings:
    _only(content, "", ("redaction", "projects", "cache"))
    projects = _table(content.get("projects", {}), "projects")
    _only(projects, "projects", ("exclude",))
    globs = _strings(projects.get("exclude", []), "projects.exclude")
    for index, glob in enumerate(globs):
        _asked(f"projects.exclude[{index}]", compile_globs, [glob])
    redaction = _table(content.get("redaction", {}), "redaction")
    cache, folder = _cache(_table(content.get("cache", {}), "cache"))
    return Settings(_policy(redaction, strict), globs, cache, folder, path)


def _cache(cache: Mapping[str, Any]) -> tuple[bool, Path | None]:
    _only(cache, "cache", ("enabled", "folder"))
    enabled, folder = cache.get("enabled", True), cache.get("folder")
    if not isinstance(enabled, bool):
        _refuse("cache.enabled", "has to be true or false")
    if folder is None:
        return enabled, None
    if not isinstance(folder, str) or not Path(folder).expanduser().is_absolute():
        _refuse("cache.folder", "has to be the whole path of a folder, as a string")
    return enabled, Path(folder).expanduser()


def _policy(redaction: Mapping[str, Any], always_strict: bool) -> Policy:
    _only(redaction, "redaction", ("strict", "remove", "names", "rules"))
    strict = redaction.get("strict", False)
    if not isinstance(strict, bool):
        _refuse("redaction.strict", "has to be true or false")
    strict = strict or always_strict
    policy = _strict() if strict else DEFAULT
    for index, name in enumerate(_strings(redaction.get("remove", []), "redaction.remove")):
        # What only the strict policy has may be named while another is in force.
        if strict or name in DEFAULT.ids or name not in _strict().ids:
            policy = _asked(f"redaction.remove[{index}]", policy.remove, name)
    for index, name in enumerate(_strings(redaction.get("names", []), "redaction.names")):
        policy = _asked(f"redaction.names[{index}]", policy.add_names, name)
    rules = redaction.get("rules", [])
    if not isinstance(rules, list):
        _refuse("redaction.rules", "has to be a list of tables, [[redaction.rules]]")
    for index, each in enumerate(rules):
        place = f"redaction.rules[{index}]"
        rule = _rule(_table(each, place), place)
        policy = _asked(place, policy.add, rule)
    return policy


def _rule(given: Mapping[str, Any], place: str) -> Rule:
    known = {field.name: field for field in fields(Rule)}
    _only(given, place, known)
    for name, field in known.items():
        if name not in given and field.default is MISSING and name != "keywords":
            _refuse(f"{place}.{name}", "is missing")
    values: dict[str, Any] = {"keywords": ()}
    for name, value in given.items():
        at = f"{place}.{name}"
        if name in ("keywords", "names", "qualifiers"):
            values[name] = _strings(value, at)
        else:
            wanted = {"before": int, "boundary": bool}.get(name, str)
            if type(value) is not wanted:
                _refuse(at, f"has to be {_NOUNS[wanted]}")
            values[name] = value
    return Rule(**values)


_NOUNS: Final[dict[type, str]] = {int: "a whole number", bool: "true or false", str: "a string"}


def _asked(place: str, step: Callable[[_Given], _Made], given: _Given) -> _Made:
    """What ``step`` makes of it; what it refuses is told with its place in the file."""
    try:
        return step(given)
    except HarkbackError as error:
        _refuse(place, f"is refused. {error.message}")


def _table(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(place, f"has to be a table, [{place}]")
    return value


def _strings(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        _refuse(place, "has to be a list of strings")
    return tuple(value)


def _only(table: Mapping[str, Any], place: str, known: Iterable[str]) -> None:
    """Refuses keys that are not known. What does not look like one may be a secret: not named."""
    for key in table:
        if key not in known:
            shown = key if re.fullmatch("[A-Za-z_-]{1,24}", key) else "a key"
            from difflib import get_close_matches  # for a mistake alone

            near = get_close_matches(key, known, n=1)
            hint = f"; is {near[0]} meant?" if near else ""
            _refuse(f"{place}.{shown}".lstrip("."), f"is unknown{hint or '.'}")


def _refuse(place: str, problem: str) -> NoReturn:
    end = "" if problem.endswith((".", "?")) else "."
    raise SettingsError("settings_invalid", f"The config file: {place} {problem}{end}") from None
