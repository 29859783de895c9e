"""Forty questions to the golden workspace, and how an answer is written down.

``python tests/differential/golden_queries.py`` writes ``golden/answers.json`` anew; read the
difference before it is committed: every line of it is a change of what people get.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # when run as a script

from harkback import Envelope, Recall, SqliteSource
from harkback.verification import Path as SearchPath
from support.stores import BASE_MS
from support.workspace import Workspace, workspace

ANSWERS = Path(__file__).parent / "golden" / "answers.json"

QUERIES: tuple[tuple[list[str], dict[str, Any]], ...] = (
    (["retry"], {}),
    (["retry"], {"limit": 1}),
    (["retry"], {"limit": 25}),
    (["retry", "queue"], {}),
    (["context window"], {}),
    (["context window", "tokens"], {"explain": True}),
    (["CONTEXT WINDOW"], {"include_archived": True}),
    (["cache", "deploy", "cold"], {}),
    (["模型"], {}),
    (["模型", "上下文窗口"], {}),
    (["索引"], {}),
    (["行动项"], {}),
    (["api", "url"], {}),
    (["ngữ cảnh"], {}),
    (["ĐƯỜNG"], {}),
    (["istanbul", "IŞIK"], {}),
    (["δρομοσ"], {}),
    (["λόγου"], {}),
    (["strasse"], {}),
    (["문맥"], {}),
    (["ガイド"], {}),
    (['"\\n"'], {}),
    (["C:\\new"], {}),
    (["a/src/main.rs\n+++"], {}),
    (["snake_case"], {}),
    (["99.9%"], {}),
    (["rm -rf"], {}),
    (["deep needle", "深处的针"], {}),
    (["before", "behind"], {}),
    (["[redacted]", "tuna"], {}),
    (["port", "8080"], {}),
    (["tides rose"], {}),
    (["harbour"], {}),
    (["harbour"], {"within": "first"}),
    (["lantern"], {}),
    (["lantern"], {"include_archived": True, "deadline": None}),
    (["tide"], {"order": "newest", "limit": 25}),
    (["tide"], {"since": BASE_MS - 3 * 86_400_000, "until": BASE_MS - 86_400_000}),
    (["window"], {"kinds": ["tool_result"]}),
    (["nowhere at all", "cache"], {"limit": 3}),
)


def sources(made: Workspace) -> list[SqliteSource]:
    return [SqliteSource(path, name=path.stem) for path in made.paths]


def written_down(answer: Envelope) -> dict[str, Any]:
    """Order, place, terms and score to the last bit; Gaps by code and count."""
    return {
        "hits": [
            [p.session.id, p.sequence, list(p.matched_terms), repr(p.score), *p.also_in]
            for p in answer.passages
        ],
        "gaps": [[gap.code, gap.count] for gap in answer.gaps if gap.code != "not_searched"],
    }


def regenerate() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Recall(*sources(workspace(Path(folder))), engine="reference") as recall,
    ):
        recall._path = SearchPath.FULL
        answers = [
            {"terms": terms, "options": options, **written_down(recall.search(terms, **options))}
            for terms, options in QUERIES
        ]
    lines = (json.dumps(answer, ensure_ascii=False) for answer in answers)
    ANSWERS.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    regenerate()
