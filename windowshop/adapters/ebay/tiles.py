"""The products among eBay's results, in the tile layouts of every generation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.ebay.addresses import item_id_of
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import bare_title
from windowshop.adapters.markup import clean, select
from windowshop.adapters.money import parse_price
from windowshop.locales import Locale
from windowshop.pages import Price, Tile


class Layout(NamedTuple):
    """One generation: the selector of its tile, and the role of what stands in it, by class."""

    tile: str
    roles: dict[str, str]
    sponsored: bool | None = None

    @property
    def within(self) -> str:
        """Return the selector of all that has a role."""
        return ", ".join(f".{name}" for name in self.roles)


_CARD = Layout("li.s-card", {"s-card__link": "link", "s-card__title": "title", "s-card__price": "price"})
_ITEM = Layout("li.s-item", {"s-item__link": "link", "s-item__title": "title", "s-item__price": "price"})
_OTHERS = (
    Layout(
        ".str-item-card",
        {
            "str-item-card__link": "link",
            "str-item-card__property-title": "title",
            "str-item-card__property-displayPrice": "price",
        },
        sponsored=False,  # a seller's own store shows nobody else's goods
    ),
    Layout("li.brwrvr__item-card", {"bsig__title": "title", "bsig__price": "price"}),
    Layout(
        "li.sresult, li.lvresult, div.sresult, tr.lvresult, table.lview tr[listingid]",
        {
            "vip": "link",
            "lvtitle": "title",
            "gvtitle": "title",
            "ittl": "title",
            "dtl": "title",
            "lvprice": "price",
            "gvprice": "price",
            "prc": "price",
            "bidsold": "price",
        },
    ),
    Layout(
        "table.nol tr, table.ebItemlist tr, #ResultSetItems tr, .list-view tr",
        {
            "ttl": "title",
            "ebcTtl": "title",
            "details": "title",
            "ebcPr": "price",
            "prices": "price",
            "price": "price",
            "prc": "price",
        },
    ),
)
_ASIDE = re.compile(r"river-answer|carousel|merch|srp-rail|recently", re.I)
_DIGIT = re.compile(r"\d")
_PLACEHOLDER = "shop on ebay"
_DEPTH = 8
_MOST = 2_000
_HOST = re.compile(r"https?://(www\.ebay\.[a-z.]{2,6})/")
_CODES = "EUR|USD|GBP|CHF|PLN|AUD|CAD|HKD|SGD|MYR|PHP|JPY|ILS|PEN|RM"
_MONEY = re.compile(
    rf"^(?:(?:[A-Z]{{1,2}} ?)?[$€£¥￥₹]\s?\d|(?:{_CODES})\s?\d[\d.,\s'’]*|"
    rf"\d[\d.,\s'’]*\s?(?:[€£$円]|(?:zł|{_CODES})\b))"
)
_CLIMB = 60


def read_tiles(tree: LexborHTMLParser, locale: Locale) -> tuple[Tile, ...]:
    """Return the products of the main list in page order: no placeholder, no carousel."""
    lists = (found for found in tree.css("ul.srp-results") if not _stands_aside(found))
    entries = [entry for found in lists for entry in found.iter() if entry.tag == "li"]
    cards = any("s-card" in (entry.attrs.get("class") or "") for entry in entries)
    tiles = tuple(_read(entries, _CARD if cards else _ITEM, locale))
    for layout in () if tiles else (_CARD, _ITEM, *_OTHERS):
        tiles = tuple(_read(_outside_asides(select(tree, layout.tile)), layout, locale))
        if tiles:
            break
    return tiles


def read_unknown_tiles(tree: LexborHTMLParser, locale: Locale) -> tuple[Tile, ...]:
    """Return the products of a list in no layout we know: whatever holds one item's link and a price."""
    return tuple(_read_unknown(tree, locale))


def _read(entries: Iterable[LexborNode], layout: Layout, locale: Locale) -> Iterator[Tile]:
    within, roles = layout.within, layout.roles
    for entry in entries:
        if _ASIDE.search(entry.attrs.get("class") or ""):
            continue
        found: dict[str, list[LexborNode]] = {"link": [], "title": [], "price": []}
        last = 0
        for node in entry.css(within):
            if node.mem_id == last:  # lexbor repeats an element that has two of the classes
                continue
            last = node.mem_id
            for name in (node.attrs.get("class") or "").split():
                if name in roles:
                    found[roles[name]].append(node)
                    break
        href, item_id = _target(found["link"] or entry.css("a[href]"))
        title = bare_title(visible(found["title"][0])) if found["title"] else None
        if item_id is not None and (title or "").lower() != _PLACEHOLDER:
            yield Tile(
                item_id=item_id,
                title=title,
                price=_price(found["price"], locale),
                sponsored=layout.sponsored,
                url=_address(href, item_id, locale),
            )


def _target(links: list[LexborNode]) -> tuple[str | None, str | None]:
    """Return the first address among links that leads to an item, and the item."""
    for link in links:
        href = link.attrs.get("href")
        item_id = item_id_of(href)
        if item_id is not None:
            return href, item_id
    return None, None


def _outside_asides(nodes: list[LexborNode]) -> Iterator[LexborNode]:
    aside: dict[int, bool] = {}
    for node in nodes:
        parent = node.parent
        if parent is not None and parent.mem_id not in aside:
            aside[parent.mem_id] = _stands_aside(parent)
        if parent is None or not aside[parent.mem_id]:
            yield node


def _stands_aside(node: LexborNode) -> bool:
    """Say whether a list stands in an advertisement or carousel beside the results."""
    above: LexborNode | None = node
    for _ in range(_CLIMB):
        if above is None or above.tag in ("body", "html", "-document"):
            return False
        if _ASIDE.search(above.attrs.get("class") or ""):
            return True
        above = above.parent
    return False


def _price(nodes: list[LexborNode], locale: Locale) -> Price | None:
    """Read what one pays: a range, the current bid where a buy-now price follows, never a struck price."""
    unstruck = (node for node in nodes if "strikethrough" not in (node.attrs.get("class") or "").lower())
    texts = [visible(node) or "" for node in unstruck]
    if len(texts) > 2 and _DIGIT.search(texts[0]) and not _DIGIT.search(texts[1]):
        ranged = parse_price(" ".join(texts[:3]), locale)
        if ranged is not None and ranged.high is not None:
            return ranged
    return next((price for text in texts if (price := parse_price(text, locale)) is not None), None)


def _address(href: str | None, item_id: str, locale: Locale) -> str:
    named = _HOST.match(href or "")
    return f"https://{locale.host if named is None else named.group(1)}/itm/{item_id}"


def _read_unknown(tree: LexborHTMLParser, locale: Locale) -> Iterator[Tile]:
    taken: set[str] = set()
    holders: dict[int, set[str | None]] = {}
    for link in tree.css('a[href*="/itm/"], a[href*="itemZ"], a[href*="ViewItem"]')[:_MOST]:
        href = link.attrs.get("href")
        item_id = item_id_of(href)
        if item_id is None or item_id in taken:
            continue
        holder = _holder(link, item_id, holders)
        if holder is None or _stands_aside(holder):
            continue
        texts = (clean(node.text(deep=False)) or "" for node in holder.css("*"))
        amount = next((text for text in texts if _MONEY.search(text)), None)
        titles = [
            bare_title(visible(found)) or ""
            for found in holder.css("a[href]")
            if item_id_of(found.attrs.get("href")) == item_id
        ]
        title = max(titles, key=len, default="")
        if amount is None or not title or title.lower() == _PLACEHOLDER:
            continue
        taken.add(item_id)
        yield Tile(
            item_id=item_id,
            title=title,
            price=parse_price(amount, locale),
            url=_address(href, item_id, locale),
        )


def _holder(link: LexborNode, item_id: str, known: dict[int, set[str | None]]) -> LexborNode | None:
    """Return the row or list entry around a link, if no other item has a link in it."""
    above = link.parent
    for _ in range(_DEPTH):
        if above is None or above.tag in ("ul", "ol", "table", "body"):
            return None
        if above.tag in ("li", "tr", "article"):
            if above.mem_id not in known:
                links = above.css("a[href]")
                known[above.mem_id] = {item_id_of(other.attrs.get("href")) for other in links} - {None}
            return above if known[above.mem_id] == {item_id} else None
        above = above.parent
    return None
