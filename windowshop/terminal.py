"""Vocabulary: text that is safe to print where control codes have effects."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text without anything that could drive a terminal; a page or an agent wrote it, not we."""
    return "".join(char for char in text if char == "\n" or char.isprintable())
