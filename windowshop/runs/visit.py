"""Navigation -> Page: ask the adapter where, the guard for the page, the adapter what it says."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from windowshop.actions import Navigation
from windowshop.adapters import Site
from windowshop.errors import PageError
from windowshop.frozen import Frozen
from windowshop.pages import Page
from windowshop.safety.guard import Guard
from windowshop.wire import Response, Transport

REMEMBERED = 256


class Visit(NamedTuple):
    """A page and where it came from; `response` is None when this run had read it before."""

    page: Page
    source: Source
    response: Response | None


class Source(Frozen):
    """The evidence behind a page: where it landed, the SHA-256 of its bytes, its screenshot's file."""

    url: str
    digest: str
    screenshot: str | None = None


class Visitor:
    """Read a shop's pages through the guard, each address once a run."""

    def __init__(self, site: Site, guard: Guard, transport: Transport, folder: Path) -> None:
        self.site = site
        self._guard = guard
        self._transport = transport
        self._folder = folder
        self._seen: OrderedDict[str, tuple[Page, Source]] = OrderedDict()

    def visit(self, navigation: Navigation) -> Visit:
        """Return the page that `navigation` leads to.

        Raises what guard and transport raise, and `PageError` after keeping the bytes that were not
        understood under `pages/`.
        """
        request = self.site.request(navigation)
        if request.url in self._seen:
            self._seen.move_to_end(request.url)
            return Visit(*self._seen[request.url], None)
        response = self._guard.fetch(request, self._transport)
        digest = hashlib.sha256(response.body).hexdigest()
        try:
            page = self.site.parse(response)
        except PageError as error:
            kept = self._keep(f"pages/{digest[:16]}.html", response.body)
            error.add_note(f"the page is kept as {kept}")
            raise
        shot = response.screenshot
        source = Source(
            url=response.url,
            digest=digest,
            screenshot=None if shot is None else self._keep(f"screenshots/{digest[:16]}.png", shot),
        )
        self._remember(request.url, page, source)
        return Visit(page, source, response)

    def _remember(self, url: str, page: Page, source: Source) -> None:
        if page.kind in ("results", "item", "sub_page"):
            self._seen[url] = (page, source)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)

    def _keep(self, name: str, data: bytes) -> str:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name
