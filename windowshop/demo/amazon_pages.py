"""The demo shop's pages in Amazon's markup."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from windowshop.demo import twister
from windowshop.demo.card import Card
from windowshop.demo.product import Product
from windowshop.demo.ranking import PER_PAGE, Listing
from windowshop.demo.render import render, slug
from windowshop.demo.wares import catalogue, related
from windowshop.demo.wish import AMAZON_SORTS, amazon_entries


def home_page() -> bytes:
    """Render the front page."""
    firsts = {product.query: product for product in catalogue()}
    return render("amazon/home.html", products=firsts.values())


def results_page(found: Listing, host: str, params: Mapping[str, str]) -> bytes:
    """Render one page of results; `params` are those of its address."""
    first = (found.page - 1) * PER_PAGE + 1
    cards = [
        _card(place.product, found.query, index, place.sponsored)
        for index, place in enumerate(found.places, 1)
    ]
    return render(
        "amazon/results.html",
        host=host,
        query=found.query,
        sorts=AMAZON_SORTS,
        params=params,
        refinements=amazon_entries(params, found.found),
        kept=_kept(params),
        listing=found,
        first=first,
        last=first - 1 + sum(not place.sponsored for place in found.places),
        tiles=cards,
        others=[_card(product, found.query, 0, True) for product in found.others],
    )


def item_page(product: Product, asin: str, host: str, whispers: tuple[str, ...] = ()) -> bytes:
    """Render the page of one item; `asin` may be the product's own, its parent's or a variant's."""
    chosen = next((v.options for v in product.variants if v.asin == asin), product.chosen)
    variant = product.only(chosen)
    asin = variant.asin if variant else asin
    low, high = shown_price(product, chosen)
    list_price = product.struck(low, high)
    return render(
        "amazon/item.html",
        host=host,
        p=product,
        whispers=whispers,
        asin=asin,
        chosen=chosen,
        low=low,
        high=high,
        list_price=list_price,
        saving=round(100 - 100 * low / list_price) if low and list_price else 0,
        stock=variant.stock if variant else None,
        open=" and ".join(choice.name for choice in product.choices if choice.name not in chosen),
        rows=twister.rows(product, chosen) if product.choices else [],
        twister=twister.twister(product, chosen, asin),
        sorting=twister.sorting(product, chosen),
        others=[_card(other, product.query, 0, True) for other in related(product)],
    )


def shown_price(product: Product, chosen: dict[str, str]) -> tuple[float | None, float | None]:
    """Return the price that the page shows, with a second one for a range; a sold-out item shows none."""
    variant = product.only(chosen)
    if variant is not None:
        return (variant.price if variant.offered else None), None
    prices = product.price(chosen)
    if prices is None:
        return None, None
    return prices[0], prices[1] if prices[1] > prices[0] else None


def _kept(params: Mapping[str, str]) -> str:
    """Return what the links to other pages of a list carry along."""
    kept = {name: params[name] for name in ("rh", "s", "low-price", "high-price") if params.get(name)}
    return f"&{urlencode(kept)}" if kept else ""


def _card(product: Product, query: str, index: int, is_sponsored: bool) -> Card:
    low, high = shown_price(product, product.chosen)
    path = f"/{slug(product.title)}/dp/{product.asin}/ref=sr_1_{index}"
    href = f"{path}?{urlencode({'dib_tag': 'se', 'keywords': query, 'sr': f'8-{index}'})}"
    if is_sponsored:
        href = f"/sspa/click?ie=UTF8&spc=demo&sp_csd=d2lkZ2V0&url={quote(href, safe='')}"
    return Card(
        product=product,
        href=href,
        sponsored=is_sponsored,
        low=low,
        high=high,
    )
