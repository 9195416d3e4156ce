"""One product in a list of results, in the markup of every year from 2013 on."""

from __future__ import annotations

import re
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.amounts import price_text
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.markup import clean
from windowshop.adapters.money import prices_in
from windowshop.pages import Price, Tile

_PARTS = "h2,.a-price,[data-cy=secondary-offer-recipe]"
_LEGACY_PRICES = ".s-price,.sx-price,.bld.lrg.red"
_LEGACY_TITLES = "a.s-access-detail-page,h3 a"
_ANY_LINK = 'a[href*="/dp/"],a[href*="/sspa/"],a[href*="/gp/"]'
_AD_LABELS = ".s-sponsored-info-icon,.s-sponsored-list-header,.s-sponsored-header,.s-sponsored-label-text"
_AD_LINK = re.compile(r"/sspa/|/slredirect/|picassoRedirect")
_TARGET = re.compile(r"[?&]url=([^&]+)")
_RECIPES = '[data-cy="price-recipe"],.s-price-instructions-style,[data-cy="secondary-offer-recipe"]'
_UNLIMITED = re.compile("unlimited|audible", re.IGNORECASE)


def read_tile(sheet: Sheet, item_id: str, node: LexborNode) -> Tile:
    """Read one tile; a price that is struck out, per unit, used or "with coupon" is not its price."""
    title = link = None
    headings: list[LexborNode] = []
    prices: list[LexborNode] = []
    for part in node.css(_PARTS):
        if part.tag == "h2":
            headings.append(part)
            if title is None and (link := _link(part)) is not None:
                title = part
            continue
        attributes = part.attributes
        if "data-cy" in attributes:
            break
        if "a-text-price" not in (attributes.get("class") or "") and "data-a-strike" not in attributes:
            prices.append(part)
    if title is None:
        link = node.css_first(_LEGACY_TITLES)
        title = max(headings, key=lambda heading: len(heading.text()), default=link)
        link = link or node.css_first(_ANY_LINK)
    address = (link.attributes.get("href") if link is not None else None) or ""
    modern = "data-component-type" in node.attributes
    return Tile(
        item_id=item_id,
        title=clean(title.attributes.get("data-attribute") or title.text()) if title is not None else None,
        price=_price(sheet, node, prices if prices or modern else node.css(_LEGACY_PRICES)),
        sponsored=_is_ad(node, address) or (not modern and node.css_first(_AD_LABELS) is not None),
        url=_address(sheet, address),
    )


def _link(heading: LexborNode) -> LexborNode | None:
    """Return the link that a title is, or holds; the brand above it is none."""
    parent = heading.parent
    return parent if parent is not None and parent.tag == "a" else heading.css_first("a")


def _is_ad(node: LexborNode, address: str) -> bool:
    """Tell an advertisement by its frame or by the counter that its link goes through."""
    return "AdHolder" in (node.attributes.get("class") or "") or _AD_LINK.search(address) is not None


def _price(sheet: Sheet, node: LexborNode, found: list[LexborNode]) -> Price | None:
    if not found:
        return None
    low = price_text(found[0])
    if len(found) > 1 and _is_range(found[0], found[1]):
        return sheet.price(f"{low} - {price_text(found[1])}")
    price = sheet.price(low)
    if price is not None and price.amount == 0:
        return _instead_of_free(sheet, node, price)
    return price


def _is_range(low: LexborNode, high: LexborNode) -> bool:
    """Say whether nothing but a dash stands between two prices."""
    between, seen = low.next, ""
    while between is not None and between.mem_id != high.mem_id:
        seen += between.text()
        between = between.next
    return between is not None and seen.strip() in ("-", "–", "—", "~")


def _instead_of_free(sheet: Sheet, node: LexborNode, free: Price) -> Price | None:
    """Return what one pays without the membership that makes an item free, if the tile says it."""
    for recipe in node.css(_RECIPES):
        for price in prices_in(clean(recipe.text(separator=" ")) or "", sheet.locale):
            if price.amount > 0:
                return price
    return None if _UNLIMITED.search(node.html or "") else free


def _address(sheet: Sheet, address: str) -> str | None:
    """Return the item's own address, where an advertisement wraps it too."""
    wrapped = _TARGET.search(address)
    if wrapped is not None:
        address = unquote(wrapped.group(1))
    return f"https://{sheet.locale.host}{address}" if address.startswith("/") else address or None
