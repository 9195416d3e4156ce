"""A page of eBay's results: the tiles, what was searched for, and where in the list we are."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.ebay.addresses import query_of
from windowshop.adapters.ebay.tiles import read_tiles, read_unknown_tiles
from windowshop.adapters.markup import clean, text_of
from windowshop.adapters.money import parse_count
from windowshop.locales import Locale
from windowshop.pages import ResultsPage

_LIST = (
    "ul.srp-results, #srp-river-results, .srp-controls__count, .str-item-card, #ListViewInner, "
    "#GalleryViewInner, #ResultSetItems, #resultsinfo, table.ebItemlist, .rcnt"
)
_HEADING = ".srp-controls__count-heading, #resultsinfo .count, div.count, .rcnt, .listingscnt"
_SAYS_COUNT = re.compile(
    r"\d[\d.,\s\u00a0\u202f]*\s?\+?\s*(?:results?|ergebnis(?:se)?|angebote?|résultats?|risultat[io]|oggetti|"
    r"resultados?|resulta(?:at|ten)|wynik(?:i|ów)?|items? found|listings?)\b|検索結果|結果\s*\d",
    re.I,
)
_COUNT = re.compile(r"^\d{1,3}(?:[.,\s\u00a0\u202f'’]?\d{3})*\s*\+?$")
_OLD_PAGED = ".s-pagination, .ebayui-pagination, #Pagination, .pagn, #pagination, .pager, table.fpg"
_PAGES = (
    '[aria-current="page"], .pagination__next, h2, a.gspr.next, td.next a, a.next, a[rel="next"], .curr, '
    ".ebayui-pagination__li--selected"
)
_PAGE_TITLE = re.compile(r"(?:page|seite|página|pagina|strona|ページ)\s*(\d{1,5})\b", re.I)
_LONGEST_HEADING = 500
_PAGE_NUMBER = re.compile(r"[0-9]{1,5}")
_RESULTS_PATH = re.compile(r"ebay\.[a-z.]+/(?:sch|b|str|e|deals|shop)/|/search\.dll|stores\.ebay\.", re.I)


def is_results(tree: LexborHTMLParser, headings: list[LexborNode], address: str | None) -> bool:
    """Say whether a page lists products: it has a list of them, or a heading that counts them."""
    if any("srp-controls__count" in (heading.attrs.get("class") or "") for heading in headings):
        return True
    if tree.css_first(_LIST) is not None:
        return True
    return any(_counts(node) for node in headings[:3]) or (
        _RESULTS_PATH.search(address or "") is not None
        and tree.css_first("li.s-item, li.s-card, li.brwrvr__item-card") is not None
    )


def parse_results(
    tree: LexborHTMLParser, headings: list[LexborNode], locale: Locale, addresses: tuple[str, ...]
) -> ResultsPage:
    """Read a page of results; an empty list is a page without tiles."""
    heading = _heading(tree, headings)
    tiles = read_tiles(tree, locale)
    total_text = text_of(heading)
    total = _total(heading)
    if not tiles and total != 0:
        tiles = read_unknown_tiles(tree, locale)
    page, has_next = _position(tree, addresses)
    return ResultsPage(
        site="ebay",
        locale=locale.code,
        query=_query(tree, heading, addresses),
        page=page,
        has_next=has_next,
        total=total,
        total_text=total_text,
        tiles=tiles,
    )


def _counts(heading: LexborNode) -> bool:
    return _SAYS_COUNT.search((clean(heading.text()) or "")[:_LONGEST_HEADING]) is not None


def _heading(tree: LexborHTMLParser, headings: list[LexborNode]) -> LexborNode | None:
    for heading in headings:
        if "srp-controls__count" in (heading.attrs.get("class") or ""):
            return heading
    counting = (node for node in headings if _counts(node))
    return next(counting, None) or tree.css_first(_HEADING)


def _total(heading: LexborNode | None) -> int | None:
    """Read the shop's count: a number alone in an element of the heading, else the heading's first."""
    if heading is None:
        return None
    for part in heading.css("span, b, strong"):
        text = clean(part.text()) or ""
        if _COUNT.match(text):
            return parse_count(text)
    return parse_count(clean(heading.text()))


def _query(tree: LexborHTMLParser, heading: LexborNode | None, addresses: tuple[str, ...]) -> str | None:
    """Read the words searched for: the search box, then the address, then the heading's emphasis."""
    box = tree.css_first('input[name="_nkw"]')
    words = None if box is None else clean(box.attrs.get("value"))
    if words:
        return words
    for address in addresses:
        words = query_of(address)
        if words:
            return clean(words)
    if heading is None:
        return None
    parts = (clean(part.text()) for part in heading.css("span, b, strong"))
    return next((part for part in parts if part and not _COUNT.match(part)), None)


def _position(tree: LexborHTMLParser, addresses: tuple[str, ...]) -> tuple[int | None, bool]:
    """Return the page's own number and whether another one follows; a list without pages is page 1."""
    page: int | None = None
    follows = False
    pagination = tree.css_first(".pagination") or tree.css_first(_OLD_PAGED)
    for node in [] if pagination is None else pagination.css(_PAGES):
        attributes = node.attrs
        text = clean(node.text()) or ""
        titled = _PAGE_TITLE.search(text) if node.tag == "h2" else None
        number = titled.group(1) if titled else text
        if _PAGE_NUMBER.fullmatch(number):
            page = page or int(number)
        elif node.tag != "h2" and "aria-current" not in attributes:
            href = attributes.get("href")
            follows = follows or bool(href and href != "#" and attributes.get("aria-disabled") != "true")
    if page is None and pagination is None:
        titled = next((found for node in tree.css("h2") if (found := _PAGE_TITLE.search(node.text()))), None)
        page = int(titled.group(1)) if titled else None
    if not follows and page is not None:
        follows = tree.css_first(f'a[href$="_pgn={page + 1}"], a[href*="_pgn={page + 1}&"]') is not None
    if page is None and not follows and not any("_pgn=" in address for address in addresses):
        page = 1
    return page, follows
