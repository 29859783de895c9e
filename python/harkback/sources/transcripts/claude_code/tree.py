"""The tree that ``parentUuid`` makes of a transcript: which rows were rewound.

Parts of one answer and the results of its calls are siblings too, so only sibling *prompts* are a
fork: the last of them is live, and what hangs below an earlier one is abandoned. Invariant: rows
are never lost for their place in the tree, a missing parent makes a root, a ring ends.
Proof: tests/unit/sources/transcripts/claude_code/test_tree.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence


def abandoned(
    parents: Mapping[str, str | None], prompts: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Rows below a prompt that another prompt took the place of.

    Args:
        parents: of every row its parent.
        prompts: of a parent its prompts, in file order.
    """
    forks = [siblings for siblings in prompts.values() if len(siblings) > 1]
    if not forks:
        return frozenset()
    children: defaultdict[str, list[str]] = defaultdict(list)
    for row, parent in parents.items():
        if parent is not None:
            children[parent].append(row)
    found: set[str] = set()
    for *earlier, live in forks:
        stack = [row for row in earlier if row not in found]
        while stack:
            row = stack.pop()
            if row not in found and row != live:  # in a ring the live prompt is below an earlier
                found.add(row)
                stack += children.get(row, ())
    return frozenset(found)
