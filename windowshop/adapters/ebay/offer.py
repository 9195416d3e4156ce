"""What an item costs and whether it can be bought: shown prices first, structured data to check them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.sheet import Sheet
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import says_ended
from windowshop.adapters.markup import clean
from windowshop.adapters.money import parse_price
from windowshop.pages import Price

_OLD_BID = "#prcIsum_bidPrice, #DetailsCurrentBidValue, #v4-bidPrice"
_OLD_PRICE = (
    "#mm-saleDscPrc, #prcIsum, .vi-VR-cvipPrice, .vi-is1-prcp, .mainPrice [itemprop=price], "
    ".mainPrice .notranslate, .vi-price .notranslate, "
    "#DetailsBuyItNowValue, #binPrice, [itemprop=offers] [itemprop=price]"
)
_OLD_STRUCK = "#orgPrc, #mm-saleOrgPrc, .vi-originalPrice, .x-original-price__price, .originalRetailPrice"
_BESIDE = frozenset(
    {
        "ux-textspans--SECONDARY",
        "x-price-primary__orBestOffer",
        "x-price-approx",
        "convPrice",
        "vi-originalPrice",
    }
)
_STRUCK = ".ux-textspans--STRIKETHROUGH, s, del, strike"
_BUTTONS = "#binBtn_btn, #binBtn_btn_1, #bidBtn_btn, #isCartBtn_btn, #atcBtn_btn_1, #bidBtn_btn_1, #boBtn_btn"
_ACTIONS = ("x-bin-action", "x-atc-action", "x-bid-action", "x-offer-action", "x-place-bid-action")
_MESSAGES = "#w1-3-_msg, .msgPanel .msgTextAlign, #msgPanel, .vi-msg-panel, .statusMsg, .ended, .sml-co"
_QUANTITIES = "#qtySubTxt, #qtyAvailability, .d-quantity__availability, .x-quantity__availability"
_ENDS = re.compile(r"/(?:InStock|LimitedAvailability|OnlineOnly|PreOrder|InStoreOnly)$", re.I)
_OVER = re.compile(r"/(?:OutOfStock|SoldOut|Discontinued)$", re.I)


def read_price(sheet: Sheet) -> Price | None:
    """Return what one pays now: the current bid of an auction, else the price shown, else the stated one."""
    shown = next(_shown_prices(sheet), None)
    stated = _stated_price(sheet)
    if shown is None:
        return stated
    if stated is not None and stated.amount == shown.amount and stated.high == shown.high:
        return shown.model_copy(update={"currency": stated.currency or shown.currency})
    return shown


def read_list_price(sheet: Sheet, price: Price | None) -> Price | None:
    """Return the struck or recommended price of the same offer, if it is higher than the price."""
    if price is None:
        return None
    for struck in _struck_prices(sheet):
        if struck.amount > price.amount and struck.currency == price.currency:
            return struck
    return None


def read_in_stock(sheet: Sheet, must_choose: bool) -> bool | None:
    """Say whether the item can be bought now; None where the page does not say.

    Where a choice comes first, only what the page states of the whole listing counts.
    """
    status = sheet.part("d-statusmessage", "x-statusmessage", "x-alert-module")
    messages = [status] if status is not None else sheet.old(_MESSAGES)[:3]
    if any(says_ended(visible(node)) for node in messages):
        return False
    availability = _availability(sheet)
    if must_choose:
        return availability
    quantity = sheet.part("x-quantity", "d-quantity")
    quantities = [quantity] if quantity is not None else sheet.old(_QUANTITIES)
    if any(says_ended(visible(node)) for node in quantities):
        return False
    buttons = sheet.first(sheet.part("x-buybox-cta"), "[id*=Btn_btn]")
    if sheet.part(*_ACTIONS) is not None or buttons is not None or sheet.old(_BUTTONS):
        return availability is not False
    return availability


def _shown_prices(sheet: Sheet) -> Iterator[Price]:
    bid = sheet.first(sheet.part("x-bid-price"), ".x-price-primary")
    for node in (bid, sheet.part("x-price-primary")):
        yield from _prices_in(sheet, node)
    for selectors in (_OLD_BID, _OLD_PRICE):
        for node in sheet.old(selectors):
            yield from _prices_in(sheet, node)


def _prices_in(sheet: Sheet, node: LexborNode | None) -> Iterator[Price]:
    """Yield the prices of one element, leaving out what is struck, converted or said beside it."""
    price = parse_price(visible(node, _BESIDE), sheet.locale)
    if price is not None:
        yield price


def _struck_prices(sheet: Sheet) -> Iterator[Price]:
    scope = sheet.part("x-price-section", "x-bin-price", "x-buybox", "x-additional-info")
    nodes = [] if scope is None else scope.css(_STRUCK)
    extra = sheet.part("x-additional-info", "x-price-transparency")
    if not nodes and extra is not None:
        nodes = extra.css(_STRUCK)
    for node in [*nodes, *sheet.old(_OLD_STRUCK)]:
        price = parse_price(clean(node.text()), sheet.locale)
        if price is not None:
            yield price
    for offer in _offers(sheet):
        listed = offer.get("priceSpecification")
        for entry in listed if isinstance(listed, list) else [listed]:
            if isinstance(entry, dict) and (amount := _number(entry.get("price"))) is not None:
                yield Price(amount=amount, currency=_code(entry.get("priceCurrency")))


def _stated_price(sheet: Sheet) -> Price | None:
    """Read the price of the structured data, which may be a converted one: second to what is shown."""
    for offer in _offers(sheet):
        currency = _code(offer.get("priceCurrency"))
        low, high = _number(offer.get("lowPrice")), _number(offer.get("highPrice"))
        amount = _number(offer.get("price"))
        if amount is not None:
            return Price(amount=amount, currency=currency)
        if low is not None:
            return Price(amount=low, high=high if high and high > low else None, currency=currency)
    currencies = (node.attributes.get("content") for node in sheet.old("[itemprop=priceCurrency]"))
    for node in sheet.old("[itemprop=price]"):
        amount = _number(node.attributes.get("content"))
        if amount is not None:
            return Price(amount=amount, currency=_code(next(currencies, None)))
    return None


def _availability(sheet: Sheet) -> bool | None:
    stated = [str(offer.get("availability") or "") for offer in _offers(sheet)]
    if not stated:
        stated = [
            node.attributes.get("content") or node.attributes.get("href") or ""
            for node in sheet.old("[itemprop=availability]")
        ]
    if any(_ENDS.search(word) for word in stated):
        return True
    return False if any(_OVER.search(word) for word in stated) else None


def _offers(sheet: Sheet) -> list[dict[str, Any]]:
    offers = sheet.typed("Product").get("offers")
    return [offer for offer in (offers if isinstance(offers, list) else [offers]) if isinstance(offer, dict)]


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _code(value: object) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"[A-Z]{3}", value) else None
