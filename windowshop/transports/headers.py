"""The headers of a response as they are kept: lower-case names, no secrets, nothing about the wire."""

from __future__ import annotations

from collections.abc import Iterable

from windowshop.redaction import is_secret_header

_WIRE = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})


def keep_headers(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers worth keeping; those given twice are joined by a comma.

    Left out are secrets, and what described the bytes on the wire: a `Response.body` is already decoded.
    """
    kept: dict[str, str] = {}
    for given, value in pairs:
        name = given.lower()
        if name in _WIRE or is_secret_header(name):
            continue
        kept[name] = f"{kept[name]}, {value}" if name in kept else value
    return kept
