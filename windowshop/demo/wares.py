"""The shop's products: some four hundred, made from the stock list, the same every time."""

from __future__ import annotations

from functools import cache
from itertools import product as combinations

from windowshop.demo.dice import Dice, asin_of, listing_of
from windowshop.demo.product import Choice, Opinion, Product, Variant
from windowshop.demo.stockroom import Aisle, Menu, Shelf, Stockroom, load_stockroom

SELLERS = ("Windowshop Demo", "Corner House Goods", "Nine Lanterns Trading", "Pier & Parcel")
_ENDINGS = (0.99, 0.49, 0.95, 0.0)


@cache
def catalogue() -> tuple[Product, ...]:
    """Return every product of the demo shop, aisle by aisle."""
    room = load_stockroom()
    return tuple(
        _make(room, aisle, shelf, number)
        for aisle in room.aisle
        for shelf in aisle.shelf
        for number in range(shelf.count)
    )


def find_asin(asin: str) -> Product | None:
    """Return the product that has `asin` as its own, its parent's or a variant's id."""
    return _by_asin().get(asin)


def find_listing(listing_id: str) -> Product | None:
    """Return the product that is sold under `listing_id`."""
    return _by_listing().get(listing_id)


def related(product: Product) -> tuple[Product, ...]:
    """Return a few other products of the same kind."""
    kin = [other for other in catalogue() if other.query == product.query]
    kin = [other for other in kin if other.parent != product.parent]
    return Dice(f"related {product.parent}").some(kin, 4)


@cache
def _by_asin() -> dict[str, Product]:
    return {
        asin: product
        for product in catalogue()
        for asin in (product.asin, product.parent, *(variant.asin for variant in product.variants))
    }


@cache
def _by_listing() -> dict[str, Product]:
    return {product.listing_id: product for product in catalogue()}


def _make(room: Stockroom, aisle: Aisle, shelf: Shelf, number: int) -> Product:
    key = f"{shelf.noun} {number}"
    dice = Dice(key)
    brand = aisle.brands[number % len(aisle.brands)]
    material = aisle.materials[(number // len(aisle.brands)) % len(aisle.materials)]
    attributes = dice.some(shelf.attributes, 2 + dice.below(2))
    menus = [room.choices[name] for name in shelf.choices]
    choices = tuple(_choice(menu, dice) for menu in menus)
    chosen = {choice.name: choice.values[dice.below(len(choice.values))] for choice in choices}
    variants = _variants(key, shelf, number, menus, choices, chosen, dice)
    landing = next(variant for variant in variants if variant.options == chosen)
    is_open = number in shelf.open
    if is_open:
        del chosen[choices[0].name]
    title = _title(brand, material, shelf.noun, attributes, number)
    bullets = [room.attributes[attribute] for attribute in attributes]
    bullets += dice.some(room.extras["lines"], 1 + dice.below(3))
    return Product(
        asin=asin_of(key) if is_open else landing.asin,
        parent=asin_of(key),
        listing_id=listing_of(key),
        category=aisle.category,
        path=(*aisle.path, *shelf.path),
        query=shelf.query,
        noun=shelf.noun,
        title=title,
        brand=brand,
        attributes=attributes,
        bullets=tuple(bullets),
        description=None
        if number in shelf.undescribed
        else _description(brand, material, shelf, attributes, dice),
        specifics={
            "Brand": brand,
            "Type": shelf.noun,
            "Material": material,
            "Features": ", ".join(attributes),
        },
        list_price=_list_price(landing, dice),
        unit=aisle.unit,
        rating=round(dice.between(3.1, 4.9), 1),
        review_count=3 + int(dice.between(1, 70) ** 2),
        opinions=_opinions(room, shelf, dice),
        choices=choices,
        chosen=chosen,
        variants=variants,
        seller=dice.pick(SELLERS),
    )


def _choice(menu: Menu, dice: Dice) -> Choice:
    few = 3 + dice.below(2) if menu.step == 0 else len(menu.values)
    return Choice(key=menu.key, name=menu.name, values=dice.some(menu.values, few))


def _variants(
    key: str,
    shelf: Shelf,
    number: int,
    menus: list[Menu],
    choices: tuple[Choice, ...],
    chosen: dict[str, str],
    dice: Dice,
) -> tuple[Variant, ...]:
    base = dice.between(*shelf.price)
    surcharge = {value: 0.5 * dice.below(4) for choice in choices for value in choice.values}
    variants = []
    for values in combinations(*(choice.values for choice in choices)):
        options = {choice.name: value for choice, value in zip(choices, values, strict=True)}
        steps = sum(
            menu.step * choice.values.index(value)
            for menu, choice, value in zip(menus, choices, values, strict=True)
        )
        amount = base * (1 + steps) + sum(surcharge[value] for value in values)
        price = round(int(amount) + _ENDINGS[int(amount * 10) % len(_ENDINGS)], 2)
        stock = 0 if dice.chance(0.1) and options != chosen else 1 + dice.below(30)
        # a gap in the grid, as shops have: the colour that was never made in that size
        if len(choices) > 1 and options != chosen and dice.chance(0.03):
            continue
        full = f"{key} {'/'.join(values)}"
        variants.append(
            Variant(
                asin=asin_of(full if values else key),
                variation_id=listing_of(f"variation {full}"),
                options=options,
                price=None if number in shelf.unpriced else price,
                stock=0 if number in shelf.sold_out else stock,
            )
        )
    return tuple(variants)


def _title(brand: str, material: str, noun: str, attributes: tuple[str, ...], number: int) -> str:
    claims = ", ".join(attribute.title() for attribute in attributes)
    return f"{brand} {material} {noun}, {claims}, Series {number + 1}"


def _description(brand: str, material: str, shelf: Shelf, attributes: tuple[str, ...], dice: Dice) -> str:
    opening = dice.pick(
        (
            "{brand} has made this {noun} for people who keep things.",
            "This {noun} began as a sketch on the back of a receipt at {brand}.",
            "Ask {brand} for one {noun} and this is what comes out of the drawer.",
        )
    )
    noun = shelf.noun.lower()
    claim = " and ".join(attributes)
    return (
        f"{opening.format(brand=brand, noun=noun)} It is {claim}, in {material.lower()} finish, "
        f"and belongs wherever {shelf.path[-1].lower()} are used every day. "
        "Everything about it, like everything in this shop, is invented for the windowshop demo."
    )


def _list_price(landing: Variant, dice: Dice) -> float | None:
    if landing.price is None or not dice.chance(0.4):
        return None
    return round(int(landing.price * dice.between(1.15, 1.6)) + 0.99, 2)


def _opinions(room: Stockroom, shelf: Shelf, dice: Dice) -> tuple[Opinion, ...]:
    voices = room.opinions
    opinions = []
    for author in dice.some(voices.authors, 2 + dice.below(3)):
        is_good = dice.chance(0.7)
        title, body = dice.pick(voices.good if is_good else voices.poor)
        stars = float((4 if is_good else 2) + dice.below(2))
        body = body.format(noun=shelf.noun.lower())
        opinions.append(Opinion(title=title, stars=stars, body=body, author=author))
    return tuple(opinions)
