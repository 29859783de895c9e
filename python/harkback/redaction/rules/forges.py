"""Tokens of code forges."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, BASE64, DOTTED, HEX, URL, WORD, prefixed

_GITLAB = (
    "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glrtr- glwt-"
)

RULES = (
    prefixed(
        "github-token",
        "GitHub classic, OAuth, app, installation or refresh token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        WORD,
        20,
    ),
    prefixed("github-fine-grained-token", "GitHub fine-grained token", "github_pat_", WORD, 20),
    prefixed(
        "gitlab-token",
        "GitLab personal, deploy, runner, job, trigger, feed, mail, agent, SCIM or flag token",
        _GITLAB,
        URL,
        16,
        end=DOTTED,
    ),
    prefixed("gitlab-runner-token", "GitLab runner registration token", "GR1348941", URL, 16),
    prefixed("gitlab-session", "GitLab session cookie", "_gitlab_session=", ALNUM, 16),
    prefixed(
        "atlassian-token",
        "Atlassian, Bitbucket or Trello token",
        "ATATT3 ATCTT3 ATSTT3 ATBB ATTA",
        BASE64,
        24,
        boundary=True,
    ),
    prefixed("sourcegraph-token", "Sourcegraph token", "sgp_ slk_", WORD, 32, validator="mixed"),
    prefixed("circleci-token", "CircleCI token", "CCIPAT_ CCIPRJ_", WORD, 24),
    prefixed("buildkite-token", "Buildkite token", "bkua_ bkct_ bkrt_ bkpt_", HEX, 32),
    prefixed("sonar-token", "SonarQube token", "sqp_ squ_ sqa_", HEX, 32),
    prefixed("snyk-token", "Snyk token", "snyk_uat. snyk_sat.", DOTTED, 20),
    prefixed("semgrep-token", "Semgrep token", "swp_", HEX, 32, boundary=True),
    prefixed("codeclimate-token", "Qlty token", "qltp_ qltcp_ qltcw_", ALNUM, 20),
    prefixed("octopus-key", "Octopus Deploy API key", "API-", "A-Z0-9", 25, boundary=True),
    Rule(
        id="harness-key",
        kind="run",
        keywords=("pat.", "sat."),
        reason="Harness access token",
        shape=r"(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{16}",
        run=ALNUM,
    ),
    prefixed("intra42-secret", "42 school client secret", "s-s4t2ud- s-s4t2af-", HEX, 48),
    prefixed("infracost-token", "Infracost API token", "ico-", ALNUM, 32, boundary=True),
    prefixed(
        "launchdarkly-key",
        "LaunchDarkly SDK, API or mobile key",
        "sdk- api- mob-",
        HEX + "-",
        36,
        boundary=True,
    ),
)
