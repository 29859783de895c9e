"""Forms in which a name stands with its value, each to its true end, and what comes near."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT

#: (what is written, what is shown)
TAKEN = (
    # Configuration files.
    ("[pypi]\nusername = __token__\npassword = swordfish\n", "password = [redacted]\n"),
    ("[db]\r\nhost = a\r\n\r\npassword = swordfish\r\n", "password = [redacted]\r\n"),
    ("//registry/:_authToken=abcd-efgh", "_authToken=[redacted]"),
    ('//registry/:_password="c3dv"', '_password="[redacted]"'),
    ('{"auths": {"r.io": {"auth": "Ym9iOnN3"}}}', '"auth": "[redacted]"'),
    ("password: |\n  sword fish\n  two\n\n  three\nnext: a", "password: |\n  [redacted]\nnext: a"),
    ("a:\n  token: >-\n    swordfish\n  next: b", "token: >-\n    [redacted]\n  next: b"),
    ("secret: |2+\r\n  a b\r\nx: y", "secret: |2+\r\n  [redacted]\r\nx: y"),
    ("password: 'a''b c' x", "password: '[redacted]' x"),
    ('password = """\na b\nc"""; x', 'password = """[redacted]"""; x'),
    ("db.password=swordfish", "db.password=[redacted]"),
    # Connection strings.
    ("Server=a;Password=sword fish;Database=x", "Server=a;Password=[redacted];Database=x"),
    ('"Server=a;Pwd=sword,fish"', '"Server=a;Pwd=[redacted]"'),
    ("AccountName=a;AccountKey=ab/c+d==;X=y", "AccountKey=[redacted];X=y"),
    # Shells.
    ("PG_PASSWORD=swordfish psql -h x", "PG_PASSWORD=[redacted] psql"),
    ("export DB_PASSWORD=sword\\ fish next", "DB_PASSWORD=[redacted] next"),
    ('$env:API_TOKEN = "abc"', '$env:API_TOKEN = "[redacted]"'),
    ("set API_TOKEN=abc", "set API_TOKEN=[redacted]"),
    ("Connect-It -Password swordfish", "-Password [redacted]"),
    ("cat <<EOF > .env\nPASSWORD=hunter2\nEOF", "PASSWORD=[redacted]\nEOF"),
    ("password -> hunter2", "password -> [redacted]"),
    # Markup.
    ("<password>sword fish</password>", "<password>[redacted]</password>"),
    ("<Password>a & b<\\/Password>", "<Password>[redacted]<\\/Password>"),
    ('<add key="Password" value="swordfish"/>', 'value="[redacted]"/>'),
    ("<input name=token value=abc>", "value=[redacted]>"),
    ('<property name="db.password">swordfish</property>', '">[redacted]</property>'),
    ('<user password="sword fish" x="1">', 'password="[redacted]" x="1">'),
    # Pairs of a name and its value.
    ('{"name": "DB_PASSWORD", "value": "sword fish"}', '"value": "[redacted]"}'),
    ('{"key":"Authorization","value":"Bearer x"}', '"value":"Bearer [redacted]"}'),
    (r"{\"key\":\"token\",\"value\":\"a b\"}", r"\"value\":\"[redacted]\"}"),
    ("- name: DB_PASSWORD\n  value: swordfish\n", "  value: [redacted]\n"),
    # URLs, and what stands percent-encoded in them.
    ("https://x/#access_token=abc&type=b", "#access_token=[redacted]&type=b"),
    ("password%3Dhunter2%26x%3D1", "password%3D[redacted]%26x%3D1"),
    ("%22password%22%3A%22hunter2%22", "%22password%22%3A%22[redacted]%22"),
    ("?u=https%3A%2F%2Fx%3Ftoken%3Dabc%26y", "%3Ftoken%3D[redacted]%26y"),
    ("?u=%253Ftoken%253Dabc%2526y", "%253Ftoken%253D[redacted]%2526y"),
    # Escapes, colours, characters that nobody sees.
    (r"a\npassword=hunter2", r"a\npassword=[redacted]"),
    ("\x1b[1mpassword\x1b[0m: \x1b[32mhunter2\x1b[0m", "password\x1b[0m: \x1b[32m[redacted]"),
    ("\x1b[1;32mtoken\x1b[0m=abc", "token\x1b[0m=[redacted]"),
    ("password\u200b=\u200bhunter2", "password\u200b=\u200b[redacted]"),
    ("password=hun\u200bter2 x", "password=[redacted] x"),
    ("password=\x1b[31mhun\x1b[0mter2 x", "[redacted] x"),
    (r"{\\\"password\\\": \\\"a b\\\"}", r"\\\"[redacted]\\\"}"),
)
KEPT = (
    "[1, 2]\nx = 1\npassword = value(x)\n",
    "def f():\n    password = swordfish\n",
    "#[test]\nfn f() {\n    let token = word;\n",
    "password: |\nnext: a",
    "token: string | undefined\n",
    "password = '' + x",
    "a=1;token=self.token;b=2",
    "Promise<Token>(x) and <token> in the header",
    "<password></password> <token>{{ token }}</token>",
    '<input name="token" value={token} />',
    '<input name="password" type="text">',
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: x\n",
    '{"name": "token", "value": null}',
    '{"filename": "token", "value": "abc"}',
    "token%20value password%2Fx",
    "a non-Token thing and a -password thing",
    "password\u200b field and token\x1b[0m count",
)


@pytest.mark.parametrize(("text", "shown"), TAKEN)
def test_a_value_goes_to_the_end_its_form_gives_it(engine: Engine, text: str, shown: str) -> None:
    redaction = DEFAULT.bind(engine)
    cleaned = redaction.clean(text)
    assert cleaned.endswith(shown) or shown in cleaned
    assert cleaned.count("[redacted]") == 1
    assert redaction.clean(cleaned) == cleaned


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_a_form_stays(engine: Engine, text: str) -> None:
    assert DEFAULT.bind(engine).clean(text) == text


def test_a_block_ends_with_its_own_indentation(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    text = "".join(f"{' ' * depth}password: |\n" for depth in range(80)) + "x: y"
    assert redaction.clean(text).endswith("\nx: y")
    assert redaction.clean("token: |\n" + "  a\n" * 5000 + "x") == "token: |\n  [redacted]\nx"
