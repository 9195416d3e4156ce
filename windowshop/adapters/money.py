"""Text to `Price`, in every locale's way of writing numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from windowshop.locales import Locale
from windowshop.pages import Price

_CODES = (
    "usd|gbp|eur|cad|aud|mxn|brl|inr|jpy|sek|pln|try|chf|sgd|hkd|aed|sar|egp|zar|myr|php|nok|dkk|czk|huf|"
    "ils|krw|twd|cny|thb|idr|vnd|nzd|clp|cop|pen|ars|ron|kwd|qar|bhd|omr|rub|uah"
)
_SYMBOLS = {
    "us $": "USD", "us$": "USD", "usd$": "USD", "au $": "AUD", "au$": "AUD", "a$": "AUD", "c $": "CAD",
    "ca $": "CAD", "ca$": "CAD", "cdn$": "CAD", "c$": "CAD", "mx$": "MXN", "r$": "BRL", "hk$": "HKD",
    "s$": "SGD", "nz$": "NZD", "nt$": "TWD", "£": "GBP", "€": "EUR", "₹": "INR", "rs": "INR", "¥": "JPY",
    "￥": "JPY", "円": "JPY", "zł": "PLN", "kr": "SEK", "₺": "TRY", "tl": "TRY", "rm": "MYR", "₱": "PHP",
    "₩": "KRW", "฿": "THB", "₪": "ILS", "s/.": "PEN", "s/": "PEN", "$ us": "USD", "$ ca": "CAD", "$ c": "CAD",
    "$ au": "AUD", "₽": "RUB", "руб": "RUB", "kč": "CZK", "₴": "UAH", "ft": "HUF",
    "د.إ": "AED", "ر.س": "SAR", "ج.م": "EGP", "r": "ZAR",
}  # fmt: skip
_UNMISTAKABLE = {sign: _SYMBOLS[sign] for sign in "€£₹￥¥円₺₱₩฿₪"}
_SIGNS_ONLY = re.compile(r"[^a-zA-Z$]+")
_DOLLARS = frozenset({"USD", "CAD", "AUD", "MXN", "SGD", "HKD", "NZD", "TWD", "CLP", "COP", "ARS"})
_KRONER = frozenset({"SEK", "NOK", "DKK"})
_NUMBER = re.compile(r"\d{1,3}(?:[\s'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d[\d.,]*\d|\d")
_CURRENCY = re.compile(
    rf"(?<![a-z])(?:{_CODES})(?![a-z])|"
    + "|".join(
        rf"(?<![a-z]){re.escape(symbol)}(?![a-z])" for symbol in sorted(_SYMBOLS, key=len, reverse=True)
    )
    + r"|\$"
)
_SIGN_BEFORE = re.compile(rf"(?:{_CURRENCY.pattern})\s?$")
_SIGN_AFTER = re.compile(rf"\s?(?:{_CURRENCY.pattern})")
_WIDEST_SIGN = 6
_GROUPING = re.compile(r"['’\s]")
_RANGE = re.compile(r"\b(?:to|bis|à|a|tot|till|do|ile|hasta)\b|[-–—~～〜至]|から")
_ARABIC = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹٫٬", "01234567890123456789.,")
_ALIKE = str.maketrans("123456789", "000000000")
_ROUNDED = re.compile(r"\s?(?:[km](?![^\W\d_])|mil\b|mln\b|tys\b|万|萬|тыс)", re.IGNORECASE)
_LONGEST = 15
_LONGEST_TEXT = 500


def parse_number(text: str, decimal: str = ".") -> float | None:
    """Read the first number in `text`, for example "1.234,56", "1,23,456.00" or "12 990"."""
    found = _NUMBER.search(text.translate(_ARABIC))
    return None if found is None else _to_float(found.group(), decimal)


def parse_count(text: str | None) -> int | None:
    """Read the first whole number in `text`, whichever marks group its digits ("80.525", "1 200").

    A rounded one ("1.2K", "3,4 mil") is None: the page does not say the number.
    """
    text = (text or "").translate(_ARABIC)
    found = _NUMBER.search(text)
    if found is None or _ROUNDED.match(text, found.end()):
        return None
    digits = re.sub(r"\D", "", found.group())
    return int(digits) if len(digits) <= _LONGEST else None


def parse_price(text: str | None, locale: Locale) -> Price | None:
    """Read one price or a range ("$12.00 to $15.00") as shown; None where there is no number.

    The currency is the one written beside the number, else (a bare "$" or nothing) the locale's own.
    Prices have no three decimals, so "1.299" is a thousand and more in every language.
    """
    if not text:
        return None
    text = " ".join(text[:_LONGEST_TEXT].split())
    plain = text if text.isascii() else text.translate(_ARABIC)
    first = _NUMBER.search(plain)
    amount = None if first is None else _to_float(first.group(), None)
    if first is None or amount is None:
        return None
    high = None
    second = _NUMBER.search(plain, first.end())
    if second is not None and _RANGE.search(plain[first.end() : second.start()].lower()):
        high = _to_float(second.group(), None)
    high = high if high is not None and high > amount else None
    currency = _currency(plain.translate(_ALIKE), locale.currency)
    return Price(amount=amount, high=high, currency=currency, text=text)


def prices_in(text: str, locale: Locale) -> list[Price]:
    """Read every amount in a running text that has a currency beside it; a bare number is no price."""
    text = text.translate(_ARABIC).lower()
    found = (parse_price(amount, locale) for amount in _with_signs(text))
    return [price for price in found if price is not None]


def _with_signs(text: str) -> Iterator[str]:
    """Yield each number with the currency before it, else with the one after it, where there is one."""
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        before = _SIGN_BEFORE.search(text, max(0, start - _WIDEST_SIGN), start)
        after = _SIGN_AFTER.match(text, end) if before is None else None
        if before is not None or after is not None:
            yield text[before.start() if before else start : after.end() if after else end]


@lru_cache(maxsize=4096)
def _currency(text: str, usual: str) -> str:
    """Return the currency of a price whose digits are all 0, so that most prices of a page are alike."""
    if _SIGNS_ONLY.fullmatch(text) is not None:
        for sign, code in _UNMISTAKABLE.items():
            if sign in text:
                return code
    found = _CURRENCY.search(text.lower())
    if found is None:
        return usual
    symbol = found.group()
    if symbol == "$":
        return usual if usual in _DOLLARS else "USD"
    if symbol == "kr":
        return usual if usual in _KRONER else "SEK"
    return _SYMBOLS.get(symbol) or symbol.upper()


def _to_float(digits: str, decimal: str | None) -> float | None:
    """Turn digits and marks into a number; `decimal` None: three digits after one mark are a group."""
    digits = _GROUPING.sub("", digits)
    points, commas = digits.count("."), digits.count(",")
    if len(digits) - points - commas > _LONGEST:
        return None
    if points or commas:
        place = max(digits.rfind("."), digits.rfind(","))
        last = digits[place]
        grouped = len(digits) - place == 4 and last != decimal and not (decimal is None and digits[0] == "0")
        if not (points and commas) and (points + commas > 1 or grouped):
            digits = digits.replace(last, "")
        else:
            digits = digits.replace("," if last == "." else ".", "").replace(last, ".")
    try:
        return float(digits)
    except ValueError:
        return None
