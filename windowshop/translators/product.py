"""Page -> Product and Listing: the simulator's catalogue loader, applied to one real page."""

from __future__ import annotations

from collections.abc import Iterator

from windowshop.pages import ItemPage, Price, ResultsPage
from windowshop.translators.refinements import worded
from windowshop.translators.wording import wording_of
from windowshop.views import Listing, Product, Row

MAX_RESULTS = 50
"""The simulator retrieves at most 50 products for a query (rule c.2)."""

UNKNOWN_PRICE = "N/A"
UNKNOWN_RATING = "N.A."

_SYMBOLS = {"USD": "$", "GBP": "£", "EUR": "€", "INR": "₹", "JPY": "¥"}


def load_product(page: ItemPage) -> Product:
    """Return the product that the simulator's loader would make of this page (simulator rule a.3)."""
    wording = wording_of(page.site)
    options: dict[str, tuple[str, ...]] = {}
    for group in page.options:
        values = tuple(wording.option_value(value.text) for value in group.values)
        options[wording.option_name(group.name)] = values
    return Product(
        item_id=page.item_id,
        title=wording.text(page.title or ""),
        price=price_text(page.price),
        rating=_number(page.rating),
        options=tuple(options.items()),
        description=wording.text(page.description or ""),
        bullets=tuple(wording.text(bullet) for bullet in page.bullets),
        reviews=tuple(
            (wording.text(review.title or ""), _number(review.score), wording.text(review.body or ""))
            for review in page.reviews
        ),
        page=page,
        neutralised=sum(map(wording.marks, _texts(page))),
    )


def fill_tab(product: Product, tab: str, texts: tuple[str, ...]) -> Product:
    """Return the product with a tab that stood on a page of its own; it is not asked for again."""
    if product.page is None:
        return product
    wording = wording_of(product.page.site)
    left = {name: url for name, url in product.page.tabs.items() if name != tab}
    page = product.page.model_copy(update={"tabs": left})
    said = tuple(wording.text(text) for text in texts)
    filled: dict[str, object]
    match tab:
        case "description":
            filled = {"description": " ".join(said)}
        case "features":
            filled = {"bullets": said}
        case "attributes":
            filled = {"attributes": said}
        case _:
            filled = {}
    marks = product.neutralised + sum(map(wording.marks, texts))
    return product.model_copy(update={"page": page, "neutralised": marks, **filled})


def load_listing(
    page: ResultsPage,
    query: str,
    before: Listing | None = None,
    refined: tuple[tuple[str, str], ...] = (),
) -> Listing:
    """Return the results known so far: those `before` and this page's, a product only once.

    The total is the shop's own count, at most 50 as in the simulator; where the shop gives none it is
    what was seen.
    """
    wording = wording_of(page.site)
    rows = list(before.rows) if before else []
    seen = {row.item_id for row in rows}
    for tile in page.tiles:
        if len(rows) == MAX_RESULTS:
            break
        if tile.item_id not in seen:
            seen.add(tile.item_id)
            title, price = wording.text(tile.title or ""), price_text(tile.price)
            marks = wording.marks(tile.title or "")
            rows.append(Row(item_id=tile.item_id, title=title, price=price, tile=tile, neutralised=marks))
    total = before.total if before else min(MAX_RESULTS, page.total if page.total is not None else len(rows))
    return Listing(
        query=query,
        rows=tuple(rows),
        total=max(total, len(rows)),
        visits=(before.visits if before else 0) + 1,
        more=bool(page.has_next) and len(rows) < MAX_RESULTS,
        refined=refined,
        facets=before.facets if before else tuple(worded(facet, wording) for facet in page.facets or ()),
    )


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


def _texts(page: ItemPage) -> Iterator[str]:
    """Yield every text of the page that an agent may read."""
    yield from (page.title or "", page.description or "", *page.bullets)
    for group in page.options:
        yield group.name
        yield from (value.text for value in group.values)
    for review in page.reviews:
        yield from (review.title or "", review.body or "")


def _number(value: float | None) -> str:
    return UNKNOWN_RATING if value is None else repr(value)
