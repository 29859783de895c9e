"""Tokens of package and image registries."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, HEX, URL, prefixed
from harkback.redaction.shape import either_case

RULES = (
    prefixed("npm-token", "npm access token", "npm_", ALNUM, 36),
    prefixed("pypi-token", "PyPI upload token", "pypi-AgE", URL, 32),
    prefixed("rubygems-key", "RubyGems API key", "rubygems_", HEX, 32),
    prefixed(
        "crates-token", "crates.io API token", "cio", ALNUM, 32, boundary=True, validator="mixed"
    ),
    prefixed("nuget-key", "NuGet API key", "oy2", "a-z0-9", 43, boundary=True, validator="mixed"),
    Rule(
        id="clojars-token",
        kind="run",
        keywords=("clojars_",),
        reason="Clojars deploy token",
        shape=either_case("clojars_") + "[A-Za-z0-9]{48}",
        run=ALNUM,
    ),
    prefixed("docker-token", "Docker Hub token", "dckr_pat_ dckr_oat_", URL, 20),
    prefixed("artifactory-key", "Artifactory API key", "AKCp", ALNUM, 40, boundary=True),
    prefixed(
        "artifactory-reference-token",
        "Artifactory reference token",
        "cmVmd",
        ALNUM,
        48,
        boundary=True,
    ),
    prefixed("jsr-token", "JSR token", "jsrp_ jsrd_", ALNUM, 24),
)
