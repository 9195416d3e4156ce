"""What stands between one page of a browser and the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

from windowshop.errors import Refused
from windowshop.wire import Decision, Resource

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Page, Route
    from playwright.sync_api import Request as Asked

Permits = Callable[[str, str, Resource], Decision]
"""What is asked of every request before it leaves: address, method, kind of resource."""


class Gate:
    """Put every request of one page to `permits`, and stop those that are refused before they leave.

    Two layers see different things and ask the same question: Playwright's routes see every frame and
    popup but no second hop of a redirect; the DevTools protocol sees each hop, on the page it is attached
    to. What both see is asked once. Only the page that was gone to is a "document"; a frame, a refresh or any
    other navigation that the page makes by itself is asked about as "other", for the record, and stopped
    whatever the answer: a frame of another site would have hops that neither layer sees.
    """

    def __init__(self, permits: Permits) -> None:
        self._permits = permits
        self._decisions: dict[tuple[str, str, Resource], Decision] = {}
        self._failure: Exception | None = None
        self._refusal: Refused | None = None
        self._frame = ""
        self._navigation: str | None = None
        self._routed: Asked | None = None

    def open(self, context: BrowserContext) -> Page:
        """Return a new page of `context` that can go nowhere without being asked about."""
        context.route("**/*", self._on_route)
        page = context.new_page()
        context.on("page", _close)
        devtools = context.new_cdp_session(page)
        self._frame = devtools.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        devtools.on("Fetch.requestPaused", lambda event: self._on_paused(devtools, event))
        devtools.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return page

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
        if self._allows(asked.url, asked.method, kind, is_strange):
            route.continue_()
        else:
            route.abort("aborted")

    def _on_paused(self, devtools: CDPSession, event: dict[str, Any]) -> None:
        from playwright.sync_api import Error

        kind = _RESOURCES.get(event["resourceType"].lower(), "other")
        is_strange = False
        if kind == "document":
            navigation = event.get("networkId", event["requestId"])
            if self._navigation is None and event["frameId"] == self._frame:
                self._navigation = navigation
            is_strange = navigation != self._navigation
        asked = event["request"]
        try:
            if self._allows(asked["url"], asked["method"], kind, is_strange):
                devtools.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            else:
                refusal = {"requestId": event["requestId"], "errorReason": "Aborted"}
                devtools.send("Fetch.failRequest", refusal)
        except Error:
            return  # the page is gone, and a paused request with it

    def _allows(self, url: str, method: str, kind: Resource, is_strange: bool) -> bool:
        """Ask once; what cannot be answered is answered no, and so is a document that nobody went to."""
        if is_strange:
            kind = "other"
        key = (url, method, kind)
        if key not in self._decisions:
            try:
                self._decisions[key] = self._permits(url, method, kind)
            except Exception as error:  # it is raised again from `fetch`, outside the browser's event loop
                self._failure = self._failure or error
                return False
        decision = self._decisions[key]
        if not decision.allowed and kind == "document" and self._refusal is None:
            self._refusal = Refused(decision, url)
        return decision.allowed and not is_strange


_RESOURCES: dict[str, Resource] = {name: name for name in get_args(Resource)} | {"fetch": "xhr"}


def _close(popup: Page) -> None:
    popup.close()
