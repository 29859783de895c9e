"""Key rules: names, forms of assignment, values that are no secret."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.model import Rule
from harkback.redaction import DEFAULT, Policy

SENSITIVE = (
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "user.password",
    "x-auth",
    "token",
    "refreshToken",
    "apiKey",
    "api_key",
    "API-KEY",
    "APIKey",
    "apikey",
    "x-api-key",
    "secretAccessKey",
    "secret_access_key",
    "ssh_key",
    "privateKey",
    "serviceAccountKey",
    "client_secret",
    "Authorization",
    "proxy-authorization",
    "credentials",
    "password2",
    "OAuth2Token",
    "密码password",
    "AUTH",
    "signing-key",
)
HARMLESS = (
    "",
    "_",
    "2",
    "key",
    "primary_key",
    "cache_key",
    "public_key",
    "objectKey",
    "tokens",
    "tokenCount",
    "max_tokens",
    "tokenizer",
    "secretary",
    "passwords",
    "author",
    "authority",
    "keyboard",
    "monkey",
    "passwordHash",
    "token_type",
    "hotkey",
    "bypass_auth_check",
)

#: (what is written, what is shown)
TAKEN = (
    ("password=hunter2", "password=[redacted]"),
    ("password = hunter2", "password = [redacted]"),
    ("password: hunter2", "password: [redacted]"),
    ("password := 'x'", "password := '[redacted]'"),
    ("'password' => 'x y'", "'password' => '[redacted]'"),
    ("password ?= a1b2", "password ?= [redacted]"),
    ('"password": "a, b; c"', '"password": "[redacted]"'),
    ('"password":"a\\"b", "n": 1', '"password":"[redacted]", "n": 1'),
    ('"password": "a\\\\", "n": "b"', '"password": "[redacted]", "n": "b"'),
    (r"{\"password\": \"a1 b\", \"n\": 1}", r"{\"password\": \"[redacted]\", \"n\": 1}"),
    (r"{\"password\": \"a\\\"b\", \"n\": 1}", r"{\"password\": \"[redacted]\", \"n\": 1}"),
    (r"\\\"token\\\": \\\"a1\\\", \\\"n\\\"", r"\\\"token\\\": \\\"[redacted]\\\", \\\"n\\\""),
    ("--password hunter2 -v", "--password [redacted] -v"),
    ("--password swordfish", "--password [redacted]"),
    ("--api-key=abc -v", "--api-key=[redacted] -v"),
    ("login --password \\\n  hunter2", "login --password \\\n  [redacted]"),
    ('["--token", "abc"]', '["--token", "[redacted]"]'),
    ("export API_KEY=abc", "export API_KEY=[redacted]"),
    ("note: password=x", "note: password=[redacted]"),
    ("token=ab\\\ncd\\\r\nef gh", "token=[redacted] gh"),
    ("password='open to the end\nnext", "password='[redacted]\nnext"),
    ("password='over \\\nlines' x", "password='[redacted]' x"),
    ("?a=1&token=abc&b=2", "?a=1&token=[redacted]&b=2"),
    ("Authorization: Bearer abc1", "Authorization: Bearer [redacted]"),
    ("authorization: token abc1", "authorization: token [redacted]"),
    ('-H "Authorization: Basic YTpiMQ=="', '-H "Authorization: Basic [redacted]"'),
    ("Authorization: Digest a=1, b=2\nx", "Authorization: Digest [redacted]\nx"),
    ("config['secret'] = 'x'", "config['secret'] = '[redacted]'"),
    ("**Password:** hunter2", "**Password:** [redacted]"),
    ("**Password**: hunter2", "**Password**: [redacted]"),
    ("- password: swordfish\n", "- password: [redacted]\n"),
    ('def f(secret: str = "x1"):', 'def f(secret: str = "[redacted]"):'),
    ('token = b"x1"', 'token = b"[redacted]"'),
    ('token = """x1"""', 'token = """[redacted]"""'),
    ("password=密码一二三", "password=[redacted]"),
    ("password=[redacted]rest1", "password=[redacted][redacted]"),
    ("Server=a;Password=hunter;Port=1", "Server=a;Password=[redacted];Port=1"),
    ("token: 3f786850e387550fdab8", "token: [redacted]"),
    ("password=12345", "password=[redacted]"),
    ("数据库password=hunter2", "数据库password=[redacted]"),
    ("数据库password: swordfish", "数据库password: [redacted]"),
    ("password：hunter2，然后", "password：[redacted]，然后"),
    ("password＝hunter2。", "password＝[redacted]。"),
    ("token: 「hunter2」", "token: 「[redacted]」"),
)
KEPT = (
    "password = data.get('password')",
    "token = os.environ['TOKEN']",
    "if event.key === 'Escape' {",
    "if token == other and password != None:",
    "token === 'x'",
    "Token::new('x')",
    "connect(password=password, token=self.token)",
    "password=$PASS token=${TOKEN} secret=$(cat x) pwd=%s auth=%(auth)s token=<token>",
    'password="${PASS}" token="{{ token }}" secret="<secret>" pwd="***" auth="{auth}"',
    'f"Authorization: Bearer {token}" "Authorization": `Bearer ${token}`',
    "password=null token: None, secret = undefined; auth: true",
    "password= \ntoken:\nsecret: ''",
    "interface A { password: string; token?: string }",
    "def f(token: str, secret: Secret | None = None): ...",
    "The password: it must be long. Token: a unit of text.",
    "use --token to sign in, or --password and a name",
    "max_tokens=4096 primary_key=12345 cache_key: abc123 tokenCount: 77777",
    "private_key: /etc/ssl/private/key.pem",
    "token = response.json.token",
    "password=[redacted] password='[redacted]' token: [redacted]",
    'apiKey: "YOUR_API_KEY" api_key="your-key-here"',
    "auth: {",
    'getpass(\'Password: \', stream) print("Token: " + token) ask("Password: ")',
    "token: 42",
    "password: 请输入密码 token：必须有效。",
)

#: A rule of its own for names that are not ASCII.
FOREIGN = Policy(
    (
        Rule(
            "foreign",
            "key",
            ("密码", "口令", "令牌", "密钥", "key"),
            "The name says that its value is a secret",
            names=("密码", "口令", "令牌", "密钥"),
            qualifiers=("接口",),
        ),
    )
)
FOREIGN_TAKEN = (
    ("密码: hunter2", "密码: [redacted]"),
    ("密码：hunter2。", "密码：[redacted]。"),
    ("数据库密码是 hunter2，别外传", "数据库密码是 [redacted]，别外传"),
    ("密码是hunter2", "密码是[redacted]"),
    ("密码为：hunter2", "密码为：[redacted]"),
    ("密码是“hunter2”", "密码是“[redacted]”"),
    ("口令=hunter2 令牌＝a1b2", "口令=[redacted] 令牌＝[redacted]"),
    ("密码2: hunter2", "密码2: [redacted]"),
    ('{"密钥": "x y"}', '{"密钥": "[redacted]"}'),
    ("接口key: a1b2c3", "接口key: [redacted]"),
    ("接口_key=a1b2c3", "接口_key=[redacted]"),
    ("密码：swordfish", "密码：[redacted]"),
)
FOREIGN_KEPT = (
    "密码是必须的，密码：请输入",
    "密码长度: 8 密码8位",
    "密码是 string 类型",
    "令牌为 null",
    "密码: ${PASS}",
    "缓存key: a1b2c3",
    "忘记密码了 hunter2",
)


@pytest.mark.parametrize("name", SENSITIVE)
def test_sensitive_names(engine: Engine, name: str) -> None:
    assert DEFAULT.bind(engine).sensitive(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_names(engine: Engine, name: str) -> None:
    assert not DEFAULT.bind(engine).sensitive(name)


@pytest.mark.parametrize(("text", "shown"), TAKEN)
def test_the_value_of_a_sensitive_name_goes(engine: Engine, text: str, shown: str) -> None:
    redaction = DEFAULT.bind(engine)
    assert redaction.clean(text) == shown
    assert redaction.clean(shown) == shown


@pytest.mark.parametrize(("text", "shown"), FOREIGN_TAKEN)
def test_names_of_another_script(engine: Engine, text: str, shown: str) -> None:
    redaction = FOREIGN.bind(engine)
    assert redaction.clean(text) == shown
    assert redaction.clean(shown) == shown


@pytest.mark.parametrize("text", FOREIGN_KEPT)
def test_prose_around_names_of_another_script_stays(engine: Engine, text: str) -> None:
    assert FOREIGN.bind(engine).clean(text) == text


def test_a_name_of_another_script_ends_a_label(engine: Engine) -> None:
    redaction = FOREIGN.bind(engine)
    for label in ("密码", "数据库密码", "db_密码", "密码_2", "接口key", "接口_KEY"):
        assert redaction.sensitive(label)
    for label in ("密码长度", "key", "缓存key", "接口keys", "password"):
        assert not redaction.sensitive(label)


@pytest.mark.parametrize("text", KEPT)
def test_code_prose_and_placeholders_stay(engine: Engine, text: str) -> None:
    assert DEFAULT.bind(engine).clean(text) == text


def test_a_name_is_read_no_further_back_than_needed(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    assert redaction.clean("a" * 500 + "_password=x1") == "a" * 500 + "_password=[redacted]"
    assert redaction.clean("a" * 500 + "password=x1") == "a" * 500 + "password=x1"


def test_a_long_value_goes_to_its_end(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    assert redaction.clean("token=" + "a" * 100_000 + " x") == "token=[redacted] x"
    assert redaction.clean("token='" + "a b" * 50_000 + "' x") == "token='[redacted]' x"
