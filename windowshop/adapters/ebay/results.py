"""A page of eBay's results: the tiles, what was searched for, and where in the list we are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.ebay.addresses import query_of
from windowshop.adapters.ebay.tiles import (
    LAYOUTS,
    Entry,
    Layout,
    laid_out,
    main_list,
    read_tile,
    unknown_list,
)
from windowshop.adapters.fields import Field, Source, first, once, read_fields
from windowshop.adapters.markup import clean, select, text_of
from windowshop.adapters.money import parse_count
from windowshop.locales import Locale
from windowshop.pages import ResultsPage

_LANDMARKS = "h1, ul.srp-results, .pagination"
_LIST = (
    "#srp-river-results, .srp-controls__count, .str-item-card, #ListViewInner, "
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


@dataclass(frozen=True)
class ResultsSheet:
    """A page of results: its tree, its landmarks in page order and the addresses that it goes by."""

    tree: LexborHTMLParser
    locale: Locale
    addresses: tuple[str, ...]
    headings: tuple[LexborNode, ...]
    lists: tuple[LexborNode, ...]
    paginations: tuple[LexborNode, ...]
    memo: dict[object, Any] = field(default_factory=dict, repr=False)


def open_results(tree: LexborHTMLParser, locale: Locale, addresses: tuple[str, ...]) -> ResultsSheet:
    """Find the landmarks of a page that may list products, in one walk of its tree."""
    headings: list[LexborNode] = []
    lists: list[LexborNode] = []
    paginations: list[LexborNode] = []
    for node in select(tree, _LANDMARKS):
        if node.tag == "h1":
            headings.append(node)
        elif "pagination" in (node.attrs.get("class") or "").split():
            paginations.append(node)
        else:
            lists.append(node)
    return ResultsSheet(tree, locale, addresses, tuple(headings), tuple(lists), tuple(paginations))


def is_results(sheet: ResultsSheet) -> bool:
    """Say whether a page lists products: it has a list of them, or a heading that counts them."""
    if sheet.lists or _named(sheet) is not None or sheet.tree.css_first(_LIST) is not None:
        return True
    return any(_counts(node) for node in sheet.headings[:3]) or (
        _RESULTS_PATH.search(sheet.addresses[-1]) is not None
        and sheet.tree.css_first("li.s-item, li.s-card, li.brwrvr__item-card") is not None
    )


def read_results(sheet: ResultsSheet) -> ResultsPage:
    """Read a page of results; an empty list is a page without tiles."""
    found = read_fields(FIELDS, sheet)
    tiles = tuple(read_tile(entry) for entry in found.pop("tiles", ()))
    follows = found.pop("has_next", False)
    return ResultsPage(site="ebay", locale=sheet.locale.code, has_next=follows, tiles=tiles, **found)


def _counts(heading: LexborNode) -> bool:
    return _SAYS_COUNT.search((clean(heading.text()) or "")[:_LONGEST_HEADING]) is not None


def _counting(sheet: ResultsSheet) -> LexborNode | None:
    """Return the heading that counts the results."""
    return _named(sheet) or next((node for node in sheet.headings if _counts(node)), None)


def _named(sheet: ResultsSheet) -> LexborNode | None:
    named = (node for node in sheet.headings if "srp-controls__count" in (node.attrs.get("class") or ""))
    return next(named, None)


def _heading(sheet: ResultsSheet) -> LexborNode | None:
    return once(sheet, _counting) or sheet.tree.css_first(_HEADING)


def _lone_number(sheet: ResultsSheet) -> int | None:
    """Read the shop's count where a number stands alone in an element of the heading."""
    texts = (clean(part.text()) or "" for part in _parts(sheet))
    alone = next((text for text in texts if _COUNT.match(text)), None)
    return parse_count(alone)


def _first_number(sheet: ResultsSheet) -> int | None:
    heading = once(sheet, _heading)
    return None if heading is None else parse_count(clean(heading.text()))


def _parts(sheet: ResultsSheet) -> list[LexborNode]:
    heading = once(sheet, _heading)
    return [] if heading is None else heading.css("span, b, strong")


def _typed(sheet: ResultsSheet) -> str | None:
    box = sheet.tree.css_first('input[name="_nkw"]')
    return None if box is None else clean(box.attrs.get("value"))


def _addressed(sheet: ResultsSheet) -> str | None:
    return next((clean(words) for address in sheet.addresses if (words := query_of(address))), None)


def _emphasised(sheet: ResultsSheet) -> str | None:
    parts = (clean(part.text()) for part in _parts(sheet))
    return next((part for part in parts if part and not _COUNT.match(part)), None)


def _pagination(sheet: ResultsSheet) -> LexborNode | None:
    return next(iter(sheet.paginations), None) or sheet.tree.css_first(_OLD_PAGED)


def _paged(sheet: ResultsSheet) -> tuple[int | None, bool]:
    """Return what the pagination says: the page's own number and whether another one follows."""
    page: int | None = None
    follows = False
    pagination = once(sheet, _pagination)
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
    return page, follows


def _titled_page(sheet: ResultsSheet) -> int | None:
    if once(sheet, _pagination) is not None:
        return None
    titles = (_PAGE_TITLE.search(node.text()) for node in sheet.tree.css("h2"))
    return next((int(titled.group(1)) for titled in titles if titled), None)


def _only_page(sheet: ResultsSheet) -> int | None:
    """A list without pages is page 1."""
    if once(sheet, _paged)[1] or any("_pgn=" in address for address in sheet.addresses):
        return None
    return 1


def _next_numbered(sheet: ResultsSheet) -> bool | None:
    page = first(_NUMBERS, sheet)
    if page is None:
        return None
    following = f"_pgn={page.value + 1}"
    link = sheet.tree.css_first(f'a[href$="{following}"], a[href*="{following}&"]')
    return True if link is not None else None


def _layout(layout: Layout) -> Source[ResultsSheet]:
    where = f"{layout.tile} outside carousels"
    return Source(layout.name, where, lambda sheet: laid_out(sheet.tree, layout, sheet.locale) or None)


def _unknown(sheet: ResultsSheet) -> list[Entry] | None:
    """Look for products in no known layout, unless the shop itself counts none."""
    return None if TOTAL.value(sheet) == 0 else unknown_list(sheet.tree, sheet.locale) or None


TOTAL: Field[ResultsSheet] = Field(
    "total",
    (
        Source("number alone", f"{_HEADING} span", _lone_number),
        Source("heading", _HEADING, _first_number),
    ),
)
_NUMBERS: tuple[Source[ResultsSheet], ...] = (
    Source("pagination", '.pagination [aria-current="page"]', lambda sheet: once(sheet, _paged)[0]),
    Source("heading", "h2", _titled_page),
)
TILES: Field[ResultsSheet] = Field(
    "tiles",
    (
        Source("main list", "ul.srp-results li", lambda sheet: main_list(sheet.lists, sheet.locale) or None),
        *map(_layout, LAYOUTS),
        Source("unknown layout", 'a[href*="/itm/"] beside a price', _unknown),
    ),
)
FIELDS: tuple[Field[ResultsSheet], ...] = (
    TILES,
    Field("total_text", (Source("heading", _HEADING, lambda sheet: text_of(once(sheet, _heading))),)),
    TOTAL,
    Field(
        "query",
        (
            Source("search box", 'input[name="_nkw"]', _typed),
            Source("address", "_nkw= of the address", _addressed),
            Source("emphasis", f"{_HEADING} span", _emphasised),
        ),
    ),
    Field("page", (*_NUMBERS, Source("only page", "no pagination, no _pgn=", _only_page))),
    Field(
        "has_next",
        (
            Source("next button", ".pagination__next", lambda sheet: once(sheet, _paged)[1] or None),
            Source("next number", 'a[href*="_pgn="]', _next_numbered),
        ),
    ),
)
