"""Tokens of services: chat, payments."""

from __future__ import annotations

from harkback.model import Rule

RULES = (
    Rule(
        id="slack-token",
        kind="run",
        keywords=("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
        reason="Slack bot, user, refresh, configuration or app token",
        shape=r"(?:xox[abeprs][.-]|xapp-)[A-Za-z0-9-]{10}",
        boundary=True,
        run="A-Za-z0-9-",
    ),
    Rule(
        id="slack-webhook",
        kind="run",
        keywords=("hooks.slack.com/",),
        reason="Slack webhook: whoever knows the path may post",
        shape=r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_-]{8})",
        run="A-Za-z0-9_/-",
    ),
    Rule(
        id="stripe-key",
        kind="run",
        keywords=("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
        reason="Stripe secret or restricted key",
        shape=r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10}",
        boundary=True,
        run="A-Za-z0-9",
    ),
    Rule(
        id="stripe-webhook-secret",
        kind="run",
        keywords=("whsec_",),
        reason="Secret that signs Stripe webhooks",
        shape=r"whsec_[A-Za-z0-9]{24}",
        boundary=True,
        run="A-Za-z0-9+/=",
    ),
)
