"""Shops of one's own: the only place where a cart fills, and only as far as the owner's file says."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from loopback import Answer, Site, Visit

from windowshop.cli import group
from windowshop.errors import ConfigError, FetchError, HostilePage, Refused, Timeout
from windowshop.journal import Journal, read_journal
from windowshop.locales import ASSET_HOSTS, DESCRIPTION_HOSTS, LOCALES
from windowshop.runs.sandbox import load_sandbox
from windowshop.safety import approval, sandbox_file
from windowshop.safety.address import is_own, is_own_address
from windowshop.safety.approval import is_approved
from windowshop.safety.sandbox import SandboxPolicy, judge_post, judge_sandbox, sandbox_policy
from windowshop.safety.sandbox_file import SandboxShop, admit, is_real_shop, parse_sandbox
from windowshop.safety.sandbox_guard import SandboxGuard
from windowshop.sandbox import TOKEN_PATH, SandboxPost, Writable
from windowshop.transports import sandbox as transport_room
from windowshop.transports.sandbox import SandboxTransport, addresses_of
from windowshop.wire import Readable, Request, Resource

TOKEN = "this shop is ours"
READABLE = (
    Readable(name="item", hosts=frozenset({"shop.test"}), path=r"/catalogue/\d+/"),
    Readable(name="basket", hosts=frozenset({"shop.test"}), path=r"/basket/"),
    Readable(name="preview", hosts=frozenset({"shop.test"}), path=r"/checkout/preview/"),
    Readable(name="profile", hosts=frozenset({"shop.test"}), path=r"/wishlist/"),
)
WRITABLE = (
    Writable(
        name="add",
        needs="cart",
        path=r"/basket/add/\d+/",
        params={"next": r"/[a-z/]*"},
        fields={"quantity": r"\d{1,2}", "csrf": r"\w+"},
    ),
    Writable(name="order", needs="checkout", path=r"/checkout/place/", fields={"csrf": r"\w+"}),
    Writable(name="sneak", needs="cart", path=r"/checkout/sneak/"),
    Writable(name="odd", needs="checkout", path=r"/odd/"),
    Writable(name="even", needs="cart", path=r"/(?:odd|even)/"),
    Writable(name="vote", needs="cart", path=r"/reviews-render/"),
)


def policy(*allow: Any, origin: str = "http://shop.test:8000") -> SandboxPolicy:
    shop = SandboxShop(
        host="shop.test", origin=origin, address="127.0.0.1", allow=frozenset(allow or ("cart",))
    )
    return sandbox_policy(shop, "oscar", READABLE, WRITABLE)


def written(folder: Path, text: str) -> Path:
    path = folder / "shops.toml"
    path.write_text(text, "utf-8")
    return path


def entry(url: str, more: str = "") -> str:
    return f'[[shop]]\nurl = "{url}"\nallow = ["cart"]\n{more}\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("shop = 1", "no table [[shop]]"),
        ("", "no table [[shop]]"),
        ("[[shop]", "is not TOML"),
        ("guard = false\n" + entry("http://127.0.0.1:1"), "an unknown key 'guard'"),
        (entry("http://127.0.0.1:1", "dry_run = false"), "shop 1: unknown key 'dry_run'"),
        ('[[shop]]\nurl = "http://127.0.0.1:1"', "allow must list what may be used: cart, checkout"),
        ('[[shop]]\nurl = "http://127.0.0.1:1"\nallow = ["everything"]', "allow must list"),
        ('[[shop]]\nurl = "http://127.0.0.1:1"\nallow = []', "allow must list"),
        ('[[shop]]\nallow = ["cart"]', "not an address of a server"),
        (entry("http://127.0.0.1:1/shop"), "only scheme, host and port"),
        (entry("http://me:x@127.0.0.1:1"), "only scheme, host and port"),
        (entry("http://127.0.0.1:1", 'token = "short"'), "token must be a text of at least 16"),
        (entry("http://127.0.0.1:1") * 2, "names a shop twice"),
        (entry("http://127.0.0.1:1", 'confirm = "no"'), "confirm must be true or false"),
    ],
)
def test_what_is_not_a_policy_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_sandbox(written(tmp_path, text))
    assert says in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the policy file"):
        load_sandbox(tmp_path / "none.toml")


REAL = sorted(
    {locale.host for table in LOCALES.values() for locale in table.values()}
    | {host for hosts in (*ASSET_HOSTS.values(), *DESCRIPTION_HOSTS.values()) for host in hosts}
)


MORE = (
    *("pay.amazon.com", "amazon.cn", "cart.payments.ebay.com", "media-amazon.com", "ebayimg.com"),
    *("ebaystatic.com", "ebaydesc.com", "ｗｗｗ.ａｍａｚｏｎ.com", "www.amazon%2ecom", "www。ebay。com"),
)


@pytest.mark.parametrize("spelling", ["{}", "x.{}", "{}.", "{}:8443"])
def test_no_file_opens_a_real_shop(spelling: str) -> None:
    for host in (*REAL, *MORE):
        with pytest.raises(ConfigError, match="is a real shop"):
            parse_sandbox(entry(f"https://{spelling.format(host.upper())}"), "x.toml")


def test_a_shop_of_ones_own_is_none() -> None:
    for host in ("shop.test", "amazonia.test", "ebayer.test", "127.0.0.1", "xn--mazon-3ve.com"):
        assert not is_real_shop(host)


@pytest.mark.parametrize(
    ("address", "own"),
    [
        *((address, True) for address in ("127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.9", "192.168.1.2")),
        *((address, True) for address in ("::1", "fd12::1", "::ffff:127.0.0.1", "::ffff:10.1.1.1")),
        *(
            (address, False)
            for address in ("169.254.169.254", "100.64.0.1", "172.32.0.1", "0.0.0.0", "8.8.8.8")
        ),
        *(
            (address, False)
            for address in ("fd00:ec2::254", "fe80::1", "2001:db8::1", "::ffff:8.8.8.8", "::")
        ),
        *((address, False) for address in ("", "localhost", "127.1", "2130706433", "224.0.0.1", "192.0.2.1")),
    ],
)
def test_only_private_addresses_are_ones_own(address: str, own: bool) -> None:
    assert is_own_address(address) is own
    assert is_own(address) is (own or address == "localhost")
    shop = parse_sandbox(entry("http://shop.test:8000"), "x.toml")[0]
    if own:
        assert admit(shop, ["127.0.0.1", address]).address == "127.0.0.1"
    else:
        with pytest.raises(ConfigError, match="is at a public address"):
            admit(shop, ["127.0.0.1", address])


def test_a_shop_in_public_shows_the_token_of_the_file() -> None:
    [shop] = parse_sandbox(entry("https://shop.test", f'token = "{TOKEN}"'), "x.toml")
    assert admit(shop, ["8.8.8.8"], f"{TOKEN}\n".encode()).origin == "https://shop.test"
    for said in (None, b"", b"another", TOKEN.encode()[:-1]):
        with pytest.raises(ConfigError, match=r"does not show the token of the policy file"):
            admit(shop, ["8.8.8.8"], said)
    with pytest.raises(ConfigError, match="has no address"):
        admit(shop, [])
    assert TOKEN not in repr(shop)


@pytest.fixture
def shop() -> Iterator[Site]:
    """A shop whose cart is its own cookie, so that it fills only in a session."""

    def add(visit: Visit) -> Answer:
        return Answer(b"", 302, {"location": "/basket/", "set-cookie": "cart=1; Path=/"})

    def basket(visit: Visit) -> Answer:
        return Answer(b"one kettle" if "cart=1" in visit.headers.get("cookie", "") else b"nothing")

    pages = {
        "/basket/add/7/": add,
        "/basket/": basket,
        "/catalogue/7/": Answer(b"a kettle"),
        "/checkout/place/": Answer(b"", 302, {"location": "https://www.amazon.com/gp/buy/x"}),
        TOKEN_PATH: Answer(f"{TOKEN}\n".encode()),
    }
    with Site(pages, tls=False) as running:
        yield running


def resolved(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Let names have these addresses, one after the other."""
    left, real = list(answers), socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **options: Any) -> list[Any]:
        if host != "shop.test":
            return real(host, *args, **options)
        address = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    monkeypatch.setattr(transport_room.socket, "getaddrinfo", getaddrinfo)


def test_a_cart_fills_in_a_shop_of_ones_own_and_every_step_is_on_record(shop: Site, tmp_path: Path) -> None:
    origin = f"http://shop.test:{shop.port}"
    guard = SandboxGuard(policy("cart", origin=origin), Journal(tmp_path / "audit.jsonl"))
    with SandboxTransport(origin, "127.0.0.1") as session:
        assert guard.fetch(Request(url=f"{origin}/basket/"), session).body == b"nothing"
        fields = (("quantity", "1"), ("csrf", "abc"))
        post = SandboxPost(form="add", url=f"{origin}/basket/add/7/?next=/basket/", fields=fields)
        assert guard.submit(post, session, session).body == b"one kettle"
        with pytest.raises(Refused, match=r"sandbox\.field"):
            guard.submit(post.model_copy(update={"fields": (("price", "0"),)}), session, session)
        with pytest.raises(Refused, match="does not allow checkout"):
            guard.submit(SandboxPost(form="order", url=f"{origin}/checkout/place/"), session, session)
    assert shop.hits["/basket/add/7/"] == 1
    assert shop.hits["/checkout/place/"] == 0
    lines = list(read_journal(tmp_path / "audit.jsonl"))
    assert [(line["what"], line["verdict"], line["rule"]) for line in lines] == [
        ("request", "allow", "read.basket"),
        ("submit", "allow", "sandbox.add"),
        ("request", "allow", "read.basket"),
        ("submit", "refuse", "sandbox.field"),
        ("submit", "refuse", "never.checkout"),
    ]
    assert lines[1]["fields"] == "quantity,csrf"
    assert "abc" not in (tmp_path / "audit.jsonl").read_text("utf-8")
    assert {line["policy"] for line in lines} == {guard.digest[:16]}


def test_an_order_that_redirects_to_a_real_shop_goes_nowhere(shop: Site, tmp_path: Path) -> None:
    origin = f"http://shop.test:{shop.port}"
    allowed = policy("cart", "checkout", origin=origin)
    with Journal(tmp_path / "audit.jsonl") as audit, SandboxTransport(origin, "127.0.0.1") as session:
        order = SandboxPost(form="order", url=f"{origin}/checkout/place/")
        with pytest.raises(Refused) as refused:
            SandboxGuard(allowed, audit).submit(order, session, session)
        assert refused.value.decision.rule == "origin"
        assert shop.hits["/checkout/place/"] == 1
        with pytest.raises(FetchError, match="for which this session was opened"):
            session.fetch(Request(url="https://www.amazon.com/"))
    assert allowed.digest != policy("cart", origin=origin).digest


@pytest.mark.parametrize(
    ("allow", "path", "method", "resource", "rule"),
    [
        (("cart",), "/catalogue/7/", "GET", "document", "read.item"),
        (("cart",), "/basket/", "GET", "document", "read.basket"),
        (("checkout",), "/basket/", "GET", "document", "never.cart"),
        (("cart",), "/checkout/preview/", "GET", "document", "never.checkout"),
        (("cart", "checkout"), "/checkout/preview/", "GET", "document", "read.preview"),
        (("cart", "checkout"), "/wishlist/", "GET", "document", "never.wish-list"),
        (("cart", "checkout"), "/elsewhere/", "GET", "document", "path"),
        (("cart", "checkout"), "/catalogue/7/?x=1", "GET", "document", "params"),
        (("cart",), "/static/shop.css", "GET", "stylesheet", "sandbox.asset"),
        (("cart",), "/static/shop.js", "GET", "script", "sandbox.asset"),
        (("cart",), "/catalogue/7/", "GET", "xhr", "resource"),
        (("cart",), "/basket/add/7/", "POST", "document", "sandbox.add"),
        (("cart",), "/basket/add/7/?evil=1", "POST", "document", "sandbox.form"),
        (("cart",), "/catalogue/7/", "POST", "document", "sandbox.form"),
        (("cart",), "/checkout/sneak/", "POST", "document", "never.checkout"),
        (("cart",), "/odd/", "POST", "document", "sandbox.even"),
        (("checkout",), "/even/", "POST", "document", "sandbox.permission"),
        (("cart", "checkout"), "/reviews-render/", "POST", "document", "never.review"),
        (("cart", "checkout"), "/checkout/place/", "POST", "document", "sandbox.order"),
        (("cart",), "/basket/", "DELETE", "document", "method"),
        (("cart",), "/catalogue/../basket/", "GET", "document", "url.canonical"),
        (("cart",), "/basket/#x", "GET", "document", "url.fragment"),
        (("cart",), "/basket/\n", "GET", "document", "url.characters"),
    ],
)
def test_what_the_owner_allows_and_no_more(
    allow: tuple[str, ...], path: str, method: str, resource: Resource, rule: str
) -> None:
    decision = judge_sandbox(policy(*allow), f"http://shop.test:8000{path}", method, resource)
    assert decision.rule == rule
    assert decision.allowed == rule.startswith(("read.", "sandbox.a", "sandbox.e", "sandbox.o"))
    assert decision.verdict != "intercept"


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://www.amazon.com/gp/cart/view.html", "origin"),
        ("http://shop.test:8001/basket/", "origin"),
        ("https://shop.test:8000/basket/", "origin"),
        ("http://x@shop.test:8000/basket/", "url.userinfo"),
    ],
)
def test_a_sandbox_opens_no_other_door(url: str, rule: str) -> None:
    for method in ("GET", "POST"):
        assert judge_sandbox(policy("cart", "checkout"), url, method).rule == rule


def test_a_form_is_judged_by_its_name_its_place_and_its_fields() -> None:
    both = policy("cart", "checkout")
    at = "http://shop.test:8000"
    assert judge_post(both, SandboxPost(form="order", url=f"{at}/checkout/place/")).rule == "sandbox.order"
    assert judge_post(both, SandboxPost(form="order", url=f"{at}/basket/add/7/")).rule == "sandbox.form"
    assert judge_post(both, SandboxPost(form="none", url=f"{at}/basket/add/7/")).rule == "sandbox.form"
    assert judge_post(policy("cart"), SandboxPost(form="odd", url=f"{at}/odd/")).rule == "sandbox.permission"
    many = SandboxPost(form="add", url=f"{at}/basket/add/7/", fields=(("quantity", "100"),))
    assert judge_post(both, many).rule == "sandbox.field"


def test_a_name_that_moves_is_still_reached_where_it_was(
    shop: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved(monkeypatch, "127.0.0.1", "10.255.255.1")
    origin = f"http://shop.test:{shop.port}"
    found = load_sandbox(written(tmp_path, entry(origin))).shop(origin)
    assert found.address == "127.0.0.1"
    assert addresses_of("shop.test") == ("10.255.255.1",)
    with SandboxTransport(found.origin, found.address) as session:
        assert session.fetch(Request(url=f"{origin}/catalogue/7/")).body == b"a kettle"
    assert shop.visits[-1].host == "shop.test"
    with pytest.raises(ConfigError, match=r"does not name http://127.+ it names"):
        load_sandbox(written(tmp_path, entry(f"http://127.0.0.1:{shop.port}"))).shop("http://127.0.0.1:1")


def test_the_token_is_asked_for_at_the_pinned_address(
    shop: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved(monkeypatch, "127.0.0.1")
    monkeypatch.setattr(sandbox_file, "is_own_address", lambda address: False)
    path = written(tmp_path, entry(f"http://shop.test:{shop.port}", f'token = "{TOKEN}"'))
    assert load_sandbox(path).shops[0].address == "127.0.0.1"
    shop.pages[TOKEN_PATH] = Answer(b"no", 404)
    with pytest.raises(ConfigError, match="does not show the token"):
        load_sandbox(path)


def test_a_name_without_an_address_is_the_users_slip() -> None:
    with pytest.raises(ConfigError, match="has no address"):
        addresses_of("no.such.shop.invalid")


def test_what_does_not_come_has_its_error(shop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = f"http://shop.test:{shop.port}"
    shop.pages["/large"] = Answer(b"x" * 2_000)
    with SandboxTransport(origin, "127.0.0.1") as session:
        monkeypatch.setattr(transport_room, "MAX_BYTES", 1_000)
        with pytest.raises(HostilePage):
            session.fetch(Request(url=f"{origin}/large"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setattr(transport_room, "_PATIENCE", 0.2)
        with SandboxTransport(f"http://shop.test:{port}", "127.0.0.1") as session, pytest.raises(Timeout):
            session.fetch(Request(url=f"http://shop.test:{port}/"))
    nobody = SandboxTransport(f"http://shop.test:{port}", "127.0.0.1")
    with nobody, pytest.raises(FetchError, match="cannot reach"):
        nobody.fetch(Request(url=f"http://shop.test:{port}/"))


@contextmanager
def someone_types(said: bytes) -> Iterator[Path]:
    """Open a terminal of our own, at which somebody answers the first question with `said`."""
    ours, theirs = os.openpty()

    def answer() -> None:
        os.read(ours, 1000)
        os.write(ours, said)

    person = threading.Thread(target=answer, daemon=True)
    person.start()
    try:
        yield Path(os.ttyname(theirs))
        person.join(10)
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.parametrize(
    ("said", "yes"), [(b"yes\n", True), (b"YES\n", True), (b"y\n", False), (b"\n", False), (b"no\n", False)]
)
def test_only_the_terminal_can_say_yes(said: bytes, yes: bool) -> None:
    with someone_types(said) as terminal:
        assert is_approved("Submit add?", terminal) is yes


def test_where_there_is_no_terminal_the_answer_is_no(shop: Site, tmp_path: Path) -> None:
    assert not is_approved("Submit?", tmp_path / "none")
    origin = f"http://shop.test:{shop.port}"
    asking = SandboxGuard(policy(origin=origin), Journal(tmp_path / "audit.jsonl"), tmp_path / "none")
    session = SandboxTransport(origin, "127.0.0.1")
    with session, pytest.raises(Refused, match="nobody said yes at the terminal"):
        asking.submit(SandboxPost(form="add", url=f"{origin}/basket/add/7/"), session, session)
    assert not shop.hits


def test_what_was_typed_before_the_question_is_no_answer() -> None:
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"yes\nyes\n")

        def answer() -> None:
            said = b""
            while b"allow it" not in said:
                said += os.read(ours, 1000)
            os.write(ours, b"no\n")

        person = threading.Thread(target=answer, daemon=True)
        person.start()
        assert not is_approved("Submit add?", Path(os.ttyname(theirs)))
        person.join(10)
    finally:
        os.close(theirs)
        os.close(ours)


def test_the_owners_file_says_that_a_person_is_asked(
    shop: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = f"http://127.0.0.1:{shop.port}"
    form = (Writable(name="add", needs="cart", path=r"/basket/add/\d+/"),)
    readable = (READABLE[1].model_copy(update={"hosts": frozenset({"127.0.0.1"})}),)
    digests = set()
    for more, asked in (("", False), ("confirm = false", False), ("confirm = true", True)):
        own = load_sandbox(written(tmp_path, entry(origin, more))).shop(origin)
        found = sandbox_policy(own, "oscar", readable, form)
        digests.add(found.digest)
        monkeypatch.setattr(approval, "TERMINAL", tmp_path / "none")
        guard = SandboxGuard(found, Journal(tmp_path / "audit.jsonl"))
        add = SandboxPost(form="add", url=f"{origin}/basket/add/7/")
        with SandboxTransport(own.origin, own.address) as session:
            if asked:
                with pytest.raises(Refused, match="nobody said yes"):
                    guard.submit(add, session, session)
            else:
                assert guard.submit(add, session, session).body == b"one kettle"
    assert (shop.hits["/basket/add/7/"], len(digests)) == (2, 2)


def test_a_yes_at_the_terminal_lets_through_what_the_policy_allows(shop: Site, tmp_path: Path) -> None:
    origin = f"http://shop.test:{shop.port}"
    with someone_types(b"yes\n") as terminal, SandboxTransport(origin, "127.0.0.1") as session:
        asking = SandboxGuard(policy(origin=origin), Journal(tmp_path / "audit.jsonl"), terminal)
        add = SandboxPost(form="add", url=f"{origin}/basket/add/7/")
        assert asking.submit(add, session, session).body == b"one kettle"


def test_a_yes_opens_nothing_that_the_policy_refuses(shop: Site, tmp_path: Path) -> None:
    origin = f"http://shop.test:{shop.port}"
    terminal = tmp_path / "terminal"
    terminal.write_bytes(b"yes\n" * 100)
    asking = SandboxGuard(policy("cart", origin=origin), Journal(tmp_path / "audit.jsonl"), terminal)
    session = SandboxTransport(origin, "127.0.0.1")
    with session, pytest.raises(Refused, match=r"never\.checkout"):
        asking.submit(SandboxPost(form="order", url=f"{origin}/checkout/place/"), session, session)
    assert terminal.read_bytes() == b"yes\n" * 100, "nobody was asked"


def test_guard_check_asks_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, entry("http://127.0.0.1:3000"))
    command = [
        "guard",
        "check",
        "--policy",
        str(path),
        "--site",
        "webshop",
        "--base-url",
        "http://127.0.0.1:3000",
    ]
    allowed = CliRunner().invoke(group, [*command, "http://127.0.0.1:3000/windowshop"])
    assert (allowed.exit_code, "read.index" in allowed.stdout) == (0, True), allowed.output
    refused = CliRunner().invoke(group, [*command, "http://127.0.0.1:3000/checkout/"])
    assert (refused.exit_code, "does not allow checkout" in refused.stdout) == (4, True)
    alone = CliRunner().invoke(group, ["guard", "check", "--policy", str(path), "http://127.0.0.1:3000/"])
    assert alone.exit_code == 2
