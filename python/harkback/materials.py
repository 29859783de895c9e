"""Materials: the content of one listed file, by its id.

Whether a file may be read is decided anew at every call: its Session is one that may be read, a
Message of it lists the file, and that Message is not of the Turn under way; everything else is
``not_found``, whatever the cause. Text is redacted whole and paged afterwards; an image goes only
to a host whose model sees, as bytes beside the text; all else is ``unsupported``, which is an
answer.
Invariant: both forms of an answer stay within the Budget, and no bytes stand in them.
Proof: tests/unit/test_materials.py, tests/leaks/test_materials.py.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from harkback import images, pdf
from harkback.candidates import Candidate
from harkback.config import (
    IMAGE_HEAD_BYTES,
    JSON_BUDGET,
    MAX_IMAGE_BYTES,
    MAX_MATERIAL_BYTES,
    MAX_MATERIALS,
    MAX_PDF_BYTES,
    TEXT_BUDGET,
)
from harkback.corpus import Corpus
from harkback.decoding import decode
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import AttachmentPart, Leaf, Material, Row
from harkback.query import check_active, check_cancel, heed, not_found
from harkback.redaction import Redaction
from harkback.rendering import (
    NOTICE,
    VERSION,
    compact_json,
    material_json,
    material_text,
    quote,
)
from harkback.showing import Showing, files, material_id
from harkback.windows import whole

Unsupported: TypeAlias = Literal[
    "elsewhere", "gone", "too_large", "no_vision", "type", "no_pdf", "pdf_unreadable"
]
REASONS: Final[dict[Unsupported, str]] = {
    "elsewhere": "Its bytes lie outside of the history, where nothing is read.",
    "gone": "Its bytes are not there any more, or are no longer those that were recorded.",
    "too_large": "It is larger than what is read of its type.",
    "no_vision": "It is an image, and the host has not said that the model sees images.",
    "type": "It is no text, PDF or image of a type that is known, or not what it says it is.",
    "no_pdf": "Reading a PDF takes the extra harkback[pdf].",
    "pdf_unreadable": "No text could be taken out of the PDF within the limits.",
}
WHERE: Final = "is a material of this id"
_ID: Final = re.compile(r"[0-9a-f]{32}")
_CURSOR: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_TEXT_MIME: Final = re.compile(
    r"text/.*|image/svg\+xml|.*[+/](?:json|xml|yaml|toml)|application/(?:x-(?:sh|ndjson|yaml)"
    r"|javascript|typescript|sql|graphql|jsonl|ndjson)"
)
_TEXT_NAME: Final = re.compile(
    r".*\.(?:astro|bash|bat|bib|c|cc|cfg|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|diff|el|env|erl|ex"
    r"|exs|fish|go|gql|gradle|graphql|groovy|h|hpp|hrl|hs|htm|html|ini|ipynb|java|jl|js|json|json5"
    r"|jsonl|jsx|kt|kts|less|lisp|lock|log|lua|m|make|markdown|md|mdx|mjs|ml|mm|nix|org|patch|php"
    r"|pl|pm|proto|ps1|py|pyi|r|rb|rs|rst|sass|scala|scss|sh|sol|sql|srt|svelte|svg|swift|tex|tf"
    r"|toml|ts|tsv|tsx|txt|vb|vim|vtt|vue|xml|yaml|yml|zig|zsh)",
    re.IGNORECASE | re.DOTALL,
)
_ALIASES: Final = {"image/jpg": "image/jpeg", "image/*": ""}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for; ``start`` is the offset of a page."""

    id: str
    start: int
    vision: bool
    active: tuple[str, str] | None
    unbounded: bool
    cancel: threading.Event | None = None


@dataclass(frozen=True, slots=True)
class MaterialReading:
    """The content of one file, or why there is none. ``data`` are the bytes of an image."""

    material: Material
    kind: Literal["text", "image", "unsupported"]
    content: str = ""
    cursor: str | None = None  # gives what comes next
    mime: str = ""
    data: bytes | None = None
    reason: Unsupported | None = None
    unread_pages: int = 0

    def text(self) -> str:
        """What a model reads."""
        shown = [f"RecallMaterial, {self.kind}. {NOTICE}\n\n{material_text(self.material)}\n"]
        if self.kind == "text":
            shown.append(quote(self.content) + "\n")
        elif self.kind == "image":
            shown.append("The image stands beside this text.\n")
        if self.reason is not None:
            shown.append(f"Not shown ({self.reason}): {REASONS[self.reason]}\n")
        if self.unread_pages:
            shown.append(f"{self.unread_pages} more pages were not read.\n")
        if self.cursor is not None:
            shown.append(f"\nThere is more: cursor {self.cursor}\n")
        return "".join(shown)

    def to_dict(self) -> dict[str, Any]:
        """The structure, of values that JSON has; without the bytes of an image."""
        shown: dict[str, Any] = {
            "version": VERSION,
            "kind": "recall_material",
            "notice": NOTICE,
            "material": material_json(self.material),
            "form": self.kind,
        }
        if self.kind == "text":
            shown["text"] = self.content
        for name in ("mime", "cursor", "reason", "unread_pages"):
            if value := getattr(self, name):
                shown[name] = value
        if self.reason is not None:
            shown["message"] = REASONS[self.reason]
        return shown

    def to_json(self) -> str:
        """``to_dict`` as the very string to send."""
        return compact_json(self.to_dict())


def build(
    id: str,
    *,
    cursor: str | None,
    vision: bool,
    active: tuple[str, str] | None,
    unbounded: bool,
    cancel: threading.Event | None = None,
) -> Request:
    """Checks what is asked for.

    Raises:
        QueryError: with the reason; no Source was touched.
    """
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise not_found(WHERE)
    if cursor is None:
        start = 0
    elif isinstance(cursor, str) and _CURSOR.fullmatch(cursor):
        start = int(cursor)
    else:
        raise QueryError("cursor_invalid", "The cursor is none that this gave; start without one.")
    check_cancel(cancel)
    return Request(id, start, vision is True, check_active(active), unbounded, cancel)


def read(
    engine: Engine,
    redaction: Redaction,
    asked: Request,
    candidate: Candidate,
    corpus: Corpus,
) -> MaterialReading:
    """What is asked for, as far as the Budget goes.

    Raises:
        QueryError: ``not_found``, whatever the cause, so that it tells nothing; ``cursor_invalid``.
    """
    showing = Showing(engine, redaction, corpus)
    part = _listed(candidate, asked, showing, corpus)
    return _Reader(redaction, asked, candidate, part, showing.material(asked.id, part)).read()


def _listed(
    candidate: Candidate, asked: Request, showing: Showing, corpus: Corpus
) -> AttachmentPart:
    """The file, if a Message that may be read lists it."""
    home, place = asked.id[:16], int(asked.id[30:], 16)

    def is_it(row: Row) -> bool:
        heed(asked.cancel)
        return material_id(home, row.id, place) == asked.id

    with corpus.hold(candidate, asked.cancel) as segment:
        found = showing.find(segment, is_it)
        if place >= MAX_MATERIALS or found is None:
            raise not_found(WHERE)
        row = found[1]
        if asked.active == (candidate.session.id, row.turn):
            raise not_found(WHERE)
        (stored,) = showing.stored(candidate, segment, [row])
    parts = files(stored)
    if place >= len(parts):
        raise not_found(WHERE)
    return parts[place]


class _Reader:
    """One file that a Message lists."""

    def __init__(
        self,
        redaction: Redaction,
        asked: Request,
        candidate: Candidate,
        part: AttachmentPart,
        material: Material,
    ) -> None:
        self._redaction = redaction
        self._asked = asked
        self._candidate = candidate
        self._part = part
        self._material = material

    def read(self) -> MaterialReading:
        part, is_text = self._part, _says_text(self._part)
        is_image, is_pdf = (part.kind == kind and not is_text for kind in ("image", "pdf"))
        if not part.ref:
            return self._refused("elsewhere")
        if not (is_text or is_image or is_pdf):
            return self._refused("type")
        limit = MAX_IMAGE_BYTES if is_image else MAX_MATERIAL_BYTES
        limit = MAX_PDF_BYTES if is_pdf else limit
        if part.bytes is not None and part.bytes > limit and part.kind != "output":
            return self._refused("too_large")
        if is_image and not self._asked.vision:
            return self._refused("no_vision")
        if is_pdf and not pdf.available():
            return self._refused("no_pdf")
        data = self._candidate.view.material(self._candidate.session.id, part.ref, limit)
        if data is None:
            return self._refused("gone")
        if len(data) > limit:
            return self._refused("too_large")
        if is_image:
            return self._image(data)
        return self._pdf(data) if is_pdf else self._decoded(data)

    def _refused(self, reason: Unsupported) -> MaterialReading:
        return MaterialReading(self._material, "unsupported", reason=reason)

    def _image(self, data: bytes) -> MaterialReading:
        mime = images.sniff(data)
        claimed = _ALIASES.get(self._part.mime, self._part.mime)
        if not mime or claimed not in ("", mime):
            return self._refused("type")
        size = images.pixels(data[:IMAGE_HEAD_BYTES])
        tokens = images.tokens_of_bytes(len(data)) if size is None else images.tokens(size)
        told = replace(self._material, bytes=len(data), tokens=tokens)
        return MaterialReading(told, "image", mime=mime, data=data)

    def _pdf(self, data: bytes) -> MaterialReading:
        if b"%PDF-" not in data[:1024]:
            return self._refused("type")
        found = pdf.extract(data)
        if found is None:
            return self._refused("pdf_unreadable")
        empty = MaterialReading(self._material, "text", unread_pages=found.unread)
        return self._page(empty, found.text)

    def _decoded(self, data: bytes) -> MaterialReading:
        if self._part.kind != "output":  # an output is shown as far as it is text, as in a search
            try:
                data.decode()
            except UnicodeDecodeError:
                return self._refused("type")
            if b"\0" in data:
                return self._refused("type")
        text = decode(data).removeprefix("\ufeff")
        return self._page(MaterialReading(self._material, "text"), text)

    def _page(self, empty: MaterialReading, text: str) -> MaterialReading:
        """The text redacted whole, then as much of it as goes into the Budget."""
        cuts = [(span.start, span.end) for span in self._redaction.spans(text)]
        shown = whole([Leaf(("content",), text)], [cuts], [""])
        length, start = len(shown.text), self._asked.start
        if start and start >= length:
            raise QueryError("cursor_invalid", "The cursor lies past the end of the material.")

        def page(content: str, end: int) -> MaterialReading:
            return replace(empty, content=content, cursor=str(end) if end < length else None)

        def fits(content: str, end: int) -> bool:
            made = page(content, end)
            return self._asked.unbounded or (
                len(made.text()) <= TEXT_BUDGET and len(made.to_json()) <= JSON_BUDGET
            )

        end = shown.page(start, length if self._asked.unbounded else TEXT_BUDGET, fits)
        return page(shown.text[start:end], end)


def _says_text(part: AttachmentPart) -> bool:
    """Whether a file is text by its type, by its kind, or else by the ending of its name."""
    if part.kind == "output" or _TEXT_MIME.fullmatch(part.mime):
        return True
    named = _TEXT_NAME.fullmatch(part.name) is not None
    return part.kind != "image" and part.kind != "pdf" and (part.kind == "code" or named)
