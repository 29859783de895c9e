"""Every limit and constant of the product, each with its unit and its reason.

Invariant: a number that bounds an answer or a cost is named here and nowhere else.
Proof: tests/layout/test_constants.py.
"""

from __future__ import annotations

from typing import Final

# The question
MAX_TERMS: Final = 8
MAX_TERM_CODE_POINTS: Final = 500
DEFAULT_LIMIT: Final = 8
MAX_LIMIT: Final = 25  # Passages

# Ranking (BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009)
BM25_K1: Final = 1.2
BM25_B: Final = 0.75
MAX_SCORED_CODE_POINTS: Final = 4096  # one hostile Message must not move the mean length
KIND_WEIGHTS: Final = {
    "user": 1.0,
    "assistant": 1.0,
    "tool_call": 1.0,
    "tool_result": 0.5,  # machine output enumerates keywords: frequency there is no answer
    "summary": 1.0,
    "title": 1.0,
}
#: Summaries are copies; a title is no evidence of what was said.
DEFAULT_KINDS: Final = ("user", "assistant", "tool_call", "tool_result")

# Passages
NEIGHBOURS_EACH_SIDE: Final = 4
MAX_NEIGHBOURS_EACH_SIDE: Final = 8  # when reading on from an anchor
WINDOW_CODE_POINTS: Final = 800
WINDOW_LEAD_CODE_POINTS: Final = 200  # shown before the first match
MAX_SPANS_PER_WINDOW: Final = 8
MAX_LABEL_CODE_POINTS: Final = 120  # titles, projects, names
REDACTED_MARK: Final = "[redacted]"

# The Budget, in code points of the very string sent
TEXT_BUDGET: Final = 12_000
TEXT_PASSAGES_BUDGET: Final = 8_000
TEXT_GAPS_BUDGET: Final = 1_800
JSON_BUDGET: Final = 24_000
JSON_PASSAGES_BUDGET: Final = 16_000
JSON_GAPS_BUDGET: Final = 3_500
JSON_LEFT_OUT_BUDGET: Final = 3_000
MAX_DISPOSITIONS: Final = 20  # Hits left out that an explained answer lists
MAX_ALSO_IN: Final = 3  # other Sessions named beside a Message that they replay

# Cost
DEFAULT_MEMORY_BYTES: Final = 1 << 30
VERIFY_BATCH_BYTES: Final = 64 << 20  # segments held at once by one search
SCAN_SLICE_SESSIONS: Final = 64  # Sessions scanned between two looks at the deadline
FILL_SECONDS: Final = 0.25  # of a repeated search, spent on making more Sessions resident
MAX_INPUT_BYTES: Final = 512 << 20  # redacted as one text, which takes some 8 times that in memory
#: What was written to more recently may change again without its time telling: clocks of file
#: systems are coarse.
SETTLED_NS: Final = 100_000_000
#: A Session that was active so recently, of a Source that is being written, is not stored yet.
QUIET_MS: Final = 2_000
PERSIST_SECONDS: Final = 0.25  # of a command, spent on storing Sessions once its answer is printed
UNSETTLED_RETRIES: Final = 3  # times a search starts over because a Source moved under it
