"""Which of an item's options an instruction asks for by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Thai, kana, Han: no blanks between words
_WORD = re.compile(rf"\d+(?:\.\d+)?|[{_UNSPACED}]|[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_]+)*")
_PRICE = re.compile(r"(?i),? (?:and )?price lower than .*")


def wanted(options: Iterable[str], instruction: str) -> list[str]:
    """Return the options whose words stand in the instruction, one after the other, in page order.

    An option is left out where a longer one covers the same words ("blue" beside "navy blue"), and the
    simulator's price clause is not looked at.
    """
    text = _words(_PRICE.sub("", instruction))
    spans = {
        option: (start, start + len(words))
        for option in options
        if (words := _words(option)) and (start := _find(words, text)) is not None
    }
    return [
        option
        for option, (start, end) in spans.items()
        if not any(a <= start and end <= b and b - a > end - start for a, b in spans.values())
    ]


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize("NFKC", text).casefold())


def _find(words: list[str], text: list[str]) -> int | None:
    """Return where the words stand in the text, or None."""
    ends = len(text) - len(words) + 1
    return next((start for start in range(ends) if text[start : start + len(words)] == words), None)
