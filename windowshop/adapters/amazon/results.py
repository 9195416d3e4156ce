"""A page of search results: every generation of the list from 2013 on, desktop and mobile."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.amazon.tiles import TileSheet, open_tile, read_tile
from windowshop.adapters.fields import UNSAID, Field, Settled, Source, once, read_fields
from windowshop.adapters.markup import clean, select
from windowshop.adapters.money import parse_count
from windowshop.pages import ResultsPage

_RESULT = "s-search-result"
_PAGER = ".s-pagination-next,.s-pagination-selected,.a-pagination"
_NESTED = f'[data-component-type="{_RESULT}"],{_PAGER}'
_LEGACY = ".s-result-item[data-asin],#resultItems [data-asin],.prod[name]"
_BAR = '[data-component-type="s-result-info-bar"],#s-result-count,#resultCount'
_BOX = "#twotabsearchtextbox,#nav-search-keywords,#nav-bb-search"
_TOTALS = (".s-breadcrumb-header-text", ".s-breadcrumb .a-color-state", ".s-breadcrumb span", "h2", "span")
_OLD_BARS = ("s-result-count", "resultCount")
_ANYWHERE = f'[data-component-type="{_RESULT}"]'
_WORDS = ("k", "keywords", "field-keywords")
_MAX_TILES = 1_000
_LONGEST_LINE = 400
_QUOTED = re.compile(r"[\"“„«「].*[\"”“»」]")
_NUMBERS = re.compile(r"\d(?:[\d.,\s]*\d)?")


def read_results(sheet: Sheet) -> ResultsPage:
    """Read the main list of a results page; carousels and banners between its rows are left out."""
    found = read_fields(FIELDS, sheet)
    tiles = tuple(read_tile(tile) for tile in found.pop("tiles", ()))
    following = found.pop("has_next", None) is not None
    return ResultsPage(site="amazon", locale=sheet.locale.code, has_next=following, tiles=tiles, **found)


def _main_list(sheet: Sheet) -> list[LexborNode]:
    """Return the tiles of the main list and its pager, in page order.

    The list's own children are walked, as this costs a tenth of a query over the whole page.
    """
    slot = sheet.tree.css_first(".s-main-slot")
    found: list[LexborNode] = []
    child = None if slot is None else slot.first_child
    while child is not None:
        if child.tag == "div":
            if child.attributes.get("data-component-type") == _RESULT:
                found.append(child)
            else:
                found.extend(select(child, _NESTED))
        child = child.next
    return found


def _in_main_list(sheet: Sheet) -> list[LexborNode]:
    listed = once(sheet, _main_list)
    return [node for node in listed if node.attributes.get("data-component-type") == _RESULT]


def _pager(sheet: Sheet) -> list[LexborNode]:
    """Return what pages through the list, wherever it stands."""
    listed = once(sheet, _main_list)
    pager = [node for node in listed if node.attributes.get("data-component-type") != _RESULT]
    return pager or select(sheet.tree, _PAGER)


def _products(sheet: Sheet, nodes: list[LexborNode]) -> list[TileSheet]:
    found = []
    for node in nodes[:_MAX_TILES]:
        attributes = node.attributes
        item_id = attributes.get("data-asin") or attributes.get("name")
        if is_asin(item_id) and not _in_carousel(node):
            found.append(open_tile(sheet.locale, item_id, node))
    return found


def _list_of(find: Callable[[Sheet], list[LexborNode]]) -> Callable[[Sheet], list[TileSheet] | None]:
    """Read one layout of the list; a list without any product in it is an answer, no list is none."""

    def answer(sheet: Sheet) -> list[TileSheet] | None:
        nodes = find(sheet)
        return _products(sheet, nodes) if nodes else None

    return answer


def _in_carousel(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and "a-carousel-card" in (parent.attributes.get("class") or "")


def _bar(sheet: Sheet) -> LexborNode | None:
    return sheet.tree.css_first(_BAR)


def _whole_bar(sheet: Sheet) -> str | None:
    bar = once(sheet, _bar)
    if bar is None or bar.id not in _OLD_BARS:
        return None
    return (clean(bar.text()) or "")[:_LONGEST_LINE] or None


def _line_of_bar(query: str) -> Source[Sheet]:
    def answer(sheet: Sheet) -> str | None:
        bar = once(sheet, _bar)
        found = [] if bar is None or bar.id in _OLD_BARS else bar.css(query)
        # a query finds the bar too where it is such an element itself, and its parent is the page
        node = next((node for node in found if bar is not None and node.mem_id != bar.mem_id), None)
        line = node.parent if node is not None and node.tag == "span" else node
        text = clean(line.text()) if line is not None else None
        return text[:_LONGEST_LINE] if text else None

    return Source(query, f"{_BAR} {query}", answer)


def _total(sheet: Sheet) -> int | None:
    text = TOTAL_TEXT.value(sheet) or ""
    counts = (parse_count(number) for number in _NUMBERS.findall(_QUOTED.sub("", text)))
    return max((count for count in counts if count is not None), default=None)


def _next_button(sheet: Sheet) -> str | None:
    found = None
    for node in once(sheet, _pager):
        classes = node.attributes.get("class") or ""
        if "s-pagination-next" in classes and "s-pagination-disabled" not in classes:
            found = node.attributes.get("href")
    return found


def _last_of_pages(sheet: Sheet) -> str | None:
    found = None
    for node in once(sheet, _pager):
        if "a-pagination" in (node.attributes.get("class") or "").split():
            link = node.css_first(".a-last:not(.a-disabled) a")
            found = found if link is None else link.attributes.get("href")
    return found


def _next_link(sheet: Sheet) -> str | None:
    link = None if once(sheet, _pager) else sheet.tree.css_first("#pagnNextLink")
    return None if link is None else link.attributes.get("href")


def _selected_page(sheet: Sheet) -> int | Settled | None:
    for node in once(sheet, _pager):
        classes = node.attributes.get("class") or ""
        if "s-pagination-selected" in classes:
            return parse_count(node.text()) or UNSAID
        if "a-pagination" in classes.split():
            return parse_count(clean((node.css_first(".a-selected") or node).text())) or UNSAID
    return None


def _current_page(sheet: Sheet) -> int | None:
    current = sheet.tree.css_first(".pagnCur")
    return None if current is None else parse_count(current.text())


def _addressed_page(sheet: Sheet) -> int | None:
    return parse_count(_parameter(sheet.url, "page"))


def _typed(sheet: Sheet) -> str | None:
    box = sheet.tree.css_first(_BOX)
    return clean(box.attributes.get("value")) if box is not None else None


def _parameter(address: str | None, *names: str) -> str | None:
    try:
        query = parse_qs(urlsplit(address or "").query)
    except ValueError:
        return None
    return next((clean(query[name][0]) for name in names if name in query), None)


TILES: Field[Sheet] = Field(
    "tiles",
    (
        Source("main list", f'.s-main-slot [data-component-type="{_RESULT}"]', _list_of(_in_main_list)),
        Source("anywhere", _ANYWHERE, _list_of(lambda sheet: sheet.tree.css(_ANYWHERE))),
        Source("older list", _LEGACY, _list_of(lambda sheet: select(sheet.tree, _LEGACY))),
    ),
)
TOTAL_TEXT: Field[Sheet] = Field(
    "total_text",
    (Source("older bar", "#s-result-count, #resultCount", _whole_bar), *map(_line_of_bar, _TOTALS)),
)
HAS_NEXT: Field[Sheet] = Field(
    "has_next",
    (
        Source("next button", ".s-pagination-next:not(.s-pagination-disabled)", _next_button),
        Source("older pager", ".a-pagination .a-last:not(.a-disabled) a", _last_of_pages),
        Source("oldest pager", "#pagnNextLink", _next_link),
    ),
)
"""Its value is the address that the next page has."""
FIELDS: tuple[Field[Sheet], ...] = (
    TILES,
    TOTAL_TEXT,
    Field("total", (Source("total_text", "the greatest number outside quotes in total_text", _total),)),
    HAS_NEXT,
    Field(
        "query",
        (
            Source("search box", _BOX, _typed),
            Source("next page", "k= of has_next", lambda sheet: _parameter(HAS_NEXT.value(sheet), *_WORDS)),
        ),
    ),
    Field(
        "page",
        (
            Source("selected", ".s-pagination-selected, .a-pagination .a-selected", _selected_page),
            Source("oldest pager", ".pagnCur", _current_page),
            Source("address", "page= of the address", _addressed_page),
        ),
    ),
)
