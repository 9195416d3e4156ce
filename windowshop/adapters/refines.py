"""A site whose lists of results can be ordered and narrowed by address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from windowshop.pages import Facet, ResultsPage
from windowshop.wire import Response

SHAPE = "refined results"
"""What such a site calls the addresses in its grammar that the extended actions alone lead to."""


@runtime_checkable
class Refines(Protocol):
    """What a site offers besides `Site` for the extended actions: a second look at a page of results."""

    def facets(self, response: Response) -> tuple[Facet, ...]:
        """Return how the list can be ordered and narrowed; raise `PageError` where `parse` does."""

    def refined(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return how an address of a list orders and narrows it, as `ToResults` has it."""


def refinable(site: object, page: ResultsPage, response: Response) -> ResultsPage:
    """Return the page with its facets, where its site knows of any."""
    if not isinstance(site, Refines):
        return page
    return page.model_copy(update={"facets": site.facets(response)})


def distinct(facets: Iterable[Facet]) -> tuple[Facet, ...]:
    """Return facets in page order, each but once: menus and filters stand on a page several times."""
    seen: dict[object, Facet] = {}
    for facet in facets:
        key = (facet.kind, facet.label, facet.group) if facet.kind != "price" else facet.params
        before = seen.get(key)
        if before is None or (facet.selected and not before.selected):
            seen[key] = facet
    return tuple(seen.values())


def bounds(low: str, high: str, wanted: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return a price facet's parameters: those called `low` and `high`, as far as they are wanted."""
    return ((low, wanted.get(low, "")), (high, wanted.get(high, "")))
