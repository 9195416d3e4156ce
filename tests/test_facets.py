"""How lists can be ordered and narrowed: read from pages real and small, asked for by address, guarded."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowshop.actions import ToResults
from windowshop.adapters import Site, load_site
from windowshop.adapters.refines import Refines
from windowshop.errors import PageError
from windowshop.locales import locale_by_host
from windowshop.pages import Facet, ResultsPage
from windowshop.runs.plan import Plan
from windowshop.safety.policy import Policy, judge
from windowshop.wire import Response

BARE = {
    "amazon": {"es-results-rigwild"},
    "ebay": {"pandota-store1", "pandota-store10", "gitpan-stores-noresults"},
}
"""Pages without any way to order or narrow them: a fragment, sellers' stores, a page without results."""


def site_of(name: str, code: str = "us") -> Refines:
    site = load_site(name, code)
    assert isinstance(site, Refines)
    return site


def response(name: str, body: bytes | str, code: str = "us", path: str = "/s?k=x") -> Response:
    data = body.encode() if isinstance(body, str) else body
    url = f"https://{load_site(name, code).locale.host}{path}"
    return Response(url=url, status=200, body=data, transport="test", at=datetime.now(UTC))


def policy_of(name: str, code: str = "us") -> Policy:
    """Return the policy of a run with the extended actions."""
    return Plan(tasks=(), sites=(name,), locale=code, actions="extended").guard_policy(name)


@cache
def real(shared: Path, name: str) -> dict[str, tuple[str, tuple[Facet, ...]]]:
    """Return the facets of every shared page of results, with the marketplace that it is of."""
    found = {}
    for entry in map(json.loads, (shared / "pages/manifest.jsonl").read_text().splitlines()):
        locale = locale_by_host(name, entry["domain"]) if entry["site"] == name else None
        if locale is not None and entry["kind"] == "results":
            body = gzip.decompress((shared / f"pages/{name}/{entry['id']}.html.gz").read_bytes())
            path = "/s?k=x" if name == "amazon" else "/sch/i.html?_nkw=x"
            facets = site_of(name, locale.code).facets(response(name, body, locale.code, path))
            found[entry["id"]] = (locale.code, facets)
    return found


def address_of(site: Site, facet: Facet) -> str:
    params = tuple((name, value or "10") for name, value in facet.params)
    return site.request(ToResults(query="usb c cable", refined=params, page=2)).url


@pytest.mark.parametrize("name", ["amazon", "ebay"])
def test_real_pages_say_how_they_can_be_sorted(shared: Path, name: str) -> None:
    pages = real(shared, name)
    assert len(pages) > 12
    for page, (_, facets) in pages.items():
        assert bool(facets) == (page not in BARE[name]), page
    sorted_by_price = [
        page for page, (_, facets) in pages.items() if any(f.order == "price_low" for f in facets)
    ]
    assert len(sorted_by_price) >= len(pages) - len(BARE[name]) - 1


@pytest.mark.parametrize("name", ["amazon", "ebay"])
def test_what_a_real_page_offers_may_be_asked_for_and_nothing_else(shared: Path, name: str) -> None:
    for page, (code, facets) in real(shared, name).items():
        site = load_site(name, code)
        policy = policy_of(name, code)
        for facet in facets:
            if facet.params:
                address = address_of(site, facet)
                assert judge(policy, address).rule == "read.refined results", (page, facet, address)


@pytest.mark.parametrize("name", ["amazon", "ebay"])
def test_an_address_says_what_was_asked_for(shared: Path, name: str) -> None:
    for code, facets in real(shared, name).values():
        site = site_of(name, code)
        for facet in facets:
            if facet.kind != "price" and facet.params:
                assert site.refined(address_of(load_site(name, code), facet)) == tuple(sorted(facet.params))


def test_the_words_are_the_pages_own_in_any_language(shared: Path) -> None:
    german = real(shared, "amazon")["de-results-goody-macbook"][1]
    assert {"Preis: Aufsteigend", "QWERTZ"} <= {facet.label for facet in german}
    assert [f.params for f in german if f.label == "800 - 1.100 EUR"] == [
        (("low-price", "800"), ("high-price", "1100"))
    ]
    japanese = real(shared, "ebay")["brel-pinkfloyd"][1]
    assert [f.params for f in japanese if f.label == "新品"] == [(("LH_ItemCondition", "1000"),)]


def test_what_is_in_force_on_a_real_page_is_marked(shared: Path) -> None:
    chinese = real(shared, "amazon")["us-results-sigolon-phone"][1]
    assert {(f.kind, f.group, f.label) for f in chinese if f.selected} == {
        ("sort", None, "精選"),
        ("filter", "特色品牌", "Motorola"),
    }
    german = real(shared, "ebay")["hatscot-de-lego7075"][1]
    chosen = {f.label for f in german if f.selected}
    assert chosen >= {"Niedrigster Preis inkl. Versand", "Neu", "Sofort-Kaufen"}
    assert chosen.isdisjoint({"Gebraucht", "Auktion"})


@pytest.mark.parametrize("name", ["amazon", "ebay"])
def test_a_list_is_read_without_them(shared: Path, name: str) -> None:
    """What nobody asks for costs nothing: `parse` leaves the facets unread."""
    body = gzip.decompress(
        next(
            (shared / f"pages/{name}").glob("us-results-webshop*" if name == "amazon" else "webshop-results*")
        ).read_bytes()
    )
    page = load_site(name).parse(response(name, body))
    assert isinstance(page, ResultsPage)
    assert page.facets is None


AMAZON = """<html><title>Amazon.com : tent</title><select name="s">
<option value="relevancerank" selected>Featured<option value="price-asc-rank">Price: Low to High
<option value="javascript:alert(1)">Steal</select>
<div id="s-refinements">{}</div><div class="s-main-slot"><div data-component-type="s-search-result"
data-asin="B000000001"><h2><a href="/dp/B000000001">A tent</a></h2></div></div></html>"""


@pytest.mark.parametrize(
    "link",
    [
        "/s?k=tent&rh=p_123%3A1%2Cp_1%3A..%2F..%2Fgp%2Fbuy&rnid=1",
        "/gp/cart?rh=p_89%3Aa%2Fb&rnid=1",
        "/s?k=tent&rh=p_89%3A&rnid=1",
        "/s?k=tent&rh=n%3A12&rnid=1",
        "/s?k=tent&rh=x%3A1&rnid=1",
        "https://evil.example/s?k=tent&rh=p_123%3A%3Cscript%3E&rnid=1",
        "//[/s?rh=p_1:2&rnid=1",
    ],
)
def test_a_link_that_is_no_filter_of_amazons_is_left_out(link: str) -> None:
    """A page's link is never followed: what it names is read, checked and built anew, or is nothing."""
    body = AMAZON.format(f'<ul><li><a href="{link}"><span class="a-size-base">Trap</span></a></li></ul>')
    facets = site_of("amazon").facets(response("amazon", body))
    assert [facet.label for facet in facets] == ["Featured", "Price: Low to High"]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("amazon", (("s", "x&rh=n:1"),)),
        ("amazon", (("low-price", "1e9"),)),
        ("amazon", (("p_123", "1,p_2:3"),)),
        ("amazon", (("n", "172282"),)),
        ("amazon", (("tag", "mine-20"),)),
        ("amazon", (("p_89", "a/../gp/buy"),)),
        ("ebay", (("_sop", "100"),)),
        ("ebay", (("_udlo", "-1"),)),
        ("ebay", (("LH_Sold", "1"),)),
        ("ebay", (("_stpos", "90210"),)),
        ("ebay", (("Brand", "a%2Fcart%2F"),)),
        ("ebay", (("Card%20Type", "Holo"),)),
    ],
)
def test_a_list_is_narrowed_by_nothing_else(name: str, params: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(PageError):
        load_site(name).request(ToResults(query="tent", refined=params))


@pytest.mark.parametrize("name", ["amazon", "ebay"])
@given(
    pairs=st.dictionaries(
        st.sampled_from(["s", "rh", "p_89", "p_1", "n", "low-price", "_sop", "Brand", "_udhi", "x"]),
        st.text(max_size=12),
    )
)
def test_whatever_is_asked_for_is_refused_or_reads_a_list(name: str, pairs: dict[str, str]) -> None:
    """No value of a parameter gets another address past the adapter, or past the guard."""
    site = load_site(name)
    policy = policy_of(name)
    try:
        address = site.request(ToResults(query="tent", refined=tuple(pairs.items()))).url
    except PageError:
        return
    assert judge(policy, address).rule in ("read.results", "read.refined results")


@pytest.mark.parametrize("name", ["amazon", "ebay"])
def test_other_pages_offer_nothing(name: str) -> None:
    body = "<html><title>Amazon</title>eBay amazon <form action='/sch/'><input name=_nkw></form></html>"
    assert site_of(name).facets(response(name, body, path="/")) == ()
