"""The two forms most rules have: a token that starts in its own way, a value beside a name.

Invariant: a rule made here looks at a bounded stretch before its run begins, and nothing but its
keyword starts it.
"""

from __future__ import annotations

import re

from harkback.model import Rule, Validator
from harkback.redaction.shape import either_case

#: Insides of character classes.
HEX = "A-Fa-f0-9"
ALNUM = "A-Za-z0-9"
WORD = "A-Za-z0-9_"
URL = "A-Za-z0-9_-"
DOTTED = "A-Za-z0-9_.-"
BASE64 = "A-Za-z0-9+/=_-"

UUID = "[A-Fa-f0-9]{8}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{12}"

#: What a name goes on with in prose and in headings: "Datadog API key: ...".
_SPOKEN = (
    r"(?:[ \t](?:[aA][pP][iI]|[aA]ccess|[aA]uth|[cC]lient|[sS]ecret|[pP]rivate|[pP]ersonal"
    r"|[kK]ey|[tT]oken|[iI][dD]|[pP]assword)){0,3}"
)
_OPERATOR = r"(?:=>|->|:{1,3}=|\?=|\|\||[=:>|,]|[ \t](?:is|to)[ \t])"
#: What ties a value to its name: an operator, whatever quotes and brackets stand around it.
_TIED = (
    r"""[\w.-]{0,32}"""
    + _SPOKEN
    + r"""[\\"'`\])* \t]{0,12}"""
    + _OPERATOR
    + r"""[\\"'`(\[=* \t]{0,12}(?:[bB]earer |[tT]oken |[bB]asic )?"""
)
#: The same without an operator: the name has to say that it is one of a secret.
_FLAGGED = (
    r"[\w. -]{0,24}(?:"
    + "|".join(map(either_case, ("key", "token", "secret", "pass")))
    + r""")[\w-]{0,8}["'`]{0,2}[ \t]{1,8}["'`]{0,2}"""
)


def prefixed(
    identity: str,
    reason: str,
    starts: str,
    body: str,
    least: int,
    *,
    boundary: bool = False,
    validator: Validator = "",
    end: str | None = None,
) -> Rule:
    """A token known by how it starts.

    Args:
        identity: id of the rule.
        reason: what the token is.
        starts: literals, separated by spaces, each of which begins such a token.
        body: inside of the class the token goes on in, to its end.
        least: characters of the body without which it is no token; fewer than a whole token has,
            so that most of a cut one goes too.
        boundary: whether no word character may stand before it: for starts that words end with.
        validator: name of a check of the whole token.
        end: inside of the class of its tail, where that is wider than ``body``.
    """
    literals = tuple(starts.split())
    return Rule(
        id=identity,
        kind="run",
        keywords=literals,
        reason=reason,
        shape=f"(?:{'|'.join(map(re.escape, literals))})[{body}]{{{least}}}",
        boundary=boundary,
        run=end or body,
        validator=validator,
    )


def beside(identity: str, vendor: str, words: str, value: str, run: str) -> Rule:
    """A value that only its vendor's name gives away: ``ADAFRUIT_KEY = "..."`` and its like.

    Args:
        identity: id of the rule.
        vendor: who issues it, as its own spelling goes.
        words: literals, separated by spaces; the name of the value holds one of them, spelled in
            one of the usual ways: `CaMeraKit` is no Meraki.
        value: shape of what is long enough to be such a value, without a group that captures.
        run: inside of the class the value goes on in, to its end.
    """
    literals = tuple(words.split())
    joined = vendor.replace(" ", "")
    spellings = {joined, joined[0].swapcase() + joined[1:]}
    for word in literals:
        spellings |= {word, word.upper(), word.capitalize()}
    named = "|".join(map(re.escape, sorted(spellings)))
    return Rule(
        id=identity,
        kind="run",
        keywords=literals,
        reason=f"{vendor}: a value that looks random, beside the name",
        shape=f"(?:{named})(?:{_TIED}|{_FLAGGED})({value})",
        run=run,
        validator="random",
    )
