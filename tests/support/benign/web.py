"""Minified scripts, style sheets and pages."""

from __future__ import annotations

import random
import string

from support.benign.words import fill

_MINIFIED = (
    "function {a}({b},{c}){{return {b}.key==={c}.key&&{b}.token<{c}.token}}",
    'var {a}={b}.password||"",{c}={b}.token?{b}.token.value:null;',
    "{a}.prototype.secret=function({b}){{this.k={b};return this}};",
    '!function(e,t){{"object"==typeof exports?module.exports=t():e.{a}=t()}}(this,(()=>{{',
    'const {a}=e=>e.split(".").map((e=>e.length)),{b}={{key:{c},auth:!0,token:void 0}};',
    'case"password":return {a}({b});case"token":return {c}.next();',
    "{a}=[{n},{n},{n}];for(let {b}=0;{b}<{a}.length;{b}++){c}({a}[{b}]^0x{hex});",
    'headers:{{authorization:"Bearer ".concat({a}),"x-api-key":{b}}},',
    "//# sourceMappingURL={a}.{hex}.js.map\n",
    '"{a}-{hex}":()=>Promise.all([i.e({n}),i.e({n})]).then(i.bind(i,{n})),',
)
_CSS = (
    ".{noun}-{noun2}--{verb} {{ background: linear-gradient({n}deg, #{c3}, #{c6}); }}",
    "@media (min-width: {n}px) {{ .card .{noun} {{ margin: 0 auto {n}px; }} }}",
    "--token-{noun}: #{c6};\n--key-color: rgb({n} {n} {n} / 40%);",
    ".token.{noun}, .token.string {{ color: #{c3}; }}",
    "input[type=password]::placeholder {{ opacity: .{n}; }}",
    "--secret: hidden; --password-dots: 8;",
)
_HTML = (
    '<label for="password">Password</label><input type="password" name="password" id="pw-{n}">',
    '<a href="/{noun}/{uuid}?tab=tokens#key-{n}">{Noun} token</a>',
    '<link rel="stylesheet" href="/assets/{noun}-{short}.css" integrity="sha384-{b64}">',
    '<td class="key">{noun}</td><td class="token">{n}</td>',
    '<meta name="csrf-param" content="authenticity_token">',
    "<p>Enter your password: it is never stored. Token: shown once.</p>",
    '<img alt="{vendor} key" src="/img/{short}.png">',
    "<code>password</code>, <code>token</code>, <code>secret</code>",
)


def _fields(choose: random.Random) -> dict[str, str]:
    letters = [choose.choice(string.ascii_letters) for _ in range(3)]
    fields = dict(zip("abc", letters, strict=True))
    fields["c3"] = "".join(choose.choices("0123456789abcdef", k=3))
    fields["c6"] = "".join(choose.choices("0123456789abcdef", k=6))
    fields["hex"] = "".join(choose.choices("0123456789abcdef", k=choose.choice((8, 16, 20))))
    fields["b64"] = "".join(choose.choices(string.ascii_letters + string.digits + "+/", k=64))
    return fields


def _drawn(choose: random.Random, template: str) -> str:
    for name, value in _fields(choose).items():
        template = template.replace("{" + name + "}", value)
    return fill(choose, template)


def minified(choose: random.Random) -> str:
    return "".join(_drawn(choose, choose.choice(_MINIFIED)) for _ in range(30))


def css(choose: random.Random) -> str:
    return "\n".join(_drawn(choose, choose.choice(_CSS)) for _ in range(12))


def html(choose: random.Random) -> str:
    return "\n".join(_drawn(choose, choose.choice(_HTML)) for _ in range(12))
