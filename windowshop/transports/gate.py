"""What one page asks for, on its way out: each request is put to the judge once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, get_args

from windowshop.errors import Refused
from windowshop.transports.wall import Permits
from windowshop.wire import Decision, Resource

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route
    from playwright.sync_api import Request as Asked


class Gate:
    """Put every request of one page to `permits`, for the browser's routes and for the wall behind them.

    The wall sees all that leaves, the second hop of a redirect too. The routes see less, and know why: only
    the page that was gone to is a "document"; a frame, a refresh or any other navigation that the page makes
    by itself is asked about as "other", for the record, and stopped whatever the answer. What both see is
    asked once.
    """

    def __init__(self, permits: Permits) -> None:
        self._permits = permits
        self._decisions: dict[tuple[str, str, Resource], Decision] = {}
        self._failure: Exception | None = None
        self._refusal: Refused | None = None
        self._routed: Asked | None = None
        self._lock = threading.Lock()

    def open(self, context: BrowserContext) -> Page:
        """Return a new page of `context` that stays where it was sent."""
        context.route("**/*", self._on_route)
        page = context.new_page()
        context.on("page", _close)
        return page

    def ask(self, url: str, method: str, kind: Resource) -> Decision:
        """Return the verdict on a request; one that was answered before is not asked again.

        Raises what `permits` raises, now and, for the page as a whole, in `raise_what_happened`.
        """
        key = (url, method, kind)
        with self._lock:
            if key not in self._decisions:
                try:
                    self._decisions[key] = self._permits(url, method, kind)
                except Exception as error:
                    self._failure = self._failure or error
                    raise
            decision = self._decisions[key]
            if not decision.allowed and kind == "document" and self._refusal is None:
                self._refusal = Refused(decision, url)
        return decision

    def raise_what_happened(self) -> None:
        """Raise `Refused` where a hop of the page itself was, and whatever `permits` raised."""
        if self._failure is not None:
            raise self._failure
        if self._refusal is not None:
            raise self._refusal

    def _on_route(self, route: Route) -> None:
        asked = route.request
        kind = _RESOURCES.get(asked.resource_type, "other")
        is_strange = False
        if kind == "document":
            self._routed = self._routed or asked
            is_strange = asked != self._routed
        try:
            decision = self.ask(asked.url, asked.method, "other" if is_strange else kind)
        except Exception:  # it is raised again from `fetch`, outside the browser's event loop
            route.abort("aborted")
            return
        if decision.allowed and not is_strange:
            route.continue_()
        else:
            route.abort("aborted")


_RESOURCES: dict[str, Resource] = {name: name for name in get_args(Resource)} | {"fetch": "xhr"}


def _close(popup: Page) -> None:
    popup.close()
