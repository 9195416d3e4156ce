"""The policy's verdicts: a table of real request shapes, and mutations that must never open a door."""

from __future__ import annotations

import pytest

from windowshop.errors import ConfigError
from windowshop.safety.policy import Policy, judge, own_policy, policy_for
from windowshop.safety.rebuild import rebuilt
from windowshop.safety.refusals import PURCHASES
from windowshop.wire import Readable, Resource

AMAZON = policy_for(
    "amazon",
    "us",
    (
        Readable(
            name="amazon.results",
            hosts=frozenset({"www.amazon.com"}),
            path=r"/s",
            params={"k": r".{1,500}", "page": r"\d{1,3}"},
        ),
        Readable(
            name="amazon.item",
            hosts=frozenset({"www.amazon.com"}),
            path=r"/dp/[A-Z0-9]{10}",
            params={"th": "1", "psc": "1"},
        ),
    ),
)
EBAY = policy_for(
    "ebay",
    "us",
    (
        Readable(
            name="ebay.results",
            hosts=frozenset({"www.ebay.com"}),
            path=r"/sch/i\.html",
            params={"_nkw": ".+"},
        ),
        Readable(
            name="ebay.item", hosts=frozenset({"www.ebay.com"}), path=r"/itm/\d{9,15}", params={"var": r"\d+"}
        ),
    ),
)

ALLOWED = [
    (AMAZON, "https://www.amazon.com/s?k=red+shoes"),
    (AMAZON, "https://www.amazon.com/s?k=caf%C3%A9+%2Fgp%2Fbuy%2F&page=2"),
    (AMAZON, "https://www.amazon.com/dp/B000000001"),
    (AMAZON, "https://www.amazon.com/dp/B000000001?th=1&psc=1"),
    (AMAZON, "https://www.amazon.com/robots.txt"),
    (EBAY, "https://www.ebay.com/sch/i.html?_nkw=lamp"),
    (EBAY, "https://www.ebay.com/itm/123456789012?var=5"),
]

REFUSED = [
    # A, B: requests that commit, fill a cart or change an account
    (AMAZON, "https://www.amazon.com/checkout/entry/buynow?asin=B000000001&quantity=1", "never.buy-now"),
    (AMAZON, "https://www.amazon.com/checkout/turbo-initiate?temporaryAddToCart=1", "never.buy-now"),
    (AMAZON, "https://www.amazon.com/checkout/spc/place-order?ref_=x", "never.checkout"),
    (AMAZON, "https://www.amazon.com/gp/buy/spc/handlers/static-submit-decoupled.html", "never.checkout"),
    (AMAZON, "https://www.amazon.com/gp/checkoutportal/enter.html?buyNow=1", "never.buy-now"),
    (AMAZON, "https://www.amazon.com/gp/aws/cart/add.html?ASIN.1=B0&Quantity.1=1", "never.add-to-cart"),
    (AMAZON, "https://www.amazon.com/gp/product/handle-buy-box/ref=dp_start", "never.add-to-cart"),
    (AMAZON, "https://www.amazon.com/cart/add-to-cart/ref=sr_atc", "never.add-to-cart"),
    (AMAZON, "https://data.amazon.com/api/marketplaces/A/cart/carts/retail/items", "never.add-to-cart"),
    (AMAZON, "https://www.amazon.com/cart/smart-wagon?newItems=1", "never.add-to-cart"),
    (AMAZON, "https://www.amazon.com/promotion/redeem/x", "never.coupon"),
    (AMAZON, "https://www.amazon.com/hz/wishlist/additemtolist?ie=UTF8", "never.wish-list"),
    (AMAZON, "https://www.amazon.com/a/addresses/add", "never.account"),
    (AMAZON, "https://www.amazon.com/portal-migration/hz/glow/address-change", "never.location"),
    (AMAZON, "https://www.amazon.com/gp/flex/sign-out.html", "never.sign-in"),
    (AMAZON, "https://www.amazon.com/errors/validateCaptcha?amzn=1", "never.captcha"),
    (EBAY, "https://pay.ebay.com/rxo?action=create&item=123456789012", "never.checkout"),
    (EBAY, "http://offer.ebay.com/ws/eBayISAPI.dll?BinConfirm&item=1", "never.buy-it-now"),
    (EBAY, "https://www.ebay.com/itm/123456789012?cta=placebid", "never.bid"),
    (EBAY, "https://cart.payments.ebay.com/sc/add?item=iid:1,qty:1", "never.add-to-cart"),
    (EBAY, "https://www.ebay.com/myb/WatchListAdd?item=1", "never.watch"),
    (EBAY, "https://rover.ebay.com/rover/1/0?mpre=https://x.test", "never.redirector"),
    (AMAZON, "https://www.amazon.com/sspa/click?url=%2Fdp%2FB000000001", "never.redirector"),
    # C, E: other hosts and tricks of spelling
    (AMAZON, "https://www.paypal.com/checkoutnow?token=1", "host"),
    (AMAZON, "https://www.amazon.com.evil.test/dp/B000000001", "host"),
    (AMAZON, "https://www.amazon.com@evil.test/dp/B000000001", "url.userinfo"),
    (AMAZON, "https://www.amazon.de/dp/B000000001", "host"),
    (AMAZON, "https://smile.amazon.com/dp/B000000001", "host"),
    (AMAZON, "https://www.amazon.com./dp/B000000001", "host"),
    (AMAZON, "https://xn--mazon-3ve.com/dp/B000000001", "host"),
    (AMAZON, "https://127.0.0.1/dp/B000000001", "host"),
    (AMAZON, "https://2130706433/dp/B000000001", "host"),
    (AMAZON, "https://[::1]/dp/B000000001", "host"),
    (AMAZON, "http://www.amazon.com/dp/B000000001", "url.scheme"),
    (AMAZON, "file:///etc/passwd", "url.scheme"),
    (AMAZON, "javascript:alert(1)", "url.scheme"),
    (AMAZON, "https://www.amazon.com:444/dp/B000000001", "url.port"),
    (AMAZON, "https://WWW.AMAZON.COM/dp/B000000001", "url.canonical"),
    (AMAZON, "https://www.amazon.com/x/../dp/B000000001", "url.canonical"),
    (AMAZON, "https://www.amazon.com/dp/B00000000%31", "url.canonical"),
    (AMAZON, "https://www.amazon.com/dp%2FB000000001", "url.canonical"),
    (AMAZON, "https://www.amazon.com/dp/B000000001;x=1", "url.canonical"),
    (AMAZON, "https://www.amazon.com//dp/B000000001", "url.canonical"),
    (AMAZON, "https://www.amazon.com/dp/B000000001#buy", "url.fragment"),
    (AMAZON, "https://www.amazon.com\\dp\\B000000001", "url.characters"),
    (AMAZON, "https://www.amazon.com/dp/B000000001\n", "url.characters"),
    (AMAZON, "https://www.аmazon.com/dp/B000000001", "url.characters"),
    (AMAZON, "/dp/B000000001", "url.unparsable"),
    (AMAZON, "https://www.amazon.com/s?k=" + "x" * 3000, "url.length"),
    (AMAZON, "https://www.amazon.com/s?k=x&submit.addToCart=1", "never.add-to-cart"),
    (AMAZON, "https://www.amazon.com/s?k=x&rh=1", "params"),
    (AMAZON, "https://www.amazon.com/s?k=x&k=y", "params"),
    (AMAZON, "https://www.amazon.com/dp/B000000001?smid=1", "params"),
    (AMAZON, "https://www.amazon.com/GP/Buy/x", "never.checkout"),
    (AMAZON, "https://www.amazon.com/gp/%62uy/x", "never.checkout"),
    (AMAZON, "https://www.amazon.com/gp/%2562uy/x", "never.checkout"),
    (AMAZON, "https://www.amazon.com/ref=cs_503_link", "path"),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "url"), ALLOWED)
def test_what_is_only_read_is_allowed(policy: Policy, url: str) -> None:
    assert judge(policy, url).allowed


@pytest.mark.parametrize(("policy", "url", "rule"), REFUSED)
def test_all_else_is_refused_by_a_named_rule(policy: Policy, url: str, rule: str) -> None:
    decision = judge(policy, url)
    assert (decision.verdict, decision.rule) == ("intercept" if rule in PURCHASES else "refuse", rule)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "CONNECT", ""])
def test_only_get_and_head_leave(method: str) -> None:
    assert judge(AMAZON, "https://www.amazon.com/dp/B000000001", method).rule == "method"
    assert judge(AMAZON, "https://www.amazon.com/dp/B000000001", "HEAD").allowed


@pytest.mark.parametrize("resource", ["image", "stylesheet", "font", "script", "xhr", "other"])
def test_the_shop_itself_serves_documents_only(resource: Resource) -> None:
    assert judge(AMAZON, "https://www.amazon.com/dp/B000000001", resource=resource).rule == "resource"


def test_asset_hosts_serve_assets_only() -> None:
    picture = "https://m.media-amazon.com/images/I/x.jpg"
    assert judge(AMAZON, picture, resource="image").allowed
    assert judge(AMAZON, picture, resource="script").rule == "host"
    assert judge(AMAZON, picture).rule == "host"
    assert judge(AMAZON, picture, "POST", "image").rule == "method"


def test_an_adapter_cannot_widen_the_gate() -> None:
    greedy = Readable(
        name="greedy",
        hosts=frozenset({"www.amazon.com", "evil.test", "pay.ebay.com"}),
        path=".*",
        params={"asin": ".*", "quantity": ".*"},
    )
    policy = policy_for("amazon", "us", (greedy,))
    assert judge(policy, "https://evil.test/").rule == "host"
    assert judge(policy, "https://www.amazon.com/gp/buy/x").rule == "never.checkout"
    assert judge(policy, "https://www.amazon.com/checkout/entry/buynow?asin=1").rule == "never.buy-now"
    assert policy.digest != AMAZON.digest


def test_a_site_outside_the_frozen_table_has_no_policy() -> None:
    with pytest.raises(ConfigError, match="no policy for site 'shop'"):
        policy_for("shop", "us", ())


@pytest.mark.parametrize(
    "path",
    [
        *(
            "cart",
            "cart?x=1",
            "checkout",
            "gp/buy",
            "-/es/gp/buy",
            "gp/digital",
            "gp/one-click",
            "gp/mobile/checkout",
        ),
        *(
            "gp/prime/signup",
            "order-cancel",
            "atc/x",
            "shoppingcart/add",
            "itm/addToWatch/1",
            "act/committobuy",
        ),
        *(
            "s?k=a;submit.add-to-cart=1",
            "ap/signin",
            "gp/registry",
            "wishlist",
            "hz/wishlist/ls",
            "place-order",
        ),
        *("gp/cart/view.html", "basket", "sch/i.html?cta=placebid", "bo/seller", "myb/WatchListAdd?item=1"),
    ],
)
def test_even_an_adapter_that_reads_everything_cannot_reach_it(path: str) -> None:
    for site, host in (("amazon", "www.amazon.com"), ("ebay", "www.ebay.com")):
        any_name = {name: ".*" for name in ("x", "k", "cta", "item", "asin")}
        wide = Readable(name="all", hosts=frozenset({host}), path=".*", params=any_name)
        assert not judge(policy_for(site, "us", (wide,)), f"https://{host}/{path}").allowed


@pytest.mark.parametrize(
    ("policy", "link", "plain"),
    [
        (AMAZON, "/Red-Kettle/dp/B000000001/ref=sr_1_1?dib=x&th=1&psc=1", "/dp/B000000001?th=1&psc=1"),
        (AMAZON, "/s/ref=sr_pg_2?k=kettle&crid=1&page=2#x", "/s?k=kettle&page=2"),
        (AMAZON, "/sspa/click?url=%2FT%2Fdp%2FB000000002%2Fref%3Dsr%3Fpsc%3D1", "/dp/B000000002?psc=1"),
        (AMAZON, "/-/es/dp/B000000001", "/dp/B000000001"),
        (EBAY, "/itm/A-Title/123456789012?hash=item1&var=5&_trkparms=x", "/itm/123456789012?var=5"),
        (EBAY, "/sch/i.html?_from=R40&_nkw=red+kettle&_sacat=0", "/sch/i.html?_nkw=red+kettle"),
        (AMAZON, "/gp/cart/view.html", None),
        (AMAZON, "/gp/aws/cart/add.html/dp/B000000001", None),
        (AMAZON, "/checkout/entry/buynow?url=/dp/B000000001", None),
        (AMAZON, "/x?url=https://evil.test/dp/B000000001", None),
        (AMAZON, "/x?url=javascript:/dp/B000000001", None),
        (AMAZON, "/x?url=http%3A%2F%2F%5B", None),
        (AMAZON, "/dp/B000000001\n", None),
        (AMAZON, "/" + "dp/" * 40, None),
        (EBAY, "/itm/12", None),
    ],
)  # fmt: skip
def test_a_link_is_rebuilt_and_its_trackers_left_out(policy: Policy, link: str, plain: str | None) -> None:
    host = next(iter(policy.readable[0].hosts))
    found = rebuilt(policy, f"https://{host}{link}")
    assert found == (None if plain is None else f"https://{host}{plain}")
    assert found is None or judge(policy, found).allowed


def test_a_link_to_another_host_leads_nowhere() -> None:
    assert rebuilt(AMAZON, "https://evil.test/dp/B000000001") is None


def test_asset_hosts_serve_scripts_where_a_browser_runs_them() -> None:
    running = policy_for("amazon", "us", AMAZON.readable, scripts=True)
    script = "https://m.media-amazon.com/x.js"
    assert judge(running, script, resource="script").allowed
    assert judge(running, "https://www.amazon.com/x.js", resource="script").rule == "resource"
    assert running.digest != AMAZON.digest


def test_a_pictures_name_means_nothing_and_its_host_serves_no_pages() -> None:
    picture = "https://m.media-amazon.com/images/G/01/checkout/buy-now._CB1_.png"
    assert judge(AMAZON, picture, resource="image").rule == "asset"
    assert judge(AMAZON, picture).rule == "host"


def test_a_server_of_ones_own_has_one_origin_and_its_own_words() -> None:
    shape = Readable(name="results", hosts=frozenset({"127.0.0.1"}), path=r"/search/[^/]+")
    own = own_policy("webshop", "http://127.0.0.1:3000", (shape,))
    assert judge(own, "http://127.0.0.1:3000/search/buy%20now%2fcheckout").rule == "read.results"
    assert judge(own, "http://127.0.0.1:3000/robots.txt").rule == "path"
    for url, rule in (
        ("http://127.0.0.1:3001/search/x", "origin"),
        ("https://127.0.0.1:3000/search/x", "origin"),
        ("http://127.0.0.1:3000//search/x", "url.canonical"),
        ("http://127.0.0.1:3000/search/x#y", "url.fragment"),
        ("http://127.0.0.1:3000/done/x", "path"),
    ):
        assert judge(own, url).rule == rule
    assert judge(own, "http://127.0.0.1:3000/search/x", "POST").rule == "method"


@pytest.mark.parametrize("pair", ["&k=x", "%6b=x", "k%00=x", "=x", "k=x&&page=2", "k[]=x"])
def test_a_parameter_has_one_plain_name(pair: str) -> None:
    assert judge(AMAZON, f"https://www.amazon.com/s?{pair}").rule in ("params", "url.canonical")


def test_what_is_no_utf_8_is_refused_and_breaks_nothing() -> None:
    for path in ("s?k=%c0%ae", "s?k=%ff", "dp/%c3%28", "gp/%ff/buy"):
        assert judge(AMAZON, f"https://www.amazon.com/{path}").rule == "url.characters"


def test_several_servers_of_ones_own_are_each_held_to_their_origin() -> None:
    shape = Readable(name="item", hosts=frozenset({"127.0.0.1"}), path="/item")
    own = own_policy("mall", "http://127.0.0.1:3000,http://127.0.0.1:3001", (shape,))
    assert judge(own, "http://127.0.0.1:3001/item").allowed
    assert judge(own, "http://127.0.0.1:3002/item").rule == "origin"
    assert own.digest != own_policy("mall", "http://127.0.0.1:3000", (shape,)).digest
    with pytest.raises(ConfigError, match="not a server of your own"):
        own_policy("mall", "http://127.0.0.1:3000,https://www.amazon.com", (shape,))
