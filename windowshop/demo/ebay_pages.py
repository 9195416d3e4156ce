"""The demo shop's pages in eBay's markup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from windowshop.demo import msku
from windowshop.demo.card import Card
from windowshop.demo.product import Product
from windowshop.demo.ranking import Listing
from windowshop.demo.render import render, slug
from windowshop.demo.wares import catalogue, related
from windowshop.demo.wish import EBAY_SORTS, ebay_entries, ebay_link


def home_page(host: str) -> bytes:
    """Render the front page."""
    firsts = {product.query: product for product in catalogue()}
    heading, said = "The windowshop demo shop", "Search for one of these:"
    return render("ebay/plain.html", host=host, heading=heading, text=said, products=firsts.values())


def results_page(found: Listing, host: str, params: Mapping[str, str]) -> bytes:
    """Render one page of results; `params` are those of its address."""
    return render(
        "ebay/results.html",
        host=host,
        query=found.query,
        sorts={
            number: (name, ebay_link(host, {**params, "_sop": number}))
            for number, (name, _) in EBAY_SORTS.items()
        },
        params=params,
        refinements=ebay_entries(host, params, found.found),
        kept=_kept(params),
        listing=found,
        tiles=[_card(place.product, found.query, host, place.sponsored) for place in found.places],
        others=[_card(product, found.query, host, True) for product in found.others],
    )


def item_page(product: Product, variation: str | None, host: str, whispers: tuple[str, ...] = ()) -> bytes:
    """Render the page of one listing; `variation` is the variation id chosen in the address, if one is."""
    chosen = next((v.options for v in product.variants if v.variation_id == variation), {})
    variant = product.only(chosen)
    low, high = shown_price(product, chosen)
    list_price = product.struck(low, high)
    return render(
        "ebay/item.html",
        host=host,
        p=product,
        whispers=whispers,
        low=low,
        high=high,
        list_price=list_price,
        saving=round(100 - 100 * low / list_price) if low and list_price else 0,
        stock=variant.stock if variant else (None if any(v.stock for v in product.variants) else 0),
        variation=variant.variation_id if variant and product.choices else None,
        menus=msku.menus(product, chosen),
        as_listbox=int(product.listing_id) % 2 == 0,
        model=msku.model(product, chosen),
        description_url=description_url(product),
        breadcrumb_data=_breadcrumbs(product, host),
        product_data=_facts(product, host, low),
        others=[_card(other, product.query, host, True) for other in related(product)],
    )


def description_page(product: Product, whispers: tuple[str, ...] = ()) -> bytes:
    """Render the frame that holds the seller's description."""
    return render("ebay/description.html", p=product, whispers=whispers)


def description_url(product: Product) -> str:
    """Return the address of the frame that holds the seller's description."""
    query = urlencode(
        {"t": "1785674243000", "category": "177", "seller": slug(product.seller).lower(), "lsite": "0"}
    )
    return f"https://itm.ebaydesc.com/itmdesc/{product.listing_id}?{query}"


def shown_price(product: Product, chosen: dict[str, str]) -> tuple[float | None, float | None]:
    """Return the price that the page shows, with a second one for a range."""
    prices = product.price(chosen)
    if prices is None:
        return None, None
    return prices[0], prices[1] if prices[1] > prices[0] else None


def _kept(params: Mapping[str, str]) -> str:
    """Return what the links to other pages of a list carry along."""
    kept = {name: value for name, value in params.items() if value and name not in ("_nkw", "_pgn")}
    return f"&{urlencode(kept)}" if kept else ""


def _card(product: Product, query: str, host: str, is_sponsored: bool) -> Card:
    low, high = shown_price(product, {})
    told = urlencode({"_skw": query, "itmmeta": "DEMO", "hash": f"item{int(product.listing_id):x}:g:demo"})
    return Card(
        product=product,
        href=f"https://{host}/itm/{product.listing_id}?{told}",
        sponsored=is_sponsored,
        low=low,
        high=high,
    )


def _breadcrumbs(product: Product, host: str) -> dict[str, Any]:
    home = f"https://{host}"
    crumbs = [("eBay", home), *((name, f"{home}/b/{slug(name)}/bn_1") for name in product.path)]
    return {
        "@context": "https://schema.org",
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": address}
            for number, (name, address) in enumerate(crumbs, 1)
        ],
    }


def _facts(product: Product, host: str, low: float | None) -> dict[str, Any]:
    in_stock = any(variant.stock for variant in product.variants)
    offer = {
        "@type": "Offer",
        "url": f"https://{host}/itm/{product.listing_id}",
        "itemCondition": "https://schema.org/NewCondition",
        "availability": f"https://schema.org/{'InStock' if in_stock else 'OutOfStock'}",
        "priceCurrency": "USD",
    }
    return {
        "@type": "Product",
        "@context": "https://schema.org",
        "name": product.title,
        "image": f"https://i.ebayimg.com/images/g/{product.listing_id}/s-l1600.svg",
        "offers": offer if low is None else {**offer, "price": str(low)},
        "brand": {"@type": "Brand", "name": product.brand},
    }
