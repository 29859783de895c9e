"""Logs and stack traces: identifiers of requests, digests, counters and the word token."""

from __future__ import annotations

import random

from support.benign.words import fill

_LINES = (
    "{time} INFO  http GET /v1/{noun}s?page=2&size=50 200 {n}ms req={short}",
    "{time} DEBUG auth: token accepted for {who}, expires in {n} s",
    "{time} WARN  {vendor} key is about to expire, rotate it",
    "{time} ERROR password of {who} was refused, attempt 3 of 5",
    "commit {commit} (HEAD -> main, origin/main)",
    "index {short}..{short2} 100644",
    "{commit} refs/heads/{noun}-{noun2}",
    "   Compiling {noun}-{noun2} v0.{n}.1 (https://github.com/{vendor}/{noun}#{short})",
    "Status: Downloaded newer image for {vendor}/{noun}@sha256:{sha}",
    "trace_id={uuid} span_id={short} tokens={n} cached_tokens={n2}",
    '{{"level":"info","token_count":{n},"request_id":"{uuid}","msg":"key rotated"}}',
    "tests/unit/test_{name}.py::test_{verb}_the_password PASSED [ {n}%]",
    "remote: Resolving deltas: 100% ({n}/{n}), done. From {vendor}.com:{who}/{noun}",
    "session {uuid} resumed by {who}; secret scanning: 0 findings",
    "{vendor}: release {short} deployed to {noun}, build {n}, artifact {sha}",
    "npm http fetch GET 200 https://registry.npmjs.org/@{vendor}/{noun}-{noun2} {n}ms (cache hit)",
    "{time} kernel: audit: type=1400 audit({n}.{n2}:{n}): apparmor=ALLOWED profile={noun}",
    "Tokens: {n} Key: {n2} Secret: none",
)
_TRACES = (
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3.11/site-packages/{vendor}/{name}.py", line {n}, in {verb}_token',
    "    raise {Camel}Error(f'{noun} is missing: {{key}}')",
    "{vendor}.errors.{Camel}Error: invalid token at position {n}",
    "    at {Camel}.{verb}Password (/srv/app/node_modules/{noun}/dist/{name}.js:{n}:{n2})",
    "\tat com.{vendor}.{noun}.{Camel}.{verb}Secret({Camel}.java:{n})",
    "Caused by: java.lang.IllegalStateException: token: expected a word, password: missing",
    "thread 'main' panicked at src/{name}.rs:{n}:{n2}: called `Option::unwrap()` on a `None` value",
    "goroutine {n} [running]: main.{verb}Token(0xc000{short}, 0x{short2})",
    "KeyError: 'password'",
    "TypeError: Cannot read properties of undefined (reading 'token')",
)


def lines(choose: random.Random) -> str:
    return "\n".join(fill(choose, choose.choice(_LINES)) for _ in range(12))


def traces(choose: random.Random) -> str:
    return "\n".join(fill(choose, choose.choice(_TRACES)) for _ in range(12))
