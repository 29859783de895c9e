"""What a tool call gives back, whatever became of it.

Invariant: the text is what the model reads and within the Budget of a search; an error is a value
of one line that carries no stored text. Proof: tests/unit/tools/test_toolset.py.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to one call."""

    text: str
    is_error: bool = False
    image: tuple[str, bytes] | None = None  # MIME type and bytes, for a model that sees images
    _form: Callable[[], dict[str, Any]] = field(default=dict, repr=False, compare=False)

    @classmethod
    def failed(cls, reason: str, message: str) -> Self:
        """An error as a value: a stable slug, and one sentence with the next step."""
        form = {"kind": "error", "reason": reason, "message": message}
        return cls(f"error {reason}: {message}\n", is_error=True, _form=lambda: dict(form))

    def to_dict(self) -> dict[str, Any]:
        """The structure, of values that JSON has; made when it is asked for."""
        return self._form()

    def encoded_image(self) -> tuple[str, str] | None:
        """The image as most APIs take it: MIME type and base64."""
        if self.image is None:
            return None
        mime, data = self.image
        return mime, base64.b64encode(data).decode("ascii")
