"""A site whose lists of results can be ordered and narrowed by address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from windowshop.pages import Facet, ResultsPage
from windowshop.wire import Readable, Response

_LONGEST = 200
_MOST = 2_000


@runtime_checkable
class Refines(Protocol):
    """What a site offers besides `Site` for the extended actions: a second look at a page of results.

    `refinable` is the address grammar that these actions need beyond `readable`.
    """

    @property
    def refinable(self) -> Sequence[Readable]:
        """Return the grammar of the addresses of lists that are ordered or narrowed."""

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
    """Return facets in page order, each but once: menus and filters stand on a page several times.

    What has more words than any filter, and what comes after more filters than any page has, is left out.
    """
    seen: dict[object, Facet] = {}
    for facet in islice(facets, _MOST):
        if len(facet.label or "") > _LONGEST or len(facet.group or "") > _LONGEST:
            continue
        key = (facet.kind, facet.label, facet.group) if facet.kind != "price" else facet.params
        before = seen.get(key)
        if before is None or (facet.selected and not before.selected):
            seen[key] = facet
    return tuple(seen.values())


def bounds(low: str, high: str, wanted: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return a price facet's parameters: those called `low` and `high`, as far as they are wanted."""
    return ((low, wanted.get(low, "")), (high, wanted.get(high, "")))
