"""Keep a page's words from posing as the simulator's own marks."""

from __future__ import annotations

import re

_MARKS = re.compile(r"\[\s*(sep|button_?|clicked button_?)\s*\]", re.IGNORECASE)
_UNSEEN = "\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SUSPECT = re.compile(rf"[\[\x00-\x1f\x7f-\x9f{_UNSEEN}]")


def marks_in(text: str) -> int:
    """Return how many control tokens and invisible characters `neutral` would take out of a text."""
    if _is_harmless(text):
        return 0
    return len(_MARKS.findall(text)) + len(_HIDDEN.findall(text))


def neutral(text: str) -> str:
    """Return shop text without control tokens and invisible characters.

    `[SEP]`, `[button]` and their like become `(SEP)`, `(button)`; zero-width, bidirectional, tag and control
    characters go; line breaks become blanks. What the page truly says stays readable.
    """
    if _is_harmless(text):
        return text
    text = _CONTROL.sub(" ", _HIDDEN.sub("", text))
    return _MARKS.sub(lambda match: f"({match.group(1)})", text)


def _is_harmless(text: str) -> bool:
    if text.isascii():
        return text.isprintable() and "[" not in text
    return _SUSPECT.search(text) is None
