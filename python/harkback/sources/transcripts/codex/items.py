"""Response items: what the model was sent and what it answered, one item a record.

Invariant: a part holds one string of its item, or a piece of one; bytes of images never become
text. Proof: tests/unit/sources/transcripts/test_codex.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

from harkback.model import AttachmentPart, Kind, Part, TextPart
from harkback.sources import attachments
from harkback.sources.transcripts.codex import injected
from harkback.sources.transcripts.values import (
    arguments,
    count_unknown,
    mapping,
    mappings,
    nested,
    text,
    visible,
)

#: Types that say nothing a person or the model said: thinking, encrypted hand-overs, definitions.
_SILENT: Final = frozenset(
    {
        "reasoning",
        "compaction",
        "compaction_summary",
        "context_compaction",
        "ghost_snapshot",
        "tool_search_output",
    }
)
_TYPES: Final = _SILENT | {
    "message",
    "agent_message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "tool_search_call",
    "web_search_call",
    "image_generation_call",
}
_TEXT_BLOCKS: Final = frozenset({"input_text", "output_text", "text"})
_SILENT_BLOCKS: Final = frozenset({"encrypted", "encrypted_content", "reasoning_text"})


class Item(NamedTuple):
    """One visible Message of an item; ``call`` is the id of the call it is, or answers."""

    kind: Kind
    parts: tuple[Part, ...]
    call: str = ""


def is_item(value: dict[str, Any]) -> bool:
    """Whether a record without an envelope is an item, as until September 2025."""
    return text(value.get("type")) in _TYPES


def read(item: dict[str, Any], problems: Counter[str]) -> list[Item]:
    """The Messages of one item: most have one, an image that was made has two, many have none."""
    kind = text(item.get("type"))
    call = text(item.get("call_id"))
    if kind == "message":
        return _message(item, problems)
    if kind in ("function_call", "custom_tool_call"):
        given = item.get("arguments") if kind == "function_call" else item.get("input")
        names = (*_text("namespace", item.get("namespace")), *_text("name", item.get("name")))
        return [Item("tool_call", (*names, *_arguments(kind, given)), call)]
    if kind in ("function_call_output", "custom_tool_call_output"):
        return [Item("tool_result", tuple(_output(item.get("output"), problems)), call)]
    if kind == "local_shell_call":
        command = visible("action.command", mapping(item.get("action")).get("command"))
        return [Item("tool_call", (TextPart("type", "local_shell"), *command), call)]
    if kind == "tool_search_call":
        given = arguments("arguments", item.get("arguments"))
        return [Item("tool_call", (TextPart("type", "tool_search"), *given), call)]
    if kind == "web_search_call":
        return _web_search(item)
    if kind == "image_generation_call":
        return _image_generation(item)
    if kind not in _SILENT and (kind != "agent_message" or _blocks(item.get("content"), problems)):
        count_unknown(problems, item)
    return []


def _text(field: str, value: object) -> list[TextPart]:
    return [TextPart(field, value)] if isinstance(value, str) and value else []


def _arguments(kind: str, given: object) -> list[Part]:
    # A custom tool takes free text: what looks like JSON there is not ours to unpack.
    field = "arguments" if kind == "function_call" else "input"
    return [*(arguments if kind == "function_call" else visible)(field, given)]


def _message(item: dict[str, Any], problems: Counter[str]) -> list[Item]:
    role = text(item.get("role"))
    if role in ("developer", "system"):
        return []
    if role == "assistant":
        return [Item("assistant", tuple(_blocks(item.get("content"), problems)))]
    if role != "user":
        count_unknown(problems, item)
        return []
    parts = _blocks(item.get("content"), problems)
    kept: list[Part] = []
    for index, part in enumerate(parts):
        if not isinstance(part, TextPart):
            kept.append(part)
            continue
        before = index + 1 < len(parts) and isinstance(parts[index + 1], AttachmentPart)
        after = index > 0 and isinstance(parts[index - 1], AttachmentPart)
        if injected.is_injected(part.text) or injected.is_image_wrapper(part.text, before, after):
            continue
        kept += _text(part.field, injected.request(part.text))
    summary = any(isinstance(part, TextPart) and injected.is_summary(part.text) for part in kept)
    return [Item("summary" if summary else "user", tuple(kept))]


def _blocks(content: object, problems: Counter[str]) -> list[Part]:
    """Text and images of a message or of a tool's answer."""
    if isinstance(content, str):
        return [*_text("content", content)]
    found: list[Part] = []
    for block in mappings(content):
        kind = text(block.get("type"))
        if kind in _TEXT_BLOCKS:
            found += _text("content.text", block.get("text"))
        elif kind == "refusal":
            found += _text("content.refusal", block.get("refusal"))
        elif kind == "input_image":
            found.append(attachments.linked(block.get("image_url")))
        elif kind == "input_file":
            name = text(block.get("filename"))
            found.append(attachments.linked(block.get("file_data"), name, otherwise="other"))
        elif kind not in _SILENT_BLOCKS:
            count_unknown(problems, block)
    return found


def _output(output: object, problems: Counter[str]) -> list[Part]:
    """A tool's answer: text, blocks, ``{content, success}``, or shell output with its metadata."""
    if isinstance(output, str):
        if output.startswith("{") and '"metadata"' in output:
            shell = nested(output)
            if shell is not None and shell.keys() == {"output", "metadata"}:
                return [*visible("output", shell.get("output"))]
        return [*_text("output", output)]
    if isinstance(output, dict):
        return _blocks(output.get("content"), problems)
    return _blocks(output, problems)


def _web_search(item: dict[str, Any]) -> list[Item]:
    action = {k: v for k, v in mapping(item.get("action")).items() if k != "type"}
    parts = (TextPart("type", "web_search"), *visible("action", action))
    return [Item("tool_call", parts, text(item.get("id")))]


def _image_generation(item: dict[str, Any]) -> list[Item]:
    call = text(item.get("id"))
    prompt = _text("revised_prompt", item.get("revised_prompt"))
    data = text(item.get("result"))
    made = (attachments.inline("", "image/png", data),) if data else ()
    return [
        Item("tool_call", (TextPart("type", "image_generation"), *prompt), call),
        Item("tool_result", made, call),
    ]
