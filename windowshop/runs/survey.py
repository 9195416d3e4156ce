"""A handful of a shop's pages as they are today, fetched as politely as a run fetches them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters import Site
from windowshop.errors import Challenged, PageError
from windowshop.frozen import Frozen
from windowshop.journal import Journal
from windowshop.pages import ErrorPage, Page, ResultsPage
from windowshop.runs.stack import Origin, TransportName, open_transport
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.wire import Response

QUERIES = ("usb c cable", "coffee mug", "running shoes")
ITEMS = 3


class Survey(Frozen):
    """What to look at: the first results page of each query, and the first few items on it."""

    queries: tuple[str, ...] = QUERIES
    items: int = ITEMS

    @property
    def size(self) -> int:
        """Return how many pages it is at most."""
        return len(self.queries) * (1 + self.items)


def survey(
    site: Site, wanted: Survey, origin: Origin, folder: Path, transport: TransportName, contact: str | None
) -> Iterator[Response]:
    """Fetch pages through the guard, and yield each; they are kept in the folder's `pages.warc.gz`.

    Raises `Challenged` as soon as the shop wants to know who we are, and what guard and transport raise.
    """
    folder.mkdir(parents=True, exist_ok=True)
    read = 0
    with Journal(folder / "audit.jsonl") as audit:
        guard = Guard(policy_for(site.name, site.locale.code, tuple(site.readable)), audit)
        with open_transport(transport, origin, site, guard, folder, contact) as fetching:
            waiting: list[Navigation] = [ToResults(query=query) for query in reversed(wanted.queries)]
            while waiting:
                response = guard.fetch(site.request(waiting.pop()), fetching)
                page: Page = ErrorPage(site=site.name)
                with suppress(PageError):  # a page that cannot be read is what a survey is to find
                    page = site.parse(response)
                if page.kind == "challenge":
                    raise Challenged(
                        f"{site.name} asks for proof of being a person ({page.reason}) after {read} pages, "
                        f"so it is left alone; what was read is kept in {folder}",
                        page.reason,
                    )
                read += 1
                yield response
                waiting.extend(reversed(_items(page, wanted.items)))


def _items(page: Page, most: int) -> list[Navigation]:
    """Return the first items of a results page; a page of any other kind has none."""
    tiles = page.tiles if isinstance(page, ResultsPage) else ()
    return [ToItem(item_id=name) for name in list(dict.fromkeys(tile.item_id for tile in tiles))[:most]]
