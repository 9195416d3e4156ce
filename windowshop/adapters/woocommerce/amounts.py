"""WooCommerce's own markup of prices: what one pays now, and what one would have paid."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.markup import clean
from windowshop.adapters.money import parse_number, parse_price
from windowshop.adapters.woocommerce.sheet import Sheet
from windowshop.locales import LOCALES
from windowshop.pages import Price

_AMOUNT: Final = ".woocommerce-Price-amount, .amount"
_SYMBOL: Final = ".woocommerce-Price-currencySymbol"
_BESIDE: Final = frozenset(
    {"woocommerce-price-suffix", "screen-reader-text", "price-unit", "per-unit", "subscription-details"}
)
_UNIQUE: Final = {
    "₫": "VND", "৳": "BDT", "₦": "NGN", "₵": "GHS", "₸": "KZT", "₮": "MNT", "₭": "LAK", "៛": "KHR",
    "₼": "AZN", "₾": "GEL", "₲": "PYG", "₡": "CRC", "₺": "TRY", "₱": "PHP", "₩": "KRW", "฿": "THB",
    "₪": "ILS", "₽": "RUB", "₹": "INR", "€": "EUR", "£": "GBP", "₴": "UAH", "zł": "PLN", "kč": "CZK",
    "ft": "HUF", "lei": "RON", "лв.": "BGN", "рсд": "RSD", "km": "BAM", "rp": "IDR", "rm": "MYR",
    "ksh": "KES", "r$": "BRL", "chf": "CHF", "د.إ": "AED", "ر.س": "SAR", "د.ك": "KWD", "ر.ق": "QAR",
    "ر.ع.": "OMR", ".د.ب": "BHD", "د.م.": "MAD", "egp": "EGP", "руб.": "RUB", "nt$": "TWD",
    "dkk": "DKK",
}  # fmt: skip
"""The signs that WooCommerce writes for one currency alone, in lower case."""
_AMBIGUOUS: Final = {
    "$": frozenset(["USD", "CAD", "AUD", "MXN", "SGD", "HKD", "NZD", "CLP", "COP", "ARS"]),
    "kr": frozenset(["SEK", "NOK", "DKK", "ISK"]),
    "kr.": frozenset(["SEK", "NOK", "DKK", "ISK"]),
    "¥": frozenset(["JPY", "CNY"]),
    "₨": frozenset(["PKR", "LKR", "NPR", "MUR", "SCR"]),
    "r": frozenset({"ZAR"}),
}
_THREE_DECIMALS: Final = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])


def price_in(sheet: Sheet, block: LexborNode | None) -> Price | None:
    """Return what one pays: the new price where one is struck out, a range where there are two."""
    if block is None:
        return None
    now = [node for node in _amounts(block) if not _is_struck(node, block)]
    prices = [price for node in now if (price := _price(sheet, node)) is not None]
    if not prices:
        return None
    text = clean(" – ".join(price.text or "" for price in prices[:2]))
    low, high = prices[0], prices[1] if len(prices) == 2 else None
    if high is None or high.amount <= low.amount:
        return low
    return low.model_copy(update={"high": high.amount, "text": text})


def list_price_in(sheet: Sheet, block: LexborNode | None) -> Price | None:
    """Return the price that is struck out."""
    struck = [] if block is None else [node for node in _amounts(block) if _is_struck(node, block)]
    prices = [price for node in struck if (price := _price(sheet, node)) is not None]
    if not prices:
        return None
    high = prices[1].amount if len(prices) == 2 and prices[1].amount > prices[0].amount else None
    return prices[0].model_copy(update={"high": high})


def currency_of(sheet: Sheet, symbol: str | None) -> str | None:
    """Return the currency of a sign: its own, else the page's or the country's where it writes it so."""
    sign = (symbol or "").strip().casefold()
    if sign in _UNIQUE:
        return _UNIQUE[sign]
    if len(sign) == 3 and sign.isascii() and sign.isalpha():
        return sign.upper()
    fitting = _AMBIGUOUS.get(sign)
    known = (sheet.money.code, _country(sheet), sheet.locale.currency)
    if fitting is None:
        return sheet.money.code
    return next((code for code in known if code in fitting), "USD" if sign == "$" else None)


def _country(sheet: Sheet) -> str | None:
    """Return the currency of the country in whose language the page says it is: "en-AU", but not "en-US".

    That is what WordPress writes where nobody chose.
    """
    language = (sheet.attribute("html", "lang") or "").replace("_", "-")
    if language.casefold() == "en-us":
        return None
    found = (locale for table in LOCALES.values() for locale in table.values())
    return next((one.currency for one in found if one.language.casefold() == language.casefold()), None)


def _amounts(block: LexborNode) -> list[LexborNode]:
    """Return the amounts of a price block, without those inside others or beside the price."""
    found: list[LexborNode] = []
    for node in block.css(_AMOUNT):
        above = _above(node, block)
        if not any(_BESIDE & _classes(one) or "amount" in _classes(one) for one in above):
            found.append(node)
    return list({node.mem_id: node for node in found}.values())


def _is_struck(node: LexborNode, block: LexborNode) -> bool:
    return any(one.tag in ("del", "s", "strike") for one in _above(node, block))


def _above(node: LexborNode, block: LexborNode) -> list[LexborNode]:
    above = []
    inner = node.parent
    while inner is not None and inner.mem_id != block.mem_id:
        above.append(inner)
        inner = inner.parent
    return above


def _classes(node: LexborNode) -> set[str]:
    return set((node.attributes.get("class") or "").split())


def _price(sheet: Sheet, node: LexborNode) -> Price | None:
    text = clean(node.text())
    sign = node.css_first(_SYMBOL)
    symbol = None if sign is None else sign.text()
    currency = currency_of(sheet, symbol)
    bare = (text or "").replace(symbol.strip(), " ") if symbol and symbol.strip() else text
    if currency in _THREE_DECIMALS:
        amount = parse_number(bare or "", sheet.money.decimal or ".")
        return None if amount is None else Price(amount=amount, currency=currency, text=text)
    found = parse_price(bare, sheet.locale)
    if found is None:
        return None
    return Price(amount=found.amount, currency=currency if sign is not None else found.currency, text=text)
