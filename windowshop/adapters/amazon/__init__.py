"""Amazon: bytes -> Page, Navigation -> Request, for every marketplace in `windowshop.locales`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from windowshop.actions import Navigation
from windowshop.adapters.amazon import addresses
from windowshop.adapters.amazon.facets import read_facets
from windowshop.adapters.amazon.item import FIELDS as ITEM_FIELDS
from windowshop.adapters.amazon.item import read_item
from windowshop.adapters.amazon.kinds import Kind, kind_of, stand_in
from windowshop.adapters.amazon.results import FIELDS as RESULTS_FIELDS
from windowshop.adapters.amazon.results import TILES, read_results
from windowshop.adapters.amazon.sheet import Sheet, marketplace_of, open_sheet
from windowshop.adapters.amazon.tiles import FIELDS as TILE_FIELDS
from windowshop.adapters.explain import Explanation, explain_fields, explain_tiles
from windowshop.adapters.markup import parse_tree, plain, require_html
from windowshop.errors import UnknownPage
from windowshop.locales import Locale
from windowshop.pages import Challenge, ErrorPage, Facet, NotFound, OtherPage, Page, SearchPage
from windowshop.wire import Readable, Request, Response

_NAME = re.compile(rb"amazon", re.IGNORECASE)


class Amazon:
    """One Amazon marketplace."""

    name = "amazon"
    opening = None

    def __init__(self, locale: Locale) -> None:
        self.locale = locale
        self.readable: Sequence[Readable] = addresses.readable(locale)
        self.refinable: Sequence[Readable] = addresses.refinable(locale)

    def request(self, navigation: Navigation) -> Request:
        """Return the address to read; raise `PageError` for an item id that is none."""
        return addresses.request(self.locale, navigation)

    def parse(self, response: Response) -> Page:
        """Read a page; raise `UnknownPage`, `HostilePage` or `MissingField` where it cannot be read."""
        opened = self._open(response)
        return self._page(*opened) if isinstance(opened, tuple) else opened

    def facets(self, response: Response) -> tuple[Facet, ...]:
        """Read how a list of results can be ordered and narrowed; nothing on any other page."""
        match self._open(response):
            case Sheet() as sheet, "results":
                return read_facets(sheet)
        return ()

    def refined(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return how an address orders and narrows a list, as far as Amazon knows such a way."""
        return addresses.refined(url)

    def explain(self, response: Response, tiles: int | None = None) -> Explanation:
        """Read a page and say where each field comes from, of the first `tiles` results or of all."""
        match self._open(response), self._open(response):
            case (Sheet() as sheet, "item"), (fresh, _):
                page = self._page(sheet, "item")
                return Explanation(page=page, fields=explain_fields(ITEM_FIELDS, sheet, fresh))
            case (Sheet() as sheet, "results"), (fresh, _):
                page = self._page(sheet, "results")
                fields = explain_fields(RESULTS_FIELDS, sheet, fresh)
                listed = explain_tiles(TILE_FIELDS, TILES.value(fresh), tiles)
                return Explanation(page=page, fields=fields, tiles=listed)
        return Explanation(page=self.parse(response))

    def _open(self, response: Response) -> tuple[Sheet, Kind] | Page:
        """Return the sheet of a page and its kind, or the whole of one that stands in place of a page."""
        body = plain(response.body)
        require_html(body)
        is_named = _NAME.search(body) is not None
        kind = stand_in(body, response.status) if is_named else None
        if kind is not None:
            return self._bare(kind, marketplace_of(body, response.url, self.locale).code)
        tree = parse_tree(body)
        if not is_named:
            raise UnknownPage("not a page of Amazon: its name does not occur")
        sheet = open_sheet(body, tree, self.locale, response.url)
        return sheet, kind_of(sheet, response.status)

    def _page(self, sheet: Sheet, kind: Kind) -> Page:
        match kind:
            case "item":
                return read_item(sheet)
            case "results":
                return read_results(sheet)
        return self._bare(kind, sheet.locale.code)

    def _bare(self, kind: Kind, code: str) -> Page:
        """Return a page that says nothing but what it is."""
        match kind:
            case "captcha" | "signin" | "blocked":
                return Challenge(site=self.name, locale=code, reason=kind)
            case "search":
                return SearchPage(site=self.name, locale=code)
            case "not_found":
                return NotFound(site=self.name, locale=code)
            case "error":
                return ErrorPage(site=self.name, locale=code)
        return OtherPage(site=self.name, locale=code)


@cache
def site(locale: Locale) -> Amazon:
    """Return the adapter for one marketplace."""
    return Amazon(locale)
