"""A WooCommerce shop's pages, in a classic theme or one of blocks, from plain values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from windowshop.demo.render import render
from windowshop.demo.woo_goods import Goods, Variation
from windowshop.frozen import Frozen

PER_PAGE: Final = 16
Look = Literal["classic", "blocks"]


class Style(Frozen):
    """How a shop looks and writes its prices: "1.249,99 €" or "€1,249.99"."""

    name: str
    look: Look = "classic"
    decimal: str = "."
    is_suffix: bool = False
    code: str = "EUR"
    symbol: str = "€"


class CartLine(Frozen):
    """One line of a cart or an order."""

    goods: Goods
    quantity: int = 1
    variation: Variation | None = None

    @property
    def price(self) -> float:
        """Return what one costs."""
        told = self.variation.price if self.variation else self.goods.price
        return told or 0.0

    @property
    def name(self) -> str:
        """Return the name with the chosen options."""
        chosen = self.variation.options.values() if self.variation else ()
        return " - ".join((self.goods.name, ", ".join(chosen))) if chosen else self.goods.name


class Page:
    """One shop's pages. `at` is its address, without a slash at the end."""

    def __init__(self, style: Style, at: str) -> None:
        self.style = style
        self.at = at

    def front(self) -> bytes:
        """Return the page that greets."""
        return self._page("front", "home page-template-default page woocommerce-no-js")

    def item(self, goods: Goods, added: str | None = None) -> bytes:
        """Return a product's page; `added` is what was just put into the cart."""
        return self._page(
            "item",
            f"product-template-default single-product postid-{goods.number} woocommerce woocommerce-page",
            goods=goods,
            added=added,
            linked=json.dumps(self._linked(goods)),
            variations=json.dumps([_sold(goods, one) for one in goods.variations]),
        )

    def results(self, query: str, page: int, found: Sequence[Goods]) -> bytes:
        """Return one page of a search."""
        first = (page - 1) * PER_PAGE
        return self._page(
            "results",
            "archive search search-results post-type-archive-product woocommerce woocommerce-page",
            query=query,
            page=page,
            pages=max(1, -(-len(found) // PER_PAGE)),
            first=first + 1,
            last=min(first + PER_PAGE, len(found)),
            total=len(found),
            shown=found[first : first + PER_PAGE],
        )

    def cart(self, lines: Sequence[CartLine]) -> bytes:
        """Return what lies in the cart."""
        return self._page("cart", "page woocommerce-cart woocommerce-page", lines=lines)

    def checkout(self, lines: Sequence[CartLine], nonce: str, errors: Sequence[str] = ()) -> bytes:
        """Return the form of the checkout, or word that the cart is empty."""
        body = "page woocommerce-checkout woocommerce-page"
        return self._page("checkout", body, lines=lines, nonce=nonce, errors=errors)

    def order(self, number: int, lines: Sequence[CartLine], billing: dict[str, str]) -> bytes:
        """Return the page that confirms an order."""
        body = "page woocommerce-checkout woocommerce-page woocommerce-order-received"
        return self._page("order", body, number=number, lines=lines, billing=billing)

    def account(self) -> bytes:
        """Return the page where one would sign in."""
        return self._page("account", "page woocommerce-account woocommerce-page")

    def missing(self) -> bytes:
        """Return the page for an address where nothing stands."""
        return self._page("missing", "error404 woocommerce-no-js")

    def money(self, amount: float | None) -> str:
        """Write an amount as this shop does."""
        text = f"{amount or 0:,.2f}"
        return text if self.style.decimal == "." else text.translate(str.maketrans(".,", ",."))

    def _page(self, template: str, body: str, **context: Any) -> bytes:
        return render(
            f"woo/{template}.html", style=self.style, at=self.at, body=body, money=self.money, **context
        )

    def _linked(self, goods: Goods) -> dict[str, Any]:
        """Return what WooCommerce says of a product for machines."""
        stock = "InStock" if goods.in_stock else "OutOfStock"
        offer = {
            "@type": "Offer",
            "price": f"{goods.price or 0:.2f}",
            "priceCurrency": self.style.code,
            "availability": f"http://schema.org/{stock}",
            "url": f"{self.at}/product/{goods.slug}/",
        }
        crumbs = [
            {"@type": "ListItem", "position": place, "item": {"name": name}}
            for place, name in enumerate(("Home", *goods.path, goods.name), 1)
        ]
        product: dict[str, Any] = {"@type": "Product", "name": goods.name, "sku": goods.sku or goods.number}
        if goods.price is not None:
            product |= {"offers": [offer]}
        trail = {"@type": "BreadcrumbList", "itemListElement": crumbs}
        return {"@context": "https://schema.org/", "@graph": [trail, product]}


def _sold(goods: Goods, one: Variation) -> dict[str, Any]:
    """Return a variation as WooCommerce writes it into its form; what it leaves open is an empty text."""
    return {
        "attributes": {
            f"attribute_{field_of(choice.name)}": one.options.get(choice.name, "") for choice in goods.choices
        },
        "variation_id": one.number,
        "display_price": one.price,
        "display_regular_price": one.regular or one.price,
        "is_in_stock": one.in_stock,
        "is_purchasable": one.price is not None,
        "variation_is_active": True,
    }


def field_of(name: str) -> str:
    """Return the name of a choice as it stands in a form."""
    return name.lower().replace(" ", "-")
