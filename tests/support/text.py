"""Texts that are hard to fold: an alphabet whose members meet one another, and strategies on it."""

from __future__ import annotations

from hypothesis import strategies as st

#: Combining marks, joining starters, and code points whose fold starts with one.
MARKS = (
    "\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030c\u0313\u0315\u0316\u0323\u0327\u0328"
    "\u0331\u0335\u0338\u0340\u0342\u0344\u0345\u035c\u05b4\u064b\u093c\u09be\u09d7\u0bd7\u0dcf"
    "\u0e48\u0f71\u0f72\u0f73\u0f74\u102e\u1161\u1175\u11a8\u11c2\u1b35\u3099\u309a\uff9e\uff9f"
)
#: Borders: letters that the marks compose with, that change, grow or stay.
BASES = (
    "iIİıjJǰhHẖeEéÉêệẹoOǫǭsSſßẞkK\u212aaAåÅ\u212bωΩ\u2126αΑᾳᾼᾴΐΰιΙσςΣŉﬁﬀDžꭰᎠაᲐд"
    "かがカガｶﾊ｡ー가각\u1100\u09c7\u09cb\u0958\u0b92\u0f40模型\uf900，,Ａａ\u3000 \0\u200d\ufe0f😀"
    "\u0378\ufffe\U000105d2\U0010fffd"
)
UNUSUAL = MARKS + BASES

unusual_text = st.text(st.sampled_from(UNUSUAL), max_size=8)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
text = unusual_text | any_text
