"""Bytes to a parsed tree, safely and once: the only door to the HTML parser."""

from __future__ import annotations

import gzip
import io
import re
import threading
import zlib

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.errors import HostilePage, UnknownPage

MAX_BYTES = 16_000_000
MAX_SECONDS = 2.0
_MAX_OPEN = 12_000
_CHUNKS = 64
_BLANKS = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060\ufeff]+")


def parse_tree(body: bytes) -> LexborHTMLParser:
    """Parse a page, or raise `UnknownPage` (empty, not HTML) or `HostilePage` (too large, deep or slow).

    The parser's time grows with the square of the nesting and it cannot be cancelled, so a page that
    looks too deep is refused before, and one that takes over `MAX_SECONDS` is left behind.
    """
    body = _inflate(body)
    if len(body) > MAX_BYTES:
        raise HostilePage(f"page of {len(body)} bytes; at most {MAX_BYTES} are read")
    head = body[:4096].lstrip()
    if not head:
        raise UnknownPage("the page is empty")
    if head[:1] in b"{[" or b"<" not in body:
        raise UnknownPage(f"not HTML: it begins {head[:40]!r}")
    if _depth(body) > _MAX_OPEN:
        raise HostilePage(f"elements nested more than {_MAX_OPEN} deep")
    result: list[LexborHTMLParser] = []
    thread = threading.Thread(target=lambda: result.append(LexborHTMLParser(body)), daemon=True)
    thread.start()
    thread.join(MAX_SECONDS)
    if not result:
        raise HostilePage(f"the page took more than {MAX_SECONDS} s to parse")
    return result[0]


def _inflate(body: bytes) -> bytes:
    """Undo a gzip that a shop (or a file on disk) left around the page."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as unpacked:
            return unpacked.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnknownPage(f"a broken gzip body: {error}") from error


def _depth(body: bytes) -> int:
    """Estimate, in about a millisecond, how many elements are open at once."""
    if body.count(b"<") < _MAX_OPEN:
        return 0
    size = max(1, len(body) // _CHUNKS)
    depth = deepest = 0
    for start in range(0, len(body), size):
        chunk = body[start : start + size]
        closed = chunk.count(b"</")
        opened = chunk.count(b"<") - closed - chunk.count(b"<!") - chunk.count(b"/>")
        depth += opened - closed
        deepest = max(deepest, depth)
    return deepest


def clean(text: str | None) -> str | None:
    """Fold blanks, zero-width and direction marks into single blanks; nothing left is None."""
    if text is None:
        return None
    return _BLANKS.sub(" ", text).strip() or None


def text_of(node: LexborNode | None) -> str | None:
    """Return a node's cleaned text (scripts and styles left out), or None."""
    if node is None:
        return None
    if node.css_first("script,style,noscript,template") is not None:
        node.strip_tags(["script", "style", "noscript", "template"])
    return clean(node.text())
