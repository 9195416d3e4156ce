"""Vocabulary: text that is safe to show where control codes and formulas have effects."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text without anything that could drive a terminal; a page or an agent wrote it, not we."""
    return "".join(char for char in text if char == "\n" or char.isprintable())


def cell(value: object) -> object:
    """Return a value that a spreadsheet shows and does not compute; a number stays one."""
    if not isinstance(value, str) or value[:1] not in {"=", "+", "-", "@", "\t", "\r"}:
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def plain_cell(value: str) -> str:
    """Return what `cell` was given."""
    return value[1:] if value[:1] == "'" and cell(value[1:]) == value else value
