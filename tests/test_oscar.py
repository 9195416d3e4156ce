"""A shop that we did not write, django-oscar: read by its adapter, and sold nothing through the guard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result
from oscar_raider import Raider
from oscar_shop import OscarShop
from oscar_shopper import Shopper
from playwright.sync_api import Browser, ProxySettings, sync_playwright

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters import load_site
from windowshop.adapters.explain import Explains
from windowshop.adapters.selling import Sells
from windowshop.cli import group
from windowshop.errors import PageError, Refused, UnavailableAction
from windowshop.journal import Journal, read_journal
from windowshop.orders import Buyer
from windowshop.pages import ItemPage, Page, ResultsPage
from windowshop.runs.sandbox import load_sandbox
from windowshop.runs.selling import Till, policy_of
from windowshop.runs.serve import Post, serve
from windowshop.safety.guard import Guard
from windowshop.safety.policy import own_policy
from windowshop.safety.sandbox_guard import SandboxGuard
from windowshop.transports.browser import find_browser
from windowshop.transports.http import HttpTransport
from windowshop.transports.sandbox import SandboxTransport
from windowshop.wire import Request, Response

NOTHING = {"basket lines": 0, "orders": 0, "users": 0, "reviews": 0, "wish-list lines": 0}
PAN = "tarn-copper-saucepan_15"
KETTLE = "harrow-enamel-kettle_1"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OscarShop]:
    pytest.importorskip("oscar", reason="django-oscar is not installed")
    with OscarShop(tmp_path_factory.mktemp("oscar")) as shop:
        yield shop


@pytest.fixture
def shop(running: OscarShop) -> OscarShop:
    running.reset()
    return running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = find_browser()
    assert found is not None
    flags = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found.path, args=flags)


def windowshop(*args: str | Path) -> Result:
    return CliRunner().invoke(group, [*map(str, args)])


def look(shop: OscarShop, navigation: Navigation, tmp_path: Path) -> Page:
    """Visit through the guard, as a run does; and see that the page can be explained."""
    site = load_site("oscar", "uk", shop.base_url)
    with Journal(tmp_path / "audit.jsonl") as audit, HttpTransport("tests", "en-GB") as transport:
        guard = Guard(own_policy(site.name, shop.base_url, tuple(site.readable)), audit)
        response = guard.fetch(site.request(navigation), transport)
    page = site.parse(response)
    assert isinstance(site, Explains) and site.explain(response).page == page
    return page


def item(shop: OscarShop, item_id: str, tmp_path: Path, variant: str | None = None) -> ItemPage:
    page = look(shop, ToItem(item_id=item_id, variant=variant), tmp_path)
    assert isinstance(page, ItemPage)
    return page


def results(shop: OscarShop, query: str, tmp_path: Path, number: int = 1) -> ResultsPage:
    page = look(shop, ToResults(query=query, page=number), tmp_path)
    assert isinstance(page, ResultsPage)
    return page


def test_results_are_read_page_by_page(shop: OscarShop, tmp_path: Path) -> None:
    first, second = (results(shop, "kettle", tmp_path, number) for number in (1, 2))
    assert (first.query, first.page, first.has_next, first.total) == ("kettle", 1, True, 27)
    assert (second.page, second.has_next, len(first.tiles), len(second.tiles)) == (2, False, 20, 7)
    tile = next(tile for tile in (*first.tiles, *second.tiles) if tile.item_id == KETTLE)
    assert tile.title == "Harrow enamel kettle" and tile.url == f"{shop.base_url}/catalogue/{KETTLE}/"
    assert tile.price is not None and (tile.price.amount, tile.price.currency) == (44.5, "GBP")
    unpriced = next(tile for tile in (*first.tiles, *second.tiles) if "without-a-price" in tile.item_id)
    assert unpriced.price is None


def test_a_search_that_finds_nothing_is_an_empty_list(shop: OscarShop, tmp_path: Path) -> None:
    page = results(shop, "zzzz & <b>?", tmp_path)
    assert (page.query, page.tiles, page.has_next, page.total) == ("zzzz & <b>?", (), False, 0)


def test_an_item_is_read(shop: OscarShop, tmp_path: Path) -> None:
    page = item(shop, PAN, tmp_path)
    assert (page.item_id, page.title, page.in_stock) == (PAN, "Tarn copper saucepan", True)
    assert page.price is not None and (page.price.amount, page.price.currency) == (1249.0, "GBP")
    assert page.description == "Tarn copper saucepan, made in a workshop by the sea. Keeps for years."
    assert (page.bullets, page.breadcrumbs) == (("Keeps for years.",), ("Home", "Kitchen"))
    assert page.specifics["UPC"] == "50000002"
    assert (page.rating, page.review_count, page.reviews, page.options) == (None, None, (), ())
    assert item(shop, "sold-out-kettle-warmer_16", tmp_path).in_stock is False
    assert item(shop, "kettle-without-a-price_17", tmp_path).price is None


def test_a_variant_has_a_page_and_a_price_of_its_own(shop: OscarShop, tmp_path: Path) -> None:
    (group_of,) = item(shop, KETTLE, tmp_path).options
    ids = {value.text: value.item_id for value in group_of.values}
    assert group_of.name == "Variants" and "slate, large" not in ids
    assert set(ids) == {"red, small", "red, large", "green, small", "green, large", "slate, small"}
    for text, price in (("red, small", 34.5), ("green, large", 44.5)):
        page = item(shop, KETTLE, tmp_path, variant=ids[text])
        assert page.item_id == ids[text] and page.price is not None and page.price.amount == price


def test_reviews_are_read(shop: OscarShop, tmp_path: Path, browser: Browser) -> None:
    with browser.new_context() as context:
        Shopper(context.new_page(), shop.base_url).sign_up(PAN, "reviewer@example.org")
    page = item(shop, PAN, tmp_path)
    (review,) = page.reviews
    assert (review.title, review.score, review.body) == ("Five stars", 5.0, "I was never here.")
    assert (page.rating, page.review_count) == (5.0, 1)


def test_a_product_that_is_gone_is_not_found(shop: OscarShop, tmp_path: Path) -> None:
    assert look(shop, ToItem(item_id="no-such-thing_4711"), tmp_path).kind == "not_found"


@pytest.mark.parametrize(
    "item_id", ["", "7", "../basket", "a/../../checkout_1", "x_1/reviews/add", "a_1?b=2"]
)
def test_an_id_that_is_none_is_never_asked_for(item_id: str) -> None:
    with pytest.raises(PageError):
        load_site("oscar", "uk", "http://127.0.0.1:1").request(ToItem(item_id=item_id))


def test_pages_of_other_kinds_are_known_and_other_shops_are_not(shop: OscarShop) -> None:
    site = load_site("oscar", "uk", shop.base_url)
    for path, kind in (("/basket/", "other"), ("/accounts/login/", "other"), ("/catalogue/", "results")):
        answer = httpx.get(shop.base_url + path, trust_env=False)
        assert site.parse(saved(answer.content, shop.base_url + path)).kind == kind
    with pytest.raises(PageError):
        site.parse(saved(b"<html><title>a kettle</title><p>buy me", "https://www.shop.test/"))


# nothing is bought through the guard; without it the same scripts do harm

OPENING = ("search[kettle]", "click[next >]", "click[< prev]")
TRICKS = (
    "click[add to cart]",
    "click[add to basket]",
    "click[checkout]",
    "click[place order]",
    "click[add to wish list]",
    "click[write a review]",
    "click[register]",
    "click[/basket/add/15/]",
    "click[http://127.0.0.1/checkout/]",
    "goto[/checkout/]",
    "search[/checkout/preview/?action=place_order]",
    "POST /basket/add/15/",
    "click[buy now",
    "buy[now]",
    "click[[buy now]]",
)
TABS = (
    "click[description]",
    "click[< prev]",
    "click[features]",
    "click[< prev]",
    "click[reviews]",
    "click[< prev]",
)


def hostile_script() -> list[str]:
    """Return what an agent does that wants to change anything: every trick on every kind of page."""
    lines = [*TRICKS]
    for item_id in (KETTLE, "kettle-descaler-no-3_28", "sold-out-kettle-warmer_16"):
        for query in ("kettle", "kettle cart", "order now"):
            lines += [f"search[{query}]", *TRICKS, "click[back to search]", *OPENING, f"click[{item_id}]"]
            lines += [*TRICKS, *TABS, "click[red, small]", *TRICKS, "click[back to search]"]
    return [*lines, *OPENING, f"click[{KETTLE}]", "click[green, large]", "click[buy now]"]


def test_a_hostile_agent_buys_nothing(shop: OscarShop, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("\n".join(hostile_script()))
    run = tmp_path / "run"
    result = windowshop(
        *("run", "change something", "--site", "oscar", "--locale", "uk", "--base-url", shop.base_url),
        *("--agent", f"scripted:{script}", "--max-steps", "1000", "--out", run),
    )
    assert result.exit_code == 0, result.output
    (intent,) = read_journal(run / "purchases.jsonl")
    assert (intent["item_id"], intent["landed_id"]) == (KETTLE, "harrow-enamel-kettle-green-large_5")
    assert intent["unit_price"]["amount"] == 44.5
    steps = list(read_journal(run / "steps.jsonl"))
    assert len(steps) > 500
    assert sum(step["visits"] for step in steps) > 5  # a run visits an address once
    assert shop.harm == NOTHING


class Liar:
    """An adapter that asks for whatever it likes."""

    def __init__(self, urls: Iterator[str]) -> None:
        self.urls = urls

    def request(self, navigation: Navigation) -> Request:
        return Request(url=next(self.urls))


PURCHASES = (
    "/basket/add/15/",
    "/basket/",
    "/checkout/",
    "/checkout/preview/",
    "/checkout/preview/?action=place_order",
    "/accounts/register/",
    "/accounts/wishlists/add/15/",
    "/catalogue/tarn-copper-saucepan_15/reviews/add/",
    "/catalogue/../basket/add/15/",
    "/catalogue/..%2fbasket/",
    "//basket/add/15/",
    "/search/?q=x&add=15",
    "/search/?q=x&q=y",
    "/CHECKOUT/",
    "/catalogue/a_1/?_method=POST",
    "/vouchers/apply/",
    "/i18n/setlang/",
    "/accounts/logout/",
    "/dashboard/",
    "/catalogue/a_1/#/checkout/",
)


def test_an_adapter_that_lies_gets_nothing_out(shop: OscarShop, tmp_path: Path) -> None:
    readable = tuple(load_site("oscar", "uk", shop.base_url).readable)
    hosts = (
        shop.base_url,
        shop.base_url.replace("127.0.0.1", "localhost"),
        "http://127.0.0.1:1",
        "https://pay.test",
    )
    urls = [host + path for host in hosts for path in PURCHASES]
    liar = Liar(iter(urls))
    with Journal(tmp_path / "audit.jsonl") as audit, HttpTransport("tests", "en-GB") as transport:
        guard = Guard(own_policy("oscar", shop.base_url, readable), audit)
        for url in urls:
            with pytest.raises(Refused):
                guard.fetch(liar.request(ToItem(item_id=url)), transport)
            assert not guard.permits(url, "POST").allowed
    assert shop.harm == NOTHING


def test_the_plain_script_buys_where_nothing_guards_the_shop(shop: OscarShop, browser: Browser) -> None:
    with browser.new_context() as context:
        shopper = Shopper(context.new_page(), shop.base_url)
        shopper.buy(PAN, "guest@example.org")
        shopper.sign_up(PAN, "member@example.org")
    assert shop.harm == dict.fromkeys(NOTHING, 1)
    assert shop.ask("select total_incl_tax, guest_email from order_order") == [(1249, "guest@example.org")]


def test_the_raider_does_harm_where_nothing_guards_the_shop(shop: OscarShop) -> None:
    with httpx.Client(trust_env=False, follow_redirects=True) as client:
        Raider(client, shop.base_url).raid(PAN)
    assert all(shop.harm.values()), shop.harm


@pytest.fixture
def post(shop: OscarShop, tmp_path: Path) -> Iterator[Post]:
    """What `windowshop guard serve` lends to agents that are not ours."""
    site = load_site("oscar", "uk", shop.base_url)
    with serve(site, "uk", tmp_path / "served", base_url=shop.base_url) as (opened, _):
        yield opened


def test_scripts_of_others_do_nothing_through_the_wall(
    shop: OscarShop, post: Post, browser: Browser, tmp_path: Path
) -> None:
    items = [tile for number in (1, 2) for tile in results(shop, "kettle", tmp_path, number).tiles]
    with httpx.Client(proxy=post.proxy, follow_redirects=True) as client:
        raider = Raider(client, shop.base_url)
        for tile in items[:14]:
            raider.raid(tile.item_id)
        assert client.get(f"{shop.base_url}/catalogue/{PAN}/").status_code == 200
        assert client.get(f"{shop.base_url}/checkout/").headers["windowshop"] == "refuse"
    proxy = ProxySettings(server=post.proxy, bypass="<-loopback>")
    with browser.new_context(proxy=proxy) as context:
        shopper = Shopper(context.new_page(), shop.base_url)
        for tile in items[:8]:
            shopper.buy(tile.item_id, "guest@example.org")
            shopper.sign_up(tile.item_id, "member@example.org")
    verdicts = Counter(line["verdict"] for line in read_journal(post.records / "audit.jsonl"))
    assert verdicts["refuse"] > 300 and verdicts["allow"] > 20, verdicts
    acted = [sum(one.actions.values()) - one.actions["failed"] for one in (raider, shopper)]
    assert min(acted) > 200 and sum(acted) > 600, (raider.actions, shopper.actions)
    assert shop.harm == NOTHING


# in a sandbox, where its owner's policy file allows it, the same shop does sell

BUYER = Buyer(
    name="Ann Moor",
    street="Quay",
    house_number="7",
    zip="HU1 1AA",
    city="Hull",
    state="Yorkshire",
    country="UK",
    email="ann@example.org",
)


def till(shop: OscarShop, tmp_path: Path, allow: str, audit: Journal, stack: ExitStack) -> Till:
    file = tmp_path / "sandbox.toml"
    file.write_text(f'[[shop]]\nurl = "{shop.base_url}"\nallow = [{allow}]\n')
    own = load_sandbox(file).shop(shop.base_url)
    site = load_site("oscar", "uk", shop.base_url)
    assert isinstance(site, Sells)
    session = stack.enter_context(SandboxTransport(own.origin, own.address))
    return Till(site, SandboxGuard(policy_of(site, own), audit), session)


def test_a_checkout_in_a_sandbox_places_an_order(shop: OscarShop, tmp_path: Path) -> None:
    with ExitStack() as stack, Journal(tmp_path / "audit.jsonl") as audit:
        opened = till(shop, tmp_path, '"cart", "checkout"', audit, stack)
        opened.add(opened.site.request(ToItem(item_id=PAN)))
        opened.add(opened.site.request(ToItem(item_id=KETTLE, variant="harrow-enamel-kettle-green-large_5")))
        assert {line.title for line in opened.lines()} == {
            "Tarn copper saucepan",
            "Harrow enamel kettle, green, large",
        }
        order = opened.check_out(BUYER)
    assert order.address is not None and "Ann Moor 7" not in order.address and "Ann Moor" in order.address
    assert [line.url for line in order.lines]
    rows = shop.ask(
        "select o.number, o.guest_email, a.line1, a.postcode, l.title, l.quantity from order_order o"
        " join order_line l on l.order_id = o.id join order_shippingaddress a on a.id = o.shipping_address_id"
        " order by l.title"
    )
    assert rows == [
        (order.number, "ann@example.org", "Quay 7", "HU1 1AA", title, 1)
        for title in ("Harrow enamel kettle, green, large", "Tarn copper saucepan")
    ]
    assert shop.harm == {**NOTHING, "basket lines": 2, "orders": 1}


def test_a_policy_that_allows_carts_alone_lets_no_order_out(shop: OscarShop, tmp_path: Path) -> None:
    with ExitStack() as stack, Journal(tmp_path / "audit.jsonl") as audit:
        opened = till(shop, tmp_path, '"cart"', audit, stack)
        opened.add(opened.site.request(ToItem(item_id=PAN)))
        with pytest.raises(Refused):
            opened.check_out(BUYER)
    assert shop.harm == {**NOTHING, "basket lines": 1}


def test_what_cannot_be_bought_has_no_form(shop: OscarShop, tmp_path: Path) -> None:
    with ExitStack() as stack, Journal(tmp_path / "audit.jsonl") as audit:
        opened = till(shop, tmp_path, '"cart"', audit, stack)
        for item_id in ("sold-out-kettle-warmer_16", KETTLE):
            with pytest.raises(UnavailableAction):
                opened.add(opened.site.request(ToItem(item_id=item_id)))
    assert shop.harm == NOTHING


def saved(body: bytes, url: str) -> Response:
    return Response(url=url, status=200, body=body, transport="file", at=datetime.now(UTC))
