"""One product in a list of products, of classic themes and of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import Field, Source, read_fields
from windowshop.adapters.markup import clean, text_of
from windowshop.adapters.woocommerce.addresses import joined
from windowshop.adapters.woocommerce.amounts import price_in
from windowshop.adapters.woocommerce.sheet import Sheet, classes_of, number_in
from windowshop.pages import Price, Tile

_TITLE: Final = (
    ".woocommerce-loop-product__title, .wp-block-post-title, .wc-block-grid__product-title, .product-title, "
    ".product-name, .entry-title, li.title, h2, h3"
)
_LINK: Final = (
    "a.woocommerce-LoopProduct-link, .wp-block-post-title a, .wc-block-grid__product-link, h2 a, h3 a, "
    "a.product-image, a[href]:not(.button):not(.add_to_cart_button)"
)
_BUTTONS: Final = frozenset({"button", "add_to_cart_button"})
_PRICE: Final = ".price:not(.price-unit), .wc-block-components-product-price, .wc-block-grid__product-price"


@dataclass(slots=True)
class TileSheet:
    """One product's element on the page of a list; without a number it is no product."""

    sheet: Sheet
    node: LexborNode
    item_id: str
    memo: dict[object, Any]


def open_tile(sheet: Sheet, node: LexborNode) -> TileSheet:
    """Find out which product an element of a list is: by its class, else by its button."""
    number = number_in(node)
    if number is None:
        button = node.css_first("[data-product_id]")
        number = None if button is None else clean(button.attributes.get("data-product_id"))
    return TileSheet(sheet, node, number or "", {})


def read_tile(tile: TileSheet) -> Tile:
    """Read one product."""
    return Tile(item_id=tile.item_id, sponsored=False, **read_fields(_PARTS, tile))


def _titled(tile: TileSheet) -> str | None:
    return text_of(tile.node.css_first(_TITLE), " ")


def _address(tile: TileSheet) -> str | None:
    address = _linked(tile.node)
    return joined(tile.sheet.url, address) if address else None


def _linked(node: LexborNode) -> str | None:
    """Return the address of the product's link: the first one, as a rule, for which a short query does."""
    link = node.css_first("a")
    address = None if link is None else link.attributes.get("href")
    if link is None or not address or not _BUTTONS.isdisjoint(classes_of(link)):
        link = node.css_first(_LINK)
        address = None if link is None else link.attributes.get("href")
    return address


def _priced(tile: TileSheet) -> Price | None:
    return price_in(tile.sheet, tile.node.css_first(_PRICE))


_PARTS: Final[tuple[Field[TileSheet], ...]] = (
    Field("title", (Source("heading", _TITLE, _titled),)),
    Field("price", (Source("shown", _PRICE, _priced),)),
    Field("url", (Source("link", _LINK, _address),)),
)
TILE: Final[tuple[Field[TileSheet], ...]] = (
    Field("item_id", (Source("class", "post-N, [data-product_id]", lambda tile: tile.item_id),)),
    *_PARTS,
)
