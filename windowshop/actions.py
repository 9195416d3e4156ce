"""Vocabulary: what an agent can do, and where that may lead.

`Buy` is an action and never a navigation: no value in this file can ask a shop to sell anything.
"""

from __future__ import annotations

from windowshop.frozen import Frozen


class Search(Frozen):
    """`search[query]`."""

    query: str


class OpenItem(Frozen):
    """`click[b0...]` on a results page."""

    item_id: str


class ChooseOption(Frozen):
    """`click[red]` on an item page; `group` is the simulator's (lower-cased) group name."""

    group: str
    value: str


class OpenTab(Frozen):
    """`click[description]`, `click[features]`, `click[reviews]`, `click[attributes]`."""

    tab: str


class NextPage(Frozen):
    """`click[next >]`."""


class PrevPage(Frozen):
    """`click[< prev]`."""


class BackToSearch(Frozen):
    """`click[back to search]`."""


class Refine(Frozen):
    """`sort[...]`, `filter[...]`, `price[low-high]` or `rating[4+]`, of the extended actions.

    `params` are the query parameters that it sets; "" takes one away.
    """

    params: tuple[tuple[str, str], ...]


class Buy(Frozen):
    """`click[buy now]`: ends the episode with a purchase intent. Nothing is ever sent."""


Action = Search | OpenItem | ChooseOption | OpenTab | NextPage | PrevPage | BackToSearch | Refine | Buy


class ToResults(Frozen):
    """Visit page `page` (the shop's own count, from 1) of the results for `query`.

    `refined` are the query parameters that order and narrow the list, by name.
    """

    query: str
    page: int = 1
    refined: tuple[tuple[str, str], ...] = ()


class ToItem(Frozen):
    """Visit an item, or one variant of it where the shop gives variants ids of their own."""

    item_id: str
    variant: str | None = None


class ToSubPage(Frozen):
    """Visit the page that holds one part of an item, at the address that the item page named."""

    item_id: str
    tab: str
    url: str


Navigation = ToResults | ToItem | ToSubPage
