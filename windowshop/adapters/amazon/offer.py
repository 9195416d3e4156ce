"""What one new unit costs on an item page, who sells it and whether it can be bought."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.amounts import price_text
from windowshop.adapters.amazon.sheet import Sheet, under_ids
from windowshop.adapters.fields import UNSAID, Field, Found, Settled, Source, first, once
from windowshop.adapters.markup import clean, json_at, select, text_of
from windowshop.adapters.money import parse_price
from windowshop.pages import Price

_OTHER_OFFER = re.compile(
    r"used|renewed|refurb|sns|subscri|(?:^|_)rent|installment|emi_|tradein|unlimited|audible|warranty|"
    r"newer-?version|sims-|sp_detail|addonOffer|tp-tool-tip|all-offers|promoPriceBlock|coupon|omnibus|"
    r"TaxExclusive|lowestPrice|primeExclusive|points|bundle|digital-bulk",
    re.IGNORECASE,
)
_SHOWN = (
    "corePriceDisplay_desktop_feature_div", "corePriceDisplay_mobile_feature_div", "corePrice_desktop",
    "corePrice_mobile_feature_div", "apex_desktop", "apex_mobile", "apex_offerDisplay_desktop",
    "apex_offerDisplay_mobile_feature_div", "corePrice_feature_div", "corePriceDisplay_feature_div",
    "unifiedPrice_feature_div", "price_feature_div", "kindle-price", "mediaNoAccordion",
)  # fmt: skip
_OLD = (
    "priceblock_dealprice", "priceblock_saleprice", "priceblock_pospromoprice", "priceblock_ourprice",
    "price_inside_buybox", "newBuyBoxPrice", "actualPriceValue", "buyNewSection", "buyNew_noncbb",
    "newOfferAccordionRow", "priceBlock", "kindle-price",
)  # fmt: skip
_OLD_AMOUNT = ".offer-price,.header-price,.priceLarge,.a-color-price"
_PAID = ".priceToPay,.apexPriceToPay,.apex-pricetopay-value,.a-price-range .a-price"
_PLAIN = (
    '.a-price:not(.a-text-price):not([data-a-strike="true"]),.header-price,'
    ".a-price.a-size-medium:not([data-a-strike])"
)
_USED_ONLY = ("usedOnlyBuybox", "usedBuySection", "usedbuyBox", "usedBuyBox")
_STRUCK = (
    '[data-a-strike="true"],.basisPrice .a-price,.priceBlockStrikePriceString,.a-text-strike,'
    "#priceblock_listprice,#listPriceValue,.listprice,#digital-list-price .a-text-strike"
)
_MAX_STEPS = 100  # a shop's own pages are some 40 deep; a hostile one must not make us climb for ever
_MAX_NODES = 60
_VISIBLE = "items[0.base][customerVisiblePrice]"
_OFFERS = ".twister-plus-buying-options-price-data"
_LISTED = ("price", "buyNewSection", "priceBlock")
_BUY = (
    "add-to-cart-button", "buy-now-button", "one-click-button", "oneClickBuyButton", "checkoutButtonId",
    "bb_atc_button", "buyNow", "pre-order-button",
)  # fmt: skip
_NONE_LEFT = ("outOfStock", "outOfStockBuyBox_feature_div", "outOfStock_feature_div")


def _settled_price(sheet: Sheet) -> Found | None:
    """Return what a new unit costs now, unless nobody could pay it."""
    return first((_USED, _MEMBERS), sheet) or once(sheet, _best_offer)


def _best_offer(sheet: Sheet) -> Found | None:
    """Return the price as shown, unless both embedded figures contradict it together."""
    shown, posted = first(_SHOWN_PRICES, sheet), first((_POSTED,), sheet)
    if shown is not None and (posted is None or not _contradicts(posted.value, shown.value)):
        return shown
    offered = first((_OFFERED,), sheet)
    if shown is None:
        return offered or posted
    agreed = offered is not None and posted is not None and offered.value.amount == posted.value.amount
    return offered if agreed else shown


def _contradicts(posted: Price, shown: Price) -> bool:
    return shown.high is None and shown.amount != posted.amount


def _used_only(sheet: Sheet) -> Settled | None:
    """Settle that there is no price of a new unit where only used ones are offered."""
    if not any(name in sheet.ids for name in _USED_ONLY):
        return None
    if any(name.startswith(("newAccordionRow", "newOffer", "buyNew")) for name in sheet.ids):
        return None
    return UNSAID


def _struck(sheet: Sheet, block: LexborNode) -> Price | None:
    """Return the struck-out or recommended price of the same offer."""
    paid = PRICE.value(sheet)
    if paid is None or _of_other_offer(block):
        return None
    for node in block.css(_STRUCK)[:_MAX_NODES]:
        if not _of_other_offer(node):
            found = _money(sheet, price_text(node))
            if found is not None and found.amount > (paid.high or paid.amount):
                return found
    return None


def _button(sheet: Sheet) -> bool | None:
    if _used_only(sheet) is not None:
        return None
    return True if any(not _of_other_offer(button) for button in sheet.every(*_BUY)) else None


def _said_available(sheet: Sheet) -> bool | Settled | None:
    """Read the line on availability; one that is no good news says nothing of what a choice would bring."""
    for node in sheet.every("availability"):
        if not _of_other_offer(node) and clean(node.text()):
            return True if node.css_first(".a-color-success") is not None else UNSAID
    return None


def _any_of(names: tuple[str, ...], answer: bool | Settled) -> Callable[[Sheet], bool | Settled | None]:
    return lambda sheet: answer if any(name in sheet.ids for name in names) else None


def _profile(_: Sheet, node: LexborNode) -> str | None:
    return None if _of_other_offer(node) else text_of(node)


def _merchant(_: Sheet, node: LexborNode) -> str | None:
    if _of_other_offer(node):
        return None
    name = text_of(node.css_first(".offer-display-feature-text-message") or node.css_first("a"))
    return name or next(iter(re.findall(r"Amazon(?:\.[a-z.]+[a-z])?", text_of(node) or "")), None)


def _second_row(_: Sheet, table: LexborNode) -> str | None:
    rows = table.css(".tabular-buybox-text .a-size-small")
    return text_of(rows[1]) if len(rows) > 1 else None


def _in_block(sheet: Sheet, block: LexborNode) -> Price | None:
    """Return the first price that a block shows for this offer, what is paid before what is only shown."""
    if _of_other_offer(block):
        return None
    for query in (_PAID, _PLAIN):
        nodes = select(block, query)[:_MAX_NODES]
        mine = [node for node in nodes if not _of_other_offer(node) and not _per_unit(node)]
        found = _first_price(sheet, mine)
        if found is not None:
            return found
    return None


def _in_old_block(sheet: Sheet, node: LexborNode) -> Price | None:
    if _of_other_offer(node):
        return None
    return _money(sheet, text_of(node.css_first(_OLD_AMOUNT) or node, " "))


def _ebook(sheet: Sheet, frame: LexborNode) -> Price | None:
    return _money(sheet, text_of(frame.css_first(".kindle-price .a-color-price")))


def _first_price(sheet: Sheet, nodes: list[LexborNode]) -> Price | None:
    if not nodes:
        return None
    parent = nodes[0].parent
    if parent is not None and "a-price-range" in (parent.attributes.get("class") or "") and len(nodes) > 1:
        return _money(sheet, f"{price_text(nodes[0])} - {price_text(nodes[1])}")
    return _money(sheet, price_text(nodes[0]))


def _offered_new(sheet: Sheet) -> Price | None:
    """Return the new offer's price from the buying options that the page carries as JSON."""
    node = sheet.tree.css_first(_OFFERS)
    for option in _options(json_at(node.text())) if node is not None else ():
        if option.get("buyingOptionType", "NEW") == "NEW" and isinstance(option.get("displayPrice"), str):
            return _money(sheet, option["displayPrice"])
    return None


def _options(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the offers of either shape: a list, or lists by group."""
    groups = data.values() if isinstance(data, dict) else [data]
    for group in groups:
        for option in group if isinstance(group, list) else ():
            if isinstance(option, dict):
                yield option


def _posted_new(sheet: Sheet) -> Price | None:
    """Return the price that the form of the new offer would post."""
    for node in sheet.every(f"{_VISIBLE}[displayString]"):
        if not _of_other_offer(node):
            return _money(sheet, node.attributes.get("value"))
    return None


def _money(sheet: Sheet, text: str | None) -> Price | None:
    """Read a price in the currency that the offer's form names; "$" alone may be any dollar or peso."""
    node = sheet.first(f"{_VISIBLE}[currencyCode]")
    code = node.attributes.get("value") if node is not None else None
    if code is None or re.fullmatch("[A-Z]{3}", code) is None:
        return sheet.price(text)
    return parse_price(text, sheet.locale.model_copy(update={"currency": code}))


def _of_other_offer(node: LexborNode) -> bool:
    """Say whether a node belongs to a used, subscribed, rented or otherwise different offer."""
    current: LexborNode | None = node
    for _ in range(_MAX_STEPS):
        if current is None or current.tag == "body":
            return False
        name = current.id
        if name and _names_other_offer(name):
            return True
        current = current.parent
    return False


@lru_cache(maxsize=4096)
def _names_other_offer(name: str) -> bool:
    """Judge an id; the same few hundred stand on every page, and the expression is slow to fail."""
    return _OTHER_OFFER.search(name) is not None


def _per_unit(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and "pricePerUnit" in (parent.attributes.get("class") or "")


def _free_to_members(sheet: Sheet) -> Settled | None:
    """Settle that a price of nothing that is a member's (Kindle Unlimited, Audible) is not everybody's."""
    best = once(sheet, _best_offer)
    if best is None or best.value.amount != 0:
        return None
    members = any("unlimited" in name.lower() or "audible" in name.lower() for name in sheet.ids)
    return UNSAID if members else None


_USED = Source("only used ones", ", ".join(f"#{name}" for name in _USED_ONLY), _used_only)
_MEMBERS = Source("free to members", '[id*="unlimited" i], [id*="audible" i]', _free_to_members)
_SHOWN_PRICES = (
    *under_ids(_SHOWN, _in_block, ".a-price"),
    *under_ids(_OLD, _in_old_block, named="old {}"),
    *under_ids(("buybox",), _ebook, ".kindle-price .a-color-price"),
)
_OFFERED = Source("buying options", f"{_OFFERS} $..displayPrice", _offered_new)
_POSTED = Source("form", f'[id="{_VISIBLE}[displayString]"]', _posted_new)
PRICE: Field[Sheet] = Field("price", (_USED, _MEMBERS, *_SHOWN_PRICES, _OFFERED, _POSTED), _settled_price)
LIST_PRICE: Field[Sheet] = Field("list_price", under_ids((*_SHOWN, *_LISTED), _struck, "struck out"))
IN_STOCK: Field[Sheet] = Field(
    "in_stock",
    (
        Source("a choice first", "#partialStateBuybox", _any_of(("partialStateBuybox",), UNSAID)),
        Source("button", ", ".join(f"#{name}" for name in _BUY), _button),
        Source("out of stock", ", ".join(f"#{name}" for name in _NONE_LEFT), _any_of(_NONE_LEFT, False)),
        Source("availability", "#availability .a-color-success", _said_available),
    ),
)
SELLER: Field[Sheet] = Field(
    "seller",
    (
        *under_ids(("sellerProfileTriggerId",), _profile),
        *under_ids(("merchantInfoFeature_feature_div", "merchant-info"), _merchant),
        *under_ids(("tabular-buybox",), _second_row, ".tabular-buybox-text"),
    ),
)
