"""Secrets of infrastructure: secret managers, deployment, identity, clusters."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, BASE64, DOTTED, HEX, URL, prefixed
from harkback.redaction.shape import either_case

RULES = (
    prefixed(
        "vault-token", "HashiCorp Vault service, batch or recovery token", "hvs. hvb. hvr.", URL, 24
    ),
    Rule(
        id="vault-legacy-token",
        kind="pattern",
        keywords=("s.",),
        reason="HashiCorp Vault service token of the older form",
        shape=r"s\.[A-Za-z0-9]{24}\b",
        boundary=True,
        validator="random",
    ),
    Rule(
        id="terraform-token",
        kind="run",
        keywords=(".atlasv1.",),
        reason="HCP Terraform token",
        shape=r"[A-Za-z0-9]{8}\.atlasv1\.[A-Za-z0-9_=-]{32}",
        before=8,
        back=ALNUM,
        run=BASE64,
    ),
    prefixed("pulumi-token", "Pulumi access token", "pul-", HEX, 32, boundary=True),
    prefixed("prefect-token", "Prefect token", "pnu_ pnb_", ALNUM, 24),
    prefixed(
        "doppler-token",
        "Doppler token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        DOTTED,
        32,
    ),
    prefixed("infisical-token", "Infisical service token", "st.", HEX + ".", 60, boundary=True),
    Rule(
        id="onepassword-secret-key",
        kind="run",
        keywords=("a3-",),
        reason="1Password secret key",
        shape=r"A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}",
        boundary=True,
        run="A-Z0-9-",
    ),
    prefixed("onepassword-token", "1Password service account token", "ops_eyJ", BASE64, 60),
    prefixed("age-secret-key", "age secret key", "AGE-SECRET-KEY-", "A-Za-z0-9-", 40),
    prefixed("openshift-token", "OpenShift token", "sha256~", URL, 40),
    prefixed("rancher-token", "Rancher token", "kubeconfig-u-", ":" + URL, 20),
    prefixed(
        "databricks-token", "Databricks token", "dapi dose", HEX, 30, boundary=True, end=HEX + "-"
    ),
    Rule(
        id="clickhouse-key",
        kind="pattern",
        keywords=("4b1d",),
        reason="ClickHouse Cloud key secret",
        shape=r"4b1d[A-Za-z0-9]{38}\b",
        boundary=True,
    ),
    prefixed("mongodb-atlas-secret", "MongoDB Atlas service account secret", "mdb_sa_sk_", URL, 24),
    prefixed("dbt-token", "dbt Cloud token", "dbtc_ dbtu_ dbts_", BASE64, 24),
    prefixed(
        "confluent-secret", "Confluent Cloud API secret", "cflt", "A-Za-z0-9+/", 56, boundary=True
    ),
    Rule(
        id="authress-key",
        kind="run",
        keywords=(".acc-", ".acc_"),
        reason="Authress service key",
        shape=r"\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{24}",
        back=DOTTED,
        run="A-Za-z0-9+/_=-",
    ),
    prefixed("ory-token", "Ory token", "ory_pat_ ory_at_ ory_st_ ory_rt_ ory_ac_", URL, 20),
    prefixed("adobe-secret", "Adobe client secret", "p8e-", ALNUM, 24),
    prefixed("linear-key", "Linear API key or token", "lin_api_ lin_oauth_ lin_wh_", ALNUM, 24),
    prefixed("notion-token", "Notion token", "ntn_", ALNUM, 36),
    prefixed(
        "notion-legacy-token",
        "Notion integration secret of the older form",
        "secret_",
        ALNUM,
        26,
        boundary=True,
        validator="random",
    ),
    prefixed("figma-token", "Figma personal access token", "figd_ figdr_ figoh_ figor_", URL, 24),
    prefixed("postman-key", "Postman key", "PMAK- PMAT-", "A-Za-z0-9-", 24),
    Rule(
        id="asana-token",
        kind="run",
        keywords=("1/1", "2/1"),
        reason="Asana personal access token",
        shape=r"[12]/1[0-9]{13,17}(?:/[0-9]{13,18})?:[a-f0-9]{32}",
        boundary=True,
        run=HEX,
    ),
    prefixed(
        "dropbox-token",
        "Dropbox short-lived token",
        "sl.",
        URL,
        64,
        boundary=True,
        end="." + BASE64,
    ),
    prefixed("mapbox-token", "Mapbox token", "sk.eyJ pk.eyJ tk.eyJ", DOTTED, 40),
    Rule(
        id="mapbox-token-opaque",
        kind="run",
        keywords=("sk.", "pk."),
        reason="Mapbox token, whatever its payload",
        shape=r"[ps]k\.[A-Za-z0-9_-]{60}\.[A-Za-z0-9_-]{20}",
        boundary=True,
        run=DOTTED,
    ),
    Rule(
        id="maxmind-key",
        kind="pattern",
        keywords=("_mmk",),
        reason="MaxMind license key",
        shape=r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b",
        before=36,
    ),
    Rule(
        id="facebook-app-token",
        kind="run",
        keywords=tuple(f"{digit}{bar}" for digit in range(10) for bar in ("|", "%7c")),
        reason="Facebook app access token: app id and secret",
        shape=r"[0-9]{15}(?:\||%7[cC])[A-Za-z0-9_-]{27}",
        before=14,
        back="0-9",
        run=URL,
        validator="random",
    ),
    prefixed(
        "facebook-page-token",
        "Facebook user or page access token",
        "EAAM EAAC EAAG EAAB",
        ALNUM,
        80,
        boundary=True,
    ),
    prefixed("instagram-token", "Instagram access token", "IGQV IGAA", URL, 80, boundary=True),
    Rule(
        id="kubeadm-token",
        kind="pattern",
        keywords=("kubeadm join", "bootstrap-token", "bootstrap_token"),
        reason="Kubernetes bootstrap token",
        shape=f"(?:{either_case('kubeadm join')}|[bB]ootstrap[_-]token)"
        r"""[^\n]{0,80}?[ \t=:"']([a-z0-9]{6}\.[a-z0-9]{16})\b""",
    ),
)
