"""What the demo shop sells: the facts that every page of both storefronts is rendered from."""

from __future__ import annotations

from windowshop.frozen import Frozen


class Choice(Frozen):
    """One option group: `key` is its name in Amazon's data, `name` what a customer reads."""

    key: str
    name: str
    values: tuple[str, ...]


class Variant(Frozen):
    """One combination of options with the ids, the price and the stock that come with it."""

    asin: str
    variation_id: str
    options: dict[str, str]
    price: float | None
    stock: int

    @property
    def offered(self) -> bool:
        """Say whether it can be bought at a stated price."""
        return self.stock > 0 and self.price is not None

    def matches(self, chosen: dict[str, str]) -> bool:
        """Say whether it has every option value in `chosen`."""
        return all(self.options.get(name) == value for name, value in chosen.items())


class Opinion(Frozen):
    """One customer review."""

    title: str
    stars: float
    body: str
    author: str


class Product(Frozen):
    """One product, sold under `asin` on one storefront and under `listing_id` on the other.

    `chosen` is what its page has selected when one arrives from the results; where that leaves an option
    open, the page shows a price range. A product without options has one variant.
    """

    asin: str
    parent: str
    listing_id: str
    category: str
    path: tuple[str, ...]
    query: str
    noun: str
    title: str
    brand: str
    attributes: tuple[str, ...]
    bullets: tuple[str, ...]
    description: str | None
    specifics: dict[str, str]
    list_price: float | None
    unit: str | None
    rating: float
    review_count: int
    opinions: tuple[Opinion, ...]
    choices: tuple[Choice, ...]
    chosen: dict[str, str]
    variants: tuple[Variant, ...]
    seller: str

    def matching(self, chosen: dict[str, str]) -> list[Variant]:
        """Return the variants that have every value in `chosen`."""
        return [variant for variant in self.variants if variant.matches(chosen)]

    def only(self, chosen: dict[str, str]) -> Variant | None:
        """Return the variant that `chosen` settles on, or None where an option is still open."""
        if len(chosen) < len(self.choices):
            return None
        found = self.matching(chosen)
        return found[0] if found else None

    def struck(self, low: float | None, high: float | None) -> float | None:
        """Return the list price where it may stand struck out beside a single, lower price."""
        if self.list_price is None or low is None or high is not None:
            return None
        return self.list_price if low < self.list_price else None

    def price(self, chosen: dict[str, str]) -> tuple[float, float] | None:
        """Return the lowest and the highest price among what `chosen` leaves open, or None."""
        prices = [v.price for v in self.matching(chosen) if v.price is not None]
        return (min(prices), max(prices)) if prices else None
