"""Keys of model providers."""

from __future__ import annotations

from harkback.model import Rule

_KEY = "A-Za-z0-9_-"

RULES = (
    Rule(
        id="openai-key",
        kind="run",
        keywords=("sk-",),
        reason="OpenAI API key, and the many providers that copied its form",
        # The newer forms may begin with words; the digit keeps `sk-learn-...` out.
        shape=r"sk-(?:(?:proj|svcacct|admin|or-v1|lf)-)?[A-Za-z_-]{0,40}[0-9][A-Za-z0-9_-]{12}",
        boundary=True,
        run=_KEY,
    ),
    Rule(
        id="openai-key-plain",
        kind="run",
        keywords=("sk-",),
        reason="OpenAI API key in one piece, with or without a digit",
        shape=r"sk-(?:(?:proj|svcacct|admin|test|live|prod)-)?[A-Za-z0-9]{16}",
        boundary=True,
        run=_KEY,
    ),
    Rule(
        id="anthropic-key",
        kind="run",
        keywords=("sk-ant-",),
        reason="Anthropic API or admin key",
        shape=r"sk-ant-[A-Za-z0-9_-]{12}",
        boundary=True,
        run=_KEY,
    ),
    Rule(
        id="huggingface-token",
        kind="run",
        keywords=("hf_", "api_org_"),
        reason="Hugging Face user or organisation token",
        shape=r"(?:hf|api_org)_[A-Za-z0-9]{30}",
        boundary=True,
        run="A-Za-z0-9",
    ),
)
