"""Ways in which real history shows a text: Markdown, terminals, JSON inside JSON, addresses, diffs.

Each takes a secret with its context and gives what a transcript would hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable

Dress = Callable[[str], str]


def _json(times: int) -> Dress:
    def dress(text: str) -> str:
        value = json.dumps({"note": text})
        for _ in range(times - 1):
            value = json.dumps(value)
        return value

    return dress


#: What may stand around any secret and its context.
AROUND: dict[str, Dress] = {
    "Chinese": lambda text: f"密钥{text}。",
    "Chinese brackets": lambda text: f"（{text}）、",
    "Chinese colon": lambda text: f"密钥：{text}；",
    "Japanese": lambda text: f"キーは{text}です",
    "Korean": lambda text: f"토큰{text}을",
    "emoji": lambda text: f"🔑{text}🔑",
    "Markdown bold": lambda text: f"**{text}**",
    "Markdown struck": lambda text: f"~~{text}~~",
    "Markdown code": lambda text: f"`{text}`",
    "Markdown fence": lambda text: f"```sh\n{text}\n```",
    "Markdown link": lambda text: f"[{text}](https://docs.example)",
    "Markdown target": lambda text: f"[docs](https://docs.example/{text})",
    "Markdown autolink": lambda text: f"<{text}>",
    "Markdown quote": lambda text: f"> {text}",
    "Markdown list": lambda text: f"- {text}",
    "table": lambda text: f"| a | {text} | b |",
    "tight table": lambda text: f"|{text}|",
    "HTML": lambda text: f"<b>{text}</b>",
    "zero width": lambda text: f"\u200b{text}\u200b",
    "byte order mark": lambda text: f"\ufeff{text}\ufeff",
    "soft hyphen": lambda text: f"\u00ad{text}\u00ad",
    "joiner behind a letter": lambda text: f"a\u200d{text}\u200db",
    "override": lambda text: f"\u202e{text}\u202c",
    "no-break space": lambda text: f"\u00a0{text}\u00a0",
    "accent behind": lambda text: f"{text}\u0301",
    "NUL": lambda text: f"\0{text}\0",
    "CRLF": lambda text: f"a\r\n{text}\r\nb",
    "tabs": lambda text: f"\t{text}\t",
    "hyperlink of a terminal": lambda text: f"\x1b]8;;https://e\x1b\\{text}\x1b]8;;\x1b\\",
    "JSON": _json(1),
    "JSON in JSON": _json(2),
    "entities": lambda text: f"&quot;{text}&quot;",
    "numbered entities": lambda text: f"&#34;{text}&#34;",
    "equals": lambda text: f"x={text}",
    "colons": lambda text: f"x:{text}:y",
    "slashes": lambda text: f"/{text}/",
    "dots": lambda text: f".{text}.",
    "dollar": lambda text: f"${text}",
    "diff": lambda text: f"+{text}\n-{text}",
    "Python repr": lambda text: f"ValueError: bad literal {text!r}",
    "mark on both sides": lambda text: f"[redacted]{text}[redacted]",
    "mark spaced": lambda text: f"[redacted] {text} [redacted]",
}
#: What is said to scanners of source code means nothing in a transcript.
PRAGMAS: dict[str, Dress] = {
    word: lambda text, word=word: f"# {word}\n{text}  # {word}\n<!-- {word} -->"
    for word in (
        "pragma: allowlist secret",
        "pragma: allowlist nextline secret",
        "gitleaks:allow",
        "secretlint-disable",
        "secretlint-disable-line",
        "trufflehog:ignore",
        "noqa: S105",
        "nosec",
        "nosemgrep",
        "ggignore",
    )
}
#: Of keys that are known by their own form.
BARE_ONLY: dict[str, Dress] = {
    "shell string": lambda text: f"'{text}'",
    "environment": lambda text: f"A={text}\nB=2",
    "YAML": lambda text: f"x: {text}\ny: 2",
    "CSV": lambda text: f"1,{text},2",
    "query": lambda text: f"https://e.example/?q={text}&r=1",
    "fragment": lambda text: f"https://e.example/#{text}",
    "user of an address": lambda text: f"https://{text}@forge.example/a/b.git",
    "password of an address": lambda text: f"https://x-access-token:{text}@forge.example/a.git",
    "path": lambda text: f"/home/dev/{text}/notes.txt",
    "Windows path": lambda text: f"C:\\{text}\\x",
    "header": lambda text: f"curl -H 'X: {text}' https://e.example",
    "bytes": lambda text: f"b'{text}'",
    "list of arguments": lambda text: f"['deploy', '{text}']",
    "percent-encoded value": lambda text: f"%3D%22 {text} %22",
}
