"""Vocabulary: what the agent is looking at, in the simulator's terms.

A `Product` is a page's facts after the simulator's own preparation (lower-cased options and so on); a `View`
is everything that one moment of an episode depends on, so that any step can be run again from disk.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from windowshop.frozen import Frozen
from windowshop.pages import Facet, ItemPage, Tile

_REFINES = re.compile(r"(?:sort|filter|price|rating)\[.*\]")
Mode = Literal["text", "text_rich", "url"]
Screen = Literal["search", "results", "item", "sub", "done"]


class Row(Frozen):
    """One product on a results page, as the simulator prints it. `tile` is the evidence.

    `neutralised` counts the marks that were taken out of the shop's words (here as in `Product`).
    """

    item_id: str
    title: str
    price: str
    tile: Tile | None = None
    neutralised: int = 0


class Listing(Frozen):
    """The results of one search, as far as they were fetched. `total` is what the page header says.

    `visits` counts the shop's own result pages read so far; `more` says that the shop has another. `refined`
    are the query parameters by which the list is ordered and narrowed, `facets` what else the shop offers.
    """

    query: str
    rows: tuple[Row, ...] = ()
    total: int = 0
    visits: int = 1
    more: bool = False
    refined: tuple[tuple[str, str], ...] = ()
    facets: tuple[Facet, ...] = ()


class Product(Frozen):
    """One product as the simulator's catalogue would hold it; every text is ready to print.

    `options` are (group, values) in page order, `attributes` the lines of the Attributes page. `page` is
    the shop's page it was read from, if any.
    """

    item_id: str
    title: str
    price: str
    rating: str = "N.A."
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    description: str = ""
    bullets: tuple[str, ...] = ()
    reviews: tuple[tuple[str, str, str], ...] = ()
    attributes: tuple[str, ...] = ()
    page: ItemPage | None = None
    neutralised: int = 0


class View(Frozen):
    """One moment of an episode: the simulator's session state, and what is known of the page shown.

    `item_id` is the product that was opened; `variant_id` the id under which the shop sells the chosen
    options, where it has one. `counts` are the simulator's action counters. `extended` says that the agent
    may order and narrow a list, which the simulator cannot.
    """

    instruction: str
    session: str = "0"
    show_attributes: bool = False
    extended: bool = False
    screen: Screen = "search"
    keywords: tuple[str, ...] | None = None
    page: int | None = None
    item_id: str | None = None
    variant_id: str | None = None
    visited: tuple[str, ...] = ()
    options: dict[str, str] = Field(default_factory=dict)
    tab: str | None = None
    counts: dict[str, int] = Field(default_factory=dict)
    done: bool = False
    reward: float | None = None
    listing: Listing | None = None
    product: Product | None = None


class AvailableActions(Frozen):
    """The simulator's `get_available_actions()`."""

    has_search_bar: bool
    clickables: tuple[str, ...]

    @property
    def valid(self) -> list[str]:
        """List the action strings that would do something; a search takes any words, a price any bounds."""
        names = [name for name in self.clickables if name != "search"]
        clicks = [name if _REFINES.fullmatch(name) else f"click[{name}]" for name in names]
        return (["search[<words>]"] if self.has_search_bar else []) + clicks


class Observation(Frozen):
    """What an agent is given at each step.

    `titles` names the products among the clickables. `decision` and `note` say what became of the last
    action, as in its `Step`; None before the first, and where nobody tells.
    """

    text: str
    available_actions: AvailableActions
    instruction: str
    url: str
    mode: Mode
    titles: dict[str, str] = Field(default_factory=dict)
    decision: str | None = None
    note: str | None = None

    @property
    def valid_actions(self) -> list[str]:
        """List the action strings that would do something."""
        return self.available_actions.valid
