"""WooCommerce's own markup of prices: what one pays now, and what one would have paid."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.markup import clean, select
from windowshop.adapters.money import parse_number, parse_price
from windowshop.adapters.woocommerce.sheet import Sheet, classes_of
from windowshop.locales import LOCALES
from windowshop.pages import Price

SIGN: Final = ".woocommerce-Price-currencySymbol"
_AMOUNT: Final = ".woocommerce-Price-amount, .amount"
_BESIDE: Final = frozenset(
    {
        *("woocommerce-price-suffix", "screen-reader-text", "price-unit", "per-unit", "subscription-details"),
        "amount",
    }
)
"""What stands beside a price, or is one already."""
_STRUCK: Final = frozenset({"del", "s", "strike"})
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
_COUNTRIES: Final = {
    one.language.casefold(): one.currency for table in LOCALES.values() for one in table.values()
}


def price_in(sheet: Sheet, block: LexborNode | None, country: str | None = None) -> Price | None:
    """Return what one pays: the new price where one is struck out, a range where there are two.

    `country` is the currency of the page's country, which a sign may stand for.
    """
    prices = _prices(sheet, block, country, struck=False)
    if len(prices) != 2 or prices[1].amount <= prices[0].amount:
        return prices[0] if prices else None
    text = clean(" – ".join(price.text or "" for price in prices))
    return prices[0].model_copy(update={"high": prices[1].amount, "text": text})


def list_price_in(sheet: Sheet, block: LexborNode | None, country: str | None = None) -> Price | None:
    """Return the price that is struck out."""
    prices = _prices(sheet, block, country, struck=True)
    if len(prices) != 2 or prices[1].amount <= prices[0].amount:
        return prices[0] if prices else None
    return prices[0].model_copy(update={"high": prices[1].amount})


def currency_of(sheet: Sheet, symbol: str | None, country: str | None = None) -> str | None:
    """Return the currency of a sign: its own, else the page's or the country's where it writes it so."""
    sign = (symbol or "").strip().casefold()
    if sign in _UNIQUE:
        return _UNIQUE[sign]
    if len(sign) == 3 and sign.isascii() and sign.isalpha():
        return sign.upper()
    fitting = _AMBIGUOUS.get(sign)
    known = (sheet.currency, country, sheet.locale.currency)
    if fitting is None:
        return sheet.currency
    return next((code for code in known if code in fitting), "USD" if sign == "$" else None)


def country_of(sheet: Sheet) -> str | None:
    """Return the currency of the country in whose language the page says it is: "en-AU", but not "en-US".

    That is what WordPress writes where nobody chose.
    """
    root = sheet.tree.root
    language = (clean(root.attributes.get("lang")) if root is not None else None) or ""
    name = language.replace("_", "-").casefold()
    return None if name == "en-us" else _COUNTRIES.get(name)


def _prices(sheet: Sheet, block: LexborNode | None, country: str | None, struck: bool) -> list[Price]:
    found = [] if block is None else _amounts(block, struck)
    return [price for node in found if (price := _price(sheet, node, country)) is not None]


def _amounts(block: LexborNode, struck: bool) -> list[LexborNode]:
    """Return the amounts of a price block that are struck out, or those that are not."""
    return [node for node in select(block, _AMOUNT) if _is_struck(node, block) is struck]


def _is_struck(node: LexborNode, block: LexborNode) -> bool | None:
    """Say whether an amount is struck out; None for one that stands beside the price."""
    struck = False
    above = node.parent
    while above is not None and above.mem_id != block.mem_id:
        if not _BESIDE.isdisjoint(classes_of(above)):
            return None
        struck = struck or above.tag in _STRUCK
        above = above.parent
    return struck


def _price(sheet: Sheet, node: LexborNode, country: str | None) -> Price | None:
    text = clean(node.text())
    sign = node.css_first(SIGN)
    symbol = None if sign is None else sign.text()
    currency = currency_of(sheet, symbol, country)
    bare = (text or "").replace(symbol.strip(), " ") if symbol and symbol.strip() else text
    if currency in _THREE_DECIMALS:
        amount = parse_number(bare or "", sheet.decimal or ".")
        return None if amount is None else Price(amount=amount, currency=currency, text=text)
    found = parse_price(bare, sheet.locale)
    if found is None:
        return None
    return Price(amount=found.amount, currency=currency if sign is not None else found.currency, text=text)
