"""Four invented shops: the demo's own catalogue, each product in some of them and at prices of their own."""

from __future__ import annotations

from collections.abc import Iterator

from windowshop.demo.dice import Dice
from windowshop.demo.product import Product
from windowshop.demo.wares import catalogue
from windowshop.demo.woo_goods import Choice, Goods, Variation, slug_of

SHOPS = 4


def stock() -> tuple[tuple[Goods, ...], ...]:
    """Return what each of the four shops sells; a product is in two of them at least."""
    return tuple(tuple(_goods(shop)) for shop in range(1, SHOPS + 1))


def _goods(shop: int) -> Iterator[Goods]:
    for place, product in enumerate(catalogue()):
        dice = Dice(f"woo {product.asin}")
        if shop in dice.some(range(1, SHOPS + 1), 2 + place % 3):
            yield _made(product, shop * 10_000 + place * 20)


def _made(product: Product, number: int) -> Goods:
    factor = 0.9 + number % 7 / 20
    variations = tuple(
        Variation(
            number=number + place,
            options=dict(variant.options),
            price=None if variant.price is None else round(variant.price * factor, 2),
            in_stock=variant.stock > 0,
        )
        for place, variant in enumerate(product.variants[:19], 1)
    )
    prices = [one.price for one in variations if one.price is not None]
    return Goods(
        number=number,
        slug=slug_of(product.title),
        name=product.title,
        price=min(prices, default=None),
        brand=product.brand,
        description=f"<p>{product.description or product.title}</p>",
        short="<ul>" + "".join(f"<li>{bullet}</li>" for bullet in product.bullets) + "</ul>",
        path=tuple(product.path),
        in_stock=any(one.in_stock for one in variations),
        choices=tuple(Choice(name=choice.name, values=tuple(choice.values)) for choice in product.choices),
        variations=variations if product.choices else (),
    )
