"""The demo shop: its catalogue, goals and server, and that adapters read its pages as they were meant."""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from math import prod
from urllib.parse import quote, urljoin

import httpx
import pytest
from protego import Protego
from selectolax.lexbor import LexborHTMLParser

from windowshop.actions import ToItem, ToResults
from windowshop.adapters import load_site
from windowshop.demo import Shop, amazon_pages, catalogue, ebay_pages, goals
from windowshop.demo.amazon import RENAMED_ASIN
from windowshop.demo.ebay import RENAMED_LISTING
from windowshop.demo.hostile import TRAP_ASIN, TRAP_LISTING
from windowshop.demo.product import Product
from windowshop.demo.ranking import PER_PAGE, listing, ranking
from windowshop.locales import ASSET_HOSTS, LOCALES
from windowshop.pages import ItemPage, Page, Price, ResultsPage
from windowshop.wire import Response

AMAZON, EBAY = "www.amazon.com", "www.ebay.com"
Get = Callable[..., httpx.Response]


def _browser(shop: Shop) -> Iterator[Get]:
    context = ssl.create_default_context(cadata=shop.ca_pem.decode())
    host, port = shop.address
    with httpx.Client(verify=context) as client:

        def get(url: str, method: str = "GET") -> httpx.Response:
            real = httpx.URL(url)
            local = real.copy_with(host=host, port=port)
            return client.request(
                method, local, headers={"host": real.host}, extensions={"sni_hostname": real.host}
            )

        yield get


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop() as shop:
        yield shop


@pytest.fixture(scope="module")
def get(shop: Shop) -> Iterator[Get]:
    yield from _browser(shop)


def _parse(url: str, body: bytes, status: int = 200) -> Page:
    site = load_site("amazon" if "amazon" in url else "ebay")
    return site.parse(Response(url=url, status=status, body=body, transport="demo", at=datetime.now(UTC)))


def _price(low: float | None, high: float | None = None) -> tuple[float, float | None, str] | None:
    return None if low is None else (low, high, "USD")


def _read(price: Price | None) -> tuple[float, float | None, str | None] | None:
    return None if price is None else (price.amount, price.high, price.currency)


# the catalogue and the goals


def test_the_catalogue_has_what_a_shop_has() -> None:
    products = catalogue()
    assert len(products) >= 300
    assert len({product.category for product in products}) == 5
    ids = [i for p in products for i in {p.asin, p.parent, *(v.asin for v in p.variants)}]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"B0[A-Z0-9]{8}", asin) for asin in ids)
    numbers = [i for p in products for i in (p.listing_id, *(v.variation_id for v in p.variants))]
    assert len(set(numbers)) == len(numbers)
    assert all(re.fullmatch(r"\d{12}", number) for number in numbers)
    assert all(3 <= len(product.bullets) <= 6 and product.opinions for product in products)


def test_the_catalogue_has_the_odd_ones_too() -> None:
    products = catalogue()
    assert any(all(v.price is None for v in p.variants) for p in products)
    assert any(p.description is None for p in products)
    assert any(p.only(p.chosen) is None for p in products), "a page that shows a price range"
    assert any(all(v.stock == 0 for v in p.variants) for p in products)
    assert any({v.stock == 0 for v in p.variants} == {True, False} for p in products)
    grids = ((len(p.variants), prod(len(choice.values) for choice in p.choices)) for p in products)
    assert any(made < possible for made, possible in grids), "a combination that was never made"
    assert any(len({v.price for v in p.variants}) > 3 for p in products), "options that change the price"
    assert any(not p.choices for p in products)


def test_the_catalogue_is_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from windowshop.demo import catalogue, goals;"
        "print(hashlib.sha256(repr((catalogue(), goals())).encode()).hexdigest())"
    )
    here = hashlib.sha256(repr((catalogue(), goals())).encode()).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    there = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_importing_the_demo_loads_nothing_heavy() -> None:
    heavy = {"bm25s", "numpy", "jinja2", "trustme"}
    code = f"import sys, windowshop.demo; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_goal_can_be_met_in_full() -> None:
    products = {product.asin: product for product in catalogue()}
    assert len(goals()) >= 60
    for goal in goals():
        product = products[goal["asin"]]
        bought = next(v for v in product.variants if list(v.options.values()) == goal["goal_options"])
        assert bought.offered
        assert bought.price is not None and bought.price <= goal["price_upper"]
        told = " ".join(product.bullets).lower()
        assert goal["attributes"] and all(attribute in told for attribute in goal["attributes"])
        assert goal["name"] == product.title and goal["query"] == product.query
        assert product in ranking().find(goal["query"])
        assert ranking().find(goal["instruction_text"]).index(product) < PER_PAGE


def test_a_common_word_fills_several_pages_and_no_word_fills_none() -> None:
    assert listing("shirt", 1).total >= 60
    assert listing("shirt", 1).pages >= 3
    pages = [listing("shirt", number) for number in range(1, listing("shirt", 1).pages + 1)]
    organic = [place.product.asin for page in pages for place in page.places if not place.sponsored]
    assert len(organic) == len(set(organic)) == pages[0].total
    assert all(sum(place.sponsored for place in page.places) == 2 for page in pages)
    assert listing("xyzzy", 1).places == ()
    assert listing("", 1).total == 0


def test_the_best_hit_is_what_was_asked_for() -> None:
    for query in ("electric kettle", "memory foam bed pillows", "usb c charging cable", "web camera"):
        best = next(place.product for place in listing(query, 1).places if not place.sponsored)
        assert best.query.split()[-1] in query


# the pages, read by the adapters


def _amazon_facts(product: Product, asin: str) -> None:
    page = _parse(f"https://{AMAZON}/dp/{asin}", amazon_pages.item_page(product, asin, AMAZON))
    assert isinstance(page, ItemPage)
    chosen = next((v.options for v in product.variants if v.asin == asin), product.chosen)
    variant = product.only(chosen)
    low, high = amazon_pages.shown_price(product, chosen)
    assert (page.item_id, page.title, page.brand) == (asin, product.title, product.brand)
    assert (page.rating, page.review_count) == (product.rating, product.review_count)
    assert _read(page.price) == _price(low, high)
    assert _read(page.list_price) == _price(product.struck(low, high))
    assert (page.bullets, page.description) == (product.bullets, product.description)
    assert page.breadcrumbs == product.path
    assert page.in_stock == (variant.offered if variant else None)
    assert page.seller == (product.seller if variant and variant.offered else None)
    assert product.specifics.items() <= page.specifics.items()
    assert page.image
    assert [(r.title, r.score, r.body) for r in page.reviews] == [
        (o.title, o.stars, o.body) for o in product.opinions
    ]
    assert {g.name: tuple(v.text for v in g.values) for g in page.options} == {
        c.name: c.values for c in product.choices
    }
    assert {g.name: v.text for g in page.options for v in g.values if v.selected} == chosen
    assert {v.item_id: v.options for v in page.variants} == (
        {v.asin: v.options for v in product.variants} if product.choices else {}
    )
    for group in page.options:
        for value in group.values:
            target = product.only(chosen | {group.name: value.text})
            if target is not None:
                assert value.item_id == target.asin
                assert value.selected or value.available == (target.stock > 0)
                assert _read(value.price) == _price(target.price if target.offered else None)


def _ebay_facts(product: Product, variation: str | None) -> None:
    url = f"https://{EBAY}/itm/{product.listing_id}" + (f"?var={variation}" if variation else "")
    page = _parse(url, ebay_pages.item_page(product, variation, EBAY))
    assert isinstance(page, ItemPage)
    chosen = next((v.options for v in product.variants if v.variation_id == variation), {})
    variant = product.only(chosen)
    low, high = ebay_pages.shown_price(product, chosen)
    assert (page.item_id, page.title, page.brand) == (product.listing_id, product.title, product.brand)
    assert (page.seller, page.condition, page.breadcrumbs) == (product.seller, "New", product.path)
    assert _read(page.price) == _price(low, high)
    assert _read(page.list_price) == _price(product.struck(low, high))
    assert page.in_stock == (variant.stock > 0 if variant else any(v.stock for v in product.variants))
    assert page.tabs == ({"description": ebay_pages.description_url(product)} if product.description else {})
    assert product.specifics.items() <= page.specifics.items()
    assert {g.name: tuple(v.text for v in g.values) for g in page.options} == {
        c.name: c.values for c in product.choices
    }
    assert {g.name: v.text for g in page.options for v in g.values if v.selected} == chosen
    assert {v.item_id: (v.options, _read(v.price), v.in_stock) for v in page.variants} == (
        {v.variation_id: (v.options, _price(v.price), v.stock > 0) for v in product.variants}
        if product.choices
        else {}
    )


@pytest.mark.parametrize("category", ["fashion", "electronics", "garden", "grocery", "beauty"])
def test_every_item_page_says_what_the_catalogue_says(category: str) -> None:
    for product in catalogue():
        if product.category == category:
            _amazon_facts(product, product.asin)
            _amazon_facts(product, product.variants[-1].asin)
            _ebay_facts(product, None)
            _ebay_facts(product, product.variants[-1].variation_id if product.choices else None)


def test_a_sold_out_variant_says_so() -> None:
    product, variant = next((p, v) for p in catalogue() for v in p.variants if v.stock == 0 and v.price)
    _amazon_facts(product, variant.asin)
    _ebay_facts(product, variant.variation_id)


@pytest.mark.parametrize("query", ["shirt", "granola", "men's t-shirt", "lip balm & co", "xyzzy"])
def test_every_results_page_says_what_the_ranking_says(query: str, get: Get) -> None:
    for number in range(1, listing(query, 1).pages + 1):
        found = listing(query, number)
        for url, pages in (
            (f"https://{AMAZON}/s?k={quote(query)}&page={number}", amazon_pages),
            (f"https://{EBAY}/sch/i.html?_nkw={quote(query)}&_pgn={number}", ebay_pages),
        ):
            page = _parse(url, get(url).content)
            assert isinstance(page, ResultsPage)
            is_amazon = pages is amazon_pages
            assert page.query == query
            assert page.has_next == (number < found.pages)
            assert page.page == number or (found.pages == 1 and page.page is None)
            assert page.total == found.total or (found.total == 0 and page.total is None)
            assert [t.item_id for t in page.tiles] == [
                p.product.asin if is_amazon else p.product.listing_id for p in found.places
            ]
            assert [t.title for t in page.tiles] == [p.product.title for p in found.places]
            if is_amazon:
                assert [t.sponsored for t in page.tiles] == [p.sponsored for p in found.places]
            assert [_read(t.price) for t in page.tiles] == [
                _price(*pages.shown_price(p.product, p.product.chosen if is_amazon else {}))
                for p in found.places
            ]


def test_the_description_stands_in_its_own_frame(get: Get) -> None:
    product = next(p for p in catalogue() if p.description)
    url = ebay_pages.description_url(product)
    page = _parse(url, get(url).content)
    assert page.kind == "sub_page"
    assert product.description in " ".join(page.texts)
    old = f"https://vi.vipr.ebaydesc.com/ws/eBayISAPI.dll?ViewItemDescV4&item={product.listing_id}"
    assert get(old).content == get(url).content


# the server


@pytest.mark.parametrize(
    ("url", "status", "kind"),
    [
        (f"https://{AMAZON}/", 200, "search"),
        (f"https://{EBAY}/", 200, "search"),
        (f"https://{AMAZON}/dp/B000000000", 404, "not_found"),
        (f"https://{EBAY}/itm/100000000000", 404, "not_found"),
    ],
)
def test_other_pages_are_what_they_seem(url: str, status: int, kind: str, get: Get) -> None:
    response = get(url)
    assert response.status_code == status
    assert _parse(url, response.content, status).kind == kind


def test_an_item_answers_under_all_its_addresses(get: Get) -> None:
    product = next(p for p in catalogue() if p.choices and p.only(p.chosen))
    item = get(f"https://{AMAZON}/dp/{product.asin}?th=1&psc=1").content
    assert get(f"https://{AMAZON}/Some-Title/dp/{product.asin}/ref=sr_1_3?keywords=x").content == item
    variant = product.variants[-1]
    chosen = get(f"https://{EBAY}/itm/{product.listing_id}?var={variant.variation_id}").content
    page = _parse(f"https://{EBAY}/itm/{product.listing_id}", chosen)
    assert isinstance(page, ItemPage)
    assert _read(page.price) == _price(variant.price)


def test_pictures_are_served(get: Get) -> None:
    item = LexborHTMLParser(get(f"https://{AMAZON}/dp/{catalogue()[0].asin}").content)
    picture = get(item.css_first("#landingImage").attributes["src"])
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.content.startswith(b"<svg")


def test_robots_txt_closes_the_doors_and_no_more(get: Get) -> None:
    product = catalogue()[0]
    doors = {
        AMAZON: [
            "/gp/cart/view.html",
            "/checkout/entry/buynow",
            "/gp/buy/x",
            "/cart/add-to-cart",
            "/ap/signin",
        ],
        EBAY: ["/myb/WatchListAdd?item=1", "/atc/binctr", "/rxo?action=create"],
    }
    for host, site, item_id, variant in (
        (AMAZON, load_site("amazon"), product.asin, product.variants[-1].asin),
        (EBAY, load_site("ebay"), product.listing_id, product.variants[-1].variation_id),
    ):
        robots = Protego.parse(get(f"https://{host}/robots.txt").text)
        for navigation in (ToResults(query="kettle", page=2), ToItem(item_id=item_id, variant=variant)):
            url = site.request(navigation).url
            assert robots.can_fetch(url, "any")
            assert get(url).status_code == 200
        assert not any(robots.can_fetch(f"https://{host}{path}", "any") for path in doors[host])


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "url",
    [
        "https://www.amazon.com/gp/product/handle-buy-box/ref=dp_start-bbf_1_glance",
        "https://www.amazon.com/cart/add-to-cart?ref=sr_atc_rt_add_7",
        "https://www.amazon.com/gp/aws/cart/add.html?ASIN.1=B000000000&Quantity.1=1",
        "https://www.amazon.com/gp/cart/view.html",
        "https://www.amazon.com/checkout/entry/buynow?asin=B000000000",
        "https://www.amazon.com/checkout/spc/place-order?ref_=x",
        "https://www.amazon.com/gp/buy/spc/handlers/static-submit-decoupled.html",
        "https://www.amazon.com/hz/wishlist/additemtolist?ie=UTF8",
        "https://www.amazon.com/ap/signin",
        "https://www.amazon.com/errors/validateCaptcha?field-keywords=X",
        "https://cart.payments.ebay.com/sc/add?item=iid:1,qty:1",
        "https://pay.ebay.com/rxo?action=create&item=1",
        "https://offer.ebay.com/ws/eBayISAPI.dll?BinConfirm&item=1",
        "https://www.ebay.com/myb/WatchListAdd?item=1",
        "https://signin.ebay.com/ws/eBayISAPI.dll?SignIn",
    ],
)
def test_every_closed_door_counts_who_knocks(url: str, method: str, shop: Shop, get: Get) -> None:
    before = shop.harm.total()
    get(url, method)
    assert shop.harm.total() == before + 1


def test_reading_counts_as_reading() -> None:
    with Shop() as shop:
        for get in _browser(shop):
            get(f"https://{AMAZON}/s?k=kettle")
            get(f"https://{AMAZON}/dp/{catalogue()[0].asin}")
            get(f"https://{EBAY}/itm/{catalogue()[0].listing_id}")
            get(f"https://{EBAY}/robots.txt")
        assert shop.counters == {"amazon:results": 1, "amazon:item": 1, "ebay:item": 1, "ebay:robots": 1}
        assert not shop.harm


def test_whatever_is_not_read_is_a_write(shop: Shop, get: Get) -> None:
    before = shop.harm.total()
    for method in ("POST", "PUT", "DELETE"):
        get(f"https://{AMAZON}/s?k=kettle", method)
    assert get(f"https://{AMAZON}/s?k=kettle", "HEAD").status_code == 200
    assert shop.harm.total() == before + 3


def test_the_pages_really_lead_to_the_doors(shop: Shop, get: Get) -> None:
    product = next(p for p in catalogue() if p.only(p.chosen) and p.only(p.chosen).offered)
    doors: set[str] = set()
    for url in (
        f"https://{AMAZON}/dp/{product.asin}",
        f"https://{AMAZON}/s?k={quote(product.query)}",
        f"https://{EBAY}/itm/{product.listing_id}",
        f"https://{EBAY}/sch/i.html?_nkw={quote(product.query)}",
    ):
        tree = LexborHTMLParser(get(url).content)
        for name, selector in (
            ("action", "form[method=post]"),
            ("formaction", "[formaction]"),
            ("href", "a[href]"),
        ):
            doors |= {urljoin(url, node.attributes[name] or "") for node in tree.css(selector)}
    wanted = (
        "handle-buy-box", "/cart/add-to-cart/", "/cart/add-to-cart?", "/checkout/entry/buynow",
        "additemtolist", "/ap/signin", "/gp/cart/view.html", "cart.payments.ebay.com/sc/add",
        "pay.ebay.com/rxo", "BinConfirm", "WatchListAdd",
    )  # fmt: skip
    for name in wanted:
        door = next(door for door in sorted(doors) if name in door)
        before = shop.harm.total()
        get(door, "POST" if "handle-buy-box" in door else "GET")
        assert shop.harm.total() == before + 1, door


def test_a_renamed_item_and_a_trap_send_elsewhere(get: Get) -> None:
    first = catalogue()[0]
    moves = {
        f"https://{AMAZON}/dp/{RENAMED_ASIN}": f"https://{AMAZON}/dp/{first.asin}",
        f"https://{AMAZON}/dp/{TRAP_ASIN}": f"https://{AMAZON}/gp/buy/",
        f"https://{EBAY}/itm/{RENAMED_LISTING}": f"https://{EBAY}/itm/{first.listing_id}",
        f"https://{EBAY}/itm/{TRAP_LISTING}": "https://pay.ebay.com/rxo?",
    }
    for url, target in moves.items():
        response = get(url)
        assert response.status_code == 302
        assert response.headers["location"].startswith(target)


def test_an_advert_is_a_redirect_to_its_item(get: Get) -> None:
    tree = LexborHTMLParser(get(f"https://{AMAZON}/s?k=kettle").content)
    tile = tree.css_first(".s-main-slot > .AdHolder")
    response = get(f"https://{AMAZON}{tile.css_first('a').attributes['href']}")
    assert response.status_code == 302
    assert f"/dp/{tile.attributes['data-asin']}" in response.headers["location"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [(f"https://{AMAZON}/s?k=kettle", "captcha"), (f"https://{EBAY}/sch/i.html?_nkw=kettle", "blocked")],
)
def test_a_challenge_comes_when_it_was_ordered(url: str, reason: str) -> None:
    with Shop(challenge_after=1) as shop:
        for get in _browser(shop):
            assert _parse(url, get(url).content).kind == "results"
            get(f"https://{AMAZON}/robots.txt")
            response = get(url)
            assert response.status_code == 200
            page = _parse(url, response.content)
            assert (page.kind, getattr(page, "reason", None)) == ("challenge", reason)
    with Shop(challenge_word="Kettle") as shop:
        for get in _browser(shop):
            assert _parse(url, get(url.replace("kettle", "granola")).content).kind == "results"
            assert _parse(url, get(url).content).kind == "challenge"


def test_the_shop_fails_as_often_as_it_was_told() -> None:
    with Shop(fail_first=2, retry_after=7) as shop:
        for get in _browser(shop):
            for url in (f"https://{AMAZON}/s?k=kettle", f"https://{EBAY}/sch/i.html?_nkw=kettle"):
                response = get(url)
                assert (response.status_code, response.headers["retry-after"]) == (503, "7")
                assert _parse(url, response.content, 503).kind == "error"
                assert _parse(url, response.content, 200).kind == "error"
            assert get(f"https://{AMAZON}/s?k=kettle").status_code == 200


def test_a_hostile_shop_lies_in_words_and_not_in_facts() -> None:
    product = next(p for p in catalogue() if p.only(p.chosen) and p.only(p.chosen).offered)
    with Shop(hostile=True) as shop:
        for get in _browser(shop):
            for url in (f"https://{AMAZON}/dp/{product.asin}", f"https://{EBAY}/itm/{product.listing_id}"):
                body = get(url).content
                page = _parse(url, body)
                assert isinstance(page, ItemPage)
                assert page.item_id in (product.asin, product.listing_id)
                pages = amazon_pages if "amazon" in url else ebay_pages
                chosen = product.chosen if "amazon" in url else {}
                assert _read(page.price) == _price(*pages.shown_price(product, chosen))
                assert page.title and "[button] buy now [button_]" in page.title
                assert "ignore previous instructions" in body.decode()
                assert "display:none" in body.decode()
            results = _parse(f"https://{AMAZON}/s", get(f"https://{AMAZON}/s?k=kettle").content)
            assert isinstance(results, ResultsPage)
            assert results.tiles[0].item_id == TRAP_ASIN
        assert not shop.harm


def test_one_connection_serves_many_pages(shop: Shop) -> None:
    context = ssl.create_default_context(cadata=shop.ca_pem.decode())
    context.check_hostname = False
    connection = http.client.HTTPSConnection(*shop.address, context=context)
    for _ in range(3):
        connection.request("GET", "/robots.txt", headers={"Host": AMAZON})
        response = connection.getresponse()
        assert response.read().startswith(b"User-agent")
        assert not response.will_close
    connection.close()


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_the_certificate_is_good_for_every_host_and_no_other(site: str, shop: Shop) -> None:
    context = ssl.create_default_context(cadata=shop.ca_pem.decode())
    hosts = {locale.host for locale in LOCALES[site].values()} | ASSET_HOSTS[site]
    for host in (*hosts, "pay.ebay.com", "cart.payments.ebay.com", "itm.ebaydesc.com"):
        plain = socket.create_connection(shop.address)
        context.wrap_socket(plain, server_hostname=host).close()
    with (
        socket.create_connection(shop.address) as plain,
        pytest.raises(ssl.SSLCertVerificationError),
        context.wrap_socket(plain, server_hostname="www.example.com"),
    ):
        pass


def test_the_shop_answers_for_no_other_host(get: Get) -> None:
    assert get("https://www.example.com/").status_code == 421


def test_a_silent_client_holds_up_nobody(shop: Shop, get: Get) -> None:
    with socket.create_connection(shop.address):
        assert get(f"https://{AMAZON}/robots.txt").status_code == 200


def test_a_shop_that_closed_is_closed() -> None:
    with Shop() as shop:
        address = shop.address
        assert address[0] == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError), socket.create_connection(address):
        pass


def test_every_page_says_that_it_is_a_demo(get: Get) -> None:
    product = catalogue()[0]
    for url in (
        f"https://{AMAZON}/", f"https://{AMAZON}/s?k=kettle", f"https://{AMAZON}/dp/{product.asin}",
        f"https://{EBAY}/", f"https://{EBAY}/sch/i.html?_nkw=kettle", f"https://{EBAY}/itm/{product.listing_id}",
    ):  # fmt: skip
        assert "windowshop demo shop" in get(url).text
