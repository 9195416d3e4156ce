"""What the values themselves rule out: there is nothing to hold a purchase, a session or a picture."""

from __future__ import annotations

import inspect
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from windowshop import actions, wire
from windowshop.adapters import load_site
from windowshop.errors import PageError, Refused
from windowshop.journal import Journal
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.wire import Request, Response

BUY = "https://www.amazon.com/checkout/entry/buynow?asin=B000000001"


def test_there_is_no_value_that_means_purchase() -> None:
    assert set(Request.model_fields) == {"url"}
    assert actions.Buy in get_args(actions.Action)
    assert actions.Buy not in get_args(actions.Navigation)
    assert list(inspect.signature(wire.Transport.fetch).parameters) == ["self", "request"]
    for site in ("amazon", "ebay"):
        with suppress(PageError):
            assert load_site(site).request(actions.Buy()) is None  # type: ignore[arg-type]


def test_the_scraping_service_is_judged_by_the_inner_address(tmp_path: Path) -> None:
    """The guard judges what it hands on, before any transport can wrap it in another address."""

    class Service:
        name = "scraperapi"

        def __init__(self) -> None:
            self.asked: list[str] = []

        def fetch(self, request: Request) -> Response:
            self.asked.append(request.url)
            landed = BUY if len(self.asked) == 1 else request.url
            return Response(url=landed, status=200, body=b"", transport=self.name, at=datetime.now(UTC))

    guard = Guard(
        policy_for("amazon", "us", tuple(load_site("amazon").readable)), Journal(tmp_path / "audit.jsonl")
    )
    service = Service()
    with pytest.raises(Refused):
        guard.fetch(Request(url=BUY), service)
    assert service.asked == []
    tunnel = "https://api.scraperapi.com/?url=https%3A%2F%2Fwww.amazon.com%2Fdp%2FB000000001"
    with pytest.raises(Refused):
        guard.fetch(Request(url=tunnel), service)
    assert service.asked == []
    with pytest.raises(Refused):
        guard.fetch(Request(url="https://www.amazon.com/dp/B000000001"), service)
