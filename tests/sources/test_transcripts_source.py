"""A folder of transcripts as a Source: Views that tell one story while files grow and move."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.sources.transcripts import kept as module
from harkback.sources.transcripts.source import TranscriptSource, TranscriptView
from support.plain import Plain, line, settle, texts, unprivileged, write


def read(source: TranscriptSource, engine: Engine, session: str = "a") -> list[str]:
    with source.view(engine) as view:
        return texts(view.read(session).messages)


def described(source: TranscriptSource, engine: Engine) -> dict[str, Any]:
    with source.view(engine) as view:
        return {
            s.id: replace(view.describe(s.id), title=view.title(s.id))
            for s in view.sessions().sessions
        }


def test_the_catalog_is_names_and_stats(chosen: Engine, tmp_path: Path) -> None:
    old = write(tmp_path, "old", line("x"))
    write(tmp_path, "new", line("y"))
    settle(old, seconds=9)
    plain = Plain({"old": "A Title"})
    with TranscriptSource(plain, tmp_path, name="n").view(chosen) as view:
        catalog = view.sessions()
        assert [(s.source, s.id, s.title) for s in catalog.sessions] == [
            ("n", "new", ""),
            ("n", "old", "A Title"),
        ]
        assert catalog.sessions[1].last_activity_at == old.stat().st_mtime_ns // 1_000_000
    assert plain.decoded == []


def test_a_session_is_described(chosen: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", line("first", project="/p", at=7), line("x", title="Named"))
    write(tmp_path, "b", line("the prompt", origin="a", copied=True, at=9))
    write(tmp_path, "c", line("third", parent="b", at=3))
    found = described(TranscriptSource(Plain({"a": "of the index"}), tmp_path), chosen)
    a, b, c = found["a"], found["b"], found["c"]
    assert (a.title, a.project, a.started_at, a.lineage) == ("Named", "/p", 7, "a")
    assert (b.title, b.parent, b.parent_kind, b.copied) == ("the prompt", "a", "branch", True)
    assert (b.lineage, c.lineage, c.parent, c.started_at) == ("a", "a", "b", 3)
    assert {a.generation, b.generation, c.generation} == {0, 1, 2}


def test_messages_have_ids_of_their_own_and_a_title(chosen: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", line("x", id="m"), line("y", id="m"), line("z", id="n", title="Title"))
    with TranscriptSource(Plain(), tmp_path).view(chosen) as view:
        messages = view.read("a").messages
        assert [m.id for m in messages] == ["m", "m#2", "n", "title:a"]
        assert texts(messages) == ["x", "y", "z", "Title"]
        backwards = [m.locator for m in reversed(messages)]
        assert view.read_around("a", backwards) == list(reversed(messages))


def test_what_is_unchanged_is_the_same_view(chosen: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("one"))
    plain = Plain()
    source = TranscriptSource(plain, tmp_path)
    with source.view(chosen) as view:
        first, fingerprint = view.epoch, view.fingerprint("a")
        assert view.read("a").fingerprint == fingerprint
    with source.view(chosen) as view:
        assert view.epoch == first
        assert view.fingerprint("a") == fingerprint
        view.read("a")
    assert plain.decoded == ["a"]
    path.touch()  # may be written again within one tick of the clock
    with source.view(chosen) as view, source.view(chosen) as other:
        assert first != view.epoch != other.epoch


@pytest.mark.parametrize("change", ["append", "truncate", "replace", "rewrite", "beside", "title"])
def test_what_changed_is_another_state(chosen: Engine, tmp_path: Path, change: str) -> None:
    path = write(tmp_path, "a", line("one"), line("two"))
    write(tmp_path, "b", line("other"))
    plain = Plain()
    source = TranscriptSource(plain, tmp_path)
    with source.view(chosen) as view:
        before, other, epoch = view.fingerprint("a"), view.fingerprint("b"), view.epoch
        assert view.read("a").fingerprint == before
    expected = ["one", "two"]
    if change == "append":
        with path.open("ab") as file:
            file.write(line("three"))
        expected = ["one", "two", "three"]
    elif change == "truncate":
        os.truncate(path, len(line("one")))
        expected = ["one"]
    elif change == "replace":
        write(tmp_path, "fresh", line("eno"), line("owt"), folder="q").replace(path)
        expected = ["eno", "owt"]
    elif change == "rewrite":
        stat = path.stat()
        path.write_bytes(line("six") + line("ten"))
        os.utime(path, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
        expected = ["six", "ten"]
    elif change == "beside":
        path.with_suffix(".txt").write_text("beside")
        expected = ["one", "two", "beside"]
    else:
        plain.titles["a"] = "Title"
        expected = ["one", "two", "Title"]
    if change != "rewrite":  # what keeps size, time and inode is not seen until it is read
        settle(*tmp_path.rglob("*.*"))
    with source.view(chosen) as view:
        assert view.fingerprint("a") != before
        assert view.read("a").fingerprint == view.fingerprint("a")
        assert texts(view.read("a").messages) == expected
        if change in ("append", "truncate", "title"):
            assert view.fingerprint("b") == other or view.epoch != epoch


def test_a_view_is_of_one_moment(chosen: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("one"))
    source = TranscriptSource(Plain(), tmp_path)
    with source.view(chosen) as view:
        with path.open("ab") as file:
            file.write(line("two"))
        assert texts(view.read("a").messages) == ["one"]
        assert view.scan([chosen.fold("two")], ["a"]).offered == frozenset()
        assert view.record_count("a") == 1
    assert read(source, chosen) == ["one", "two"]


def test_a_file_replaced_under_a_view(
    chosen: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_SESSIONS", 0)
    path = write(tmp_path, "a", line("one"))
    write(tmp_path, "b", line("other"))
    source = TranscriptSource(Plain(), tmp_path)
    with source.view(chosen) as view:
        write(tmp_path, "fresh", line("two"), folder="q").replace(path)
        assert view.scan([chosen.fold("none")], ["a", "b"]).offered == {"a"}
        assert texts(view.read("a").messages) == ["two"]
        view.read("b")
        write(tmp_path, "fresh", line("three"), folder="q").replace(path)
        with pytest.raises(SourceError) as caught:
            view.read_around("a", ["0"])
        assert caught.value.reason == "source_unsettled"


def test_a_file_that_moves_while_it_is_decoded(chosen: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("one"))

    class Moving(Plain):
        left = 2

        def decode(self, files: Any, found: Any) -> Any:
            decoded = super().decode(files, found)
            if self.left:
                self.left -= 1
                os.link(path, tmp_path / f"kept{self.left}")  # its inode is not given again
                write(tmp_path, "fresh", line(f"left {self.left}"), folder="q").replace(path)
            return decoded

    assert read(TranscriptSource(Moving(), tmp_path), chosen) == ["left 0"]
    Moving.left = 99
    with pytest.raises(SourceError, match="rewritten"):
        read(TranscriptSource(Moving(), tmp_path), chosen)


def test_a_writer_at_work(chosen: Engine, tmp_path: Path) -> None:
    """Every View sees whole records, in order, and never fewer than the one before."""
    path = write(tmp_path, "a", line("0"))
    stop = threading.Event()

    def append() -> None:
        with path.open("ab", buffering=0) as file:
            for number in range(1, 4000):
                record = line(str(number))
                file.write(record[:5])
                file.write(record[5:])
                if stop.is_set():
                    return

    writer = threading.Thread(target=append)
    writer.start()
    try:
        source, seen = TranscriptSource(Plain(), tmp_path), 0
        for _ in range(25):
            with source.view(chosen) as view:
                found = texts(view.read("a").messages)
                assert found == [str(number) for number in range(len(found))]
                assert len(found) >= seen
                assert view.record_count("a") == len(found)
                assert view.read("a").gaps == view.read("a").damage == ()
                seen = len(found)
    finally:
        stop.set()
        writer.join()


def test_what_may_not_be_read_is_offered_and_told(chosen: Engine) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        root.chmod(0o755)
        write(root, "a", line("x")).chmod(0)
        write(root, "b", line("x"))
        write(root, "c", line("x"), folder="q").parent.chmod(0)
        source = TranscriptSource(Plain(), root)
        with unprivileged(), source.view(chosen) as view:
            (gap,) = view.sessions().gaps
            assert (gap.code, gap.count) == ("source_incomplete", 1)
            assert view.scan(["none"], ["a", "b"]).offered == {"a"}
            assert [(g.code, g.count) for g in view.read("a").gaps] == [("session_unreadable", 1)]
            assert view.fingerprint("a") == view.read("a").fingerprint
            assert (view.record_count("a"), view.record_count("b")) == (0, 1)
        with source.view(chosen) as view:
            assert texts(view.read("a").messages) == ["x"]
            assert view.record_count("a") == 1
    finally:
        shutil.rmtree(root)


def test_a_root_that_is_not_there(chosen: Engine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("none", "file"):
        with (
            pytest.raises(SourceError) as caught,
            TranscriptSource(Plain(), tmp_path / name).view(chosen),
        ):
            pass
        assert caught.value.reason == "source_missing"
    closed = TranscriptSource(Plain(), tmp_path)
    closed.close()
    with pytest.raises(UsageError), closed.view(chosen):
        pass


def test_little_is_kept(chosen: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        write(tmp_path, name, line(name))
    for limit, value in (("KEPT_SESSIONS", 2), ("KEPT_BYTES", 2 * len(line("a")))):
        plain = Plain()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, limit, value)
            with TranscriptSource(plain, tmp_path).view(chosen) as view:
                for name in "abcca":
                    view.read(name)
                    view.describe(name)
        assert plain.decoded == ["a", "b", "c", "a"]


@pytest.fixture
def several(tmp_path: Path) -> Iterator[TranscriptView]:
    from harkback import engine as engines

    for name in ("a", "b"):
        write(tmp_path, name, line(name))
    path = tmp_path / "p" / "a.jsonl"
    path.with_suffix(".json").write_text('{"k":"deep"}')
    path.with_suffix(".txt").write_text("spilled\nout")
    with TranscriptSource(Plain({"b": "Ünknown"}), tmp_path).view(engines.load()) as view:
        yield view


def test_every_file_of_a_session_is_scanned(several: TranscriptView) -> None:
    for term, offered in (
        ("deep", {"a"}),
        ("spilled\no", {"a"}),
        ("b", {"b"}),
        ("ünk", {"b"}),
        ("none", set()),
    ):
        assert several.scan([term], ["a", "b"]).offered == offered
    assert several.record_count("a") == 3  # a line, a document, a text


# --- damage ---------------------------------------------------------------------------------

POISON: dict[str, tuple[bytes, str | None]] = {
    "separators inside": ('{"t":"a\u2028b\u2029c\x85d"}\r\n'.encode(), None),
    "invalid UTF-8": (b'{"t":"\xff\xe4\xb8"}\n', "bytes that are no text"),
    "lone surrogate": (rb'{"t":"\ud83d"}' + b"\n", None),
    "NUL escape": (rb'{"t":"\u0000"}' + b"\n", None),
    "NUL run": (b"\0" * 1728 + b"\n", "NUL bytes"),
    "NUL in front": (b"\0" * 9 + b'{"t":"x"}\n', None),
    "blank": (b"\n \t\r\n", None),
    "a list": (b"[1]\n", "no JSON object"),
    "torn and written on": (b'{"t":"to{"t":"y"}\n', "no JSON object"),
    "too deep": (b'{"t":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "no JSON object"),
    "control character": (b'{"t":"a\x01b"}\n', None),
    "not a number": (b'{"t":"x","n2":NaN}\n', None),
    "large number": (b'{"t":"x","n2":' + b"9" * 30 + b"}\n", None),
    "too long": (b'{"t":"' + b"x" * (64 << 20) + b'"}\n', "too long"),
    "unknown type": (line("x", problem="unknown_type"), None),
    "unknown type with text": (line("x", problem="unknown_type_with_text"), "unknown type"),
}


DAMAGE = ("record_damaged", "record_oversized", "format_drift", "session_unreadable")


@pytest.mark.parametrize("kind", POISON)
def test_one_poison_record_costs_itself(engine: Engine, tmp_path: Path, kind: str) -> None:
    poison, told = POISON[kind]
    write(tmp_path, "a", line("before needle"), poison, line("after needle"))
    with Recall(TranscriptSource(Plain(), tmp_path), engine=engine.name) as recall:
        answer = recall.search(["needle"])
    found = {message.text for passage in answer.passages for message in passage.messages}
    assert {"before needle", "after needle"} <= found
    told_of = [gap for gap in answer.gaps if gap.code in DAMAGE]
    assert [gap.count for gap in told_of] == ([] if told is None else [1])
    assert told is None or told in told_of[0].message


def test_damage_is_not_told_without_a_hit(chosen: Engine, tmp_path: Path) -> None:
    """It would tell that the raw scan offered the Session: that raw bytes hold the term."""
    write(tmp_path, "a", line("text"), b"{needle\n", line(r"x"))
    with Recall(TranscriptSource(Plain(), tmp_path), engine=chosen.name) as recall:
        answer = recall.search(["needle"])
    assert not [gap for gap in answer.gaps if gap.code == "record_damaged"]
