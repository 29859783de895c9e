"""Tokens and webhooks of chat, mail and telephony services."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, BASE64, HEX, URL, prefixed

_HEX_STARTS = tuple(f"sk{digit}" for digit in "0123456789abcdef")

RULES = (
    Rule(
        id="slack-token",
        kind="run",
        keywords=("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-",
                  "xoxs-", "xapp-"),
        reason="Slack bot, user, browser, refresh, configuration, legacy or app token",
        shape=r"(?:xox[abcdeoprs][.-]|xapp-)[A-Za-z0-9%-]{10}",
        run="A-Za-z0-9%-",
    ),
    Rule(
        id="slack-webhook",
        kind="run",
        keywords=("hooks.slack.com/",),
        reason="Slack webhook: whoever knows the path may post",
        shape=r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+_-]{8})",
        run="A-Za-z0-9+_/-",
    ),
    Rule(
        id="discord-webhook",
        kind="run",
        keywords=("/api/webhooks/",),
        reason="Discord webhook: whoever knows the path may post",
        shape=r"/api/webhooks/([0-9]{15,22}/[A-Za-z0-9_-]{16})",
        run=URL,
    ),
    Rule(
        id="teams-webhook",
        kind="run",
        keywords=("/webhookb2/",),
        reason="Microsoft Teams webhook: whoever knows the path may post",
        shape=r"/webhookb2/([A-Za-z0-9]{8}-)",
        run="A-Za-z0-9@/-",
    ),
    Rule(
        id="feishu-webhook",
        kind="run",
        keywords=("/open-apis/bot/",),
        reason="Feishu or Lark webhook: whoever knows the path may post",
        shape=r"/open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{16})",
        run=URL,
    ),
    Rule(
        id="wecom-webhook",
        kind="run",
        keywords=("/webhook/send?key=",),
        reason="WeCom webhook: whoever knows the key may post",
        shape=r"/webhook/send\?key=([A-Za-z0-9-]{16})",
        run=URL,
    ),
    Rule(
        id="dingtalk-secret",
        kind="run",
        keywords=("sec",),
        reason="Secret that signs DingTalk robot messages",
        shape=r"SEC[a-f0-9]{60}",
        boundary=True,
        run=HEX,
    ),
    Rule(
        id="google-chat-webhook",
        kind="run",
        keywords=("chat.googleapis.com/",),
        reason="Google Chat webhook: whoever knows key and token may post",
        shape=r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]{1,40}/messages\?(key=[A-Za-z0-9_-]{8})",
        run="A-Za-z0-9_&=%-",
    ),
    Rule(
        id="telegram-token",
        kind="run",
        keywords=(":aa",),
        reason="Telegram bot token",
        shape=r"[0-9]{5}:AA[A-Za-z0-9_-]{32}",
        before=5,
        back="0-9",
        run=URL,
    ),
    Rule(
        id="twilio-key",
        kind="pattern",
        keywords=_HEX_STARTS,
        reason="Twilio API key",
        shape=r"SK[A-Fa-f0-9]{32}\b",
        boundary=True,
    ),
    prefixed("sendgrid-key", "SendGrid API key", "SG.", "A-Za-z0-9_=.-", 40, boundary=True),
    prefixed("brevo-key", "Brevo API or SMTP key", "xkeysib- xsmtpsib-", "A-Za-z0-9-", 40),
    Rule(
        id="mailgun-key",
        kind="run",
        keywords=("key-",),
        reason="Mailgun private or public key",
        shape=r"key-[a-f0-9]{32}",
        run=HEX,
    ),
    Rule(
        id="mailchimp-key",
        kind="run",
        keywords=("-us",),
        reason="Mailchimp API key",
        shape=r"[a-f0-9]{32}-us[0-9]{1,2}",
        before=32,
        run="0-9",
    ),
    prefixed("mandrill-key", "Mailchimp transactional key", "md-", URL, 22, boundary=True,
             validator="random"),
    prefixed("resend-key", "Resend API key", "re_", "A-Za-z0-9_", 24, boundary=True,
             validator="random"),
    prefixed("knock-key", "Knock secret key", "sk_knock_", ALNUM, 20),
    prefixed("matrix-token", "Matrix access token", "syt_", "A-Za-z0-9_", 28, validator="mixed"),
    prefixed("hubspot-token", "HubSpot private app token", "pat-na1- pat-na2- pat-na3- pat-eu1-"
             " pat-ap1-", "A-Fa-f0-9-", 32),
    prefixed("intercom-token", "Intercom access token", "dG9r", BASE64, 52, boundary=True),
    prefixed("klaviyo-key", "Klaviyo private key", "pk_", HEX, 30, boundary=True),
)
