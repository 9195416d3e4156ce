"""A list of products: a shop's front, a category, a search; of classic themes and of blocks."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import Field, Source, read_fields
from windowshop.adapters.markup import clean, text_of
from windowshop.adapters.woocommerce.addresses import page_of, query_of
from windowshop.adapters.woocommerce.amounts import price_in
from windowshop.adapters.woocommerce.sheet import Sheet, is_aside, number_in
from windowshop.pages import Price, ResultsPage, Tile

_LISTED: Final = (
    "body.post-type-archive-product, body.tax-product_cat, body.tax-product_tag, body[class*=tax-pa_], "
    "body.tax-product_brand, body.woocommerce-shop, body.search.woocommerce"
)
_TILES: Final = ".type-product, li.wc-block-product, li.wc-block-grid__product, li.product"
_COUNT: Final = ".woocommerce-result-count"
_NEXT: Final = (
    "a.next.page-numbers, a.wp-block-query-pagination-next, .wc-block-pagination-page--next, a[rel=next]"
)
_CURRENT: Final = ".page-numbers.current, .wc-block-pagination-page--active"
_TITLE: Final = (
    ".woocommerce-loop-product__title, .wp-block-post-title, .wc-block-grid__product-title, .product-title, "
    ".product-name, .entry-title, li.title, h2, h3"
)
_LINK: Final = (
    "a.woocommerce-LoopProduct-link, .wp-block-post-title a, .wc-block-grid__product-link, h2 a, h3 a, "
    "a.product-image, a[href]:not(.button):not(.add_to_cart_button)"
)
_PRICE: Final = ".price:not(.price-unit), .wc-block-components-product-price, .wc-block-grid__product-price"
_NUMBERS: Final = re.compile(r"\d[\d.,\u00a0\u202f]*")


def is_results(sheet: Sheet) -> bool:
    """Say whether a page is a list of products: by the body's class, else by the count above a list."""
    if sheet.node.css_first(_LISTED) is not None:
        return True
    return sheet.node.css_first(_COUNT) is not None and bool(TILES.value(sheet))


def read_results(sheet: Sheet) -> ResultsPage:
    """Read a list; an empty one is a page without tiles."""
    found = read_fields(FIELDS, sheet)
    tiles = tuple(Tile(sponsored=False, **read_fields(TILE, tile)) for tile in found.pop("tiles", ()))
    return ResultsPage(site="woocommerce", locale=sheet.locale.code, tiles=tiles, **found)


def _listed(sheet: Sheet) -> list[Sheet]:
    """Return the products of the page's main list: the longest of those that stand in no aside."""
    lists: dict[int, dict[str, Sheet]] = {}
    for node in sheet.node.css(_TILES):
        tile = Sheet(node, sheet.url, sheet.locale, sheet.money)
        above = node.parent
        if above is None or not tile.item_id or is_aside(node, sheet.node):
            continue
        lists.setdefault(_list_of(node), {}).setdefault(tile.item_id, tile)
    return list(max(lists.values(), key=len, default={}).values())


def _list_of(node: LexborNode) -> int:
    """Return which list an element is in; themes put each product into a column of its own."""
    above = node.parent
    while above is not None and above.tag not in ("ul", "ol", "main", "body"):
        classes = (above.attributes.get("class") or "").split()
        if "products" in classes or number_in(above):
            break
        above = above.parent
    return 0 if above is None else above.mem_id


def _titled(tile: Sheet) -> str | None:
    node = tile.node.css_first(_TITLE)
    return text_of(node, " ")


def _address(tile: Sheet) -> str | None:
    node = tile.node.css_first(_LINK)
    address = None if node is None else node.attributes.get("href")
    return urljoin(tile.url, address) if address else None


def _priced(tile: Sheet) -> Price | None:
    return price_in(tile, tile.node.css_first(_PRICE))


def _total(sheet: Sheet) -> int | None:
    """Return the last number of "Showing 1-16 of 31 results", in any language; "single result" has none."""
    numbers = _NUMBERS.findall(_total_text(sheet) or "")
    digits = re.sub(r"\D", "", numbers[-1]) if numbers else ""
    return int(digits) if digits and len(digits) < 10 else None


def _total_text(sheet: Sheet) -> str | None:
    node = sheet.node.css_first(_COUNT)
    if node is not None:
        for hidden in node.css(".screen-reader-text"):
            hidden.decompose()
    return text_of(node)


def _query(sheet: Sheet) -> str | None:
    return query_of(sheet.url) or query_of(sheet.attribute("link[rel=canonical]", "href"))


def _searched(sheet: Sheet) -> str | None:
    """Return what stands in the search box, on a page of search results."""
    if sheet.node.css_first("body.search-results, body.search") is None:
        return None
    return sheet.attribute("input[name=s][value]", "value")


def _current(sheet: Sheet) -> int | None:
    text = clean(sheet.text(_CURRENT)) or ""
    return int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else None


TILES: Final[Field[Sheet]] = Field("tiles", (Source("list", _TILES, _listed),))
TILE: Final[tuple[Field[Sheet], ...]] = (
    Field("item_id", (Source("class", "post-N, [data-product_id]", lambda tile: tile.item_id),)),
    Field("title", (Source("heading", _TITLE, _titled),)),
    Field("price", (Source("shown", _PRICE, _priced),)),
    Field("url", (Source("link", _LINK, _address),)),
)
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
    Field("has_next", (Source("link", _NEXT, lambda sheet: sheet.node.css_first(_NEXT) is not None),)),
    Field("total_text", (Source("count", _COUNT, _total_text),)),
    Field("total", (Source("count", _COUNT, _total),)),
)
