"""Where each field comes from: every source's answer, and that the believed one is what was parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from windowshop import parse_page
from windowshop.adapters import load_site
from windowshop.adapters.explain import Explains, Finding
from windowshop.api import explain_page
from windowshop.cli import group
from windowshop.cli.accuracy import Entry, entries
from windowshop.errors import ConfigError, PageError
from windowshop.pages import ItemPage, ResultsPage

ITEM = b"""<html><head><link rel="canonical" href="https://www.amazon.com/dp/B000000001"></head><body>
<div id="dp"><span id="productTitle">Blue Kettle</span><input id="ASIN" value="B000000001">
<div id="corePriceDisplay_desktop_feature_div"><span class="a-price priceToPay">
<span class="a-offscreen">$20.00</span></span></div>
<span id="priceblock_ourprice">$25.00</span><span id="price_inside_buybox">$20.00</span>
<span id="availability"><span>Choose a size</span></span></div></body></html>"""


def pages(shared: Path) -> Iterator[Entry]:
    return (page for page in entries(shared / "pages") if page.site in ("amazon", "ebay"))


def parse(*args: str, stdin: bytes = ITEM) -> Result:
    return CliRunner().invoke(group, ["parse", "-", "--site", "amazon", *args], input=stdin)


def finding(name: str, body: bytes = ITEM) -> Finding:
    explanation = explain_page(body, "https://www.amazon.com/dp/B000000001", "amazon")
    return next(found for found in explanation.fields if found.field == name)


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_every_shared_page_is_explained_as_it_is_parsed(shared: Path, site: str) -> None:
    for page in pages(shared):
        if page.site != site:
            continue
        adapter = load_site(site, page.locale)
        assert isinstance(adapter, Explains)
        try:
            parsed = adapter.parse(page.response())
        except PageError:
            with pytest.raises(PageError):
                adapter.explain(page.response())
            continue
        explanation = adapter.explain(page.response())
        assert explanation.page == parsed, page.id
        said = {found.field: found for found in explanation.fields}
        if isinstance(parsed, ItemPage):
            for name, value in parsed.model_dump(mode="json").items():
                if name in said:
                    assert (said[name].value or None) == (value or None), (page.id, name)
                else:
                    assert not value or name in ("kind", "site", "locale", "tabs"), (page.id, name)
        if isinstance(parsed, ResultsPage):
            assert [tile.item_id for tile in explanation.tiles] == [tile.item_id for tile in parsed.tiles]
            for tile, told in zip(parsed.tiles, explanation.tiles, strict=True):
                dumped = tile.model_dump(mode="json")
                assert {found.field: found.value for found in told.fields}.items() <= dumped.items()
        for told in [*said.values(), *(field for tile in explanation.tiles for field in tile.fields)]:
            assert (told.value is None) <= all(not a.won or a.unsaid for a in told.answers), (page.id, told)
            assert (told.value is not None) <= any(a.won for a in told.answers), (page.id, told)
            assert len({answer.source for answer in told.answers}) == len(told.answers), told.field


def test_a_source_that_disagrees_is_marked_and_one_that_agrees_is_not() -> None:
    answers = {answer.source: answer for answer in finding("price").answers}
    assert answers["#corePriceDisplay_desktop_feature_div"].won
    assert answers["old #priceblock_ourprice"].differs
    assert answers["old #priceblock_ourprice"].value["amount"] == 25
    assert not answers["old #price_inside_buybox"].differs
    assert answers["form"].value is None and not answers["form"].differs


def test_where_a_source_settles_that_there_is_no_value_it_says_so() -> None:
    stock = finding("in_stock")
    assert stock.value is None
    assert [answer.source for answer in stock.answers if answer.unsaid] == ["availability"]


def test_the_table_names_every_place_the_winner_and_what_disagrees() -> None:
    result = parse("--explain")
    assert result.exit_code == 0
    told = result.stdout
    assert "price: 20.00 USD" in told
    assert "  * #corePriceDisplay_desktop_feature_div" in told
    assert "  ! old #priceblock_ourprice" in told and "25.00 USD" in told
    assert "nothing at" in told and "#ebooksProductTitle" in told
    assert told.index("title: ") < told.index("price: "), "in the order of the page's fields"


def test_a_page_cannot_drive_the_terminal() -> None:
    told = parse("--explain", stdin=ITEM.replace(b"Blue", b"Bl\x1b[2Jue\xc2\x9b")).stdout
    assert "title: Bl[2Jue Kettle" in told
    assert "\x1b" not in told and "\x9b" not in told


def test_json_has_the_page_and_every_answer() -> None:
    told = json.loads(parse("--explain", "--json").stdout)
    assert told["page"] == json.loads(parse().stdout)
    answers = {answer["source"]: answer for found in told["fields"] for answer in found["answers"]}
    assert answers["old #priceblock_ourprice"]["differs"] is True
    assert answers["#productTitle"] == {
        "source": "#productTitle", "where": "#productTitle", "value": "Blue Kettle",
        "won": True, "differs": False, "unsaid": False,
    }  # fmt: skip


@pytest.mark.parametrize("tiles", [0, 1, 2])
def test_of_results_only_the_first_tiles_are_explained(tiles: int) -> None:
    mark = 'data-component-type="s-search-result"'
    tile = f'<div {mark} data-asin="B00000000{{}}"><h2><a href="/dp/x">T</a></h2></div>'
    body = (
        "<title>Amazon.com</title><div class='s-main-slot'>" + "".join(map(tile.format, range(3))) + "</div>"
    )
    told = json.loads(parse("--explain", "--json", "--tiles", str(tiles), stdin=body.encode()).stdout)
    assert [tile["item_id"] for tile in told["tiles"]] == ["B000000000", "B000000001"][:tiles]
    assert len(told["page"]["tiles"]) == 3
    assert "3 products" in parse("--explain", stdin=body.encode()).stdout


def test_a_page_without_fields_and_a_page_that_cannot_be_read_say_so() -> None:
    captcha = b"<title>Amazon.com</title><form action='/errors/validateCaptcha'></form>"
    assert "no fields to explain" in parse("--explain", stdin=captcha).stdout
    assert parse("--explain", stdin=b"<p>hello</p>").exit_code == 7


def test_a_site_that_cannot_explain_is_a_usage_error() -> None:
    with pytest.raises(ConfigError, match="cannot say"):
        explain_page(ITEM, "http://127.0.0.1:3000/", "webshop")


def test_parse_without_explain_prints_the_page_alone() -> None:
    page = parse_page(ITEM, "https://www.amazon.com/", "amazon")
    assert json.loads(parse("--json").stdout) == page.model_dump(mode="json")
