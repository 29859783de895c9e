"""Keys of monitoring, analytics and feature flag services."""

from __future__ import annotations

from harkback.redaction.rules.forms import ALNUM, BASE64, HEX, URL, WORD, prefixed

RULES = (
    prefixed("grafana-token", "Grafana service account token", "glsa_ glsp_", WORD, 24),
    prefixed("grafana-cloud-token", "Grafana Cloud token", "glc_", BASE64, 28, boundary=True),
    prefixed("grafana-key", "Grafana API key", "eyJrIjoi", BASE64, 40),
    prefixed(
        "sentry-token",
        "Sentry user, integration or organisation token",
        "sntryu_ sntryi_ sntrys_",
        BASE64,
        32,
    ),
    prefixed(
        "new-relic-key",
        "New Relic user, insert, browser or license key",
        "NRAK- NRII- NRJS- NRIQ- NRRA- NRAL-",
        "A-Za-z0-9-",
        16,
    ),
    prefixed(
        "dynatrace-token",
        "Dynatrace token",
        "dt0c01. dt0s01. dt0s02. dt0s04. dt0s08. dt0s16.",
        "A-Za-z0-9.",
        40,
    ),
    prefixed(
        "honeycomb-key",
        "Honeycomb ingest or configuration key",
        "hcaik_ hcaic_ hcalk_ hcamk_ hcxik_",
        ALNUM,
        32,
    ),
    prefixed("posthog-key", "PostHog personal or feature key", "phx_ phs_ pha_ phr_", ALNUM, 32),
    prefixed("logfire-token", "Logfire token", "pylf_", WORD, 32, validator="mixed"),
    prefixed("incident-key", "incident.io API key", "inc_", HEX, 40, boundary=True),
    prefixed("checkly-key", "Checkly API key", "cu_", HEX, 32, boundary=True),
    prefixed("statsig-key", "Statsig server key", "secret-", ALNUM, 32, validator="mixed"),
    prefixed("axiom-token", "Axiom token", "xaat- xapt-", URL, 32),
    prefixed("readme-key", "ReadMe API key", "rdme_", "a-z0-9", 48),
    prefixed("typeform-token", "Typeform token", "tfp_", "A-Za-z0-9_.=-", 40),
    prefixed("frameio-token", "Frame.io token", "fio-u-", BASE64, 40),
    prefixed("contentful-token", "Contentful personal access token", "CFPAT-", URL, 32),
)
