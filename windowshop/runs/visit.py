"""Navigation -> Page: ask the adapter where, the guard for the page, the adapter what it says."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple, Protocol

from windowshop.actions import Navigation
from windowshop.adapters import Site
from windowshop.adapters.refines import refinable
from windowshop.errors import PageError, ReplayMiss
from windowshop.pages import Page, ResultsPage
from windowshop.runs.evidence import Source
from windowshop.runs.folder import keep_file
from windowshop.runs.memo import Memo, Parsed
from windowshop.safety.guard import Guard
from windowshop.wire import Request, Response, Transport

_READING = threading.Lock()
"""One page is read at a time in a process: more would share the interpreter, and crowd cache and memory."""


def _read_anew() -> None:
    global _READING
    _READING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_read_anew)


class Visit(NamedTuple):
    """A page and where it came from; `response` is None when this run had read it before."""

    page: Page
    source: Source
    response: Response | None


class Shelf(Transport, Protocol):
    """What a run has already: `fetch` answers from it alone, or raises `ReplayMiss`."""

    def hold(self, url: str) -> AbstractContextManager[bool]:
        """Wait until no other episode reads the page at an address, and keep others from it meanwhile.

        The value says whether the run may have the page.
        """

    def keep(self, name: str, data: bytes) -> None:
        """Keep a file in the run folder."""


class Visitor:
    """Read a shop's pages through the guard, each address once a run.

    `shelf` is what other episodes of the run have read, and what it recorded before it was interrupted:
    those pages are not fetched again, so that the run and its replay see one and the same page at an
    address. `memo` may be shared with other visitors of this process. `extended` reads facets too.
    """

    def __init__(
        self,
        site: Site,
        guard: Guard,
        transport: Transport,
        folder: Path,
        shelf: Shelf | None = None,
        memo: Memo | None = None,
        extended: bool = False,
    ) -> None:
        self.site = site
        self._extended = extended
        self._guard = guard
        self._transport = transport
        self._folder = folder
        self._shelf = shelf
        self._memo = Memo() if memo is None else memo

    def visit(self, navigation: Navigation) -> Visit:
        """Return the page that `navigation` leads to.

        Raises what guard and transport raise, and `PageError` after keeping the bytes that were not
        understood under `pages/`.
        """
        request = self.site.request(navigation)
        known = self._memo.get(self.site.name, request.url)
        if known is not None:
            return Visit(known.page, known.source, None)
        with nullcontext(False) if self._shelf is None else self._shelf.hold(request.url) as is_there:
            known = self._memo.get(self.site.name, request.url)
            if known is None and is_there and self._shelf is not None:
                known = self._recall(request, self._shelf)
            if known is not None:
                return Visit(known.page, known.source, None)
            response = self._guard.fetch(request, self._transport)
            known = self._read(request, response)
        return Visit(known.page, known.source, response)

    def _recall(self, request: Request, shelf: Shelf) -> Parsed | None:
        """Read a page that the run has already, if it is worth reading."""
        try:
            response = self._guard.fetch(request, shelf)
            page = self._parse(response)
        except (ReplayMiss, PageError):
            return None
        source = Source(url=response.url, digest=hashlib.sha256(response.body).hexdigest())
        self._memo.put(self.site.name, request.url, response, page, source)
        return self._memo.get(self.site.name, request.url)

    def _read(self, request: Request, response: Response) -> Parsed:
        digest = hashlib.sha256(response.body).hexdigest()
        try:
            page = self._parse(response)
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
        return self._memo.put(self.site.name, request.url, response, page, source)

    def _parse(self, response: Response) -> Page:
        """Read a page; how a list can be ordered and narrowed only for agents that may do so."""
        with _READING:
            page = self.site.parse(response)
        if self._extended and isinstance(page, ResultsPage):
            return refinable(self.site, page, response)
        return page

    def _keep(self, name: str, data: bytes) -> str:
        if self._shelf is None:
            keep_file(self._folder, name, data)
        else:
            self._shelf.keep(name, data)
        return name
