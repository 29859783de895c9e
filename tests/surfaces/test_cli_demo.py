"""``harkback demo``: what it teaches is true of the history it makes, and nothing stays behind."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from harkback import Recall
from harkback.cli import tour_history
from harkback.cli.command import command


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_tour(temporary):
    result = CliRunner().invoke(command, ["demo"])
    assert result.exit_code == 0, result.stderr
    shown = result.stdout
    assert "[redacted]" in shown
    assert tour_history.fake_key() not in shown
    assert "(term_credential)" in shown
    assert "characters before]" in shown
    assert f"read {tour_history.LOG_ERROR} by" in shown
    assert "archived_excluded (1)" in shown
    assert "stream_in_flight (1)" in shown
    assert shown.index("长会话") < shown.index("给商品图片")
    assert len(re.findall(r"\d (?:ms|µs|s)$", shown, re.MULTILINE)) == 2
    assert list(temporary.iterdir()) == []


def test_kept(temporary):
    result = CliRunner().invoke(command, ["demo", "--keep"])
    (folder,) = temporary.iterdir()
    assert str(folder) in result.stdout
    found = CliRunner().invoke(command, ["search", "ECONNRESET", "--store", str(folder)])
    assert found.exit_code == 0


def test_a_word_of_34_messages(tmp_path):
    path = tmp_path / "runtime.sqlite"
    tour_history.write(path)
    with Recall(path) as recall:
        answer = recall.search(["模型"], limit=None, explain=True)
        hits: dict[str, int] = {}
        for passage in answer.passages:
            hits[passage.session.id] = hits.get(passage.session.id, 0) + 1
        for hit in answer.left_out:
            hits[hit.session] = hits.get(hit.session, 0) + 1
        assert tuple(sorted(hits.values(), reverse=True)) == tour_history.MODEL_MESSAGES
        for term in ("上下文窗口", "context window"):
            meant = recall.search([term], limit=None).passages
            assert [passage.session.title for passage in meant] == ["长会话为什么会忘记约定"]
        (log,) = recall.search([tour_history.LOG_ERROR], limit=None).passages
        assert 150_000 < len(tour_history._log()) < 250_000
        assert sum(message.is_anchor for message in log.messages) == 1


def test_no_key_is_in_the_sources():
    for file in Path(tour_history.__file__).parent.glob("*.py"):
        assert tour_history.fake_key() not in file.read_text(encoding="utf-8")
