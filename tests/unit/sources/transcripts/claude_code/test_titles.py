"""What a transcript is called."""

from __future__ import annotations

from harkback.sources.transcripts.claude_code import ClaudeCode
from support.claude_rows import FOLDER, SESSION, Chain, text
from support.transcripts import MemoryFiles, found

OTHER = "5f0c2c1e-0000-4000-8000-000000000002"


def test_the_best_kind_and_its_last_row() -> None:
    chain = Chain()
    chain.user("prompt")
    assert chain.title() == ""
    chain.bare("last-prompt", lastPrompt="the last prompt")
    assert chain.title() == "the last prompt"
    chain.bare("ai-title", aiTitle="made")
    assert chain.title() == "made"
    chain.bare("custom-title", customTitle="given")
    chain.bare("ai-title", aiTitle="made later")
    assert chain.title() == "given"
    chain.bare("custom-title", customTitle="given again")
    assert chain.title() == "given again"
    chain.bare("custom-title", customTitle="")
    assert chain.title() == "made later"
    chain.user("<command-name>/rename</command-name><command-args>renamed</command-args>")
    assert chain.title() == "renamed"
    chain.bare("custom-title", customTitle=["no", "text"])
    assert chain.title() == "made later"


def test_a_summary_of_the_session_itself() -> None:
    chain = Chain()
    chain.user("prompt")
    last = chain.assistant(text("Done."))
    chain.bare("summary", summary="of another", leafUuid="elsewhere")
    assert chain.title() == ""
    chain.bare("summary", summary="of this", leafUuid=last)
    assert chain.title() == "of this"
    chain.bare("last-prompt", lastPrompt="prompt")
    assert chain.title() == "prompt"


def test_the_first_prompt_where_it_is_not_the_first_user_message() -> None:
    chain = Chain()
    chain.user("<command-name>/model</command-name>")
    assert chain.title() == ""
    chain.user("fix the\ntax")
    assert chain.title() == "fix the"


def resumed() -> tuple[Chain, Chain]:
    """A Session, and a later one whose file begins with a copy of it, as resumes once wrote it."""
    first = Chain(version="1.0.43")
    first.user("set up")
    last = first.assistant(text("Done."))
    second = Chain(OTHER, version="1.0.44")
    second.bare("summary", summary="The set-up", leafUuid=last)
    second.rows += [{**row, "sessionId": OTHER} for row in first.rows]
    return first, second


def test_a_summary_in_another_file() -> None:
    first, second = resumed()
    second.user("go on")
    files = MemoryFiles({**first.files(), **second.files()})
    every = found(ClaudeCode(), files)
    titles = {id_: ClaudeCode().decode(files, one).title for id_, one in every.items()}
    assert titles == {SESSION: "The set-up", OTHER: "go on"}
    assert every[SESSION].title == "The set-up"


def test_a_copy_that_nobody_went_on_with_has_the_title_of_its_history() -> None:
    _, second = resumed()
    assert second.title() == "The set-up"


def test_the_summary_of_a_history_that_ends_elsewhere_is_no_title() -> None:
    first, second = resumed()
    first.user("and more")
    files = MemoryFiles({**first.files(), f"{FOLDER}/x.jsonl": second.bytes()})
    assert found(ClaudeCode(), files)[SESSION].title == ""
