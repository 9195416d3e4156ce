"""How a customer wants a list of results ordered and narrowed, as each storefront writes it in addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal
from urllib.parse import quote, unquote, urlencode

from pydantic import Field

from windowshop.demo.dice import listing_of
from windowshop.demo.product import Product
from windowshop.demo.wares import catalogue
from windowshop.frozen import Frozen

Order = Literal["price_low", "price_high", "rating"]
AMAZON_SORTS: dict[str, tuple[str, Order | None]] = {
    "relevanceblender": ("Featured", None),
    "price-asc-rank": ("Price: Low to High", "price_low"),
    "price-desc-rank": ("Price: High to Low", "price_high"),
    "review-rank": ("Avg. Customer Review", "rating"),
}
EBAY_SORTS: dict[str, tuple[str, Order | None]] = {
    "12": ("Best Match", None),
    "15": ("Price + Shipping: lowest first", "price_low"),
    "16": ("Price + Shipping: highest first", "price_high"),
}
STARS = {f"91000000{stars}": float(stars) for stars in (4, 3, 2, 1)}
_AMAZON_NAMES = {"Brand": "p_123", "Material": "p_n_material_browse-bin"}
_MOST = 8


class Wish(Frozen):
    """An order and what a product must have to stay in the list: of each group any of its values.

    `landed` says that a product's price is that of the options which its page has selected.
    """

    order: Order | None = None
    low: float | None = None
    high: float | None = None
    stars: float | None = None
    groups: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    landed: bool = False

    def price(self, product: Product) -> float | None:
        """Return the price that a list shows."""
        variant = product.only(product.chosen) if self.landed else None
        if variant is not None:
            return variant.price if variant.offered else None
        prices = product.price(product.chosen if self.landed else {})
        return None if prices is None else prices[0]

    def narrowed(self, products: Iterable[Product]) -> list[Product]:
        """Return the products that stay in the list."""
        return [product for product in products if self._takes(product)]

    def arranged(self, products: Iterable[Product]) -> list[Product]:
        """Return the products that stay, in order; those without a price stand last."""
        found = self.narrowed(products)
        match self.order:
            case "price_low":
                return sorted(found, key=lambda p: _or(self.price(p), float("inf")))
            case "price_high":
                return sorted(found, key=lambda p: -_or(self.price(p), float("-inf")))
            case "rating":
                return sorted(found, key=lambda p: -p.rating)
        return found

    def _takes(self, product: Product) -> bool:
        price = self.price(product)
        if (self.low is not None or self.high is not None) and price is None:
            return False
        return (
            (self.low is None or _or(price, 0.0) >= self.low)
            and (self.high is None or _or(price, 0.0) <= self.high)
            and (self.stars is None or product.rating >= self.stars)
            and all(product.specifics.get(group) in values for group, values in self.groups.items())
        )


class Entry(Frozen):
    """One link that narrows a list: `name` and `value` as the storefront's addresses write them."""

    label: str
    name: str
    value: str
    href: str
    is_checked: bool = False


def offered(products: Sequence[Product], group: str) -> list[str]:
    """Return the commonest values of a group among what was found."""
    counted = Counter(product.specifics[group] for product in products)
    return [value for value, _ in counted.most_common(_MOST)]


def amazon_wish(params: Mapping[str, str]) -> Wish:
    """Read Amazon's parameters; what they say that the shop does not know narrows nothing."""
    parts = dict(part.split(":", 1) for part in params.get("rh", "").split(",") if ":" in part)
    groups = {}
    for group, name in _AMAZON_NAMES.items():
        values = tuple(
            _numbers()[number] for number in parts.get(name, "").split("|") if number in _numbers()
        )
        if values:
            groups[group] = values
    return Wish(
        order=AMAZON_SORTS.get(params.get("s", ""), ("", None))[1],
        low=_amount(params.get("low-price")),
        high=_amount(params.get("high-price")),
        stars=STARS.get(parts.get("p_72", "")),
        groups=groups,
        landed=True,
    )


def amazon_entries(params: Mapping[str, str], products: Sequence[Product]) -> dict[str, list[Entry]]:
    """Return the links of Amazon's left column, by the title of their group."""
    wish = amazon_wish(params)
    parts = dict(part.split(":", 1) for part in params.get("rh", "").split(",") if ":" in part)
    found = {}
    for group, name in _AMAZON_NAMES.items():
        entries = []
        for value in offered(products, group):
            number, held = listing_of(f"facet {value}"), wish.groups.get(group, ())
            left = "|".join(sorted({*(listing_of(f"facet {v}") for v in held)} ^ {number}))
            href = amazon_link(params, {**parts, name: left})
            entries.append(Entry(label=value, name=name, value=number, href=href, is_checked=value in held))
        found[group] = entries
    found["Customer Reviews"] = [
        Entry(
            label=f"{stars:g} Star{'s' if stars > 1 else ''} & Up",
            name="p_72",
            value=number,
            href=amazon_link(params, {**parts, "p_72": number}),
            is_checked=wish.stars == stars,
        )
        for number, stars in STARS.items()
    ]
    return found


def amazon_link(params: Mapping[str, str], parts: Mapping[str, str]) -> str:
    """Return the address of a list, narrowed by `parts`."""
    stated = ",".join(f"{name}:{value}" for name, value in parts.items() if value)
    kept = {name: params[name] for name in ("s", "low-price", "high-price") if name in params}
    query = {
        "k": params.get("k", ""),
        **({"rh": stated} if stated else {}),
        **kept,
        "rnid": "1",
        "ref": "sr_nr",
    }
    return f"/s?{urlencode(query)}"


def ebay_wish(params: Mapping[str, str]) -> Wish:
    """Read eBay's parameters; what they say that the shop does not know narrows nothing."""
    groups = {
        group: tuple(unquote(value) for value in params[group].split("|"))
        for group in ("Brand", "Material")
        if params.get(group)
    }
    return Wish(
        order=EBAY_SORTS.get(params.get("_sop", ""), ("", None))[1],
        low=_amount(params.get("_udlo")),
        high=_amount(params.get("_udhi")),
        groups=groups,
    )


def ebay_entries(host: str, params: Mapping[str, str], products: Sequence[Product]) -> dict[str, list[Entry]]:
    """Return the links of eBay's left column, by the title of their group."""
    wish, found = ebay_wish(params), {}
    for group in ("Brand", "Material"):
        entries = []
        for value in offered(products, group):
            held = wish.groups.get(group, ())
            left = "|".join(quote(v, safe="") for v in sorted({*held} ^ {value}))
            href = ebay_link(host, {**params, group: left})
            entries.append(Entry(label=value, name=group, value=value, href=href, is_checked=value in held))
        found[group] = entries
    is_new = params.get("LH_ItemCondition") == "1000"
    href = ebay_link(host, {**params, "LH_ItemCondition": "" if is_new else "1000"})
    found["Condition"] = [
        Entry(label="New", name="LH_ItemCondition", value="1000", href=href, is_checked=is_new)
    ]
    return found


def ebay_link(host: str, params: Mapping[str, str]) -> str:
    """Return the address of a list, from its first page on."""
    kept = {name: value for name, value in params.items() if value and name != "_pgn"}
    return f"https://{host}/sch/i.html?{urlencode(kept)}"


@cache
def _numbers() -> dict[str, str]:
    """Return what each of Amazon's numbers stands for."""
    values = {product.specifics[group] for product in catalogue() for group in _AMAZON_NAMES}
    return {listing_of(f"facet {value}"): value for value in values}


def _amount(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _or(amount: float | None, other: float) -> float:
    return other if amount is None else amount
