"""Every layer is needed: with any one of them off, a threat that is named here comes through."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from windowshop.actions import Buy, Search
from windowshop.adapters import load_site
from windowshop.errors import Refused
from windowshop.journal import Journal
from windowshop.safety import guard as guarding
from windowshop.safety import policy as judging
from windowshop.safety.guard import Guard
from windowshop.safety.layers import LAYERS
from windowshop.safety.policy import MAX_URL, Policy, judge, judge_by, own_policy, policy_for
from windowshop.sandbox import SandboxPost
from windowshop.views import View
from windowshop.wire import Readable, Request, Resource, Response

AMAZON = policy_for("amazon", "us", tuple(load_site("amazon").readable))
OWN = own_policy(
    "webshop", "http://127.0.0.1:3000", (Readable(name="x", hosts=frozenset({"127.0.0.1"}), path="/x"),)
)
DP = "https://www.amazon.com/dp/B000000001"


def lying(hosts: str = "www.amazon.com", path: str = ".*", **params: str) -> Policy:
    """Return the policy of an adapter that claims more than it reads."""
    shape = Readable(name="all", hosts=frozenset({hosts}), path=path, params=params)
    return policy_for("amazon", "us", (shape,))


class Threat(NamedTuple):
    id: str
    policy: Policy
    url: str
    method: str = "GET"
    resource: Resource = "document"


THREATS = {
    "named": Threat("A2", lying(asin=".*"), "https://www.amazon.com/checkout/entry/buynow?asin=B000000001"),
    "method": Threat("D2", AMAZON, DP, "POST"),
    "userinfo": Threat("E1", AMAZON, "https://x:y@www.amazon.com/dp/B000000001"),
    "origin": Threat("E11", OWN, "http://127.0.0.1:3001/x"),
    "scheme": Threat("E17", AMAZON, "http://www.amazon.com/dp/B000000001"),
    "port": Threat("E8", AMAZON, "https://www.amazon.com:444/dp/B000000001"),
    "host": Threat("F9", lying("evil.test"), "https://evil.test/dp/B000000001"),
    "spelling": Threat("E7", AMAZON, "https://www.amazon.com/x/../dp/B000000001"),
    "fragment": Threat("E19", AMAZON, f"{DP}#aod=1"),
    "asset": Threat("D6", lying("m.media-amazon.com"), "https://m.media-amazon.com/x.html"),
    "resource": Threat("D15", AMAZON, DP, resource="image"),
    "path": Threat("A8", AMAZON, "https://www.amazon.com/gp/product/B000000001"),
    "params": Threat("E15", AMAZON, f"{DP}?smid=x"),
}
NEEDED_TO_READ = {
    "asset": Threat("", AMAZON, "https://m.media-amazon.com/images/I/x.jpg", resource="image"),
    "robots": Threat("", AMAZON, "https://www.amazon.com/robots.txt"),
    "page": Threat("", AMAZON, DP),
}


def off(name: str) -> dict[str, Any]:
    return {layer: function for layer, function in LAYERS.items() if layer != name}


def test_every_layer_has_its_threat() -> None:
    assert set(LAYERS) == set(THREATS) | set(NEEDED_TO_READ)


@pytest.mark.parametrize("layer", THREATS)
def test_without_the_layer_its_threat_comes_through(layer: str) -> None:
    _, policy, url, method, resource = THREATS[layer]
    assert not judge(policy, url, method, resource).allowed
    assert judge_by(off(layer), policy, url, method, resource).allowed


@pytest.mark.parametrize("layer", NEEDED_TO_READ)
def test_without_the_layer_nothing_is_read(layer: str) -> None:
    _, policy, url, method, resource = NEEDED_TO_READ[layer]
    assert judge(policy, url, method, resource).allowed
    assert not judge_by(off(layer), policy, url, method, resource).allowed


def test_without_any_layer_nothing_leaves() -> None:
    assert judge_by({}, AMAZON, DP, "GET", "document").rule == "default"


LONG = "https://www.amazon.com/x?k=" + "x" * MAX_URL


@pytest.mark.parametrize(
    ("switch", "value", "url"),
    [("MAX_URL", 10**9, LONG), ("is_plain", lambda url: True, f"{DP}\n")],
    ids=["length", "characters"],
)
def test_what_is_read_before_the_layers_is_needed_as_well(
    monkeypatch: pytest.MonkeyPatch, switch: str, value: object, url: str
) -> None:
    policy = lying(k=".*")
    assert not judge(policy, url).allowed
    monkeypatch.setattr(judging, switch, value)
    assert judge_by(
        off("spelling") if switch == "is_plain" else LAYERS, policy, url, "GET", "document"
    ).allowed


class Hops:
    """A shop that redirects an item into the cart, and lands elsewhere than it was asked to."""

    name = "hops"

    def __init__(self, redirect: str | None = None, landed: str | None = None) -> None:
        self.redirect, self.landed = redirect, landed
        self.sent: list[str] = []

    def fetch(self, request: Request) -> Response:
        self.sent.append(request.url)
        location = self.redirect if len(self.sent) == 1 else None
        return Response(
            url=self.landed or request.url,
            status=302 if location else 200,
            headers={"location": location} if location else {},
            body=b"",
            transport=self.name,
            at=datetime.now(UTC),
        )


CART = "https://www.amazon.com/gp/aws/cart/add.html?ASIN.1=B000000001"


def hop(guard: Guard) -> bool:
    hops = Hops(redirect=CART)
    try:
        guard.fetch(Request(url=DP), hops)
    except Refused:
        return False
    return CART in hops.sent


def landed(guard: Guard) -> bool:
    try:
        return guard.fetch(Request(url=DP), Hops(landed=CART)).url == CART
    except Refused:
        return False


def purchase(guard: Guard) -> bool:
    return guard.review(Buy(), View(instruction="a lamp")).allowed


def secret(guard: Guard) -> bool:
    try:
        return guard.review(Search(query="sk-0123456789abcdef0123"), View(instruction="a lamp")).allowed
    except Refused:
        return False


def first_only(self: Guard, url: str) -> None:
    """Judge the first hop and let every other pass."""
    if url == DP:
        assert self.permits(url).allowed


@pytest.mark.parametrize(
    ("threat", "owner", "name", "switched"),
    [
        (hop, Guard, "_require", first_only),
        (landed, Guard, "_require_landed", lambda self, url, response: None),
        (purchase, guarding, "Buy", type("Nothing", (), {})),
        (secret, guarding, "holds_secret", lambda text: False),
    ],
    ids=["A7 hops", "D21 landed", "A1 intercept", "G9 action review"],
)
def test_without_the_guards_own_layers_their_threats_come_through(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    threat: Callable[[Guard], bool],
    owner: object,
    name: str,
    switched: object,
) -> None:
    guard = Guard(AMAZON, Journal(tmp_path / "audit.jsonl"))
    assert not threat(guard)
    monkeypatch.setattr(owner, name, switched)
    assert threat(guard)


def test_a_sandbox_post_is_nothing_that_a_live_guard_sends(tmp_path: Path) -> None:
    guard = Guard(AMAZON, Journal(tmp_path / "audit.jsonl"))
    assert not hasattr(guard, "submit")
    sent: list[object] = []

    class Shop(Hops):
        def fetch(self, request: Request) -> Response:
            sent.append(request)
            return super().fetch(request)

    post = SandboxPost(form="add", url=DP, fields=(("asin", "B000000001"),))
    guard.fetch(post, Shop())  # type: ignore[arg-type]
    assert sent == [Request(url=DP)]
