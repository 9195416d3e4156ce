"""Page -> Product and Listing: the simulator's catalogue loader, applied to one real page."""

from __future__ import annotations

from windowshop.pages import ItemPage, OptionGroup, OptionValue, Price, ResultsPage, Review, Tile
from windowshop.translators.neutral import neutral
from windowshop.views import Listing, Product, Row

MAX_RESULTS = 50
"""The simulator retrieves at most 50 products for a query (rule c.2)."""

UNKNOWN_PRICE = "N/A"
UNKNOWN_RATING = "N.A."

_SYMBOLS = {"USD": "$", "GBP": "£", "EUR": "€", "INR": "₹", "JPY": "¥"}


def load_product(page: ItemPage) -> Product:
    """Return the product that the simulator's loader would make of this page (simulator rule a.3)."""
    options: dict[str, tuple[str, ...]] = {}
    for group in page.options:
        options[option_name(group)] = tuple(option_text(value) for value in group.values)
    return Product(
        item_id=page.item_id,
        title=neutral(page.title or ""),
        price=price_text(page.price),
        rating=UNKNOWN_RATING if page.rating is None else repr(page.rating),
        options=tuple(options.items()),
        description=neutral(page.description or ""),
        bullets=tuple(neutral(bullet) for bullet in page.bullets),
        reviews=tuple(_review(review) for review in page.reviews),
        page=page,
    )


def load_listing(page: ResultsPage, query: str, before: Listing | None = None) -> Listing:
    """Return the results known so far: those `before` and this page's, a product only once.

    The total is the shop's own count, at most 50 as in the simulator; where the shop gives none it is
    what was seen.
    """
    rows = list(before.rows) if before else []
    seen = {row.item_id for row in rows}
    for tile in page.tiles:
        if tile.item_id not in seen:
            seen.add(tile.item_id)
            rows.append(_row(tile))
    rows = rows[:MAX_RESULTS]
    total = before.total if before else min(MAX_RESULTS, page.total if page.total is not None else len(rows))
    return Listing(
        query=query,
        rows=tuple(rows),
        total=max(total, len(rows)),
        visits=(before.visits if before else 0) + 1,
        more=bool(page.has_next) and len(rows) < MAX_RESULTS,
    )


def option_name(group: OptionGroup) -> str:
    """Return a group's name in the simulator: lower case."""
    return neutral(group.name).lower()


def option_text(value: OptionValue) -> str:
    """Return a value's text in the simulator: stripped, slashes spaced out as bars, lower case."""
    return neutral(value.text).strip().replace("/", " | ").lower()


def price_text(price: Price | None) -> str:
    """Print a price as the simulator does: `$` and Python's float, a range as `$a to $b` (rule a.4).

    A price that the page does not show is `N/A`; the simulator's own `$100.0` would be an invention.
    """
    if price is None:
        return UNKNOWN_PRICE
    currency = price.currency or ""
    sign = _SYMBOLS.get(currency, f"{currency} " if currency else "")
    low = f"{sign}{float(price.amount)!r}"
    return low if price.high is None else f"{low} to {sign}{float(price.high)!r}"


def _row(tile: Tile) -> Row:
    return Row(item_id=tile.item_id, title=neutral(tile.title or ""), price=price_text(tile.price), tile=tile)


def _review(review: Review) -> tuple[str, str, str]:
    score = UNKNOWN_RATING if review.score is None else repr(review.score)
    return neutral(review.title or ""), score, neutral(review.body or "")
