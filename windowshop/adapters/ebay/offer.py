"""What an item costs and whether it can be bought: shown prices first, structured data to check them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.options import chosen_variant, needs_choice
from windowshop.adapters.ebay.sheet import Sheet, in_old
from windowshop.adapters.ebay.visible import visible
from windowshop.adapters.ebay.wording import says_ended
from windowshop.adapters.fields import UNSAID, Field, Found, Settled, Source, first, once
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


def _settled_price(sheet: Sheet) -> Found | None:
    """Return what one pays now: the current bid of an auction, else the price shown, else the stated one.

    What is shown has the currency of a stated price of the same amount, as a "$" alone may be any dollar.
    """
    shown, stated = first(_SHOWN, sheet), first(_STATED, sheet)
    if shown is None:
        return stated or first((_CHOSEN,), sheet)
    if stated is None or (stated.value.amount, stated.value.high) != (shown.value.amount, shown.value.high):
        return shown
    currency = stated.value.currency or shown.value.currency
    return Found(shown.value.model_copy(update={"currency": currency}), shown.sources)


def _price(sheet: Sheet, node: LexborNode | None) -> Price | None:
    """Read the price of one element, leaving out what is struck, converted or said beside it."""
    return parse_price(visible(node, _BESIDE), sheet.locale)


def _current_bid(sheet: Sheet) -> Price | None:
    return _price(sheet, sheet.first(sheet.part("x-bid-price"), ".x-price-primary"))


def _main_price(sheet: Sheet) -> Price | None:
    return _price(sheet, sheet.part("x-price-primary"))


def _linked_price(sheet: Sheet) -> Price | None:
    """Read the price of the structured data, which may be a converted one: second to what is shown."""
    for offer in _offers(sheet):
        currency = _code(offer.get("priceCurrency"))
        low, high = _number(offer.get("lowPrice")), _number(offer.get("highPrice"))
        amount = _number(offer.get("price"))
        if amount is not None:
            return Price(amount=amount, currency=currency)
        if low is not None:
            return Price(amount=low, high=high if high and high > low else None, currency=currency)
    return None


def _marked_price(sheet: Sheet) -> Price | None:
    currencies = (node.attributes.get("content") for node in sheet.old("[itemprop=priceCurrency]"))
    for node in sheet.old("[itemprop=price]"):
        amount = _number(node.attributes.get("content"))
        if amount is not None:
            return Price(amount=amount, currency=_code(next(currencies, None)))
    return None


def _chosen_price(sheet: Sheet) -> Price | None:
    chosen = chosen_variant(sheet)
    return None if chosen is None else chosen.price


def _higher(sheet: Sheet, struck: Iterable[Price | None]) -> Price | None:
    """Return the first of some prices that is higher than what one pays, in the same currency."""
    paid = PRICE.value(sheet)
    if paid is None:
        return None
    higher = (price for price in struck if price is not None and price.amount > paid.amount)
    return next((price for price in higher if price.currency == paid.currency), None)


def _struck_beside(sheet: Sheet) -> list[LexborNode]:
    scope = sheet.part("x-price-section", "x-bin-price", "x-buybox", "x-additional-info")
    return [] if scope is None else scope.css(_STRUCK)


def _struck_below(sheet: Sheet) -> list[LexborNode]:
    extra = sheet.part("x-additional-info", "x-price-transparency")
    return [] if extra is None or once(sheet, _struck_beside) else extra.css(_STRUCK)


def _old_struck(sheet: Sheet) -> list[LexborNode]:
    return list(sheet.old(_OLD_STRUCK))


def _struck(find: Callable[[Sheet], list[LexborNode]]) -> Callable[[Sheet], Price | None]:
    def answer(sheet: Sheet) -> Price | None:
        if PRICE.value(sheet) is None:
            return None
        texts = (clean(node.text()) for node in once(sheet, find))
        return _higher(sheet, (parse_price(text, sheet.locale) for text in texts))

    return answer


def _listed_price(sheet: Sheet) -> Price | None:
    return _higher(sheet, _listed_prices(sheet))


def _listed_prices(sheet: Sheet) -> Iterator[Price]:
    for offer in _offers(sheet):
        listed = offer.get("priceSpecification")
        for entry in listed if isinstance(listed, list) else [listed]:
            if isinstance(entry, dict) and (amount := _number(entry.get("price"))) is not None:
                yield Price(amount=amount, currency=_code(entry.get("priceCurrency")))


def _over(nodes: Iterable[LexborNode]) -> bool | None:
    """Return False if a part of the page says that the offer has ended."""
    return False if any(says_ended(visible(node)) for node in nodes) else None


def _said_over(sheet: Sheet) -> bool | None:
    status = sheet.part("d-statusmessage", "x-statusmessage", "x-alert-module")
    return _over(islice(sheet.old(_MESSAGES), 3) if status is None else (status,))


def _before_choice(sheet: Sheet) -> bool | Settled | None:
    """Where a choice comes first, only what the page states of the whole listing counts."""
    if not needs_choice(sheet):
        return None
    available = _availability(sheet)
    return UNSAID if available is None else available


def _none_left(sheet: Sheet) -> bool | None:
    quantity = sheet.part("x-quantity", "d-quantity")
    return _over(sheet.old(_QUANTITIES) if quantity is None else (quantity,))


def _button(sheet: Sheet) -> bool | None:
    """A button sells what the structured data do not call gone."""
    button = sheet.first(sheet.part("x-buybox-cta"), "[id*=Btn_btn]")
    if sheet.part(*_ACTIONS) is None and button is None and next(sheet.old(_BUTTONS), None) is None:
        return None
    return _availability(sheet) is not False


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


_SHOWN = (
    Source("current bid", '[data-testid="x-bid-price"] .x-price-primary', _current_bid),
    Source("price", '[data-testid="x-price-primary"]', _main_price),
    in_old("older bid", _OLD_BID, _price),
    in_old("older price", _OLD_PRICE, _price),
)
_STATED = (
    Source("JSON-LD", "Product $.offers[*].price", _linked_price),
    Source("microdata", "[itemprop=price]", _marked_price),
)
_CHOSEN = Source("chosen variant", "the price among the variants", _chosen_price)
PRICE: Field[Sheet] = Field("price", (*_SHOWN, *_STATED, _CHOSEN), _settled_price)
LIST_PRICE: Field[Sheet] = Field(
    "list_price",
    (
        Source("struck", f'[data-testid="x-price-section"] {_STRUCK}', _struck(_struck_beside)),
        Source("struck below", f'[data-testid="x-additional-info"] {_STRUCK}', _struck(_struck_below)),
        Source("older struck", _OLD_STRUCK, _struck(_old_struck)),
        Source("JSON-LD", "Product $.offers[*].priceSpecification", _listed_price),
    ),
)
IN_STOCK: Field[Sheet] = Field(
    "in_stock",
    (
        Source("message", f'[data-testid="d-statusmessage"], {_MESSAGES}', _said_over),
        Source("a choice first", "Product $.offers[*].availability", _before_choice),
        Source("quantity", f'[data-testid="x-quantity"], {_QUANTITIES}', _none_left),
        Source("button", f'[data-testid="x-bin-action"], {_BUTTONS}', _button),
        Source("availability", "Product $.offers[*].availability, [itemprop=availability]", _availability),
    ),
)
