"""Data that looks random: lock files, diffs, encoded images, hashes and identifiers."""

from __future__ import annotations

import random

from support.benign.words import base64, fill, hexadecimal

_LOCK = (
    '    "node_modules/@{vendor}/{noun}-{noun2}": {{\n      "version": "4.{n}.0",\n'
    '      "resolved": "https://registry.npmjs.org/@{vendor}/{noun}/-/{noun}-4.{n2}.0.tgz",',
    '{{file = "{vendor}_{noun}-1.{n}.0-py3-none-any.whl", hash = "sha256:{sha}"}},',
    '[[package]]\nname = "{vendor}-{noun}"\nversion = "0.{n}.2"\n'
    'source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "{sha}"',
    "{vendor}-{noun}==2.{n}.1 \\\n    --hash=sha256:{sha} \\\n    --hash=sha256:{sha2}",
    '"@{vendor}/{noun}@npm:^4.0.0":\n  version: 4.{n}.0\n  checksum: 10c0/{sha}{sha2}',
    "      uses: {vendor}/{noun}-action@{commit} # v4.{n}",
    "    {vendor}-{noun} (1.{n}.3)\n      {noun2} (~> 2.0)",
)
_DIFF = (
    "diff --git a/src/{name}.py b/src/{name}.py",
    "index {short}..{short2} 100644",
    "-    password = config.password",
    "+    password = keyring.get_password(service, user)",
    "-    token: str",
    "+    token: str | None = None",
    "@@ -{n},7 +{n2},9 @@ def {verb}_{name}(key):",
    "     secret = load(secret_path)",
    "+    {vendor}_key = settings.{vendor}_key",
    "Subproject commit {commit}",
)


def lock(choose: random.Random) -> str:
    pieces = [fill(choose, choose.choice(_LOCK)) for _ in range(6)]
    pieces.append(f'      "integrity": "sha512-{base64(choose, 86, "==")}",')
    module = fill(choose, "github.com/{vendor}/{noun} v1.{n}.0")
    pieces.append(f"{module} h1:{base64(choose, 43, '=')}")
    pieces.append(f"{module}/go.mod h1:{base64(choose, 43, '=')}")
    return "\n".join(pieces)


def diff(choose: random.Random) -> str:
    return "\n".join(fill(choose, choose.choice(_DIFF)) for _ in range(12))


def image(choose: random.Random) -> str:
    start = choose.choice(("iVBORw0KGgo", "/9j/4AAQSkZJRg", "R0lGODlh", "UklGR"))
    body = start + base64(choose, choose.randint(2000, 8000), "=")
    form = choose.randrange(3)
    if form == 0:
        return f"![shot](data:image/png;base64,{body})"
    if form == 1:
        return f'{{"type": "image", "data": "{body}", "media_type": "image/png"}}'
    return "\n".join(body[at : at + 76] for at in range(0, len(body), 76))


def hashes(choose: random.Random) -> str:
    name = fill(choose, "{noun}/{name}.tar.gz")
    lines = (
        f"{hexadecimal(choose, 32)}  {name}",
        f"{hexadecimal(choose, 40)}  {name}",
        f"{hexadecimal(choose, 64)}  {name}",
        f"{hexadecimal(choose, 128)}  {name}",
        f"sha256:{hexadecimal(choose, 64)}",
        f"sha1-{base64(choose, 27, '=')}",
        f'"etag": "{hexadecimal(choose, 32)}"',
        fill(choose, '"id": "{uuid}", "parent": "{uuid2}"'),
        fill(choose, "tree {commit}\nparent {commit2}\nauthor {who} <{who}@example.com> {n} +0100"),
        fill(choose, "fingerprint: SHA256:") + base64(choose, 43),
        fill(choose, "{noun}_id={uuid} run={short} object={commit}"),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + base64(choose, 43) + fill(choose, " {who}@host"),
    )
    return "\n".join(choose.sample(lines, 6))
