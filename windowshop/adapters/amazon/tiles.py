"""One product in a list of results, in the markup of every year from 2013 on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.amounts import price_text
from windowshop.adapters.fields import Field, Source, once, read_fields
from windowshop.adapters.markup import clean
from windowshop.adapters.money import parse_price, prices_in
from windowshop.locales import Locale
from windowshop.pages import Price, Tile

_PARTS = "h2,span.a-price,div[data-cy=secondary-offer-recipe]"
_LEGACY_PRICES = ".s-price,.sx-price,.bld.lrg.red"
_LEGACY_TITLES = "a.s-access-detail-page,h3 a"
_ANY_LINK = 'a[href*="/dp/"],a[href*="/sspa/"],a[href*="/gp/"]'
_AD_LABELS = ".s-sponsored-info-icon,.s-sponsored-list-header,.s-sponsored-header,.s-sponsored-label-text"
_AD_LINKS = ("/sspa/", "/slredirect/", "picassoRedirect")
_TARGET = re.compile(r"[?&]url=([^&]+)")
_RECIPES = '[data-cy="price-recipe"],.s-price-instructions-style,[data-cy="secondary-offer-recipe"]'
_UNLIMITED = re.compile("unlimited|audible", re.IGNORECASE)


@dataclass(slots=True)
class TileSheet:
    """One tile, its parts sorted in one walk: what may be its title, its links, its prices."""

    locale: Locale
    item_id: str
    node: LexborNode
    headings: tuple[LexborNode, ...]
    prices: tuple[LexborNode, ...]
    memo: dict[object, Any]

    @property
    def is_modern(self) -> bool:
        """Say whether the tile is of a generation whose parts can be told without the older marks."""
        return "data-component-type" in self.node.attrs


def open_tile(locale: Locale, item_id: str, node: LexborNode) -> TileSheet:
    """Sort the parts of a tile; a price that is struck out, per unit or used is not its price."""
    headings: list[LexborNode] = []
    prices: list[LexborNode] = []
    for part in node.css(_PARTS):
        if part.tag == "h2":
            headings.append(part)
            continue
        if part.tag == "div":
            break
        attributes = part.attrs
        if "a-text-price" not in (attributes.get("class") or "") and "data-a-strike" not in attributes:
            prices.append(part)
    return TileSheet(locale, item_id, node, tuple(headings), tuple(prices), {})


def read_tile(tile: TileSheet) -> Tile:
    """Read one tile."""
    return Tile(item_id=tile.item_id, **read_fields(FIELDS, tile))


def _titled(tile: TileSheet) -> tuple[LexborNode, LexborNode] | None:
    """Return the first heading with a link, and the link."""
    for heading in tile.headings:
        link = _link(heading)
        if link is not None:
            return heading, link
    return None


def _linked_heading(tile: TileSheet) -> str | None:
    titled = once(tile, _titled)
    return None if titled is None else _title(titled[0])


def _bare_heading(tile: TileSheet) -> str | None:
    """Return the longest heading of a tile in which none is a link."""
    if once(tile, _titled) is not None or not tile.headings:
        return None
    return _title(max(tile.headings, key=lambda heading: len(heading.text())))


def _older_title(tile: TileSheet) -> str | None:
    if tile.headings:
        return None
    link = once(tile, _older_link)
    return None if link is None else _title(link)


def _title(node: LexborNode) -> str | None:
    return clean(node.attrs.get("data-attribute") or node.text())


def _older_link(tile: TileSheet) -> LexborNode | None:
    return tile.node.css_first(_LEGACY_TITLES)


def _href(tile: TileSheet) -> str:
    """Return where the tile leads: its title's link, else any to a product."""
    titled = once(tile, _titled)
    link = titled[1] if titled is not None else once(tile, _older_link) or tile.node.css_first(_ANY_LINK)
    return (link.attrs.get("href") if link is not None else None) or ""


def _link(heading: LexborNode) -> LexborNode | None:
    """Return the link that a title is, or holds; the brand above it is none."""
    parent = heading.parent
    return parent if parent is not None and parent.tag == "a" else heading.css_first("a")


def _in_ad_frame(tile: TileSheet) -> bool | None:
    return True if "AdHolder" in (tile.node.attrs.get("class") or "") else None


def _counted_as_ad(tile: TileSheet) -> bool | None:
    address = once(tile, _href)
    return True if any(mark in address for mark in _AD_LINKS) else None


def _labelled_as_ad(tile: TileSheet) -> bool | None:
    return True if not tile.is_modern and tile.node.css_first(_AD_LABELS) is not None else None


def _printed_price(tile: TileSheet) -> Price | None:
    return _price(tile.locale, tile.node, tile.prices)


def _older_price(tile: TileSheet) -> Price | None:
    if tile.prices or tile.is_modern:
        return None
    return _price(tile.locale, tile.node, tile.node.css(_LEGACY_PRICES))


def _price(locale: Locale, node: LexborNode, found: Sequence[LexborNode]) -> Price | None:
    if not found:
        return None
    low = price_text(found[0])
    if len(found) > 1 and _is_range(found[0], found[1]):
        return parse_price(f"{low} - {price_text(found[1])}", locale)
    price = parse_price(low, locale)
    if price is not None and price.amount == 0:
        return _instead_of_free(locale, node, price)
    return price


def _is_range(low: LexborNode, high: LexborNode) -> bool:
    """Say whether nothing but a dash stands between two prices."""
    between, seen = low.next, ""
    while between is not None and between.mem_id != high.mem_id:
        seen += between.text()
        between = between.next
    return between is not None and seen.strip() in ("-", "–", "—", "~")


def _instead_of_free(locale: Locale, node: LexborNode, free: Price) -> Price | None:
    """Return what one pays without the membership that makes an item free, if the tile says it."""
    for recipe in node.css(_RECIPES):
        for price in prices_in(clean(recipe.text(separator=" ")) or "", locale):
            if price.amount > 0:
                return price
    return None if _UNLIMITED.search(node.html or "") else free


def _address(tile: TileSheet) -> str | None:
    """Return the item's own address, where an advertisement wraps it too."""
    address = once(tile, _href)
    wrapped = _TARGET.search(address) if "url=" in address else None
    if wrapped is not None:
        address = unquote(wrapped.group(1))
    return f"https://{tile.locale.host}{address}" if address.startswith("/") else address or None


FIELDS: tuple[Field[TileSheet], ...] = (
    Field(
        "title",
        (
            Source("linked heading", "h2 a, a h2", _linked_heading),
            Source("heading", "h2", _bare_heading),
            Source("older title", _LEGACY_TITLES, _older_title),
        ),
    ),
    Field(
        "price",
        (
            Source("price", ".a-price:not(.a-text-price)", _printed_price),
            Source("older price", _LEGACY_PRICES, _older_price),
        ),
    ),
    Field(
        "sponsored",
        (
            Source("frame", ".AdHolder", _in_ad_frame),
            Source("counter", 'a[href*="/sspa/"], a[href*="picassoRedirect"]', _counted_as_ad),
            Source("older label", _AD_LABELS, _labelled_as_ad),
            Source("no mark", "none of these", lambda tile: False),
        ),
    ),
    Field("url", (Source("link", f"h2 a, {_ANY_LINK}", _address),)),
)
