"""WooCommerce: real pages of many themes, and a shop of its shape that is read, filled and sold from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urljoin

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters import load_site
from windowshop.adapters.explain import Explains
from windowshop.adapters.selling import Sells
from windowshop.adapters.woocommerce.addresses import joined
from windowshop.cli import group
from windowshop.cli.accuracy import compare_all, entries
from windowshop.demo.woo import STYLES, WooShop
from windowshop.demo.woo_goods import Choice, Goods, Variation, load_goods, slug_of
from windowshop.errors import ConfigError, PageError, Refused, UnavailableAction
from windowshop.journal import Journal, read_journal
from windowshop.orders import Buyer
from windowshop.pages import ItemPage, Page, ResultsPage
from windowshop.runs.sandbox import load_sandbox
from windowshop.runs.selling import Till, policy_of
from windowshop.safety.guard import Guard
from windowshop.safety.policy import judge, own_policy
from windowshop.safety.sandbox_guard import SandboxGuard
from windowshop.scoring.accuracy import tally
from windowshop.transports.http import HttpTransport
from windowshop.transports.sandbox import SandboxTransport
from windowshop.wire import Response

BASE = "http://127.0.0.1:8081"
LAMP = Goods(number=11, slug="quay-lamp", name="Quay lamp", price=45.0, regular=60.0, path=("Home", "Lamps"))
COAT = Goods(
    number=20,
    slug="wool-coat",
    name="Wool coat",
    price=1100.0,
    short="<ul><li>Warm</li></ul>",
    description="<p>A coat of wool.</p>",
    choices=(Choice(name="Colour", values=("Red", "Blue")), Choice(name="Size", values=("S", "L"))),
    variations=(
        Variation(number=21, options={"Colour": "Red", "Size": "S"}, price=1100.0),
        Variation(number=22, options={"Colour": "Blue"}, price=1299.5),
        Variation(number=23, options={"Colour": "Red", "Size": "L"}, price=1200.0, in_stock=False),
    ),
)
GONE = Goods(number=30, slug="old-lamp", name="Old lamp", price=5.0, in_stock=False)
GOODS = (
    LAMP,
    COAT,
    GONE,
    *(Goods(number=n, slug=f"bulb-{n}", name=f"Bulb {n}", price=n) for n in range(40, 60)),
)


def page_of(body: str, url: str = f"{BASE}/product/x/", status: int = 200, locale: str = "us") -> Page:
    site = load_site("woocommerce", locale, BASE)
    told = Response(url=url, status=status, body=body.encode(), transport="file", at=datetime.now(UTC))
    page = site.parse(told)
    assert isinstance(site, Explains) and site.explain(told).page == page
    return page


@pytest.fixture(params=STYLES, ids=lambda style: style.name)
def shop(request: pytest.FixtureRequest) -> Iterator[WooShop]:
    with WooShop(GOODS, request.param) as running:
        yield running


def look(shop: WooShop, navigation: Navigation, tmp_path: Path) -> Page:
    site = load_site("woo", "de", shop.base_url)
    with Journal(tmp_path / "audit.jsonl") as audit, HttpTransport("tests", "de-DE") as transport:
        guard = Guard(own_policy(site.name, shop.base_url, tuple(site.readable)), audit)
        response = guard.fetch(site.request(navigation), transport)
    page = site.parse(response)
    assert isinstance(site, Explains) and site.explain(response).page == page
    return page


def test_real_pages_are_read(shared: Path) -> None:
    pages = [page for page in entries(shared / "pages") if page.site == "woo" and not page.skip_accuracy]
    assert len(pages) > 30
    total = tally(verdict for page in compare_all(pages) for verdict in page.verdicts).total
    assert total.share is not None and total.share >= 0.99, total


def test_results_are_read_in_every_look(shop: WooShop, tmp_path: Path) -> None:
    first = look(shop, ToResults(query="bulb"), tmp_path)
    second = look(shop, ToResults(query="bulb", page=2), tmp_path)
    assert isinstance(first, ResultsPage) and isinstance(second, ResultsPage)
    assert (first.query, first.page, first.has_next, first.total) == ("bulb", 1, True, 20)
    assert (second.page, second.has_next, len(second.tiles)) == (2, False, 4)
    assert len({tile.item_id for tile in (*first.tiles, *second.tiles)}) == 20
    lamps = look(shop, ToResults(query="quay"), tmp_path)
    assert isinstance(lamps, ResultsPage)
    (lamp,) = lamps.tiles
    assert lamp.price is not None and (lamp.price.amount, lamp.price.currency) == (45.0, "EUR")
    assert (lamp.title, lamp.sponsored, lamp.url) == (
        "Quay lamp", False, f"{shop.base_url}/product/quay-lamp/"
    )  # fmt: skip
    nothing = look(shop, ToResults(query="zzz"), tmp_path)
    assert isinstance(nothing, ResultsPage) and (nothing.tiles, nothing.has_next) == ((), False)
    assert look(shop, ToResults(query="bulb", page=9), tmp_path).kind == "not_found"


def test_items_are_read_in_every_look(shop: WooShop, tmp_path: Path) -> None:
    lamp = look(shop, ToItem(item_id="11"), tmp_path)
    assert isinstance(lamp, ItemPage) and lamp.price is not None and lamp.list_price is not None
    assert (lamp.item_id, lamp.title, lamp.in_stock) == ("11", "Quay lamp", True)
    assert (lamp.price.amount, lamp.list_price.amount) == (45.0, 60.0)
    assert lamp.breadcrumbs == ("Home", "Home", "Lamps")
    coat = look(shop, ToItem(item_id="20"), tmp_path)
    assert isinstance(coat, ItemPage) and coat.price is not None
    assert (coat.price.amount, coat.price.high, coat.price.currency) == (1100.0, 1299.5, "EUR")
    assert {choice.name: [value.text for value in choice.values] for choice in coat.options} == {
        "Colour": ["Red", "Blue"], "Size": ["S", "L"]
    }  # fmt: skip
    assert [(one.item_id, one.options, one.in_stock) for one in coat.variants] == [
        ("21", {"Colour": "Red", "Size": "S"}, True),
        ("22", {"Colour": "Blue"}, True),
        ("23", {"Colour": "Red", "Size": "L"}, False),
    ]
    assert (coat.bullets, coat.description) == (("Warm",), "Warm A coat of wool.")
    gone = look(shop, ToItem(item_id="30"), tmp_path)
    assert isinstance(gone, ItemPage) and gone.in_stock is False
    assert look(shop, ToItem(item_id="99"), tmp_path).kind == "not_found"


def test_an_agent_chooses_a_variation_and_its_price_is_the_intent(tmp_path: Path) -> None:
    script, run = tmp_path / "script.txt", tmp_path / "run"
    script.write_text("search[wool coat]\nclick[20]\nclick[blue]\nclick[l]\nclick[buy now]\n")
    with WooShop(GOODS) as shop:
        result = CliRunner().invoke(
            group,
            [
                *(
                    "run",
                    "a blue coat",
                    "--site",
                    "woocommerce",
                    "--locale",
                    "de",
                    "--base-url",
                    shop.base_url,
                ),
                *("--agent", f"scripted:{script}", "--out", str(run)),
            ],
        )
        assert result.exit_code == 0, result.output
        assert not shop.harm
    (intent,) = read_journal(run / "purchases.jsonl")
    assert (intent["variant_id"], intent["unit_price"]["amount"]) == ("22", 1299.5)
    assert intent["options"] == {"Colour": "Blue", "Size": "L"}


def shown(amount: str, sign: str) -> str:
    return (
        f'<body class="single-product postid-7 woocommerce"><div class="summary"><p class="price">'
        f'<span class="woocommerce-Price-amount amount"><bdi>{amount}<span '
        f'class="woocommerce-Price-currencySymbol">{sign}</span></bdi></span></p></div></body>'
    )


@pytest.mark.parametrize(
    ("amount", "sign", "locale", "value", "currency"),
    [
        ("1.249,99 ", "€", "de", 1249.99, "EUR"),
        ("115 ", "₫", "us", 115.0, "VND"),
        ("150.00", "৳", "us", 150.0, "BDT"),
        ("500,00 ", "kr.", "se", 500.0, "SEK"),
        ("500,00 ", "kr.", "us", 500.0, None),
        ("4.99", "$", "us", 4.99, "USD"),
        ("4.99", "$", "ca", 4.99, "CAD"),
        ("1.250 ", "د.ك", "us", 1.25, "KWD"),
        ("12 990 ", "Kč", "us", 12990.0, "CZK"),
        ("3.00", "☃", "us", 3.0, None),
    ],
)
def test_a_sign_is_the_currency_that_woocommerce_writes_so(
    amount: str, sign: str, locale: str, value: float, currency: str | None
) -> None:
    page = page_of(shown(amount, sign), locale=locale)
    assert isinstance(page, ItemPage) and page.price is not None
    assert (page.price.amount, page.price.currency) == (value, currency)


def test_the_shops_own_settings_name_its_currency() -> None:
    settings = "%7B%22currency%22%3A%7B%22code%22%3A%22DKK%22%7D%7D"
    script = (
        f"<script>var wcSettings = wcSettings || JSON.parse( decodeURIComponent( '{settings}' ) );</script>"
    )
    page = page_of(script + shown("500,00 ", "kr."))
    assert isinstance(page, ItemPage) and page.price is not None and page.price.currency == "DKK"


def test_a_trail_of_two_names_is_read_once() -> None:
    trail = '<nav class="woocommerce-breadcrumb wc-block-breadcrumbs"><a href="/">Home</a><a>Bikes</a></nav>'
    page = page_of(
        f'<body class="woocommerce single-product postid-7">{trail}<div id="product-7" '
        'class="product type-product post-7"><h1 class="product_title">A bicycle</h1></div></body>'
    )
    assert isinstance(page, ItemPage)
    assert page.breadcrumbs == ("Home", "Bikes")


def test_an_unclosed_header_hides_nothing_and_related_products_are_not_the_list() -> None:
    tile = '<li class="product type-product post-{}"><a href="/product/a/"><h2>{}</h2></a></li>'
    page = page_of(
        '<body class="archive tax-product_cat woocommerce"><header><div class="site-main">'
        '<ul class="products">'
        + tile.format(1, "one") + tile.format(2, "two") + "</ul></div>"
        '<section class="related products"><ul class="products">'
        + "".join(tile.format(n, "other") for n in range(3, 9)) + "</ul></section></body>",
        url=f"{BASE}/product-category/a/page/3/",
    )  # fmt: skip
    assert isinstance(page, ResultsPage)
    assert ([tile.item_id for tile in page.tiles], page.page, page.has_next) == (["1", "2"], 3, False)


def test_a_list_that_shows_a_product_quickly_is_a_list() -> None:
    page = page_of(
        '<body class="archive tax-product_cat woocommerce"><ul class="products">'
        '<li class="product type-product post-1"><a href="/product/a/"><h2>one</h2></a></li></ul>'
        '<div class="product"><div class="summary"><p class="price">$ 3</p></div></div></body>'
    )
    assert isinstance(page, ResultsPage) and [tile.item_id for tile in page.tiles] == ["1"]


@given(
    st.sampled_from(["", "/", "/a/b/c", "/a/b/", "/a/./b/../c", "//a/b", "/a?b=/c", "/a;p/b"]),
    st.lists(st.sampled_from(["a", "b.c", "..", ".", "", "%20", "é", "?q", "#f", "http:", "_", "-", "a:b"])),
)
def test_a_product_is_where_its_link_leads(path: str, parts: list[str]) -> None:
    page, link = f"https://shop.example{path}", "/".join(parts)
    assert joined(page, link) == urljoin(page, link)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ('<body class="error404 woocommerce-no-js">', 200, "not_found"),
        ('<body class="woocommerce">', 503, "error"),
        ('<body class="woocommerce-cart woocommerce-page"><li class="wc-block-grid__product">', 200, "other"),
        (
            '<body class="woocommerce-account"><form class="woocommerce-form-login"></form>',
            200,
            "challenge",
        ),
    ],
)
def test_other_pages_are_known_for_what_they_are(body: str, status: int, kind: str) -> None:
    assert page_of(body, status=status).kind == kind


def test_a_robot_check_before_the_shop_and_its_front_page_are_known() -> None:
    robots = "<html><title>Just a moment</title><script>window._cf_chl_opt = {}</script><body>"
    page = page_of(robots, status=403)
    assert page.kind == "challenge" and page.reason == "captcha"
    assert page_of('<body class="home page woocommerce-no-js"><ul class="products">').kind == "search"


@pytest.mark.parametrize(
    ("extra", "currency"),
    [
        ('<html lang="en-AU">', "AUD"),
        ('<html lang="en-US">', "USD"),
        ('<meta property="product:price:currency" content="NZD">', "NZD"),
        ('<script>gtag("event", {"currency":"SGD"})</script>', "SGD"),
        ('<script>a = {"currency":"SGD"}; b = {"currency":"CAD"}</script>', "USD"),
        ('<script>a = {"currency":"EUR"}</script>', "USD"),
    ],
)
def test_a_dollar_is_the_one_that_the_page_names(extra: str, currency: str) -> None:
    page = page_of(extra + shown("4.99", "$"))
    assert isinstance(page, ItemPage) and page.price is not None and page.price.currency == currency


def test_bytes_of_another_shop_are_none() -> None:
    with pytest.raises(PageError):
        page_of("<html><body><h1>a kettle</h1></body></html>")


def test_a_sixth_of_a_page_may_be_broken() -> None:
    page = page_of(
        '<body class="single-product postid-7 woocommerce"><h1 class="product_title">A</h1>'
        '<form class="variations_form" data-product_variations="[{&quot;attributes&quot;: 7}, 5, {}]">'
        '<select name="attribute_x"><option value="">-</option><option value="a">A</option></select></form>'
        '<script type="application/ld+json">{"@type": ["Product"], "offers": "soon"}</script></body>'
    )
    assert isinstance(page, ItemPage) and (page.title, page.price, page.variants) == ("A", None, ())


PURCHASES = (
    f"{BASE}/?add-to-cart=11",
    f"{BASE}/product/quay-lamp/?add-to-cart=11",
    f"{BASE}/?s=lamp&post_type=product&add-to-cart=11",
    f"{BASE}/?wc-ajax=add_to_cart",
    f"{BASE}/?p=11&post_type=product&quantity=2",
    f"{BASE}/cart/",
    f"{BASE}/checkout/",
    f"{BASE}/my-account/customer-logout/",
    f"{BASE}/product/quay-lamp/?add_to_wishlist=11",
    f"{BASE}/wp-json/wc/store/v1/cart/add-item",
    f"{BASE}/wp-admin/",
    f"{BASE}/product/../cart/",
    "http://127.0.0.1:8082/product/quay-lamp/",
)


@pytest.mark.parametrize("url", PURCHASES)
def test_what_changes_anything_is_never_asked_for(url: str) -> None:
    policy = own_policy("woocommerce", BASE, tuple(load_site("woocommerce", "us", BASE).readable))
    assert not judge(policy, url).allowed
    assert not judge(policy, f"{BASE}/product/quay-lamp/", "POST").allowed


@pytest.mark.parametrize(
    "query", ["lamp", "one-click buy now", "red & blue", "a" * 3000, "/checkout/", "Öl 50 %"]
)
def test_every_search_is_readable(query: str) -> None:
    site = load_site("woocommerce", "us", BASE)
    policy = own_policy("woocommerce", BASE, tuple(site.readable))
    for page in (1, 2, 40):
        assert judge(policy, site.request(ToResults(query=query, page=page)).url).allowed


def test_without_an_address_pages_are_read_and_none_is_asked_for() -> None:
    with pytest.raises(PageError, match="--base-url"):
        load_site("woocommerce").request(ToItem(item_id="7"))


# a shop of one's own sells, where its policy file says so

BUYER = Buyer(
    name="Ann Moor", street="Quay", house_number="7", zip="HU1 1AA", city="Hull", state="Yorkshire",
    country="UK", email="ann@example.org", card="4242424242424242", cvv="123", expiry_date="12/28",
)  # fmt: skip


def till(shop: WooShop, tmp_path: Path, allow: str, stack: ExitStack) -> Till:
    file = tmp_path / "sandbox.toml"
    file.write_text(f'[[shop]]\nurl = "{shop.base_url}"\nallow = [{allow}]\n')
    own = load_sandbox(file).shop(shop.base_url)
    site = load_site("woocommerce", "uk", shop.base_url)
    assert isinstance(site, Sells)
    audit = stack.enter_context(Journal(tmp_path / "audit.jsonl"))
    session = stack.enter_context(SandboxTransport(own.origin, own.address))
    return Till(site, SandboxGuard(policy_of(site, own), audit), session)


def test_a_checkout_in_a_sandbox_places_an_order(shop: WooShop, tmp_path: Path) -> None:
    with ExitStack() as stack:
        opened = till(shop, tmp_path, '"cart", "checkout"', stack)
        opened.add(opened.site.request(ToItem(item_id="11")))
        opened.add(opened.site.request(ToItem(item_id="20")), "22")
        assert [line.title for line in opened.lines()] == ["Quay lamp", "Wool coat - Blue"]
        order = opened.check_out(BUYER)
        assert opened.lines() == ()
    (placed,) = shop.orders
    assert [(line.goods.number, line.quantity) for line in placed.lines] == [(11, 1), (20, 1)]
    assert placed.card == "4242424242424242"
    assert (order.number, order.email) == (str(placed.number), "ann@example.org")
    assert order.address == "Ann Moor Quay 7 Hull, Yorkshire HU1 1AA GB"
    assert [line.url for line in order.lines] == [
        f"{shop.base_url}/product/{slug}/" for slug in ("quay-lamp", "wool-coat")
    ]


def test_a_policy_that_allows_carts_alone_lets_no_order_out(tmp_path: Path) -> None:
    with WooShop(GOODS) as shop, ExitStack() as stack:
        opened = till(shop, tmp_path, '"cart"', stack)
        opened.add(opened.site.request(ToItem(item_id="11")))
        with pytest.raises(Refused):
            opened.check_out(BUYER)
        assert not shop.orders and shop.harm["cart"] == 1


def test_what_is_not_chosen_or_not_there_is_not_put_into_a_cart(tmp_path: Path) -> None:
    with WooShop(GOODS) as shop, ExitStack() as stack:
        opened = till(shop, tmp_path, '"cart", "checkout"', stack)
        for item_id in ("20", "30", "99"):
            with pytest.raises(UnavailableAction):
                opened.add(opened.site.request(ToItem(item_id=item_id)))
        with pytest.raises(UnavailableAction):
            opened.check_out(BUYER)
        assert not shop.harm


def test_a_checkout_that_lacks_something_stops(tmp_path: Path) -> None:
    with WooShop(GOODS) as shop, ExitStack() as stack:
        opened = till(shop, tmp_path, '"cart", "checkout"', stack)
        opened.add(opened.site.request(ToItem(item_id="11")))
        with pytest.raises(UnavailableAction, match="stops at"):
            opened.check_out(BUYER.model_copy(update={"email": ""}))
        assert not shop.orders


# exports


def test_the_offers_of_the_four_exports_load(shared: Path) -> None:
    folder = shared / "benchmarks" / "webmall"
    goods = [load_goods(folder / f"product_data_webmall_{number}.csv") for number in range(1, 5)]
    assert [len(one) for one in goods] == [323, 258, 342, 185]
    for one in goods:
        assert len({product.slug for product in one}) == len({product.number for product in one}) == len(one)
        assert all(product.name and product.path for product in one)
    there = {f"{{{{URL_{n}}}}}/product/{p.slug}" for n, one in enumerate(goods, 1) for p in one}
    sets = json.loads((folder / "task_sets.json").read_text("utf-8"))
    gold = {url for one in sets for task in one["tasks"] for url in task["correct_answer"]["answers"]}
    assert (len(gold), len(gold & there)) == (198, 184)


def test_an_export_with_variations_is_read(tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    path.write_text(
        "\ufeffID,Type,SKU,Name,Published,In stock?,Sale price,Regular price,Categories,Parent,"
        "Attribute 1 name,Attribute 1 value(s)\n"
        '5,variable,C,Ça &amp; là / 2×,1,1,,,"A > B, C",,Size,"S, L"\n'
        '6,variation,,x,1,1,"1.024,50","2,048.00",,id:5,Size,S\n'
        "7,variation,,x,1,0,,10,,C,Size,L\n"
        "8,simple,,Draft,0,1,,1,,,,\n"
        "9,external,,Elsewhere,1,1,,1,,,,\n"
        "10,simple,,Ça &amp; là / 2×,1,1,,5,,,,\n",
        encoding="utf-8",
    )
    first, second = load_goods(path)
    assert (first.name, first.slug, second.slug) == ("Ça & là / 2×", "ca-la-2x", "ca-la-2x-2")
    assert first.path == ("A", "B") and first.choices == (Choice(name="Size", values=("S", "L")),)
    assert [(one.number, one.price, one.regular, one.in_stock) for one in first.variations] == [
        (6, 1024.5, 2048.0, True), (7, 10.0, None, False)
    ]  # fmt: skip
    assert slug_of("M.2 & 1/2 – “x”") == "m-2-1-2-x"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Name,ID\n", "no column"),
        ("ID,Type,Name,Regular price\nx,simple,A,1\n", "line 2: ID: 'x'"),
        ("ID,Type,Name,Regular price\n1,simple,A,soon\n", "line 2: Regular price: 'soon'"),
    ],
)
def test_a_wrong_export_is_said_with_line_and_column(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    path.write_text(text)
    with pytest.raises(ConfigError, match=says):
        load_goods(path)


def product_page(in_it: str, above: str = "") -> ItemPage:
    """Return what is read of a page whose product's element holds `in_it`, with something above that."""
    page = page_of(
        f'<body class="woocommerce single-product postid-45">{above}'
        f'<div id="product-45" class="product type-product post-45">{in_it}</div></body>'
    )
    assert isinstance(page, ItemPage)
    return page


@pytest.mark.parametrize("stray", ["", "</div></div>"])
def test_a_form_is_found_where_a_stray_end_tag_closed_its_product(stray: str) -> None:
    start = '<div class="summary"><h1 class="product_title">A shirt</h1><p class="price">$5.00</p>'
    form = (
        '<form class="variations_form cart"><select name="attribute_size"><option value="">Choose</option>'
        '<option value="S">S</option><option value="L">L</option></select></form>'
    )
    page = product_page(start + stray + form + '<p class="stock out-of-stock">none left</p>')
    assert [[value.text for value in group.values] for group in page.options] == [["S", "L"]]
    assert page.in_stock is False


def test_a_bundles_parts_are_not_its_title_and_price() -> None:
    price = '<p class="price"><span class="woocommerce-Price-amount amount">${}</span></p>'
    part = '<h4 class="bundled_product_title product_title">Cushion</h4>' + price.format("3.00")
    head = '<h1 class="entry-title">Chair set</h1>' + price.format("10.00")
    page = product_page(part, above=f'<div class="product"><div class="summary">{head}</div></div>')
    assert page.price is not None
    assert (page.title, page.price.amount) == ("Chair set", 10.0)


def test_an_empty_anchor_hides_no_reviews() -> None:
    review = '<div id="reviews"><ol><li class="review"><div class="description">Fine</div></li></ol></div>'
    title = '<h1 class="product_title">A shirt</h1>'
    page = product_page(title + review, above='<a id="reviews"></a>')
    assert [said.body for said in page.reviews] == ["Fine"]


def test_a_themes_empty_settings_hide_no_currency() -> None:
    settings = "%7B%22currency%22%3A%7B%22code%22%3A%22CAD%22%7D%7D"
    script = f"<script>var wcSettings = wcSettings || JSON.parse(decodeURIComponent('{settings}'));</script>"
    empty = "<script>window.wcSettings = window.wcSettings || {};</script>"
    page = page_of(script + empty + shown("500.00", "$"))
    assert isinstance(page, ItemPage) and page.price is not None and page.price.currency == "CAD"
