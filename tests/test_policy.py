"""The policy's verdicts: a table of real request shapes, and mutations that must never open a door."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowshop.errors import ConfigError
from windowshop.safety.policy import Policy, judge, policy_for
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
    assert (decision.verdict, decision.rule) == ("refuse", rule)


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


def _mutations() -> st.SearchStrategy[str]:
    """Take a refused address and change case, encode characters, or insert segments and marks."""

    def mutate(url: str, picks: list[tuple[int, int, str]]) -> str:
        scheme, rest = url.split(":", 1)
        chars = list(rest)
        for place, kind, mark in picks:
            at = place % len(chars)
            if kind == 0:
                chars[at] = chars[at].swapcase()
            elif kind == 1:
                chars[at] = "".join(f"%{ord(c):02x}" for c in chars[at] if ord(c) < 128) or chars[at]
            elif kind == 2:
                chars[at] = chars[at].replace("%", "%25")
            else:
                chars[at] += mark
        return f"{scheme}:{''.join(chars)}"

    marks = st.sampled_from(
        ["/./", "/x/..", "/", ";", "?", "#", "&", "\\", "\t", "@", ":443", ".", "%00", "%2f"]
    )
    pick = st.tuples(st.integers(0, 200), st.integers(0, 3), marks)
    urls = st.sampled_from(
        [url for policy, url, rule in REFUSED if policy is AMAZON and rule.startswith("never")]
    )
    return st.builds(mutate, urls, st.lists(pick, min_size=1, max_size=6))


@given(_mutations())
def test_no_mutation_of_a_purchase_is_ever_allowed(url: str) -> None:
    decision = judge(AMAZON, url)
    assert not decision.allowed or url.startswith(("https://www.amazon.com/s?", "https://www.amazon.com/dp/"))


@given(st.text(alphabet=string.printable, max_size=80))
def test_nothing_but_the_grammar_is_allowed(text: str) -> None:
    for url in (text, f"https://www.amazon.com/{text}", f"https://{text}/dp/B000000001"):
        decision = judge(AMAZON, url)
        if decision.allowed:
            assert url.startswith(
                (
                    "https://www.amazon.com/s",
                    "https://www.amazon.com/dp/",
                    "https://www.amazon.com/robots.txt",
                )
            )
