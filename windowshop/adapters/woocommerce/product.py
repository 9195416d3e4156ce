"""Where on its page a product stands: its own element, and in it or elsewhere its title and its price."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.fields import once
from windowshop.adapters.woocommerce.sheet import Sheet, is_in, number_in

MAIN: Final = "[id^=product-].type-product, div.type-product, main.type-product, section.type-product"
TITLE: Final = ".product_title, .summary .entry-title, h1.entry-title, .product h1.wp-block-post-title"
PRICE: Final = (
    ".summary .price:not(.price-unit), .wp-block-woocommerce-product-price, .product .price:not(.price-unit)"
)
_REST: Final = "form.cart, .product_meta, p.stock"
"""What follows title and price; the product's element may have been closed before it."""
_PRODUCT: Final = ".type-product"
_TAGS: Final = frozenset({"div", "main", "section"})


def main_of(sheet: Sheet) -> LexborNode | None:
    """Return the product's own element."""
    # most often it is the first element of any product, which a query for one class finds sooner
    first = sheet.tree.css_first(_PRODUCT)
    if first is None:
        return None
    is_main = first.tag in _TAGS or (first.id or "").startswith("product-")
    return first if is_main and not sheet.is_aside(first) else sheet.own(MAIN)


def part_of(sheet: Sheet, selectors: str) -> LexborNode | None:
    """Return the product's own first match: in its own element, else anywhere on the page."""
    known = once(sheet, _known)
    found = None if known is None else sheet.own(selectors, known)
    return sheet.own(selectors) if found is None else found


def title_of(sheet: Sheet) -> LexborNode | None:
    """Return the element of the product's title."""
    found = part_of(sheet, TITLE)
    # parts of a bundle have titles too, which are no first headings
    return found if found is None or found.tag == "h1" else sheet.own(TITLE)


def price_of(sheet: Sheet) -> LexborNode | None:
    """Return the block of the product's price: near its title, which may stand above its own element."""
    known, title = once(sheet, _known), once(sheet, title_of)
    if known is None or title is None or is_in(title, known):
        return part_of(sheet, PRICE)
    return sheet.own(PRICE)


def summary_of(sheet: Sheet) -> LexborNode | LexborHTMLParser:
    """Return where what else sums up the product is: in its own element, if title and price both are."""
    known = once(sheet, _known)
    if known is None:
        return sheet.tree
    parts = (once(sheet, title_of), once(sheet, price_of), sheet.own(_REST))
    return known if all(part is not None and is_in(part, known) for part in parts) else sheet.tree


def _known(sheet: Sheet) -> LexborNode | None:
    """Return the product's own element where its number is the one that the page is about."""
    main = once(sheet, main_of)
    return main if main is not None and f"postid-{number_in(main)}" in sheet.kinds else None
