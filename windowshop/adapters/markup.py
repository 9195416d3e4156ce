"""Bytes to a parsed tree, safely and once: the only door to the HTML parser."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import zlib
from collections import Counter
from random import randrange
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.watchdog import call_within
from windowshop.errors import HostilePage, UnknownPage

MAX_BYTES = 16_000_000
MAX_SECONDS = 2.0
_SMALL = 128_000
_TINY = 16_000
_FEW_TAGS = 22_000
_TAME_TAGS = 8_000
_MAX_OPEN = 12_000
_WINDOW = 1_024
_EVERY = 32 * _WINDOW
_GLANCE = 512
_GLANCES_APART = 32 * _GLANCE
_MOST_REPEATED = 40_000_000
"""Bytes of tags, each repeated for every tag of the page: lexbor makes about 45 bytes of memory of each."""
_TAME_REPEATED = _MOST_REPEATED // 8
"""So far below that an estimate does not miss a page that is to be refused."""
_ALIKE = 3
_FORMATTING = re.compile(
    rb"(<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/]"
    rb"""(?:[^"'>]++|"[^"]*+"?|'[^']*+'?)*+)(>[^<]*+</\2(?=[\s/>]))?""",
    re.IGNORECASE,
)
"""A tag that formats text and is not bare, and what closes it at once.

A stray quote takes the tag too far, which makes it weigh more, never less.
"""
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_AS_IT_IS = frozenset(
    {"utf-8", "ascii", "utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"}
)
"""Python's codecs that need no work, or that no browser takes for a charset."""
_DECODER = json.JSONDecoder()
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_tree(body: bytes) -> LexborHTMLParser:
    """Parse a page that is `plain`, or raise `UnknownPage` (empty, not HTML) or `HostilePage` (deep or slow).

    The parser's time grows with the square of the nesting, of the attributes of one tag and of the formatting
    that is left open, and it cannot be cancelled. A page that looks too deep is refused, and one that takes
    over `MAX_SECONDS` is left behind in a thread; only a small page that looks tame is parsed without one.
    """
    require_html(body)
    if len(body) < _SMALL:
        if len(body) < _TINY or _is_tame(body):
            return LexborHTMLParser(body)
        require_bounded(body)
    if _tags(body) > _FEW_TAGS and _depth(body) > _MAX_OPEN:
        raise HostilePage(f"elements nested more than {_MAX_OPEN} deep")
    try:
        return call_within(MAX_SECONDS, LexborHTMLParser, body)
    except TimeoutError:
        raise HostilePage(f"the page took more than {MAX_SECONDS} s to parse") from None


def require_bounded(body: bytes) -> None:
    """Raise `HostilePage` for formatting left open so often that a parser repeats it out of all bounds.

    Each block repeats every `<b ...>` and its like that is still open, three alike at most, so that 64
    kilobytes can become gigabytes. To be asked where strangers write whole pages: it costs half of parsing.
    """
    tags = Counter(_left_open(body, 0, len(body)))
    repeated = sum(min(_ALIKE, count) * len(tag) for tag, count in tags.items())
    if repeated * body.count(b"<") > _MOST_REPEATED:
        raise HostilePage(f"{repeated} bytes of tags that format text, each of which may be left open")


def _is_tame(body: bytes) -> bool:
    """Say whether a small page cannot take long, by a part of it that no page can foresee."""
    glances = range(randrange(_GLANCES_APART), len(body), _GLANCES_APART)
    tags = sum(body.count(b"<", start, start + _GLANCE) for start in glances)
    seen = (tag for start in glances for tag in _left_open(body, start, start + _GLANCE))
    rate = _GLANCES_APART // _GLANCE
    repeated = rate * sum(map(len, seen))
    return rate * tags < _TAME_TAGS and repeated * rate * tags < _TAME_REPEATED


def _left_open(body: bytes, start: int, end: int) -> list[bytes]:
    """Return the tags that format text and are not closed before another tag comes."""
    return [tag for tag, _, closing in _FORMATTING.findall(body, start, end) if not closing]


def require_html(body: bytes) -> None:
    """Raise `UnknownPage` for bytes that are empty or no HTML."""
    head = body[:4096].lstrip()
    if not head:
        raise UnknownPage("the page is empty")
    if head[:1] in b"{[" or b"<" not in body:
        raise UnknownPage(f"not HTML: it begins {head[:40]!r}")


def plain(body: bytes) -> bytes:
    """Return the page in UTF-8, without a gzip that a shop (or a file on disk) left around it.

    Raises `UnknownPage` for a broken gzip, `HostilePage` for more than `MAX_BYTES`.
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as unpacked:
                body = unpacked.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise UnknownPage(f"a broken gzip body: {error}") from error
    if len(body) > MAX_BYTES:
        raise HostilePage(f"page of more than {MAX_BYTES} bytes")
    declared = _CHARSET.search(body, 0, 4096)
    return body if declared is None else _utf8(body, declared.group(1).decode("ascii", "replace"))


def _utf8(body: bytes, charset: str) -> bytes:
    """Transcode a page that says it is not in UTF-8, unless its bytes say otherwise (saved pages do)."""
    try:
        codec = codecs.lookup(charset).name
        if codec in _AS_IT_IS:
            return body
        body.decode("utf-8")
    except LookupError:
        return body
    except UnicodeDecodeError:
        try:
            return body.decode("cp1252" if codec == "iso8859-1" else codec, "replace").encode()
        except (LookupError, UnicodeError, AssertionError):
            return body
    return body


def _tags(body: bytes) -> int:
    """Estimate the number of tags from a part of the page; counting all costs a tenth of parsing."""
    starts = range(0, len(body), _EVERY)
    return _EVERY // _WINDOW * sum(body.count(b"<", start, start + _WINDOW) for start in starts)


def _depth(body: bytes) -> int:
    """Estimate how many elements are open at once, over all of the page."""
    depth = deepest = 0
    for start in range(0, len(body), _EVERY):
        end = start + _EVERY
        closed = body.count(b"</", start, end)
        opened = body.count(b"<", start, end) - closed
        opened -= body.count(b"<!", start, end) + body.count(b"/>", start, end)
        depth += opened - closed
        deepest = max(deepest, depth)
    return deepest


def by_id(tree: LexborHTMLParser) -> tuple[dict[str, LexborNode], dict[str, list[LexborNode]]]:
    """Return the first element of each id, and the later ones of ids that the page repeats, in page order."""
    first: dict[str, LexborNode] = {}
    later: dict[str, list[LexborNode]] = {}
    for node in tree.css("[id]"):
        name = node.id
        if name in first:
            later.setdefault(name, []).append(node)
        elif name:
            first[name] = node
    return first, later


def select(node: LexborNode | LexborHTMLParser, query: str) -> list[LexborNode]:
    """Return each element that `query` matches, in page order; lexbor repeats one that two parts match."""
    return list({found.mem_id: found for found in node.css(query)}.values())


def json_at(text: str, start: int = 0) -> Any:
    """Return the JSON value that begins at `start` (blanks before it are skipped), or None if none does."""
    while start < len(text) and text[start].isspace():
        start += 1
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value if _SURROGATE.search(text, start, end) is None else _whole(value)
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """Return a JSON value with each half of a surrogate pair replaced: a lone one can be written nowhere."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def clean(text: str | None) -> str | None:
    """Fold blanks into single ones and drop what has no width; nothing left is None."""
    if text is None:
        return None
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split()) or None


def text_of(node: LexborNode | None, separator: str = "") -> str | None:
    """Return a node's cleaned text (scripts and styles left out), or None; `separator` parts its strings."""
    if node is None:
        return None
    only = node.first_child
    if only is not None and only.next is None and only.is_text_node:
        return clean(only.text())
    if node.css_first("script,style,noscript,template") is not None:
        node.strip_tags(["script", "style", "noscript", "template"])
    return clean(node.text(separator=separator))
