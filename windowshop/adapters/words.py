"""What an agent searches for, as one parameter of an address."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote_plus

MAX_WORDS = 500
MAX_ENCODED = 1_800


def encode_words(query: str) -> str:
    """Return a query percent-encoded: blanks folded, no control characters, no longer than addresses are."""
    kinds = ((sign, unicodedata.category(sign)) for sign in query)
    shown = "".join(" " if kind == "Cc" else sign for sign, kind in kinds if kind == "Cc" or kind[0] != "C")
    words = " ".join(shown.split())[:MAX_WORDS].rstrip()
    while len(encoded := quote_plus(words)) > MAX_ENCODED:
        words = words[: len(words) * MAX_ENCODED // len(encoded)].rstrip()
    return encoded
