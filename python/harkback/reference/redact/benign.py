"""Benign values: what stands behind a sensitive name and is no secret.

Placeholders, nothing, and source code (``password = data.get(...)``, ``token: str``). Invariant:
each check looks at no more than LIMIT characters, all of them ASCII, so that a value is judged in
constant time and bytes and code points are the same. Proof: tests/unit/redaction/test_key.py.
"""

from __future__ import annotations

from harkback.reference.redact.name import ASCII_LOWER, DIGIT, LETTER, LOWER, WORD, segments

LIMIT = 64
MARK = "[redacted]"
#: Letters of one part of a name or a path; longer ones are random more often than not.
WORD_LETTERS = 32


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOTHING = _words(
    "null none nil undefined true false yes no on off new await async lambda function typeof "
    "not if required optional redacted hidden masked"
)
TYPES = _words(
    "str string bytes int integer number bool boolean any object text float char varchar uuid "
    "unknown void never password token secret"
)
PROSE = _words(
    "a an and are as at by can does flag for from has if in instead is it may must of on option "
    "options or parameter so that the then this to value was when which will with you"
)
OPENINGS = ("${", "$(", "%(")
HEX = frozenset("0123456789abcdefABCDEF")
PATH = WORD | frozenset(".?!")
CALL = WORD | frozenset(".$:?!&*")
#: What a path to a value begins with: ``process.env.KEY2`` is code, digits or not.
ROOTS = _words(
    "process env os self this settings config module var data local secrets vars inputs ctx args "
    "opts options req request response props state import"
)
NUMBERS = _words("u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 int32 int64 uint8 uint32 uint64 float64")
COLOURS = (3, 4, 6, 8)  # digits
CONSTANT = 8  # digits of ``0x...``: short of a key


def unquoted(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` can be no secret, whatever form it stands in."""
    while start < end and text[start] in "([{&*!":
        start += 1
    value = text[start : min(end, start + LIMIT)]
    if end - start > LIMIT:
        return value[:2] in OPENINGS or _call(value)
    return (
        value.translate(ASCII_LOWER) in NOTHING
        or not any(char in LETTER or char in DIGIT or not char.isascii() for char in value)
        or _few_digits(value)
        or _variable(value)
        or _call(value)
        or value in NUMBERS
        or _constant(value)
        or _rooted(value)
    )


def plain(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is made of words: an identifier, a path, a word of prose."""
    while start < end and text[start] in "([{&*!":
        start += 1
    if end - start > LIMIT:
        return False
    part = ""
    for char in text[start:end] + ".":
        if char in LETTER:
            part += char
        elif char in DIGIT or not char.isascii() or char in "([{=%^":
            return False
        else:
            if part and not _wordlike(part):
                return False
            part = ""
    return True


def dotted(text: str, start: int, end: int) -> bool:
    """Whether a plain value is an attribute or a path: code, not a word somebody chose."""
    return text[start] in "./~&*!" or "." in text[start:end] or "/" in text[start:end]


def one_word(text: str, start: int, end: int) -> bool:
    """Whether a plain value is one lower-case word that names no type."""
    value = text[start:end]
    return all(char in LOWER for char in value) and value not in TYPES


def prose(text: str, start: int, end: int) -> bool:
    """Whether the value goes on with a sentence: ``use --token to sign in``."""
    return text[start : min(end, start + LIMIT)].translate(ASCII_LOWER) in PROSE


def quoted(text: str, start: int, end: int) -> bool:
    """Whether the content of a quoted value is empty, a null word or a placeholder."""
    while text.startswith(MARK, start) and start + len(MARK) <= end:
        start += len(MARK)
    if end - start > LIMIT:
        return False
    value = text[start:end].strip(" \t")
    if not any(char in LETTER or char in DIGIT or not char.isascii() for char in value):
        return True
    lowered = value.translate(ASCII_LOWER)
    if (
        lowered in NOTHING
        or _constant(value)
        or (lowered.startswith(("your_", "your-", "your ", "<your")) and value.isascii())
    ):
        return True
    if not value.isascii():
        return False
    closed = (("${", "}"), ("{{", "}}"), ("{", "}"), ("#{", "}"), ("<", ">"), ("$(", ")"))
    for opening, closing in closed:
        inner = value[len(opening) : -len(closing)]
        if (
            value.startswith(opening)
            and value.endswith(closing)
            and len(value) > len(opening) + len(closing)
            and closing not in inner
            and opening not in inner
        ):
            return True
    if value[0] == "[" and value[-1] == "]" and all(char in LETTER for char in value[1:-1]):
        return True
    return _variable(value)


def _wordlike(part: str) -> bool:
    if len(part) > WORD_LETTERS:
        return False
    count = len(segments(part))
    return count == 1 or len(part) >= 3 * count


def _few_digits(value: str) -> bool:
    digits = sum(char in DIGIT for char in value)
    return digits < 4 and all(char in DIGIT or char in ".-+" for char in value)


def _variable(value: str) -> bool:
    """``$NAME``, ``$1``, ``${NAME``, ``$(command``, ``%s``, ``%(name``, ``%NAME%``."""
    if value[:2] in OPENINGS:
        return True
    if value[:1] == "$" and len(value) > 1:
        return all(char in WORD or char == ":" for char in value[1:])
    if value[:1] == "%" and len(value) > 1:
        return all(char in LETTER or char in "_%" for char in value[1:])
    return False


def _constant(value: str) -> bool:
    """``#d09b9e``, ``0x1f``: a colour or a short number."""
    digits = value[1:] if value[:1] == "#" else value[2:] if value[:2] == "0x" else ""
    if not all(char in HEX for char in digits):
        return False
    return len(digits) in COLOURS if value[:1] == "#" else 0 < len(digits) <= CONSTANT


def _rooted(value: str) -> bool:
    """``process.env.KEY2``: a path from a root that code has, of names and nothing else."""
    root, dot, rest = value.partition(".")
    return root in ROOTS and bool(dot and rest) and all(char in PATH for char in rest)


def _call(value: str) -> bool:
    """``os.environ[``, ``data.get(``, ``Some(``: an identifier that is called or indexed."""
    at = 0
    while at < len(value) and value[at] in CALL:
        at += 1
    return 0 < at < len(value) and value[at] in "([" and value[0] not in DIGIT
