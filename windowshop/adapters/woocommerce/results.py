"""A list of products: a shop's front, a category, a search; of classic themes and of blocks."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import Field, Source, once, read_fields
from windowshop.adapters.markup import select, text_of
from windowshop.adapters.woocommerce.addresses import page_of, query_of
from windowshop.adapters.woocommerce.sheet import Sheet, ancestors, classes_of, number_in
from windowshop.adapters.woocommerce.tiles import TileSheet, open_tile, read_tile
from windowshop.pages import ResultsPage

_LISTED: Final = frozenset(
    {
        *("post-type-archive-product", "tax-product_cat", "tax-product_tag", "tax-product_brand"),
        "woocommerce-shop",
    }
)
_LIST_TAGS: Final = frozenset({"ul", "ol", "main", "body"})
_TILES: Final = ".type-product, li.wc-block-product, li.wc-block-grid__product, li.product"
_COUNT: Final = ".woocommerce-result-count"
_NEXT: Final = (
    "a.next.page-numbers, a.wp-block-query-pagination-next, .wc-block-pagination-page--next, a[rel=next]"
)
_CURRENT: Final = ".page-numbers.current, .wc-block-pagination-page--active"
_NUMBERS: Final = re.compile(r"\d[\d.,\u00a0\u202f]*")


def is_called_results(sheet: Sheet) -> bool:
    """Say whether a page is a list of products by the body's class."""
    kinds = sheet.kinds
    if not _LISTED.isdisjoint(kinds) or {"search", "woocommerce"}.issubset(kinds):
        return True
    return any("tax-pa_" in kind for kind in kinds)


def shows_results(sheet: Sheet) -> bool:
    """Say whether a page is a list of products by the count above one."""
    return sheet.tree.css_first(_COUNT) is not None and bool(TILES.value(sheet))


def read_results(sheet: Sheet) -> ResultsPage:
    """Read a list; an empty one is a page without tiles."""
    found = read_fields(FIELDS, sheet)
    tiles = tuple(read_tile(tile) for tile in found.pop("tiles", ()))
    del sheet.memo[TILES]  # a tile knows its sheet: in a circle the tree would stay until it is collected
    return ResultsPage(site="woocommerce", locale=sheet.locale.code, tiles=tiles, **found)


def _listed(sheet: Sheet) -> list[TileSheet]:
    """Return the products of the page's main list: the longest of those that stand in no aside."""
    lists: dict[int, dict[str, TileSheet]] = {}
    for node in select(sheet.tree, _TILES):
        tile = open_tile(sheet, node)
        if node.parent is not None and tile.item_id and not sheet.is_aside(node):
            lists.setdefault(_list_of(node), {}).setdefault(tile.item_id, tile)
    return list(max(lists.values(), key=len, default={}).values())


def _list_of(node: LexborNode) -> int:
    """Return which list an element is in; themes put each product into a column of its own."""
    for above in ancestors(node):
        if above.tag in _LIST_TAGS or "products" in classes_of(above) or number_in(above):
            return above.mem_id
    return 0


def _total(sheet: Sheet) -> int | None:
    """Return the last number of "Showing 1-16 of 31 results", in any language; "single result" has none."""
    numbers = _NUMBERS.findall(once(sheet, _total_text) or "")
    digits = re.sub(r"\D", "", numbers[-1]) if numbers else ""
    return int(digits) if digits and len(digits) < 10 else None


def _total_text(sheet: Sheet) -> str | None:
    node = sheet.tree.css_first(_COUNT)
    if node is not None:
        for hidden in node.css(".screen-reader-text"):
            hidden.decompose()
    return text_of(node)


def _query(sheet: Sheet) -> str | None:
    return query_of(sheet.url) or query_of(sheet.attribute("link[rel=canonical]", "href"))


def _searched(sheet: Sheet) -> str | None:
    """Return what stands in the search box, on a page of search results."""
    if {"search-results", "search"}.isdisjoint(sheet.kinds):
        return None
    return sheet.attribute("input[name=s][value]", "value")


def _current(sheet: Sheet) -> int | None:
    text = sheet.text(_CURRENT) or ""
    return int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else None


TILES: Final[Field[Sheet]] = Field("tiles", (Source("list", _TILES, _listed),))
FIELDS: Final[tuple[Field[Sheet], ...]] = (
    TILES,
    Field("query", (Source("address", "?s=", _query), Source("box", "input[name=s]", _searched))),
    Field(
        "page",
        (
            Source("address", "/page/N/", lambda sheet: page_of(sheet.url)),
            Source("current", _CURRENT, _current),
            Source("first", "no pages", lambda sheet: 1),
        ),
    ),
    Field("has_next", (Source("link", _NEXT, lambda sheet: sheet.tree.css_first(_NEXT) is not None),)),
    Field("total_text", (Source("count", _COUNT, lambda sheet: once(sheet, _total_text)),)),
    Field("total", (Source("count", _COUNT, _total),)),
)
