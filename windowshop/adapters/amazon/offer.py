"""What one new unit costs on an item page, who sells it and whether it can be bought."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.amounts import price_text
from windowshop.adapters.amazon.sheet import Sheet
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
_BUY = (
    "add-to-cart-button", "buy-now-button", "one-click-button", "oneClickBuyButton", "checkoutButtonId",
    "bb_atc_button", "buyNow", "pre-order-button",
)  # fmt: skip
_NONE_LEFT = ("outOfStock", "outOfStockBuyBox_feature_div", "outOfStock_feature_div")


def price(sheet: Sheet) -> Price | None:
    """Return what a new unit costs now: as shown, unless both embedded figures contradict it together."""
    if used_only(sheet):
        return None
    shown, posted = _shown(sheet), _posted(sheet)
    if shown is None or (posted is not None and shown.high is None and shown.amount != posted.amount):
        offered = _offered(sheet)
        if shown is None:
            shown = offered or posted
        elif offered is not None and posted is not None and offered.amount == posted.amount:
            shown = offered
    return None if shown is not None and shown.amount == 0 and _membership(sheet) else shown


def used_only(sheet: Sheet) -> bool:
    """Say whether the page offers used units and no new one; its price is then no price of a new unit."""
    if not any(name in sheet.ids for name in _USED_ONLY):
        return False
    return not any(name.startswith(("newAccordionRow", "newOffer", "buyNew")) for name in sheet.ids)


def list_price(sheet: Sheet, paid: Price | None) -> Price | None:
    """Return the struck-out or recommended price of the same offer."""
    if paid is None:
        return None
    for block in _blocks(sheet, (*_SHOWN, "price", "buyNewSection", "priceBlock")):
        for node in block.css(_STRUCK)[:_MAX_NODES]:
            if not _of_other_offer(node):
                found = _money(sheet, price_text(node))
                if found is not None and found.amount > (paid.high or paid.amount):
                    return found
    return None


def in_stock(sheet: Sheet) -> bool | None:
    """Say whether something new can be bought as the page stands; None where a choice comes first."""
    if "partialStateBuybox" in sheet.ids:
        return None
    for button in sheet.every(*_BUY) if not used_only(sheet) else ():
        if not _of_other_offer(button):
            return True
    if any(name in sheet.ids for name in _NONE_LEFT):
        return False
    for node in sheet.every("availability"):
        if not _of_other_offer(node) and clean(node.text()):
            return True if node.css_first(".a-color-success") is not None else None
    return None


def seller(sheet: Sheet) -> str | None:
    """Return who sells the new unit."""
    for node in sheet.every("sellerProfileTriggerId"):
        if not _of_other_offer(node):
            return text_of(node)
    for node in sheet.every("merchantInfoFeature_feature_div", "merchant-info"):
        if _of_other_offer(node):
            continue
        name = text_of(node.css_first(".offer-display-feature-text-message") or node.css_first("a"))
        found = name or next(iter(re.findall(r"Amazon(?:\.[a-z.]+[a-z])?", text_of(node) or "")), None)
        if found:
            return found
    table = sheet.first("tabular-buybox")
    rows = table.css(".tabular-buybox-text .a-size-small") if table is not None else []
    return text_of(rows[1]) if len(rows) > 1 else None


def _shown(sheet: Sheet) -> Price | None:
    for block in _blocks(sheet, _SHOWN):
        for query in (_PAID, _PLAIN):
            nodes = [
                node
                for node in select(block, query)[:_MAX_NODES]
                if not _of_other_offer(node) and not _per_unit(node)
            ]
            found = _first_price(sheet, nodes)
            if found is not None:
                return found
    for node in sheet.every(*_OLD):
        if not _of_other_offer(node):
            inner = node.css_first(_OLD_AMOUNT)
            found = _money(sheet, text_of(inner or node, " "))
            if found is not None:
                return found
    frame = sheet.first("buybox")
    ebook = frame.css_first(".kindle-price .a-color-price") if frame is not None else None
    return _money(sheet, text_of(ebook))


def _first_price(sheet: Sheet, nodes: list[LexborNode]) -> Price | None:
    if not nodes:
        return None
    parent = nodes[0].parent
    if parent is not None and "a-price-range" in (parent.attributes.get("class") or "") and len(nodes) > 1:
        return _money(sheet, f"{price_text(nodes[0])} - {price_text(nodes[1])}")
    return _money(sheet, price_text(nodes[0]))


def _offered(sheet: Sheet) -> Price | None:
    """Return the new offer's price from the buying options that the page carries as JSON."""
    node = sheet.tree.css_first(".twister-plus-buying-options-price-data")
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


def _posted(sheet: Sheet) -> Price | None:
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


def _blocks(sheet: Sheet, names: tuple[str, ...]) -> Iterator[LexborNode]:
    for node in sheet.every(*names):
        if not _of_other_offer(node):
            yield node


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


def _membership(sheet: Sheet) -> bool:
    """Say whether a price of nothing is a member's (Kindle Unlimited, Audible), not everybody's."""
    return any("unlimited" in name.lower() or "audible" in name.lower() for name in sheet.ids)
