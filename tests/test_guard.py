"""The door: every hop is judged before it is sent, and every verdict is on disk before it takes effect."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from windowshop.actions import Buy, PrevPage
from windowshop.errors import FetchError, Refused, StorageError
from windowshop.journal import Journal, read_journal
from windowshop.redaction import redact
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.views import View
from windowshop.wire import Readable, Request, Response

ITEM = "https://www.amazon.com/dp/B000000001"
READABLE = (Readable(name="item", hosts=frozenset({"www.amazon.com"}), path=r"/dp/[A-Z0-9]{10}"),)


class Hops:
    """Answer each address with the redirect that it is given, else with a page; note what was sent."""

    name = "hops"

    def __init__(self, audit: Path, redirects: dict[str, str], landed: str | None = None) -> None:
        self.audit = audit
        self.redirects = redirects
        self.landed = landed
        self.sent: list[str] = []

    def fetch(self, request: Request) -> Response:
        verdicts = [record["name"] for record in read_journal(self.audit)]
        assert request.url in verdicts, "the verdict must be on disk before the request leaves"
        self.sent.append(request.url)
        location = self.redirects.get(request.url)
        return Response(
            url=self.landed or request.url,
            status=302 if location else 200,
            headers={"location": location} if location else {},
            body=b"",
            transport=self.name,
            at=datetime.now(UTC),
        )


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def guard(audit: Path) -> Guard:
    return Guard(policy_for("amazon", "us", READABLE), Journal(audit))


def test_an_allowed_redirect_is_followed(guard: Guard, audit: Path) -> None:
    hops = Hops(audit, {ITEM: "/dp/B000000002"})
    assert guard.fetch(Request(url=ITEM), hops).url == "https://www.amazon.com/dp/B000000002"


@pytest.mark.parametrize(
    ("location", "rule"),
    [
        ("/gp/buy/spc/handlers/x", "never.checkout"),
        ("https://evil.test/", "host"),
        ("http://www.amazon.com/dp/B000000001", "url.scheme"),
        ("//www.amazon.de/dp/B000000001", "host"),
        ("/ap/signin", "never.sign-in"),
    ],
)
def test_a_hop_that_is_not_allowed_is_never_sent(guard: Guard, audit: Path, location: str, rule: str) -> None:
    hops = Hops(audit, {ITEM: location})
    with pytest.raises(Refused) as refused:
        guard.fetch(Request(url=ITEM), hops)
    assert refused.value.decision.rule == rule
    assert hops.sent == [ITEM]


def test_a_landed_address_is_judged_again(guard: Guard, audit: Path) -> None:
    with pytest.raises(Refused):
        guard.fetch(Request(url=ITEM), Hops(audit, {}, landed="https://www.amazon.com/gp/cart/view.html"))


def test_a_redirect_loop_ends(guard: Guard, audit: Path) -> None:
    with pytest.raises(FetchError, match="redirects"):
        guard.fetch(Request(url=ITEM), Hops(audit, {ITEM: ITEM}))


def test_nothing_leaves_when_the_verdict_cannot_be_written(tmp_path: Path) -> None:
    full = tmp_path / "full.jsonl"
    full.symlink_to("/dev/full")
    guard = Guard(policy_for("amazon", "us", READABLE), Journal(full))
    hops = Hops(full, {})
    with pytest.raises(StorageError):
        guard.fetch(Request(url=ITEM), hops)
    assert hops.sent == []


def test_a_purchase_is_intercepted_and_all_else_only_looks(guard: Guard, audit: Path) -> None:
    view = View(instruction="a lamp", item_id="B000000001")
    assert guard.review(Buy(), view).verdict == "intercept"
    assert guard.review(PrevPage(), view).verdict == "allow"
    assert [record["verdict"] for record in read_journal(audit)] == ["intercept", "allow"]


def test_secrets_in_addresses_are_not_written_down(guard: Guard, audit: Path) -> None:
    with pytest.raises(Refused) as refused:
        guard.fetch(Request(url=f"{ITEM}?api_key=CANARY&token=CANARY"), Hops(audit, {}))
    assert "CANARY" not in str(refused.value)
    assert "CANARY" not in audit.read_text(encoding="utf-8")
    assert redact("x?api_key=a&b=c") == "x?api_key=redacted&b=c"
