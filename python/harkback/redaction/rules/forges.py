"""Tokens of code forges and package registries."""

from __future__ import annotations

from harkback.model import Rule

_GITLAB = ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-")

RULES = (
    Rule(
        id="github-token",
        kind="run",
        keywords=("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        reason="GitHub classic, OAuth, app, installation or refresh token",
        shape=r"gh[pousr]_[A-Za-z0-9]{30}",
        boundary=True,
        run="A-Za-z0-9_",
    ),
    Rule(
        id="github-fine-grained-token",
        kind="run",
        keywords=("github_pat_",),
        reason="GitHub fine-grained personal access token",
        shape=r"github_pat_[A-Za-z0-9_]{30}",
        boundary=True,
        run="A-Za-z0-9_",
    ),
    Rule(
        id="gitlab-token",
        kind="run",
        keywords=_GITLAB,
        reason="GitLab personal, deploy, runner, job, trigger, feed, mail, agent or SCIM token",
        shape=r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{16}",
        boundary=True,
        run="A-Za-z0-9_.-",
    ),
    Rule(
        id="npm-token",
        kind="run",
        keywords=("npm_",),
        reason="npm access token",
        shape=r"npm_[A-Za-z0-9]{36}",
        boundary=True,
        run="A-Za-z0-9",
    ),
)
