"""Navigation -> Page: ask the adapter where, the guard for the page, the adapter what it says."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from windowshop.actions import Navigation
from windowshop.adapters import Site
from windowshop.errors import PageError, ReplayMiss, StorageError
from windowshop.pages import Page
from windowshop.runs.evidence import Source
from windowshop.safety.guard import Guard
from windowshop.wire import Request, Response, Transport

REMEMBERED = 256


class Visit(NamedTuple):
    """A page and where it came from; `response` is None when this run had read it before."""

    page: Page
    source: Source
    response: Response | None


class Visitor:
    """Read a shop's pages through the guard, each address once a run.

    `earlier` is what this run recorded before it was interrupted: those pages are not fetched again, so that
    the run and its replay see one and the same page at an address.
    """

    def __init__(
        self, site: Site, guard: Guard, transport: Transport, folder: Path, earlier: Transport | None = None
    ) -> None:
        self.site = site
        self._guard = guard
        self._transport = transport
        self._folder = folder
        self._earlier = earlier
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
        if self._earlier is not None and self._recall(request, self._earlier):
            return Visit(*self._seen[request.url], None)
        response = self._guard.fetch(request, self._transport)
        digest = hashlib.sha256(response.body).hexdigest()
        try:
            page = self.site.parse(response)
        except PageError as error:
            kept = self._keep(f"pages/{digest[:16]}.html", response.body)
            report = f"windowshop site capture {kept} --site {self.site.name} --out case"
            error.add_note(f"the page is kept as {kept}; to report it: {report}")
            raise
        shot = response.screenshot
        source = Source(
            url=response.url,
            digest=digest,
            screenshot=None if shot is None else self._keep(f"screenshots/{digest[:16]}.png", shot),
        )
        self._remember(request.url, page, source)
        return Visit(page, source, response)

    def _recall(self, request: Request, earlier: Transport) -> bool:
        """Read a page from the run's own recording; say whether there was one worth remembering."""
        try:
            response = self._guard.fetch(request, earlier)
            page = self.site.parse(response)
        except (ReplayMiss, PageError):
            return False
        source = Source(url=response.url, digest=hashlib.sha256(response.body).hexdigest())
        self._remember(request.url, page, source)
        return request.url in self._seen

    def _remember(self, url: str, page: Page, source: Source) -> None:
        if page.kind in ("results", "item", "sub_page"):
            self._seen[url] = (page, source)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)

    def _keep(self, name: str, data: bytes) -> str:
        """Write a file whole or not at all."""
        path = self._folder / name
        partial = path.with_name(path.name + ".partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(data)
            partial.replace(path)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error
        return name
