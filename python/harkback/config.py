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

# Facts
MAX_FACTS: Final = 10
MAX_FACT_ANCHORS: Final = 3
MAX_EVIDENCE_LOOKED_AT: Final = 12  # Messages of one fact that an anchor is looked for among
MIN_FACT_CODE_POINTS: Final = 120  # shorter than that, fewer facts are shown instead
MAX_FACT_WINDOW_CODE_POINTS: Final = 1_400
MAX_MEMORY_FILE_BYTES: Final = 256 << 10

# The Budget, in code points of the very string sent
TEXT_BUDGET: Final = 12_000
TEXT_PASSAGES_BUDGET: Final = 8_000
TEXT_MATERIALS_BUDGET: Final = 2_000  # of that of the Passages
TEXT_FACTS_BUDGET: Final = 1_500
TEXT_GAPS_BUDGET: Final = 1_800
JSON_BUDGET: Final = 24_000
JSON_PASSAGES_BUDGET: Final = 15_500
JSON_MATERIALS_BUDGET: Final = 3_800  # of that of the Passages
JSON_FACTS_BUDGET: Final = 2_800
JSON_GAPS_BUDGET: Final = 3_000
JSON_LEFT_OUT_BUDGET: Final = 2_000
MAX_DISPOSITIONS: Final = 20  # Hits left out that an explained answer lists
POINTER_CODE_POINTS: Final = 600  # of the text that a compacted context holds
MAX_ALSO_IN: Final = 3  # other Sessions named beside a Message that they replay

# Materials
MAX_MATERIALS: Final = 8  # listed beside one Message
MAX_MATERIAL_BYTES: Final = 50 << 20  # of one file, as hosts take them
MAX_IMAGE_BYTES: Final = 5 << 20  # what providers of models take
MAX_PDF_BYTES: Final = 12 << 20
MAX_PDF_PAGES: Final = 200
MAX_PDF_CODE_POINTS: Final = 4_000_000
PDF_SECONDS: Final = 10  # in a process of its own
PDF_MEMORY_BYTES: Final = 1 << 30
IMAGE_HEAD_BYTES: Final = 64 << 10  # looked at for the size in pixels
#: What an image costs a model: width * height / 750 after its long edge was brought down to 1,568
#: pixels, at most some 1,600 (Claude documentation, "Vision", "Calculate image costs").
PIXELS_PER_TOKEN: Final = 750
IMAGE_LONG_EDGE: Final = 1568
IMAGE_TOKENS: Final = 1600
IMAGE_BYTES_PER_PIXEL: Final = 0.25  # a photograph's; where the size in pixels is not known
BYTES_PER_TOKEN: Final = 4  # of text

# Cost
DEFAULT_MEMORY_BYTES: Final = 1 << 30
VERIFY_BATCH_BYTES: Final = 64 << 20  # segments held at once by one search
#: Between two looks at deadline and cancellation so many Sessions are scanned, or as many more as
#: take so long, or a quarter of the time that is left.
SCAN_SLICE_SESSIONS: Final = 64
SCAN_SLICE_SECONDS: Final = 0.25
#: A long Session that may be given up is folded in so many pieces at most, none smaller than this.
PIECES: Final = 16
PIECE_CODE_POINTS: Final = 4 << 20
FILL_SECONDS: Final = 0.25  # of a repeated search, spent on making more Sessions resident
MAX_INPUT_BYTES: Final = 512 << 20  # redacted as one text, which takes some 8 times that in memory
#: What was written to more recently may change again without its time telling: clocks of file
#: systems are coarse.
SETTLED_NS: Final = 100_000_000
#: A Session that was active so recently, of a Source that is being written, is not stored yet.
QUIET_MS: Final = 2_000
PERSIST_SECONDS: Final = 0.25  # of a command, spent on storing Sessions once its answer is printed
UNSETTLED_RETRIES: Final = 3  # times a search starts over because a Source moved under it
