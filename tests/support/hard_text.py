"""Histories and terms that are hard to search, drawn by hypothesis.

Scripts that fold, compose, grow or take escapes; secrets, assembled here; leaves that meet; chunk
borders and segments that cut characters and terms. Terms are parts of the text in another case,
width or normal form, halves of neighbouring leaves, and text that is nowhere.
"""

from __future__ import annotations

from unicodedata import normalize

from hypothesis import strategies as st

from support.histories import STYLES, Chat, History, Said

SECRETS = (
    "gh" + "p_" + "x" * 36,
    "AK" + "IA" + "Q3EGPJ2MTZ5RLK7B",
    "password=" + "hunter2-correct-horse",
    'api_key: "' + "k9" * 12 + '"',
)
FRAGMENTS = (
    "模型", "上下文", "窗口", "型上", "đường", "Nguyễn", normalize("NFD", "Nguyễn"), "ĐƯỜNG",
    "İstanbul", "ISI", "ısı", "i\u0307", "ΟΔΟΣ", "οδός", "ς", "ΐ", "ϊ", "Ϊ\u0301", "Straße",
    "STRASSE", "ẞ", "ß", "한국어", normalize("NFD", "한국어"), "\u1112\u1161", "café",
    normalize("NFD", "Café"), "\u0301", "\u0323", "ｶﾞ", "ガ", "カ\u3099", "ＡＢＣ", "abc", "ABC",
    "ａbC", "ﬁ", "ŉ", "K", "Å", "👩\u200d👧", "❤\ufe0f", "😀", "🇻🇳", '"', "\\", "\\\\", "\n",
    "\r\n", "\t", "\b", "\0", "\x01", "\x1f", "\x7f", "/", "</a>", "\ud83d", "\ude00", "\ud800",
    '{"k":"v"}', '{"k":"模型"}', "\\u0041", "\\n", " ", "  ", "\u3000", "\u2028", "\ufeff",
    "\ufffd", "\u00ad", "\u0378", "a", "b", "e", "i", "s", "0", "[redacted]", "ab", "context",
    "Context Window", *SECRETS,
)  # fmt: skip
KEYS = ("path", "query", "token", "note", "apiKey", "键", "max_tokens")

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join)
short = st.lists(st.sampled_from(FRAGMENTS), max_size=3).map("".join)
named = st.lists(st.tuples(st.sampled_from(KEYS), short), max_size=3).map(
    lambda pairs: tuple(dict(pairs).items())
)
names = st.lists(short.filter(lambda s: not any(map(surrogate, s))), max_size=2).map(
    lambda found: tuple(("name", name) for name in found)
)


def surrogate(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def said() -> st.SearchStrategy[Said]:
    return st.one_of(
        st.builds(Said, st.just("user"), texts, names),
        st.builds(Said, st.just("assistant"), texts),
        st.builds(Said, st.just("tool_call"), texts, named, st.booleans()),
        st.builds(Said, st.just("tool_result"), texts, named, st.booleans()),
    )


def chats() -> st.SearchStrategy[Chat]:
    return st.builds(
        Chat,
        st.sampled_from(("written", "ledger", "messages")),
        st.lists(said(), max_size=4).map(tuple),
        st.one_of(st.just(()), st.lists(short, min_size=1, max_size=3).map(tuple)),
        st.one_of(st.none(), st.none(), st.none(), st.integers(0, 12)),
    )


def histories() -> st.SearchStrategy[History]:
    return st.builds(
        History,
        st.lists(chats(), min_size=1, max_size=4).map(tuple),
        st.sampled_from(STYLES),
        st.booleans(),
    )


@st.composite
def terms_of(draw: st.DrawFn, history: History) -> list[str]:
    """Up to four terms, most of which occur in one form or another."""
    leaves = [text for chat in history.chats for s in chat.said for _, text in s.leaves() if text]
    leaves += ["".join(chat.stream) for chat in history.chats if any(chat.stream)]
    return [draw(_term(leaves)) for _ in range(draw(st.integers(1, 4)))]


@st.composite
def _term(draw: st.DrawFn, leaves: list[str]) -> str:
    if not leaves or draw(st.integers(0, 5)) == 0:
        return draw(short)
    at = draw(st.integers(0, len(leaves) - 1))
    text = leaves[at]
    if at and draw(st.integers(0, 5)) == 0:  # the end of one leaf and the beginning of the next
        return leaves[at - 1][-2:] + text[:2]
    start = draw(st.integers(0, len(text) - 1))
    part = text[start : start + draw(st.integers(1, 7))]
    return draw(st.sampled_from(VARIANTS))(part)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


VARIANTS = (
    str,
    str,
    str.upper,
    str.swapcase,
    str.title,
    _wide,
    lambda text: normalize("NFC", text),
    lambda text: normalize("NFD", text),
)
