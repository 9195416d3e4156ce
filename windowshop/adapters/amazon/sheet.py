"""One page, parsed once, with what every reader of it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.fields import Source, is_blank
from windowshop.adapters.markup import by_id
from windowshop.adapters.money import parse_price
from windowshop.locales import Locale, locale_by_host
from windowshop.pages import Price

_HOST = re.compile(rb"https?://(www\.amazon\.[a-z.]{2,6})/")
_COMMA_LANGUAGES = re.compile(
    "bg|cs|da|de|el|es|et|fi|fr|hr|hu|id|is|it|lt|lv|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi"
)
_POINT_REGIONS = frozenset({"es-mx", "es-us", "de-ch"})


@dataclass(frozen=True)
class Sheet:
    """A page's bytes and tree, the addresses it goes by, and the locale that it is in itself."""

    body: bytes
    tree: LexborHTMLParser
    locale: Locale
    url: str
    canonical: str | None
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def _by_id(self) -> tuple[dict[str, LexborNode], dict[str, list[LexborNode]]]:
        """Index the page's elements by id, once, and only for the kinds of page that ask."""
        return by_id(self.tree)

    @property
    def ids(self) -> dict[str, LexborNode]:
        """Return the first element of each id, in page order."""
        return self._by_id[0]

    def first(self, *ids: str) -> LexborNode | None:
        """Return the first element that has the first of `ids` found on the page."""
        found = self.ids
        return next((found[name] for name in ids if name in found), None)

    def every(self, *ids: str) -> Iterator[LexborNode]:
        """Yield the elements that have any of `ids`, id by id."""
        first, later = self._by_id
        for name in ids:
            if name in first:
                yield first[name]
                yield from later.get(name, ())

    def price(self, text: str | None) -> Price | None:
        """Read a price as this page writes it."""
        return parse_price(text, self.locale)


def under_ids(
    names: tuple[str, ...], read: Callable[[Sheet, LexborNode], Any], within: str = "", named: str = "{}"
) -> tuple[Source[Sheet], ...]:
    """Return a source for each id: the first answer that `read` gives of the elements that have it."""

    def source(name: str) -> Source[Sheet]:
        def answer(sheet: Sheet) -> Any:
            said = (read(sheet, node) for node in sheet.every(name))
            return next((found for found in said if not is_blank(found)), None)

        place = f"#{name}" if re.fullmatch(r"[\w-]+", name) else f'[id="{name}"]'
        return Source(named.format(place), f"{place} {within}".rstrip(), answer)

    return tuple(map(source, names))


def open_sheet(body: bytes, tree: LexborHTMLParser, locale: Locale, url: str) -> Sheet:
    """Index a parsed page and find the marketplace that it belongs to."""
    canonical = _canonical(tree)
    return Sheet(body, tree, _page_locale(body, tree, locale, canonical, url), url, canonical)


def _canonical(tree: LexborHTMLParser) -> str | None:
    """Return the page's own address for itself; in a broken page the link may stand in the body."""
    link = tree.css_first('link[rel="canonical"]')
    if link is None and tree.head is not None:
        link = tree.head.css_first('meta[property="og:url"]')
    return None if link is None else link.attributes.get("href") or link.attributes.get("content")


def _page_locale(
    body: bytes, tree: LexborHTMLParser, locale: Locale, canonical: str | None, url: str
) -> Locale:
    """Prefer what the page says of itself."""
    found = _by_address(canonical) or marketplace_of(body, url, locale)
    root = tree.root
    language = (root.attributes.get("lang") or "").lower().replace("_", "-") if root is not None else ""
    if not language:
        return found
    comma = _COMMA_LANGUAGES.fullmatch(language[:2]) is not None and language not in _POINT_REGIONS
    return found.model_copy(update={"language": _tidy(language), "decimal": "," if comma else "."})


def marketplace_of(body: bytes, url: str, locale: Locale) -> Locale:
    """Return the marketplace of the address that a page came from, else of its links, else `locale`."""
    return _by_address(url) or _by_links(body) or locale


def _by_address(address: str | None) -> Locale | None:
    try:
        host = urlsplit(address or "").hostname
    except ValueError:
        return None
    return None if host is None else locale_by_host("amazon", host)


def _by_links(body: bytes) -> Locale | None:
    """Find the first absolute address of a marketplace in the page."""
    found = _HOST.search(body, 0, 200_000)
    return None if found is None else locale_by_host("amazon", found.group(1).decode("ascii"))


def _tidy(language: str) -> str:
    name, _, region = language.partition("-")
    return f"{name}-{region.upper()}" if region else name
