"""The products among eBay's results, in the tile layouts of every generation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.ebay.addresses import item_id_of
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import bare_title
from windowshop.adapters.fields import Field, Source, read_fields
from windowshop.adapters.markup import clean, select
from windowshop.adapters.money import parse_price
from windowshop.locales import Locale
from windowshop.pages import Price, Tile


class Layout(NamedTuple):
    """One generation: the selector of its tile, and the role of what stands in it, by class."""

    name: str
    tile: str
    roles: dict[str, str]
    sponsored: bool | None = None

    @property
    def within(self) -> str:
        """Return the selector of all that has a role."""
        return ", ".join(f".{name}" for name in self.roles)


CARD = Layout(
    "cards", "li.s-card", {"s-card__link": "link", "s-card__title": "title", "s-card__price": "price"}
)
ITEM = Layout(
    "items", "li.s-item", {"s-item__link": "link", "s-item__title": "title", "s-item__price": "price"}
)
LAYOUTS = (
    CARD,
    ITEM,
    Layout(
        "store cards",
        ".str-item-card",
        {
            "str-item-card__link": "link",
            "str-item-card__property-title": "title",
            "str-item-card__property-displayPrice": "price",
        },
        sponsored=False,  # a seller's own store shows nobody else's goods
    ),
    Layout("browse cards", "li.brwrvr__item-card", {"bsig__title": "title", "bsig__price": "price"}),
    Layout(
        "older rows",
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
        "oldest tables",
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
_ASIDE = ("river-answer", "carousel", "merch", "srp-rail", "recently")
_DIGIT = re.compile(r"\d")
_PLACEHOLDER = "shop on ebay"
_DEPTH = 8
_STRUCK = frozenset({"s", "del", "strike"})
_ITEM_MARKS = ("/itm/", "itemZ", "ViewItem")
_MOST = 2_000
_HOST = re.compile(r"https?://(www\.ebay\.[a-z.]{2,6})/")
_CODES = "EUR|USD|GBP|CHF|PLN|AUD|CAD|HKD|SGD|MYR|PHP|JPY|ILS|PEN|RM"
_MONEY = re.compile(
    rf"^(?:(?:[A-Z]{{1,2}} ?)?[$€£¥￥₹]\s?\d|(?:{_CODES})\s?\d[\d.,\s'’]*|"
    rf"\d[\d.,\s'’]*\s?(?:[€£$円]|(?:zł|{_CODES})\b))"
)
_CLIMB = 60


@dataclass(slots=True)
class Entry:
    """One product of the list as its layout shows it; `prices` are what stands in the prices' places."""

    item_id: str
    title: str | None
    prices: tuple[str, ...]
    href: str | None
    sponsored: bool | None
    locale: Locale
    memo: dict[object, Any] = field(default_factory=dict)


def read_tile(entry: Entry) -> Tile:
    """Read one product."""
    return Tile(item_id=entry.item_id, **read_fields(FIELDS, entry))


def main_list(lists: Iterable[LexborNode], locale: Locale) -> list[Entry]:
    """Return the products of the main list in page order: no placeholder, no carousel."""
    shown = (found for found in lists if not _stands_aside(found))
    entries = [entry for found in shown for entry in found.iter() if entry.tag == "li"]
    cards = any("s-card" in (entry.attrs.get("class") or "") for entry in entries)
    return list(_read(entries, CARD if cards else ITEM, locale))


def laid_out(tree: LexborHTMLParser, layout: Layout, locale: Locale) -> list[Entry]:
    """Return the products in one layout, wherever they stand but in a carousel."""
    return list(_read(_outside_asides(select(tree, layout.tile)), layout, locale))


def unknown_list(tree: LexborHTMLParser, locale: Locale) -> list[Entry]:
    """Return the products of a list in no layout we know: whatever holds one item's link and a price."""
    return list(_read_unknown(tree, locale))


def _read(entries: Iterable[LexborNode], layout: Layout, locale: Locale) -> Iterator[Entry]:
    within, roles = layout.within, layout.roles
    for entry in entries:
        if _is_aside(entry):
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
            prices = tuple(visible(node) or "" for node in found["price"] if not _is_struck(node))
            yield Entry(item_id, title, prices, href, layout.sponsored, locale)


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
        if _is_aside(above):
            return True
        above = above.parent
    return False


def _is_aside(node: LexborNode) -> bool:
    classes = (node.attrs.get("class") or "").lower()
    return any(name in classes for name in _ASIDE)


def _is_struck(node: LexborNode) -> bool:
    return "strikethrough" in (node.attrs.get("class") or "").lower()


def _range(entry: Entry) -> Price | None:
    """Read a range in three parts: from, a word or dash, to."""
    texts = entry.prices
    if len(texts) < 3 or not _DIGIT.search(texts[0]) or _DIGIT.search(texts[1]):
        return None
    ranged = parse_price(" ".join(texts[:3]), entry.locale)
    return ranged if ranged is not None and ranged.high is not None else None


def _first_price(entry: Entry) -> Price | None:
    """Read the first price: the current bid where a buy-now price follows."""
    prices = (parse_price(text, entry.locale) for text in entry.prices)
    return next((price for price in prices if price is not None), None)


def _address(entry: Entry) -> str:
    named = _HOST.match(entry.href or "")
    return f"https://{entry.locale.host if named is None else named.group(1)}/itm/{entry.item_id}"


def _read_unknown(tree: LexborHTMLParser, locale: Locale) -> Iterator[Entry]:
    taken: set[str] = set()
    links = islice((link for link, _ in _links_in(tree) if _leads(link)), _MOST)
    holders = {holder.mem_id: holder for link in links if (holder := _holder(link)) is not None}
    for holder in _outside_asides(list(holders.values())):
        held = [] if _is_aside(holder) else list(_links_in(holder))
        items = {item_id for _, item_id in held}
        if len(items) != 1 or not taken.isdisjoint(items):
            continue
        shown = (node for node in holder.css("*") if node.tag not in _STRUCK)
        texts = (clean(node.text(deep=False)) or "" for node in shown)
        amount = next((text for text in texts if _MONEY.search(text)), None)
        titles = (bare_title(visible(link)) or "" for link, _ in held)
        title = "" if amount is None else max(titles, key=len, default="")
        if amount is None or not title or title.lower() == _PLACEHOLDER:
            continue
        taken |= items
        yield Entry(items.pop(), title, (amount,), held[0][0].attrs.get("href"), None, locale)


def _links_in(part: LexborHTMLParser | LexborNode) -> Iterator[tuple[LexborNode, str]]:
    """Yield the links to items, each with its item."""
    for link in part.css("a[href]"):
        item_id = item_id_of(link.attrs.get("href"))
        if item_id is not None:
            yield link, item_id


def _leads(link: LexborNode) -> bool:
    """Say whether a link leads to an item, and does not only name one among what narrows the list."""
    return any(mark in (link.attrs.get("href") or "") for mark in _ITEM_MARKS)


def _holder(link: LexborNode) -> LexborNode | None:
    """Return the row or list entry around a link."""
    above = link.parent
    for _ in range(_DEPTH):
        if above is None or above.tag in ("ul", "ol", "table", "body"):
            return None
        if above.tag in ("li", "tr", "article"):
            return above
        above = above.parent
    return None


FIELDS: tuple[Field[Entry], ...] = (
    Field("title", (Source("title", ".s-card__title, .s-item__title, .lvtitle", lambda entry: entry.title),)),
    Field(
        "price",
        (
            Source("range", ".s-card__price, .s-item__price, .lvprice (from, word, to)", _range),
            Source("first price", ".s-card__price, .s-item__price, .lvprice", _first_price),
        ),
    ),
    Field("sponsored", (Source("layout", "a store's own page", lambda entry: entry.sponsored),)),
    Field("url", (Source("link", ".s-card__link, .s-item__link, .vip", _address),)),
)
