"""eBay's adapter: real pages, pages written here for rules they do not show, hostile bytes, addresses."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.adapters import load_site
from windowshop.errors import HostilePage, MissingField, PageError, UnknownPage
from windowshop.locales import LOCALES
from windowshop.pages import (
    Challenge,
    ErrorPage,
    ItemPage,
    NotFound,
    OptionGroup,
    OtherPage,
    Page,
    Price,
    ResultsPage,
    SearchPage,
    SubPage,
)
from windowshop.safety.policy import judge, policy_for
from windowshop.wire import Response

KINDS = {
    "item": "item",
    "results": "results",
    "home": "search",
    "captcha": "challenge",
    "notfound": "not_found",
    "error": "error",
}
STRIPPED_OF_ITS_CLASSES = "bzcasper-home"  # filed as a home page, but it counts and lists results


def parse(
    body: str | bytes, url: str = "https://www.ebay.com/", locale: str = "us", status: int = 200
) -> Page:
    raw = body.encode() if isinstance(body, str) else body
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return load_site("ebay", locale).parse(
        Response(url=url, status=status, body=raw, transport="test", at=at)
    )


def item(body: str, host: str = "www.ebay.com", head: str = "") -> ItemPage:
    page = parse(
        f'<html><head><link rel="canonical" href="https://{host}/itm/123456789012">{head}</head>'
        f'<body><h1 class="x-item-title__mainTitle"><span class="ux-textspans--BOLD">A thing</span></h1>'
        f"{body}</body></html>"
    )
    assert isinstance(page, ItemPage)
    return page


def results(cards: str, host: str = "www.ebay.com", around: str = "") -> ResultsPage:
    page = parse(
        f'<html><head><link rel="canonical" href="https://{host}/sch/i.html?_nkw=thing"></head><body>'
        f'<h1 class="srp-controls__count-heading"><span class="BOLD">3</span> results for '
        f'<span class="BOLD">thing</span></h1>{around}<ul class="srp-results">{cards}</ul></body></html>'
    )
    assert isinstance(page, ResultsPage)
    return page


def card(number: int, title: str, *prices: str, host: str = "www.ebay.com") -> str:
    shown = "".join(f'<span class="s-card__price">{price}</span>' for price in prices)
    return (
        f'<li class="s-card"><a class="s-card__link" href="https://{host}/itm/{number}?hash=x">'
        f'<div class="s-card__title">{title}</div></a>{shown}</li>'
    )


def price_primary(text: str) -> str:
    return f'<div data-testid="x-price-primary"><span class="ux-textspans">{text}</span></div>'


# --- real pages --------------------------------------------------------------------------------------------


class Recorded:
    """One real page, what it must be read as, and what it was read as."""

    def __init__(self, folder: Path, entry: dict[str, Any]) -> None:
        self.id: str = entry["id"]
        self.kind = KINDS[entry["kind"]]
        self.body = gzip.decompress((folder / "ebay" / f"{self.id}.html.gz").read_bytes())
        truth = folder / "ebay" / "truth" / f"{self.id}.json"
        self.truth: dict[str, Any] | None = json.loads(truth.read_text("utf-8")) if truth.exists() else None
        self.page = parse(self.body, "https://www.ebay.com/unknown")


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[Recorded]:
    lines = (shared / "pages" / "manifest.jsonl").read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    return [Recorded(shared / "pages", entry) for entry in entries if entry["site"] == "ebay"]


def _right(truth: dict[str, Any], field: str, got: Any) -> bool:
    accepted = [truth.get(field), *truth.get("accept", {}).get(field, [])]
    if isinstance(got, str):
        return " ".join(got.split()) in [" ".join(value.split()) for value in accepted if value]
    return got in accepted


def _price_right(truth: dict[str, Any], price: Price | None) -> bool:
    if truth.get("price_low") is not None:
        return price is not None and (price.amount, price.high) == (truth["price_low"], truth["price_high"])
    if price is None:
        return _right(truth, "price", None)
    return _right(truth, "price", price.amount) and price.high is None and price.currency == truth["currency"]


def test_real_pages_are_classified(recorded: list[Recorded]) -> None:
    wrong = {page.id: page.page.kind for page in recorded if page.page.kind != page.kind}
    assert wrong == {STRIPPED_OF_ITS_CLASSES: "results"}


def test_real_items_are_read_right(recorded: list[Recorded]) -> None:
    wrong, seen = [], 0
    for page in recorded:
        truth = page.truth
        if truth is None or not isinstance(page.page, ItemPage):
            continue
        seen += 1
        for field in ("item_id", "title", "condition", "seller", "in_stock"):
            if not _right(truth, field, getattr(page.page, field)):
                wrong.append((page.id, field, getattr(page.page, field), truth[field]))
        if not _price_right(truth, page.page.price):
            wrong.append((page.id, "price", page.page.price, truth["price"]))
        listed = page.page.list_price
        if (listed and listed.amount) != truth.get("list_price"):
            wrong.append((page.id, "list_price", listed, truth.get("list_price")))
        for name, value in truth["specifics"].items():
            if not (page.page.specifics.get(name) or "").startswith(value[:180].rstrip()):
                wrong.append((page.id, name, page.page.specifics.get(name), value))
        chosen = {
            group.name: value.text for group in page.page.options for value in group.values if value.selected
        }
        if chosen != truth["selected_options"]:
            wrong.append((page.id, "selected_options", chosen, truth["selected_options"]))
    assert seen >= 23
    assert wrong == []


def test_real_variants_have_ids_prices_and_stock(recorded: list[Recorded]) -> None:
    seen = 0
    for page in recorded:
        stated = (page.truth or {}).get("variant_prices")
        if not stated:
            continue
        assert isinstance(page.page, ItemPage)
        seen += 1
        amounts = [variant.price.amount for variant in page.page.variants if variant.price]
        gone = sum(variant.in_stock is False for variant in page.page.variants)
        assert (len(page.page.variants), min(amounts), max(amounts), gone) == (
            stated["n_variants"],
            stated["low"],
            stated["high"],
            stated["n_out_of_stock"],
        ), page.id
        assert all(re.fullmatch(r"[0-9]{12}", variant.item_id) for variant in page.page.variants)
    assert seen >= 9


def test_real_results_are_read_right(recorded: list[Recorded]) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for page in recorded:
        truth = page.truth
        if truth is None or not isinstance(page.page, ResultsPage):
            continue
        assert [tile.item_id for tile in page.page.tiles] == [row["item_id"] for row in truth["results"]], (
            page.id
        )
        for field in ("query", "page", "has_next", "total_text"):
            if not _right(truth, field, getattr(page.page, field)):
                wrong.append((page.id, field, getattr(page.page, field), truth[field]))
        for tile, row in zip(page.page.tiles, truth["results"], strict=True):
            counts["tiles"] += 1
            counts["titles"] += _right(row, "title", tile.title)
            counts["prices"] += _price_right(row, tile.price)
            counts["invented"] += tile.price is not None and row["price"] is None and row["price_low"] is None
            assert tile.url == row["url"]
            assert tile.sponsored == row.get("sponsored")
    assert wrong == []
    assert counts["tiles"] >= 1506
    assert (counts["titles"], counts["prices"], counts["invented"]) == (counts["tiles"], counts["tiles"], 0)


def test_the_page_tells_its_marketplace(recorded: list[Recorded]) -> None:
    locales = {page.id: page.page.locale for page in recorded}
    assert locales["hatscot-de-item"] == locales["hatscot-de-lego"] == "de"
    assert locales["pandota-uk-item"] == locales["pandota-store1"] == "uk"
    assert locales["amiris-home"] == "my"
    assert locales["brel-pinkfloyd"] == "us"


def test_an_unknown_layout_is_read_by_its_structure(recorded: list[Recorded]) -> None:
    page = next(page.page for page in recorded if page.id == STRIPPED_OF_ITS_CLASSES)
    assert isinstance(page, ResultsPage)
    assert (page.total, page.page, page.has_next) == (1_000_000, 1, True)
    assert len(page.tiles) >= 60
    assert all(tile.title and tile.price and tile.item_id != "123456" for tile in page.tiles)


# --- results -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "prices", "amount", "high", "currency"),
    [
        ("www.ebay.com", ["$1,234.50"], 1234.5, None, "USD"),
        ("www.ebay.com", ["$10.00", " to ", "$15.00"], 10.0, 15.0, "USD"),
        ("www.ebay.com", ["$3.50", "$20.00"], 3.5, None, "USD"),
        ("www.ebay.fr", ["1 234,50 EUR"], 1234.5, None, "EUR"),
        ("www.ebay.fr", ["12,00 EUR", " à ", "15,00 EUR"], 12.0, 15.0, "EUR"),
        ("www.ebay.it", ["EUR 1.234,50"], 1234.5, None, "EUR"),
        ("www.ebay.es", ["12,00 EUR a 15,00 EUR"], 12.0, 15.0, "EUR"),
        ("www.ebay.nl", ["EUR 12,00", " tot ", "EUR 15,00"], 12.0, 15.0, "EUR"),
        ("www.ebay.pl", ["1 234,50 zł"], 1234.5, None, "PLN"),
        ("www.ebay.at", ["EUR 21,81", " bis ", "EUR 22,75"], 21.81, 22.75, "EUR"),
        ("www.ebay.ch", ["CHF 1'234.50"], 1234.5, None, "CHF"),
        ("www.ebay.com.au", ["AU $1,234.50"], 1234.5, None, "AUD"),
        ("www.ebay.ca", ["C $12.00"], 12.0, None, "CAD"),
        ("www.ebay.ca", ["12,00 $ C"], 12.0, None, "CAD"),
    ],
)
def test_prices_of_every_marketplace(
    host: str, prices: list[str], amount: float, high: float | None, currency: str
) -> None:
    (tile,) = results(card(123456789012, "A thing", *prices, host=host), host).tiles
    assert tile.price is not None
    assert (tile.price.amount, tile.price.high, tile.price.currency) == (amount, high, currency)


@pytest.mark.parametrize(
    "title",
    [
        "<span class='s-card__new-listing'>New Listing</span><span>Red shoes</span>"
        "<span class='clipped'>Opens in a new window or tab</span>",
        "New Listing Red shoes",
        "Neues Angebot Red shoes Wird in neuem Fenster oder Tab geöffnet",
        "Nouvelle annonce Red shoes La page s'ouvre dans une nouvelle fenêtre ou un nouvel onglet",
        "Nuova inserzione Red shoes Si apre in una nuova finestra o scheda",
        "Red shoes Se abre en una ventana nueva",
        "Nowa oferta Red shoes Otwiera się w nowym oknie lub karcie",
        "Red shoes (For: 2006 Volkswagen Beetle)",
        "Red shoes (Passend für: BMW)",
        "Red shoes (Compatible avec : Renault (Clio))",
    ],
)
def test_titles_without_what_the_interface_adds(title: str) -> None:
    (tile,) = results(card(123456789012, title, "$1.00")).tiles
    assert tile.title == "Red shoes"


@pytest.mark.parametrize(
    "title", ["New listings of old maps", "Shoes (For men)", "Shoes (red) -", "USB-C | HDMI"]
)
def test_titles_keep_their_own_words(title: str) -> None:
    (tile,) = results(card(123456789012, title, "$1.00")).tiles
    assert tile.title == title


def test_neither_placeholders_nor_carousels_are_results() -> None:
    placeholder = card(123456, "Shop on eBay", "$20.00")
    carousel = f'<li class="srp-river-answer"><ul>{card(222222222222, "An advertisement", "$2.00")}</ul></li>'
    page = results(
        placeholder + card(111111111111, "A thing", "$1.00") + carousel, around=f"<ul>{placeholder}</ul>"
    )
    assert [tile.item_id for tile in page.tiles] == ["111111111111"]


def test_struck_and_hidden_prices_are_no_prices() -> None:
    struck = card(111111111111, "One", '<span class="STRIKETHROUGH">$9.00</span>')
    marked = card(222222222222, "Two", "$5.00").replace('"s-card__price"', '"s-card__price strikethrough"')
    hidden = card(333333333333, "Three", "See price")
    assert [tile.price for tile in results(struck + marked + hidden).tiles] == [None, None, None]


def test_no_results_are_an_empty_page() -> None:
    page = parse(
        '<html><body><input name="_nkw" value="nothing"><h1 class="srp-controls__count-heading">'
        '<span class="BOLD">0</span> results for <span class="BOLD">nothing</span></h1>'
        f'<ul class="srp-results"></ul>{card(123456, "Shop on eBay", "$20.00")}</body></html>'
    )
    assert isinstance(page, ResultsPage)
    assert (page.query, page.total, page.tiles, page.has_next) == ("nothing", 0, (), False)


def test_the_place_in_the_list_of_pages() -> None:
    pagination = (
        '<nav class="pagination"><h2>Results Pagination - Page 2</h2><a class="pagination__item" '
        'aria-current="page" href="?_pgn=2">2</a>{next}</nav>'
    )
    following = '<a class="pagination__next" href="https://www.ebay.com/sch/i.html?_nkw=a&_pgn=3"></a>'
    last = '<button class="pagination__next" aria-disabled="true"></button>'
    for button, has_next in ((following, True), (last, False)):
        page = results(card(111111111111, "One", "$1.00"), around=pagination.format(next=button))
        assert (page.page, page.has_next) == (2, has_next)


def test_tables_of_2008_and_lists_of_2014() -> None:
    table = parse(
        '<div class="count">2 items found for: <b>maps</b></div><table class="ebItemlist single">'
        '<tr class="single"><td class="ebcTtl"><h3><a href="http://cgi.ebay.com/Old-map_W0QQitemZ120291231231'
        'QQihZ002">Old map</a></h3></td><td class="ebcPr">$7.50</td></tr></table>'
    )
    assert isinstance(table, ResultsPage)
    assert [(tile.item_id, tile.title, tile.price and tile.price.amount) for tile in table.tiles] == [
        ("120291231231", "Old map", 7.5)
    ]
    listed = parse(
        '<h1 class="rsHdr"><span class="rcnt">1,234</span> results for <b>maps</b></h1>'
        '<ul id="ListViewInner">'
        '<li class="sresult lvresult" listingid="201234567890"><h3 class="lvtitle"><a class="vip" '
        'href="http://www.ebay.com/itm/Old-map-/201234567890?hash=1"><span class="newly">New listing</span> '
        'Old map</a></h3><ul><li class="lvprice prc"><span class="bold">$3.00<span> to </span>$4.00</span>'
        '</li></ul></li></ul><table id="Pagination"><td class="pagn-next">'
        '<a class="gspr next" href="/sch/?_pgn=2"></a></td></table>'
    )
    assert isinstance(listed, ResultsPage)
    (tile,) = listed.tiles
    assert (listed.total, listed.has_next, tile.title) == (1234, True, "Old map")
    assert tile.price is not None
    assert (tile.price.amount, tile.price.high) == (3.0, 4.0)


# --- items -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "text", "amount", "currency"),
    [
        ("www.ebay.fr", "1 299,00 EUR", 1299.0, "EUR"),
        ("www.ebay.it", "EUR 1.299,00", 1299.0, "EUR"),
        ("www.ebay.pl", "1 299,00 zł", 1299.0, "PLN"),
        ("www.ebay.com.au", "AU $1,299.00/ea", 1299.0, "AUD"),
        ("www.ebay.ca", "C $1,299.00", 1299.0, "CAD"),
        ("www.ebay.com", "EUR 1,299.00", 1299.0, "EUR"),
    ],
)
def test_item_prices(host: str, text: str, amount: float, currency: str) -> None:
    page = item(price_primary(text), host)
    assert page.price is not None
    assert (page.price.amount, page.price.high, page.price.currency) == (amount, None, currency)


def test_the_shown_price_wins_over_a_converted_one() -> None:
    stated = {"@type": "Product", "offers": {"price": "12.00", "priceCurrency": "USD"}}
    page = item(
        price_primary("EUR 10,00") + '<div class="x-price-approx">Approximately US $12.00</div>'
        f'<script type="application/ld+json">{json.dumps(stated)}</script>',
        "www.ebay.de",
    )
    assert page.price == Price(amount=10.0, currency="EUR", text="EUR 10,00")


def test_stated_prices_stand_in_for_a_missing_one_and_nonsense_does_not() -> None:
    for stated, amount in (("12.5", 12.5), ("NaN", None), (True, None), ("-3", None), ("free", None)):
        data = {"@type": "Product", "offers": {"price": stated, "priceCurrency": "USD"}}
        page = item(f'<script type="application/ld+json">{json.dumps(data)}</script>')
        assert (page.price and page.price.amount) == amount


def test_a_page_without_a_price_has_none() -> None:
    page = item(
        '<div class="x-price-approx">US $5.00</div><span class="ux-textspans--STRIKETHROUGH">$9</span>'
    )
    assert (page.price, page.list_price) == (None, None)


def test_an_auction_without_bids_costs_its_starting_bid() -> None:
    page = item(
        '<div data-testid="x-bid-price" class="x-bid-price"><div class="x-price-primary" '
        'data-testid="x-price-primary"><span>US $0.99</span></div><a>0 bids</a></div>'
        '<div data-testid="x-bin-price"><div data-testid="x-price-primary"><span>US $25.00</span></div></div>'
        '<div data-testid="x-bid-action"><a id="bidBtn_btn_1">Place bid</a></div>'
    )
    assert page.price is not None
    assert (page.price.amount, page.in_stock) == (0.99, True)


def test_only_a_higher_struck_price_is_a_list_price() -> None:
    for struck, listed in (("US $20.00", 20.0), ("US $5.00", None), ("EUR 20.00", None)):
        page = item(
            f'<div data-testid="x-price-section">{price_primary("US $10.00")}<span>Was </span>'
            f'<span class="ux-textspans ux-textspans--STRIKETHROUGH">{struck}</span></div>'
        )
        assert (page.list_price and page.list_price.amount) == listed


@pytest.mark.parametrize(
    "message",
    [
        "This listing was ended by the seller on Mon, Jun 2",
        "Dieses Angebot wurde vom Verkäufer beendet",
        "Cette annonce est terminée",
        "Questa inserzione è stata chiusa dal venditore",
        "Este anuncio ha finalizado",
        "Ta oferta została zakończona",
        "Out of stock",
    ],
)
def test_an_ended_listing_is_an_item_out_of_stock(message: str) -> None:
    page = item(
        f'<div data-testid="d-statusmessage"><span>{message}</span></div>{price_primary("US $10.00")}'
        '<div data-testid="x-bin-action"></div>'
    )
    assert page.in_stock is False
    assert page.price is not None


MODEL = {
    "selectMenus": [
        {"id": 1, "displayLabel": "Colour", "menuItemValueIds": [0, 1], "selectedValueId": 0},
        {"id": 2, "displayLabel": "Size", "menuItemValueIds": [2, 3]},
    ],
    "menuItemMap": {
        "0": {
            "displayName": "Red",
            "matchingVariationIds": [500000000001, 500000000002],
            "outOfStock": False,
        },
        "1": {"displayName": "Blue", "matchingVariationIds": [500000000003], "outOfStock": True},
        "2": {"displayName": "S", "matchingVariationIds": [500000000001, 500000000003]},
        "3": {"displayName": "L (Out of stock)", "matchingVariationIds": [500000000002], "outOfStock": True},
    },
    "variationsMap": {
        "500000000001": {
            "binModel": {
                "price": {"value": {"value": 5.0, "currency": "AUD"}, "textSpans": [{"text": "$5.00"}]}
            },
            "quantity": {"outOfStock": False},
        },
        "500000000002": {
            "binModel": {"price": {"textSpans": [{"text": "AU $6.00"}]}},
            "quantity": {"outOfStock": True},
        },
        "500000000003": {"binModel": {}, "quantity": {}},
    },
}


def _texts(group: OptionGroup) -> list[tuple[str, bool | None, bool | None, float | None]]:
    return [
        (value.text, value.selected, value.available, value.price and value.price.amount)
        for value in group.values
    ]


def test_options_and_variants_of_the_embedded_model() -> None:
    page = item(
        '<div data-testid="x-msku-evo"></div>'
        f'<script>$vim=({{"w":[1,{json.dumps({"MSKU": MODEL})}]}})</script>',
        "www.ebay.com.au",
    )
    colour, size = page.options
    assert (colour.name, size.name) == ("Colour", "Size")
    assert _texts(colour) == [("Red", True, True, None), ("Blue", False, False, None)]
    assert _texts(size) == [("S", False, None, 5.0), ("L", False, False, 6.0)]
    one, two, three = page.variants
    assert (one.item_id, one.options, one.in_stock) == ("500000000001", {"Colour": "Red", "Size": "S"}, True)
    assert one.price is not None
    assert (one.price.amount, one.price.currency) == (5.0, "AUD")
    assert (two.in_stock, three.in_stock, three.price) == (False, None, None)
    assert page.in_stock is None


def test_the_model_of_2015() -> None:
    model = {
        "menuModels": [{"displayLabel": "Size", "menuItemValueIds": [0, 1]}],
        "menuItemMap": {
            "0": {"valueName": "S", "displayName": "S", "matchingVariationIds": [500000000001]},
            "1": {"valueName": "M", "displayName": "M", "matchingVariationIds": [500000000002]},
        },
        "itemVariationsMap": {
            "500000000001": {"price": "US $5.00", "outOfStock": False},
            "500000000002": {"price": "US $6.00", "outOfStock": True},
        },
    }
    page = parse(
        '<link rel="canonical" href="https://www.ebay.com/itm/x/123456789012">'
        '<h1 id="itemTitle"><span class="g-hdn">Details about  </span>Shirt</h1>'
        '<span id="prcIsum">US $5.00</span>'
        '<select id="msku-sel-1" class="msku-sel" name="Size"><option value="-1">- Select -</option>'
        '<option value="0">S</option><option value="1" disabled>M [out of stock]</option></select>'
        f"<script>raptor({json.dumps({'itmVarModel': model})})</script>"
    )
    assert isinstance(page, ItemPage)
    assert (page.title, page.price and page.price.amount) == ("Shirt", 5.0)
    assert _texts(page.options[0]) == [("S", False, True, 5.0), ("M", False, False, 6.0)]
    assert [variant.in_stock for variant in page.variants] == [True, False]


def test_list_boxes_without_a_model() -> None:
    page = item(
        '<div data-testid="x-msku-evo"><div class="x-sku"><span class="listbox-button"><button>'
        '<span class="btn__label">Colour: </span><span class="btn__text">Red</span></button>'
        '<div role="listbox"><div role="option"><span class="listbox__value">Select</span></div>'
        '<div role="option" data-sku-value-name="Red"><span class="listbox__value">Red </span></div>'
        '<div role="option" aria-disabled="true"><span class="listbox__value">Blue (Out of stock)</span>'
        "</div>"
        "</div></span></div></div>"
    )
    (group,) = page.options
    assert group.name == "Colour"
    assert _texts(group) == [("Red", True, True, None), ("Blue", False, False, None)]


def test_a_broken_model_leaves_what_is_shown() -> None:
    box = (
        '<div data-testid="x-msku"><select class="x-msku__select-box" selectboxlabel="Size">'
        '<option value="-1">Auswählen</option><option value="0" selected>S</option></select></div>'
    )
    for broken in (
        '{"selectMenus":',
        '{"selectMenus":[{"menuItemValueIds":"x"}]}',
        '{"selectMenus":[],"menuItemMap":3}',
    ):
        page = item(box + f"<script>{broken}</script>")
        assert [(group.name, [value.text for value in group.values]) for group in page.options] == [
            ("Size", ["S"])
        ]
        assert page.variants == ()


def test_an_item_that_nothing_names_is_an_error() -> None:
    with pytest.raises(MissingField) as caught:
        parse('<h1 class="x-item-title__mainTitle"><span>eBay thing</span></h1>', "https://www.ebay.com/")
    assert caught.value.field == "item_id"


# --- pages in place of others ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<title>Pardon Our Interruption...</title><form id='destForm'></form>", "blocked"),
        ("<title>Access Denied</title>You don't have permission to access this page.", "blocked"),
        ("<title>Security measure | eBay</title><form id='captcha_form'></form>", "captcha"),
        ("<title>Sicherheitsmaßnahme | eBay</title>", "captcha"),
        (
            "<title>Sign in or Register | eBay</title><form id='signin-form'><input type=password></form>",
            "signin",
        ),
        ("<title>Einloggen | eBay</title><form><input id='userid'></form>", "signin"),
    ],
)
def test_walls(html: str, reason: str) -> None:
    page = parse(f"<html><body>{html}</body></html>", "https://www.ebay.com/itm/123456789012")
    assert isinstance(page, Challenge)
    assert page.reason == reason


@pytest.mark.parametrize(
    ("html", "status", "kind"),
    [
        (
            "<title>Error Page | eBay</title><p>SORRY</p><p>Something went wrong on our end</p>",
            200,
            ErrorPage,
        ),
        ("<title>eBay</title>", 503, ErrorPage),
        (
            "<title>eBay</title><h1>We looked everywhere.</h1><p>Looks like this page is missing.</p>",
            200,
            NotFound,
        ),
        ("<title>eBay</title><h2>Dieses Angebot wurde beendet.</h2>", 200, NotFound),
        (
            "<title>eBay</title><p class='error-header__headline'>Cette annonce n'existe pas</p>",
            200,
            NotFound,
        ),
        ("<title>eBay</title>", 404, NotFound),
        ("<title>eBay</title><p>nothing that we know</p>", 200, NotFound),
    ],
)
def test_failures(html: str, status: int, kind: type[Page]) -> None:
    page = parse(f"<html><body>{html}</body></html>", "https://www.ebay.com/itm/123456789012", status=status)
    assert isinstance(page, kind)  # type: ignore[arg-type]


def test_front_page_description_and_the_rest() -> None:
    front = parse('<link rel="canonical" href="https://www.ebay.it/"><input id="gh-ac" name="_nkw"> eBay')
    assert isinstance(front, SearchPage)
    assert front.locale == "it"
    frame = parse(
        "<body><style>x</style><p>Fine</p><p>shoes</p></body>", "https://itm.ebaydesc.com/itmdesc/1"
    )
    assert isinstance(frame, SubPage)
    assert frame.texts == ("Fine shoes",)
    assert isinstance(parse("<p>eBay help</p>", "https://www.ebay.com/help/home"), OtherPage)


def test_a_description_that_would_take_gigabytes_to_parse_is_refused() -> None:
    left_open = "<p>" + "".join(f"<b {number:x}>" for number in range(4_000)) + "<p>x" * 8_000
    for hostile in (left_open, "</b>" * 4_000 + left_open):
        with pytest.raises(HostilePage, match="tags that format text, each of which may be left open"):
            parse(hostile, "https://itm.ebaydesc.com/itmdesc/1")


@pytest.mark.parametrize(
    "careless",
    [
        "<p>" + "<font color=red>Fine " * 200 + "<p>shoes" * 2_000,
        "<table>" + "<tr><td><b>Part<b></td><td>7</td></tr>" * 700 + "</table>",
        '<p><b><font face="Arial" size="2">Fine shoes</b></p>' * 1_000,
        "<p>Fine</p>" + "<b/>" * 900,
        "".join(f'<font id="{number}" color="red" size="2">Fine</FONT> shoes' for number in range(3_000)),
        "".join(f'<font color=red" id={number}>Fine</font> shoes' for number in range(500)),
        "<script>" + "<b>" * 1_500 + "</script><p>Fine</p>" * 700,
    ],
)
def test_a_careless_description_is_read(careless: str) -> None:
    page = parse(careless, "https://itm.ebaydesc.com/itmdesc/1")
    assert isinstance(page, SubPage)
    assert page.texts


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<title>Pardon Our Interruption...</title><p>eBay", "blocked"),
        ("<title>Pardon Our Interruption...</title><p>eBay<div class=g-recaptcha></div>", "captcha"),
        ("<title>Security Measure | eBay</title>", "captcha"),
    ],
)
def test_a_check_is_known_by_its_title_and_its_forms(html: str, reason: str) -> None:
    page = parse(html, "https://www.ebay.com/itm/123456789012")
    assert isinstance(page, Challenge)
    assert page.reason == reason


def test_an_items_words_are_no_check() -> None:
    page = parse(
        "<title>Access Denied Tee | eBay</title><h1 class=x-item-title__mainTitle>Access Denied Tee</h1>",
        "https://www.ebay.com/itm/123456789012",
    )
    assert isinstance(page, ItemPage)


@pytest.mark.parametrize(
    ("inside", "amount"),
    [
        ("<s>$20.00</s> <b>$10.00</b>", 10.0),
        ("<span>$<!-- -->10.99</span>", 10.99),
        ("<span>$\n 10.99</span>", 10.99),
        ("<span>Free shipping over\n$35.00</span><b>$10.00</b>", 10.0),
    ],
)
def test_a_price_in_an_unknown_layout_is_one_elements_own_words(inside: str, amount: float) -> None:
    tile = f'<li><a href="https://www.ebay.com/itm/123456789012">A lamp</a>{inside}</li>'
    page = parse(f"<h1>1 results for lamp</h1><ul>{tile}</ul>", "https://www.ebay.com/sch/i.html?_nkw=lamp")
    assert isinstance(page, ResultsPage)
    assert [found.price and found.price.amount for found in page.tiles] == [amount]


def test_a_link_that_narrows_a_list_is_no_item() -> None:
    narrowing = '<li><a href="https://www.ebay.com/sch/i.html?item=123456789012">$8.00 to $15.00</a></li>'
    page = parse(
        f"<h1>1 results for lamp</h1><ul>{narrowing}</ul>", "https://www.ebay.com/sch/i.html?_nkw=lamp"
    )
    assert isinstance(page, ResultsPage)
    assert page.tiles == ()


# --- hostile bytes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [b"", b"   ", b'{"a": 1}', b"plain words", b"\x1f\x8bbroken", b"<p>another shop</p>"]
)
def test_what_is_no_page_of_the_shop(body: bytes) -> None:
    with pytest.raises(UnknownPage):
        parse(body)


@pytest.mark.parametrize(
    "body",
    [
        "<h1 class=x-item-title__mainTitle>eBay</h1><link rel=canonical href='http://[/itm/123456789012'>",
        "<h1 class=srp-controls__count-heading>" + "9" * 9_000 + "</h1>",
        "<h1 class=srp-controls__count-heading>²</h1><nav class=pagination><a aria-current=page>²</a></nav>",
        "<ul class=srp-results><!-- x -->text<li><li class=s-card><a class=s-card__link><a href='http://['></ul>",
        "<h1 id=itemTitle></h1><iframe src='https://[x.ebaydesc.com/itm/123456789012'></iframe>",
        "<h1 id=itemTitle>" + "<b>" * 5_000 + "</h1><link rel=canonical href=/itm/123456789012>",
        "<script type=application/ld+json>" + "[" * 100_000 + "</script><h1 id=itemTitle>/itm/</h1>",
        '<h1 id=itemTitle>x</h1><select class=msku-sel><option value=1>a</select><script>{"itmVarModel":'
        + '{"a":' * 50_000
        + "</script>",
    ],
)
def test_hostile_markup_raises_nothing_else(body: str) -> None:
    with suppress(PageError):
        parse(f"<html><head></head><body>{body}", "https://www.ebay.com/itm/123456789012")


def test_cut_and_garbled_pages_raise_nothing_else(shared: Path) -> None:
    chance = random.Random(7)
    folder = shared / "pages" / "ebay"
    for name in ("flextaco-11", "hatscot-de-item", "abenizri-iphonex", "webshop-results", "pandota-security"):
        body = gzip.decompress((folder / f"{name}.html.gz").read_bytes())
        cuts = [body[: len(body) * tenth // 30] for tenth in range(30)]
        for _ in range(10):
            at = chance.randrange(len(body))
            cuts.append(body[:at] + chance.randbytes(200) + body[at + chance.randrange(2_000) :])
        for cut in cuts:
            with suppress(PageError):
                parse(cut)


# --- addresses ---------------------------------------------------------------------------------------------


def description(query: str, item_id: str = "123456789012", host: str = "itm.ebaydesc.com") -> ToSubPage:
    return ToSubPage(
        item_id="123456789012", tab="description", url=f"https://{host}/itmdesc/{item_id}?{query}"
    )


@pytest.mark.parametrize("locale", list(LOCALES["ebay"]))
@pytest.mark.parametrize(
    ("navigation", "address"),
    [
        (ToResults(query="red shoes"), "https://{host}/sch/i.html?_nkw=red+shoes"),
        (ToResults(query="a&b=c#d", page=2), "https://{host}/sch/i.html?_nkw=a%26b%3Dc%23d&_pgn=2"),
        (ToResults(query="\x00ca\u202efé\n"), "https://{host}/sch/i.html?_nkw=caf%C3%A9"),
        (ToResults(query="x" * 900), "https://{host}/sch/i.html?_nkw=" + "x" * 500),
        (ToItem(item_id="123456789012"), "https://{host}/itm/123456789012"),
        (
            ToItem(item_id="123456789012", variant="500000000001"),
            "https://{host}/itm/123456789012?var=500000000001",
        ),
        (
            description("t=0&seller=a.b*c&evil=1&category=x&lang=en"),
            "https://itm.ebaydesc.com/itmdesc/123456789012?t=0&seller=a.b%2Ac&lang=en",
        ),
        (
            ToSubPage(
                item_id="123456789012",
                tab="description",
                url="https://vi.vipr.ebaydesc.com/ws/eBayISAPI.dll?ViewItemDescV4&item=123456789012&t=1",
            ),
            "https://vi.vipr.ebaydesc.com/itmdesc/123456789012?t=1",
        ),
    ],
)
def test_requests_pass_the_grammar(locale: str, navigation: Navigation, address: str) -> None:
    site = load_site("ebay", locale)
    url = site.request(navigation).url
    assert url == address.format(host=site.locale.host)
    parts = urlsplit(url)
    assert any(
        parts.hostname in shape.hosts
        and re.fullmatch(shape.path, parts.path)
        and all(re.fullmatch(shape.params[name], value) for name, value in parse_qsl(parts.query))
        for shape in site.readable
    )
    assert judge(policy_for("ebay", locale, tuple(site.readable)), url).allowed


@pytest.mark.parametrize(
    "navigation",
    [
        ToItem(item_id="12345678"),
        ToItem(item_id="1234567890123456"),
        ToItem(item_id="123456789012/../signin"),
        ToItem(item_id="１２３４５６７８９０１２"),
        ToItem(item_id="123456789012\n"),
        ToItem(item_id="123456789012", variant="1&x=2"),
        ToResults(query="a", page=0),
        ToResults(query="a", page=10_000),
        description("t=0", item_id="999999999999"),
        description("t=0", host="ebaydesc.com.evil.example"),
        description("t=0", host="user@itm.ebaydesc.com"),
        description("t=0", host="itm.ebaydesc.com:8443"),
        ToSubPage(
            item_id="123456789012", tab="description", url="http://itm.ebaydesc.com/itmdesc/123456789012"
        ),
        ToSubPage(
            item_id="123456789012", tab="description", url="https://[itm.ebaydesc.com/itmdesc/123456789012"
        ),
        ToSubPage(item_id="123456789012", tab="description", url="https://www.ebay.com/itmdesc/123456789012"),
    ],
)
def test_what_is_no_address_of_the_shop_is_refused(navigation: Navigation) -> None:
    with pytest.raises(PageError):
        load_site("ebay").request(navigation)


def test_the_longest_query_still_fits_an_address() -> None:
    site = load_site("ebay")
    url = site.request(ToResults(query="日" * 900)).url
    assert judge(policy_for("ebay", "us", tuple(site.readable)), url).allowed
