"""The fuzzy match of the simulator's reward, to the point."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_LATIN_1 = {code: None for code in range(0x80, 0x100)}
_NOT_WORD = re.compile(r"\W")


def token_set_ratio(left: str, right: str) -> int:
    """Return the similarity of two texts as sets of words, 0 to 100.

    As the simulator's library without its C part: Latin-1 letters go, other marks become blanks, and the
    best of the three comparisons counts. A newer library rounds otherwise, so it is computed here.
    """
    first, second = _words(left), _words(right)
    if not first or not second:
        return 0
    shared = " ".join(sorted(first & second))
    one = f"{shared} {' '.join(sorted(first - second))}".strip()
    two = f"{shared} {' '.join(sorted(second - first))}".strip()
    return max(_ratio(shared, one), _ratio(shared, two), _ratio(one, two))


def _words(text: str) -> set[str]:
    return set(_NOT_WORD.sub(" ", text.translate(_LATIN_1)).lower().split())


def _ratio(left: str, right: str) -> int:
    if left == right:
        return 100
    if not left or not right:
        return 0
    return round(100 * SequenceMatcher(None, left, right).ratio())
