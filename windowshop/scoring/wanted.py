"""What a goal asks that rules can read from English words: an order of the list, limits on a product.

Nothing is guessed: what a rule cannot read is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from windowshop.frozen import Frozen
from windowshop.pages import Order

_ORDERS: Final[tuple[tuple[Order, str], ...]] = (
    ("price_high", r"high(?:est)?[- ]to[- ]low|from highest|most expensive|highest prices?\b"),
    (
        "price_low",
        r"(?<!to )(?<!to the )\blowest (?:\w+ ){0,2}prices?\b|cheapest|low(?:est)?[- ]to[- ]high|from lowest|"
        r"(?:most (?:favou?rabl[ey]|competitive(?:ly)?)|best(?: competitive)?) (?:priced?|prices)\b",
    ),
    ("rating", r"highest (?:\w+ ){0,2}rat(?:ing|ed)|(?:top|best|highest)[- ]rated"),
    ("newest", r"newest|latest|most recent|newly|new(?:est)? arrivals?"),
    ("popular", r"best[- ]?sell|top[- ]?sell|(?:sales|seller) rank|most popular|trending"),
)
_AMOUNT: Final = r"(?:\$|US\$|usd )\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:dollars|usd)\b"
_BETWEEN: Final = re.compile(
    rf"(?:between|range of|from)?\s*(?:{_AMOUNT})\s*(?:and|to|[-–—])\s*\$?(\d[\d,]*(?:\.\d+)?)", re.IGNORECASE
)
_UP_TO: Final = re.compile(
    rf"(?P<word>under|below|less than|lower than|cheaper than|no more than|not more than|at most|up to|"
    rf"not exceeding|no higher than|(?:a )?max(?:imum)?(?: price)?(?: of)?|within(?: a)?)\s+(?:{_AMOUNT})",
    re.IGNORECASE,
)
_OR_LESS: Final = re.compile(rf"(?:{_AMOUNT})\s+or (?:less|under|below|lower|cheaper)", re.IGNORECASE)
_AND_UP: Final = re.compile(
    rf"pric(?:ed?|es|ing) (?P<word>over|above|more than|at least|from)\s+(?:{_AMOUNT})", re.IGNORECASE
)
_TOGETHER: Final = re.compile(r"(?:total|combined|orders?|purchases?)\W+(?:\w+\W+){0,3}$", re.IGNORECASE)
"""Words before an amount that make it no limit of one product's price."""
_STARS: Final = re.compile(
    r"(?P<before>(?:[\w-]+\s+){0,4})(?<![\d.])(?P<number>[0-5](?:\.\d+)?)(?P<plus>\s?\+)?[- ]?stars?\b",
    re.IGNORECASE,
)
_REVIEWS: Final = re.compile(
    r"(?P<before>(?:[\w-]+\s+){0,4})(?<![\d.,])(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?P<plus>\s?\+)?\s+"
    r"(?:[a-z-]+\s+){0,2}?(?:reviews|ratings)\b",
    re.IGNORECASE,
)
_STRICT: Final = re.compile(r"above|over|exceed\w*|more than|greater than|higher than", re.IGNORECASE)
_COMPARED: Final = re.compile(
    rf"{_STRICT.pattern}|at least|minimum|no (?:less|fewer) than|with|from|based on|rated", re.IGNORECASE
)
_UNDER: Final = frozenset({"under", "below", "less than", "lower than", "cheaper than"})


class Limit(Frozen):
    """A bound, and whether it is itself outside."""

    value: float
    strict: bool = False

    def holds(self, number: float, least: bool) -> bool:
        """Say whether a number is on the right side: above the bound where it is the `least`, else below."""
        if number == self.value:
            return not self.strict
        return number > self.value if least else number < self.value


class Wanted(Frozen):
    """What a goal asks that rules can read: the orders that would do, and the limits on a product."""

    orders: tuple[Order, ...] = ()
    low: Limit | None = None
    high: Limit | None = None
    rating: Limit | None = None
    reviews: Limit | None = None


def wanted_of(texts: Iterable[str], sort: str | None = None) -> Wanted:
    """Return what sub-queries ask; where two limit the same, the narrower one."""
    said = list(texts)
    lows, highs = _price_limits(said)
    orders = tuple(order for order, words in _ORDERS if sort and re.search(words, sort, re.IGNORECASE))
    return Wanted(
        orders=orders,
        low=max(lows, key=lambda limit: limit.value, default=None),
        high=min(highs, key=lambda limit: limit.value, default=None),
        rating=_floor(_STARS, said),
        reviews=_floor(_REVIEWS, said),
    )


def _price_limits(texts: Iterable[str]) -> tuple[list[Limit], list[Limit]]:
    lows: list[Limit] = []
    highs: list[Limit] = []
    for text in texts:
        for match in _alone(_BETWEEN, text):
            lows.append(Limit(value=_number(match[1] or match[2])))
            highs.append(Limit(value=_number(match[3])))
        for match in _alone(_UP_TO, text):
            highs.append(Limit(value=_number(match[2] or match[3]), strict=match["word"].lower() in _UNDER))
        highs += [Limit(value=_number(match[1] or match[2])) for match in _alone(_OR_LESS, text)]
        for match in _alone(_AND_UP, text):
            strict = _STRICT.fullmatch(match["word"]) is not None
            lows.append(Limit(value=_number(match[2] or match[3]), strict=strict))
    return lows, highs


def _alone(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the matches that speak of one product's price."""
    return [match for match in pattern.finditer(text) if _TOGETHER.search(text, 0, match.start()) is None]


def _floor(pattern: re.Pattern[str], texts: Iterable[str]) -> Limit | None:
    """Return the highest number that is asked for at least; "above 4" leaves 4 out, "4+" does not."""
    found = [
        Limit(
            value=_number(match["number"]),
            strict=match["plus"] is None and _is_strict(match["before"]),
        )
        for text in texts
        for match in pattern.finditer(text)
    ]
    return max(found, key=lambda limit: (limit.value, limit.strict), default=None)


def _is_strict(before: str) -> bool:
    """Say whether the last word that compares leaves the number itself out."""
    words = _COMPARED.findall(before)
    return bool(words) and _STRICT.fullmatch(words[-1]) is not None


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))
