"""Vocabulary: what a shop's page says, read by an adapter, before any translation.

Every field is optional unless the page cannot exist without it. `None` means that the page does not say;
nothing here is ever guessed. `model_dump(mode="json")` of these is what `windowshop parse` prints.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from windowshop.frozen import Frozen


class Price(Frozen):
    """What one pays now for one new unit, as the page shows it.

    `high` is set only for a range. `currency` is an ISO 4217 code; `text` is the page's own wording.
    """

    amount: float
    high: float | None = None
    currency: str | None = None
    text: str | None = None


class Tile(Frozen):
    """One product among the results."""

    item_id: str
    title: str | None = None
    price: Price | None = None
    sponsored: bool | None = None
    url: str | None = None


class OptionValue(Frozen):
    """One value of an option; `item_id` and `price` are those of the page one gets by choosing it."""

    text: str
    selected: bool | None = None
    available: bool | None = None
    item_id: str | None = None
    price: Price | None = None


class OptionGroup(Frozen):
    """One choice that the page offers, for example "Size"."""

    name: str
    values: tuple[OptionValue, ...] = ()


class Variant(Frozen):
    """One full combination of options, with the id under which the shop sells it."""

    item_id: str
    options: dict[str, str]
    price: Price | None = None
    in_stock: bool | None = None


class Review(Frozen):
    """One customer review printed on the item's own page."""

    title: str | None = None
    score: float | None = None
    body: str | None = None


class _Page(Frozen):
    site: str
    locale: str | None = None


FacetKind = Literal["sort", "filter", "rating", "price"]
Order = Literal["relevance", "price_low", "price_high", "rating", "newest", "popular", "ending", "nearest"]


class Facet(Frozen):
    """One way to order or to narrow a list of results, as its page offers it.

    `params` are the query parameters that choosing it sets. Those of a price range are the lowest and the
    highest price, "" where it is open; a page that takes any bounds has one that is open on both sides.
    `order` is what a sort means, `stars` the rating from which on a product stays in the list.
    """

    kind: FacetKind
    label: str | None = None
    group: str | None = None
    params: tuple[tuple[str, str], ...] = ()
    order: Order | None = None
    stars: float | None = None
    selected: bool | None = None


class SearchPage(_Page):
    """The shop's front page: nothing but a search bar as far as an agent is concerned."""

    kind: Literal["search"] = "search"


class ResultsPage(_Page):
    """A list of products. `total` is the shop's own count; `tiles` are in page order.

    `facets` are read only when they are asked for; None is not read.
    """

    kind: Literal["results"] = "results"
    query: str | None = None
    page: int | None = None
    has_next: bool | None = None
    total: int | None = None
    total_text: str | None = None
    tiles: tuple[Tile, ...] = ()
    facets: tuple[Facet, ...] | None = None


class ItemPage(_Page):
    """One product. `tabs` names the addresses of parts that stand on pages of their own, by tab."""

    kind: Literal["item"] = "item"
    item_id: str
    title: str | None = None
    price: Price | None = None
    list_price: Price | None = None
    rating: float | None = None
    review_count: int | None = None
    brand: str | None = None
    bullets: tuple[str, ...] = ()
    description: str | None = None
    tabs: dict[str, str] = Field(default_factory=dict)
    options: tuple[OptionGroup, ...] = ()
    variants: tuple[Variant, ...] = ()
    in_stock: bool | None = None
    breadcrumbs: tuple[str, ...] = ()
    condition: str | None = None
    seller: str | None = None
    specifics: dict[str, str] = Field(default_factory=dict)
    reviews: tuple[Review, ...] = ()
    image: str | None = None


class SubPage(_Page):
    """A part of an item that the shop serves apart (eBay's seller-written description, WebShop's tabs)."""

    kind: Literal["sub_page"] = "sub_page"
    tab: str
    texts: tuple[str, ...] = ()


class DonePage(_Page):
    """WebShop's own last page. No real shop's adapter gives one: nothing is ever bought."""

    kind: Literal["done"] = "done"
    item_id: str
    options: dict[str, str] = Field(default_factory=dict)
    reward: float | None = None


class Challenge(_Page):
    """The shop wants to know who we are. Reported as an outcome; never answered."""

    kind: Literal["challenge"] = "challenge"
    reason: Literal["captcha", "signin", "blocked"]


class NotFound(_Page):
    """The item or listing is gone."""

    kind: Literal["not_found"] = "not_found"


class ErrorPage(_Page):
    """The shop says that it failed."""

    kind: Literal["error"] = "error"


class OtherPage(_Page):
    """A page of the shop that is none of the above (reviews, cart, help)."""

    kind: Literal["other"] = "other"


Page = Annotated[
    SearchPage | ResultsPage | ItemPage | SubPage | DonePage | Challenge | NotFound | ErrorPage | OtherPage,
    Field(discriminator="kind"),
]
