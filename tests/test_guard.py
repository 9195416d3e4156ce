"""The door: every hop is judged before it is sent, and every verdict is on disk before it takes effect."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from windowshop.actions import Buy, PrevPage, Search
from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.episodes import Task
from windowshop.errors import FetchError, Refused, StorageError
from windowshop.journal import Journal, read_journal
from windowshop.redaction import redact
from windowshop.runs.episode import Episode
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.views import Product, View
from windowshop.wire import Decision, Readable, Request, Response

ITEM = "https://www.amazon.com/dp/B000000001"
READABLE = (Readable(name="item", hosts=frozenset({"www.amazon.com"}), path=r"/dp/[A-Z0-9]{10}"),)
PRODUCT = Product(item_id="B000000001", title="A lamp", price="$5.00")


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


def test_a_redirect_to_what_is_no_address_is_an_error(guard: Guard, audit: Path) -> None:
    with pytest.raises(FetchError, match="redirects to what is no address"):
        guard.fetch(Request(url=ITEM), Hops(audit, {ITEM: "http://["}))


def test_a_refusal_from_behind_the_guard_is_written_down(guard: Guard, audit: Path) -> None:
    class Closed:
        name = "closed"

        def fetch(self, request: Request) -> Response:
            closed = Decision(verdict="refuse", rule="robots", reason="closed to robots")
            raise Refused(closed, f"{request.url}?token=CANARY")

    with pytest.raises(Refused):
        guard.fetch(Request(url=ITEM), Closed())
    assert [(record["verdict"], record["rule"]) for record in read_journal(audit)] == [
        ("allow", "read.item"),
        ("refuse", "robots"),
    ]
    assert "CANARY" not in audit.read_text("utf-8")


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


def test_an_address_that_carries_a_secret_out_stays_here_and_is_not_told(
    audit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents of others write their own addresses: no action of theirs is reviewed."""
    monkeypatch.setenv("SHOP_API_KEY", "very secret words")
    guard = Guard(policy_for("amazon", "us", tuple(load_site("amazon").readable)), Journal(audit))
    for words in ("sk-abcdefghijklmnop1234", "sk%2Dabcdefghijklmnop1234", "very+secret+words"):
        assert guard.permits(f"https://www.amazon.com/s?k=tea+{words}").rule == "request.secret"
    guard.permits("https://evil.test/?x=ghp_abcdefghijklmnopqrst1234")
    assert guard.permits("https://www.amazon.com/s?k=sk-ii+essence").allowed
    told = audit.read_text("utf-8")
    assert not [part for part in ("abcdefgh", "very") if part in told]


def test_a_search_that_carries_a_secret_is_refused(
    guard: Guard, audit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "hunter2-hunter2")
    view = View(instruction="a lamp")
    for words in ("sk-0123456789abcdef0123", "lamp hunter2-hunter2"):
        with pytest.raises(Refused, match=r"action\.secret"):
            guard.review(Search(query=words), view)
    assert guard.review(Search(query="a lamp of sky blue"), view).allowed
    assert [record["verdict"] for record in read_journal(audit)] == ["refuse", "refuse", "allow"]


def test_an_intent_is_on_disk_before_the_step_is_answered(tmp_path: Path, guard: Guard) -> None:
    purchases = Journal(tmp_path / "purchases.jsonl", durable=True)
    seen: list[int] = []

    class Steps:
        def append(self, record: object) -> None:
            seen.append(len(list(read_journal(tmp_path / "purchases.jsonl"))))

    site = load_site("amazon")
    visitor = Visitor(site, guard, Hops(tmp_path / "none", {}), tmp_path)
    episode = Episode(Task(id="0", instruction="a lamp"), "one", visitor, guard, Steps(), purchases)
    episode.reset()
    episode.view = View(instruction="a lamp", screen="item", item_id="B000000001", product=PRODUCT)
    episode.step("click[buy now]")
    assert seen == [0, 1]


CHECKED = [
    ("https://www.amazon.com/dp/B000000001", "allow", "read.item"),
    ("https://www.amazon.de/dp/B000000001", "allow", "read.item"),
    ("https://www.ebay.co.uk/itm/123456789012", "allow", "read.item"),
    ("https://www.amazon.com/gp/buy/x", "intercept", "never.checkout"),
    ("https://pay.ebay.com/rxo?action=create", "intercept", "never.checkout"),
    ("https://vi.vipr.ebaydesc.com/itmdesc/123456789012", "allow", "read.description"),
    ("https://x.test/", "refuse", "host"),
    ("no address", "refuse", "url.characters"),
]


def test_guard_check_says_verdict_and_rule() -> None:
    urls = [url for url, _, _ in CHECKED]
    done = CliRunner().invoke(group, ["guard", "check", "--json", *urls])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["url"], one["verdict"], one["rule"]) for one in told] == CHECKED
    assert all(one["format"] == 1 and one["reason"] for one in told)
    assert done.exit_code == 4


@pytest.mark.parametrize(
    ("args", "given", "code", "says"),
    [
        ((), f"{ITEM}\n\n{ITEM}\n", 0, "read.item"),
        (("-",), ITEM, 0, "read.item"),
        (("--method", "POST", ITEM), "", 4, "method"),
        (("--resource", "image", ITEM), "", 4, "resource"),
        (("--site", "ebay", ITEM), "", 4, "host"),
        (("--locale", "de", ITEM), "", 4, "www.amazon.com is not a host of amazon"),
        (("--base-url", "http://127.0.0.1:3000", "http://127.0.0.1:3000/windowshop"), "", 0, "read.index"),
        (("--base-url", "https://www.amazon.com", ITEM), "", 2, "not a server of your own"),
        (("--site", "nowhere", ITEM), "", 2, "nowhere"),
    ],
)
def test_guard_check_takes_addresses_from_anywhere(
    args: tuple[str, ...], given: str, code: int, says: str
) -> None:
    done = CliRunner().invoke(group, ["guard", "check", *args], input=given)
    assert (done.exit_code, says in done.output) == (code, True), done.output


def test_secrets_in_addresses_are_not_written_down(guard: Guard, audit: Path) -> None:
    with pytest.raises(Refused) as refused:
        guard.fetch(Request(url=f"{ITEM}?api_key=CANARY&token=CANARY"), Hops(audit, {}))
    assert "CANARY" not in str(refused.value)
    assert "CANARY" not in audit.read_text(encoding="utf-8")
    assert redact("x?api_key=a&b=c") == "x?api_key=redacted&b=c"
