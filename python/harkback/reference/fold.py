"""Fold: composition borders."""

from __future__ import annotations


def is_border(char: str) -> bool:
    """Whether a cut before ``char`` never splits a composed character."""
    return not "\u0300" <= char <= "\u036f"
