"""Keys without a form of their own: only the vendor's name beside them gives them away.

A row is an id, the vendor, the words its name is written in, what is long enough to be its value,
and the class the value goes on in. Values look random, so that prose and identifiers beside a
vendor's name stay.
"""

from __future__ import annotations

from harkback.redaction.rules.forms import ALNUM, DOTTED, HEX, URL, UUID, beside

_BASE64 = "A-Za-z0-9+/=_-"


def _alnum(least: int) -> str:
    return f"[{ALNUM}]{{{least}}}"


def _url(least: int) -> str:
    return f"[A-Za-z0-9_=-]{{{least}}}"


def _hex(least: int) -> str:
    return f"[{HEX}]{{{least}}}"


_ROWS = (
    ("adafruit", "Adafruit", "adafruit", _url(32), URL),
    ("adobe", "Adobe", "adobe", _hex(32), HEX),
    ("agora", "Agora", "agora", _hex(32), HEX),
    ("airtable", "Airtable", "airtable", r"pat[A-Za-z0-9]{14}|[A-Za-z0-9]{17}", DOTTED),
    ("alchemy", "Alchemy", "alchemy", _url(32), URL),
    ("algolia", "Algolia", "algolia", _alnum(32), ALNUM),
    ("alibaba", "Alibaba Cloud", "alibaba aliyun", _alnum(30), ALNUM),
    ("amplitude", "Amplitude", "amplitude", _hex(32), HEX),
    ("artifactory", "JFrog", "jfrog artifactory bintray xray", _alnum(64), ALNUM),
    ("asana", "Asana", "asana", _alnum(32), ALNUM),
    ("assemblyai", "AssemblyAI", "assemblyai assembly_ai", _hex(32), HEX),
    ("atlassian", "Atlassian", "atlassian confluence jira", _alnum(24), ALNUM),
    ("auth0", "Auth0", "auth0", _url(32), URL),
    ("aws", "AWS", "aws_ aws- aws.", "[A-Za-z0-9/+]{40}", "A-Za-z0-9/+="),
    ("azure", "Azure", "azure", r"[A-Za-z0-9]{32}|[A-Za-z0-9+/]{43}", "A-Za-z0-9+/="),
    ("beamer", "Beamer", "beamer", r"b_[A-Za-z0-9=_-]{44}", _BASE64),
    ("binance", "Binance", "binance", _alnum(64), ALNUM),
    ("bitbucket", "Bitbucket", "bitbucket", _url(32), _BASE64),
    ("bittrex", "Bittrex", "bittrex", _alnum(32), ALNUM),
    ("bugsnag", "Bugsnag", "bugsnag", _hex(32), HEX),
    ("circleci", "CircleCI", "circleci circle_ci", _hex(40), HEX),
    ("cloudflare", "Cloudflare", "cloudflare", r"[A-Fa-f0-9]{37}|[A-Za-z0-9_-]{40}", URL),
    ("cloudinary", "Cloudinary", "cloudinary", _url(27), URL),
    ("codecov", "Codecov", "codecov", rf"[A-Za-z0-9]{{32}}|{UUID}", URL),
    ("cohere", "Cohere", "cohere co_api_key", _alnum(40), ALNUM),
    ("coinbase", "Coinbase", "coinbase", _url(64), URL),
    ("confluent", "Confluent", "confluent", _alnum(16), "A-Za-z0-9+/"),
    ("contentful", "Contentful", "contentful", _url(43), _BASE64),
    ("coveralls", "Coveralls", "coveralls", _alnum(32), ALNUM),
    ("datadog", "Datadog", "datadog dd_api dd_app", r"[A-Fa-f0-9]{32}|[A-Za-z0-9]{40}", ALNUM),
    ("deepgram", "Deepgram", "deepgram", _hex(40), HEX),
    ("deepl", "DeepL", "deepl", UUID, "A-Za-z0-9:-"),
    ("discord", "Discord", "discord",
     r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.|[A-Za-z0-9=_-]{32}", _BASE64),
    ("drone", "Drone CI", "droneci drone_", _alnum(32), ALNUM),
    ("dropbox", "Dropbox", "dropbox", r"sl\.[A-Za-z0-9=_-]{40}|[A-Za-z0-9]{15}",
     "." + _BASE64),
    ("elastic", "Elastic", "elastic", r"[A-Za-z0-9+/_-]{58}", _BASE64),
    ("etsy", "Etsy", "etsy", _alnum(24), ALNUM),
    ("facebook", "Facebook", "facebook", _hex(32), HEX),
    ("fastly", "Fastly", "fastly", _url(32), _BASE64),
    ("finicity", "Finicity", "finicity", _alnum(20), ALNUM),
    ("finnhub", "Finnhub", "finnhub", _alnum(20), ALNUM),
    ("flickr", "Flickr", "flickr", _alnum(32), ALNUM),
    ("freshbooks", "FreshBooks", "freshbooks", _alnum(64), ALNUM),
    ("freshdesk", "Freshdesk", "freshdesk", _alnum(20), ALNUM),
    ("ghost", "Ghost", "ghost_", r"[a-f0-9]{24}:[a-f0-9]{64}", HEX),
    ("gitea", "Gitea or Forgejo", "gitea forgejo codeberg", _hex(40), HEX),
    ("gitter", "Gitter", "gitter", r"[A-Za-z0-9_-]{40}", URL),
    ("heroku", "Heroku", "heroku", UUID, "A-Fa-f0-9-"),
    ("hetzner", "Hetzner", "hetzner hcloud", _alnum(64), ALNUM),
    ("hubspot", "HubSpot", "hubspot", UUID, "A-Fa-f0-9-"),
    ("ibm", "IBM Cloud", "ibmcloud ibm_", _url(44), URL),
    ("infura", "Infura", "infura", _hex(32), HEX),
    ("instagram", "Instagram", "instagram", _hex(32), HEX),
    ("intercom", "Intercom", "intercom", _url(60), _BASE64),
    ("kraken", "Kraken", "kraken", r"[A-Za-z0-9/=_+-]{56}", _BASE64),
    ("kucoin", "KuCoin", "kucoin", rf"{UUID}|[A-Fa-f0-9]{{24}}", "A-Fa-f0-9-"),
    ("launchdarkly", "LaunchDarkly", "launchdarkly launch_darkly", r"[A-Za-z0-9=_-]{36}", _BASE64),
    ("linear", "Linear", "linear", _hex(32), HEX),
    ("linkedin", "LinkedIn", "linkedin linked_in linked-in", _alnum(14), ALNUM),
    ("linode", "Linode", "linode", _hex(64), HEX),
    ("livekit", "LiveKit", "livekit", _alnum(36), ALNUM),
    ("mailchimp", "Mailchimp", "mailchimp", _hex(32), "A-Za-z0-9-"),
    ("mailgun", "Mailgun", "mailgun",
     r"[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}|(?:pub)?key-[a-f0-9]{32}", "A-Za-z0-9-"),
    ("mattermost", "Mattermost", "mattermost", _alnum(26), ALNUM),
    ("meraki", "Cisco Meraki", "meraki", _hex(40), HEX),
    ("messagebird", "MessageBird", "messagebird message_bird message-bird",
     rf"{UUID}|[A-Za-z0-9]{{25}}", "A-Za-z0-9-"),
    ("minimax", "MiniMax", "minimax", _url(64), URL),
    ("mistral", "Mistral", "mistral", _alnum(32), ALNUM),
    ("mixpanel", "Mixpanel", "mixpanel", _hex(32), HEX),
    ("netlify", "Netlify", "netlify", _url(40), _BASE64),
    ("newrelic", "New Relic", "newrelic new_relic new-relic", _alnum(40), ALNUM),
    ("nytimes", "New York Times", "nytimes newyorktimes new-york-times", _url(32), _BASE64),
    ("okta", "Okta", "okta", r"00[A-Za-z0-9_=-]{40}", _BASE64),
    ("opsgenie", "Opsgenie", "opsgenie", UUID, "A-Fa-f0-9-"),
    ("pagerduty", "PagerDuty", "pagerduty pager_duty", r"[A-Za-z0-9+_-]{20}", "A-Za-z0-9+_-"),
    ("paypal", "PayPal", "paypal", r"[A-Za-z0-9_-]{64}", URL),
    ("plaid", "Plaid", "plaid", _alnum(24), ALNUM),
    ("postmark", "Postmark", "postmark", UUID, "A-Fa-f0-9-"),
    ("privateai", "Private AI", "privateai private_ai private-ai", _alnum(32), ALNUM),
    ("pusher", "Pusher", "pusher", _hex(20), HEX),
    ("qiniu", "Qiniu", "qiniu", r"[A-Za-z0-9_-]{40}", URL),
    ("railway", "Railway", "railway_", UUID, "A-Fa-f0-9-"),
    ("rapidapi", "RapidAPI", "rapidapi", r"[A-Za-z0-9_-]{50}", URL),
    ("reddit", "Reddit", "reddit", r"[A-Za-z0-9_-]{27}", URL),
    ("rollbar", "Rollbar", "rollbar", _hex(32), HEX),
    ("scaleway", "Scaleway", "scaleway scw_secret", UUID, "A-Fa-f0-9-"),
    ("segment", "Segment", "segment_", _alnum(32), ALNUM),
    ("sendbird", "Sendbird", "sendbird", rf"{UUID}|[A-Fa-f0-9]{{40}}", "A-Fa-f0-9-"),
    ("sentry", "Sentry", "sentry", _hex(64), HEX),
    ("shodan", "Shodan", "shodan", _alnum(32), ALNUM),
    ("sidekiq", "Sidekiq", "contribsys__com", r"[a-f0-9]{8}:[a-f0-9]{8}", HEX),
    ("snyk", "Snyk", "snyk", UUID, "A-Fa-f0-9-"),
    ("sonar", "SonarQube", "sonar_ sonar. sonar- sonarlogin sonartoken sonarqube sonarcloud",
     _url(40), _BASE64),
    ("sourcegraph", "Sourcegraph", "sourcegraph", _hex(40), HEX),
    ("splunk", "Splunk", "splunk", UUID, "A-Fa-f0-9-"),
    ("spotify", "Spotify", "spotify", _hex(32), HEX),
    ("squarespace", "Squarespace", "squarespace", UUID, "A-Fa-f0-9-"),
    ("sumologic", "Sumo Logic", "sumo", r"su[A-Za-z0-9]{12}|[A-Za-z0-9]{64}", ALNUM),
    ("telegram", "Telegram", "telegr", r"[0-9]{5,16}:A[A-Za-z0-9_-]{34}", URL),
    ("travis", "Travis CI", "travis", _alnum(22), ALNUM),
    ("trello", "Trello", "trello", _alnum(32), ALNUM),
    ("twilio", "Twilio", "twilio", _hex(32), HEX),
    ("twitch", "Twitch", "twitch", _alnum(30), ALNUM),
    ("twitter", "Twitter", "twitter",
     r"[0-9]{15,25}-[A-Za-z0-9]{20}|A{22}[A-Za-z0-9%]{60}|[A-Za-z0-9]{25}", "A-Za-z0-9%-"),
    ("upstash", "Upstash", "upstash", r"A[A-Za-z0-9+/_-]{35}", _BASE64),
    ("vercel", "Vercel", "vercel", _alnum(24), ALNUM),
    ("vultr", "Vultr", "vultr", "[A-Z0-9]{36}", "A-Z0-9"),
    ("weatherapi", "OpenWeather", "openweather", _hex(32), HEX),
    ("yandex", "Yandex", "yandex",
     r"t1\.[A-Za-z0-9_=-]{1,200}\.[A-Za-z0-9_-]{40}|AQVN[A-Za-z0-9_-]{35}|YC[A-Za-z0-9_-]{38}",
     "." + _BASE64),
    ("zendesk", "Zendesk", "zendesk", _alnum(40), ALNUM),
)  # fmt: skip

RULES = tuple(
    beside(f"{identity}-value", vendor, words, value, run)
    for identity, vendor, words, value, run in _ROWS
)
