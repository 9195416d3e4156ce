"""Text to `Price`, in every locale's way of writing numbers."""

from __future__ import annotations

import re

from windowshop.locales import Locale
from windowshop.pages import Price

_SYMBOLS = {
    "us $": "USD", "au $": "AUD", "c $": "CAD", "ca $": "CAD", "mx$": "MXN", "r$": "BRL",
    "hk$": "HKD", "s$": "SGD", "a$": "AUD", "c$": "CAD", "$": None, "£": "GBP", "€": "EUR", "₹": "INR",
    "rs.": "INR", "¥": "JPY", "￥": "JPY", "円": "JPY", "zł": "PLN", "kr": "SEK", "₺": "TRY", "tl": "TRY",
    "chf": "CHF", "rm": "MYR", "₱": "PHP", "php": "PHP",
}  # fmt: skip
_CODE = re.compile(r"\b(USD|GBP|EUR|CAD|AUD|MXN|BRL|INR|JPY|SEK|PLN|TRY|CHF|SGD|HKD|AED|SAR|EGP|ZAR|MYR|PHP)\b")
_NUMBER = re.compile(r"\d[\d.,'’\s\u00a0\u202f]*\d|\d")


def parse_number(text: str, decimal: str = ".") -> float | None:
    """Read the first number in `text`, for example "1.234,56", "1,23,456.00" or "12 990"."""
    found = _NUMBER.search(text)
    return None if found is None else _to_float(found.group(), decimal)


def parse_price(text: str | None, locale: Locale) -> Price | None:
    """Read one price or a range ("$12.00 to $15.00") as shown; None where there is no number.

    The currency is the one written beside the number, else (a bare "$" or nothing) the locale's own.
    """
    if not text:
        return None
    text = " ".join(text.split())
    numbers = [_to_float(match.group(), locale.decimal) for match in _NUMBER.finditer(text)]
    amounts = [number for number in numbers if number is not None]
    if not amounts:
        return None
    high = amounts[1] if len(amounts) > 1 and _is_range(text) else None
    return Price(amount=amounts[0], high=high, currency=_currency(text, locale), text=text)


def _is_range(text: str) -> bool:
    first, second = list(_NUMBER.finditer(text))[:2]
    between = text[first.end() : second.start()].lower()
    return re.search(r"\bto\b|\bbis\b|\bà\b|\ba\b|\btot\b|[-–—~]", between) is not None


def _currency(text: str, locale: Locale) -> str:
    code = _CODE.search(text)
    if code is not None:
        return code.group()
    lowered = text.lower()
    for symbol, currency in _SYMBOLS.items():
        if symbol in lowered:
            return currency or locale.currency
    return locale.currency


def _to_float(digits: str, decimal: str) -> float | None:
    digits = re.sub(r"['’\s\u00a0\u202f]", "", digits)
    marks = [mark for mark in digits if mark in ".,"]
    if marks:
        last = marks[-1]
        tail = len(digits) - digits.rindex(last) - 1
        if len(set(marks)) == 1 and (len(marks) > 1 or (tail == 3 and last != decimal)):
            digits = digits.replace(last, "")
        else:
            digits = digits.replace("," if last == "." else ".", "").replace(last, ".")
    try:
        return float(digits)
    except ValueError:
        return None
