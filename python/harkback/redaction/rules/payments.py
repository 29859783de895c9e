"""Keys of payment, commerce and shipping services, and of wallets."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, BASE64, DOTTED, HEX, URL, WORD, prefixed

_BASE58 = "1-9A-HJ-NP-Za-km-z"

RULES = (
    Rule(
        id="stripe-key",
        kind="run",
        keywords=("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
        reason="Stripe secret or restricted key",
        shape=r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10}",
        run=WORD,
    ),
    prefixed("stripe-organisation-key", "Stripe organisation key", "sk_org_", WORD, 16),
    prefixed(
        "stripe-webhook-secret",
        "Secret that signs webhooks of Stripe and others",
        "whsec_",
        "A-Za-z0-9+/=",
        24,
    ),
    prefixed("square-token", "Square access token", "sq0atp- sq0csp- sq0csb- sq0idb-", URL, 20),
    prefixed(
        "square-token-long",
        "Square access token, long form",
        "EAAA",
        URL,
        22,
        boundary=True,
        validator="random",
    ),
    prefixed(
        "paypal-token",
        "PayPal or Braintree access token",
        "access_token$production$ access_token$sandbox$",
        "a-z0-9$",
        32,
    ),
    prefixed("adyen-key", "Adyen API key", "AQE", BASE64, 90, boundary=True, end="." + BASE64),
    prefixed(
        "plaid-token",
        "Plaid access or public token",
        "access-sandbox- access-development- access-production-",
        HEX + "-",
        32,
    ),
    prefixed("razorpay-key", "Razorpay key", "rzp_live_ rzp_test_", ALNUM, 12),
    prefixed(
        "flutterwave-key",
        "Flutterwave key",
        "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST-",
        "A-Za-z0-9-",
        12,
    ),
    prefixed("lob-publishable-key", "Lob publishable key", "live_pub_ test_pub_", HEX, 28),
    prefixed(
        "lob-key", "Lob or Mollie key", "live_ test_", ALNUM, 30, boundary=True, validator="mixed"
    ),
    prefixed(
        "gocardless-token",
        "GoCardless token",
        "live_",
        BASE64,
        40,
        boundary=True,
        validator="random",
    ),
    prefixed(
        "shopify-token",
        "Shopify token or shared secret",
        "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ shpit_",
        HEX,
        24,
    ),
    prefixed("duffel-token", "Duffel API token", "duffel_test_ duffel_live_", BASE64, 32),
    prefixed("easypost-key", "EasyPost API key", "EZAK EZTK", ALNUM, 48, boundary=True),
    prefixed("shippo-token", "Shippo API token", "shippo_live_ shippo_test_", HEX, 32),
    prefixed("stytch-secret", "Stytch secret", "secret-live- secret-test-", BASE64, 30),
    prefixed("revolut-token", "Revolut token", "oa_prod_ oa_sand_", URL, 24),
    prefixed(
        "extended-private-key",
        "Extended private key of a wallet",
        "xprv9 zprvA yprvA tprv8 uprv8 vprv9",
        _BASE58,
        90,
    ),
    prefixed("nostr-private-key", "Nostr private key", "nsec1", "02-9ac-hj-np-z", 50),
    prefixed(
        "cardano-private-key",
        "Cardano private key",
        "ed25519_sk1 ed25519e_sk1 addr_xsk1 root_xsk1",
        "02-9ac-hj-np-z",
        50,
    ),
    prefixed("settlemint-token", "SettleMint token", "sm_aat_ sm_pat_ sm_sat_", ALNUM, 12),
    Rule(
        id="salesforce-session",
        kind="run",
        keywords=("00d",),
        reason="Salesforce session id",
        shape=r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{40}",
        boundary=True,
        run=DOTTED,
    ),
)
