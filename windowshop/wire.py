"""Vocabulary: what crosses the network, and the one seam through which it does.

A `Request` has no method and no body: it can only ever be a GET.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, Protocol

from pydantic import Field

from windowshop.frozen import Frozen

Resource = Literal["document", "stylesheet", "image", "font", "script", "xhr", "other"]


class Request(Frozen):
    """Ask for one page of a shop."""

    url: str


class Response(Frozen):
    """What came back, as bytes, before anybody read it.

    `headers` have lower-case names. `seconds` is the time of the fetch, `credits` what a scraping
    service charged, `screenshot` a PNG where a browser fetched the page.
    """

    url: str
    status: int
    headers: Mapping[str, str] = Field(default_factory=dict)
    body: bytes
    transport: str
    at: datetime
    seconds: float = 0.0
    credits: float | None = None
    screenshot: bytes | None = Field(default=None, repr=False)
    replayed: bool = False


class Transport(Protocol):
    """Fetch one request; never follow a redirect and never retry (others do, in one place each).

    Raises the `FetchError`s of `windowshop.errors`.
    """

    name: str

    def fetch(self, request: Request) -> Response:
        """Return what the site answered."""


class Readable(Frozen):
    """One shape of address that a site's adapter may read.

    `path` is a regular expression that the whole canonical path must match; `params` names every query
    parameter that may stand in the address, with an expression that its whole value must match.
    """

    name: str
    hosts: frozenset[str]
    path: str
    params: Mapping[str, str] = Field(default_factory=dict)


class Decision(Frozen):
    """What the guard said of one action or one address, and by which rule."""

    verdict: Literal["allow", "refuse", "intercept"]
    rule: str
    reason: str

    @property
    def allowed(self) -> bool:
        """Say whether the request may leave."""
        return self.verdict == "allow"
