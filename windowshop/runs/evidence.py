"""Which page stands behind what is on view."""

from __future__ import annotations

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.frozen import Frozen
from windowshop.translators.layout import shown_rows
from windowshop.views import View


class Source(Frozen):
    """The evidence behind a page: where it landed, the SHA-256 of its bytes, its screenshot's file."""

    url: str
    digest: str
    screenshot: str | None = None


class Sources:
    """Remember, of each page that an episode's view was made of, where it came from."""

    def __init__(self) -> None:
        self._listing: list[tuple[int, Source]] = []
        self._item: Source | None = None
        self._tabs: dict[str, Source] = {}

    def add(self, navigation: Navigation, source: Source, known: View) -> None:
        """Note the page that a navigation brought, once `known` holds what it said."""
        match navigation:
            case ToResults(page=page):
                rows = len(known.listing.rows) if known.listing else 0
                self._listing = [*(self._listing if page > 1 else ()), (rows, source)]
            case ToItem():
                self._item, self._tabs = source, {}
            case ToSubPage(tab=tab):
                self._tabs[tab] = source

    def behind(self, view: View) -> Source | None:
        """Return the page behind a view: none for the search page, which is the simulator's own.

        A simulator's page of results that two of the shop's pages share is laid to the first of them.
        """
        if view.screen == "results":
            start = shown_rows(view).start
            held = [source for rows, source in self._listing if rows > start]
            return held[0] if held else self._listing[-1][1] if self._listing else None
        if view.screen == "sub":
            return self._tabs.get(view.tab or "", self._item)
        return None if view.screen == "search" else self._item
