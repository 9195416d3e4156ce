"""Amazon's adapter: real pages of many years and countries, small pages for single rules, hostile bytes."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowshop.actions import ToItem, ToResults, ToSubPage
from windowshop.adapters import load_site
from windowshop.errors import HostilePage, PageError, UnknownPage
from windowshop.locales import LOCALES, locale_by_host, locale_of
from windowshop.pages import Challenge, ItemPage, Page, ResultsPage
from windowshop.wire import Response

KINDS = {
    "captcha": "challenge", "signin": "challenge", "notfound": "not_found", "error": "error",
    "home": "search", "reviews": "other", "item": "item", "results": "results",
}  # fmt: skip
# Listed as a home page, but it is a list of 48 products of "400.000 resultados" with pages to turn.
REALLY_RESULTS = "br-home-correpro"


def parse(body: bytes | str, code: str = "us", status: int = 200, path: str = "/") -> Page:
    site = load_site("amazon", code)
    data = body.encode() if isinstance(body, str) else body
    url = f"https://{site.locale.host}{path}"
    return site.parse(Response(url=url, status=status, body=data, transport="test", at=datetime.now(UTC)))


@cache
def entries(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "pages/manifest.jsonl").read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry["site"] == "amazon"]


def body_of(shared: Path, entry: dict[str, Any]) -> bytes:
    return gzip.decompress((shared / f"pages/amazon/{entry['id']}.html.gz").read_bytes())


@cache
def parsed(shared: Path) -> dict[str, Page]:
    """Parse every shared page once, through the adapter of its own marketplace."""
    pages = {}
    for entry in entries(shared):
        locale = locale_by_host("amazon", entry["domain"])
        assert locale is not None
        pages[entry["id"]] = parse(body_of(shared, entry), locale.code)
    return pages


def truths(shared: Path, kind: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    for entry in entries(shared):
        path = shared / f"pages/amazon/truth/{entry['id']}.json"
        if entry["kind"] == kind and path.exists():
            yield entry["id"], parsed(shared)[entry["id"]], json.loads(path.read_text())


def folded(text: str | None) -> str:
    return " ".join((text or "").split())


def is_right(truth: dict[str, Any], field: str, got: Any) -> bool:
    return any(got == right for right in [truth[field], *truth.get("accept", {}).get(field, [])])


def test_every_shared_page_is_of_its_kind_and_country(shared: Path) -> None:
    for entry in entries(shared):
        page = parsed(shared)[entry["id"]]
        wanted = "results" if entry["id"] == REALLY_RESULTS else KINDS[entry["kind"]]
        assert page.kind == wanted, entry["id"]
        assert page.locale == locale_by_host("amazon", entry["domain"]).code, entry["id"]
        if isinstance(page, Challenge):
            assert page.reason == entry["kind"], entry["id"]


def test_a_page_tells_its_own_country_to_any_adapter(shared: Path) -> None:
    for entry in entries(shared):
        if entry["kind"] == "item":
            page = parse(body_of(shared, entry), "jp")
            assert page.locale == locale_by_host("amazon", entry["domain"]).code, entry["id"]


def test_items_are_read_as_a_careful_person_reads_them(shared: Path) -> None:
    wrong = []
    count = 0
    for name, page, truth in truths(shared, "item"):
        assert isinstance(page, ItemPage)
        price, low = page.price, truth.get("price_low")
        checks = {
            "item_id": is_right(truth, "item_id", page.item_id),
            "title": is_right(truth, "title", folded(page.title)),
            "price": (price.amount, price.high) == (low, truth["price_high"])
            if low is not None and price
            else (price is None or price.high is None)
            and is_right(truth, "price", price.amount if price else None),
            "currency": price is None or price.currency == truth["currency"],
            "list_price": is_right(truth, "list_price", page.list_price.amount if page.list_price else None),
            "rating": is_right(truth, "rating", page.rating),
            "review_count": is_right(truth, "review_count", page.review_count),
            "brand": any(
                folded(page.brand).lower() == folded(right).lower()
                for right in [truth["brand"], *truth.get("accept", {}).get("brand", [])]
            ),
            "bullets": [folded(line) for line in page.bullets] == [folded(line) for line in truth["bullets"]],
            "in_stock": is_right(truth, "in_stock", page.in_stock),
            "breadcrumbs": is_right(truth, "breadcrumbs", list(page.breadcrumbs)),
            "options": any(
                {group.name: {value.text for value in group.values} for group in page.options}
                == {group: {folded(value) for value in values} for group, values in right.items()}
                for right in [truth["options"], *truth.get("accept", {}).get("options", [])]
                if isinstance(right, dict)
            ),
            "selected": is_right(
                {**truth, "selected_options": {k: folded(v) for k, v in truth["selected_options"].items()}},
                "selected_options",
                {group.name: one.text for group in page.options for one in group.values if one.selected},
            ),
        }
        count += len(checks)
        wrong += [(name, field) for field, right in checks.items() if not right]
    assert count > 390
    assert wrong == []


def test_results_are_read_tile_by_tile(shared: Path) -> None:
    wrong = []
    tiles = 0
    for name, page, truth in truths(shared, "results"):
        assert isinstance(page, ResultsPage)
        for field, got in {
            "query": page.query,
            "page": page.page,
            "has_next": page.has_next,
            "total_text": page.total_text,
        }.items():
            if not is_right(truth, field, got):
                wrong.append((name, field, got))
        if [tile.item_id for tile in page.tiles] != [row["item_id"] for row in truth["results"]]:
            wrong.append((name, "tiles", None))
            continue
        for tile, row in zip(page.tiles, truth["results"], strict=True):
            tiles += 1
            got = (folded(tile.title), tile.price.amount if tile.price else None, tile.sponsored)
            if got != (folded(row["title"]), row.get("price", row.get("price_low")), row["sponsored"]):
                wrong.append((name, tile.item_id, got))
    assert tiles > 330
    assert wrong == []


def test_no_price_is_invented(shared: Path) -> None:
    for name, page, truth in truths(shared, "item"):
        if truth["price"] is None and truth.get("price_low") is None:
            amount = page.price.amount if page.price else None
            assert amount is None or amount in truth.get("accept", {}).get("price", []), name


def test_a_variant_map_names_an_asin_for_each_combination(shared: Path) -> None:
    page = parsed(shared)["us-item-webshop-mock"]
    assert isinstance(page, ItemPage)
    assert len(page.variants) == 8
    sizes = next(group for group in page.options if group.name == "Size")
    chosen = next(value for value in sizes.values if value.selected)
    assert chosen.item_id == page.item_id
    assert chosen.price == page.price
    ids = {variant.item_id for variant in page.variants}
    assert all(value.item_id in ids for group in page.options for value in group.values)


def test_a_value_that_does_not_go_with_the_others_says_where_it_leads(shared: Path) -> None:
    page = parsed(shared)["fr-item-green-chromebook"]
    assert isinstance(page, ItemPage)
    (larger,) = (value for group in page.options for value in group.values if value.text == '14"')
    assert larger.available is False
    assert larger.item_id in {variant.item_id for variant in page.variants} - {page.item_id}


def test_swatches_price_other_variants(shared: Path) -> None:
    page = parsed(shared)["de-item-green-printer"]
    assert isinstance(page, ItemPage)
    sizes = next(group for group in page.options if group.name == "Größe")
    assert [value.price.amount if value.price else None for value in sizes.values] == [599, 599, 899, 1203.99]


def test_options_are_the_same_without_the_map(shared: Path) -> None:
    for entry in entries(shared):
        page = parsed(shared)[entry["id"]]
        if isinstance(page, ItemPage) and page.variants:
            body = body_of(shared, entry)
            for key in (b"dimensionToAsinMap", b"asinVariationValues", b"dimensionValuesDisplayData"):
                body = body.replace(b'"%b"' % key, b'"x"')
            bare = parse(body, page.locale or "us")
            assert isinstance(bare, ItemPage)
            assert {group.name: {value.text for value in group.values} for group in bare.options} == {
                group.name: {value.text for value in group.values} for group in page.options
            }, entry["id"]


# Small pages, written for one rule each


def item(inner: str, *, host: str = "www.amazon.com", lang: str = "en-us", asin: str = "B000000001") -> str:
    return (
        f'<!doctype html><html lang="{lang}"><head><link rel="canonical" href="https://{host}/x/dp/{asin}"/>'
        f'</head><body><div id="dp"><span id="productTitle"> A thing </span>'
        f'<input id="ASIN" name="ASIN" value="{asin}">{inner}</div></body></html>'
    )


def core(text: str) -> str:
    return (
        '<div id="corePriceDisplay_desktop_feature_div"><span class="a-price priceToPay">'
        f'<span class="a-offscreen">{text}</span></span></div>'
    )


def read_item(inner: str, **given: str) -> ItemPage:
    page = parse(item(inner, **given))
    assert isinstance(page, ItemPage)
    return page


@pytest.mark.parametrize(
    ("host", "lang", "text", "amount", "currency"),
    [
        ("www.amazon.nl", "nl-nl", "€ 1.299,95", 1299.95, "EUR"),
        ("www.amazon.se", "sv-se", "1 299,00 kr", 1299.0, "SEK"),
        ("www.amazon.se", "sv-se", "12\u00a0990\u00a0kr", 12990.0, "SEK"),
        ("www.amazon.pl", "pl-pl", "1 299,99 zł", 1299.99, "PLN"),
        ("www.amazon.com.tr", "tr-tr", "12.345,67TL", 12345.67, "TRY"),
        ("www.amazon.com.tr", "tr-tr", "₺1.299", 1299.0, "TRY"),
        ("www.amazon.it", "it-it", "19,90 €", 19.9, "EUR"),
        ("www.amazon.ca", "en-ca", "$1,299.00", 1299.0, "CAD"),
        ("www.amazon.ca", "fr-ca", "1 299,00 $", 1299.0, "CAD"),
        ("www.amazon.com.au", "en-au", "$24.50", 24.5, "AUD"),
        ("www.amazon.ae", "en-ae", "AED 1,299.00", 1299.0, "AED"),
        ("www.amazon.ae", "ar-ae", "\u200f١٬٢٩٩٫٥٠ د.إ.\u200f", 1299.5, "AED"),
        ("www.amazon.sa", "en-sa", "SAR\u00a089.00", 89.0, "SAR"),
        ("www.amazon.co.jp", "ja-jp", "￥12,800", 12800.0, "JPY"),
        ("www.amazon.in", "en-in", "₹1,23,456.00", 123456.0, "INR"),
        ("www.amazon.sg", "en-sg", "S$15.90", 15.9, "SGD"),
        ("www.amazon.com.mx", "es-mx", "$2,281.82", 2281.82, "MXN"),
        ("www.amazon.de", "en-gb", "€1,299.00", 1299.0, "EUR"),
        ("www.amazon.com", "zh-tw", "US$128.00", 128.0, "USD"),
        ("www.amazon.com", "de-us", "EUR 12,34", 12.34, "EUR"),
    ],
)
def test_prices_of_every_country(host: str, lang: str, text: str, amount: float, currency: str) -> None:
    price = read_item(core(text), host=host, lang=lang).price
    assert price is not None
    assert (price.amount, price.high, price.currency) == (amount, None, currency)


def test_whole_and_fraction_are_one_price_where_nothing_is_read_aloud() -> None:
    page = read_item(
        '<div id="corePriceDisplay_desktop_feature_div"><span class="a-price priceToPay">'
        '<span class="a-offscreen"> </span><span aria-hidden="true"><span class="a-price-symbol">$</span>'
        '<span class="a-price-whole">1,239<span class="a-price-decimal">.</span></span>'
        '<span class="a-price-fraction">07</span></span></span></div>'
    )
    assert page.price is not None
    assert page.price.amount == 1239.07


@pytest.mark.parametrize(
    "offer",
    [
        f'<div id="usedAccordionRow">{core("$5.00")}</div>',
        f'<div id="snsAccordionRowMiddle">{core("$5.00")}</div>',
        f'<div id="installmentPaymentAccordionRow">{core("$5.00")}</div>',
        '<div id="corePrice_feature_div"><span class="pricePerUnit">(<span class="a-price a-text-price">'
        '<span class="a-offscreen">$5.00</span></span>/ounce)</span></div>',
        '<div id="corePrice_feature_div"><span class="a-price a-text-price" data-a-strike="true">'
        '<span class="a-offscreen">$5.00</span></span></div>',
        '<div id="tmmSwatches"><span class="a-color-price">$5.00</span></div>',
        '<div id="sp_detail_B000000009"><i class="a-price"><i class="a-offscreen">$5.00</i></i></div>',
        '<div id="outOfStock"><span class="a-color-price">Currently unavailable.</span></div>',
        f'<div id="kindle-unlimited-box">{core("$0.00")}</div>',
    ],
)
def test_what_is_not_the_price_of_a_new_unit(offer: str) -> None:
    assert read_item(offer).price is None
    priced = read_item(f"{offer}{core('$12.00')}").price
    assert priced is not None
    assert priced.amount == 12.0


def test_a_page_of_used_units_only_has_no_price() -> None:
    page = read_item(f'<div id="usedOnlyBuybox"><input id="add-to-cart-button"></div>{core("$5.00")}')
    assert (page.price, page.list_price, page.in_stock) == (None, None, None)


def test_a_range_is_a_range() -> None:
    price = read_item(
        '<div id="corePrice_desktop"><span class="a-price-range"><span class="a-price a-text-price '
        'apexPriceToPay"><span class="a-offscreen">$12.00</span></span><span class="a-price-dash">-</span>'
        '<span class="a-price a-text-price apexPriceToPay"><span class="a-offscreen">$19.50</span></span>'
        "</span></div>"
    ).price
    assert price is not None
    assert (price.amount, price.high) == (12.0, 19.5)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4.3 out of 5 stars", 4.3),
        ("4,3 von 5 Sternen", 4.3),
        ("5つ星のうち4.2", 4.2),
        ("5 yıldız üzerinden 4,5", 4.5),
        ("5.0 out of 5 stars", 5.0),
        ("4,7 av 5 stjärnor", 4.7),
        ("4.3 顆星，最高 5 顆星", 4.3),
        ("", None),
    ],
)
def test_stars_in_every_language(text: str, score: float | None) -> None:
    assert read_item(f'<span id="acrPopover" title="{text}"></span>').rating == score


@pytest.mark.parametrize(
    ("line", "brand"),
    [
        ("Visit the Acme Store", "Acme"),
        ("Brand: Acme", "Acme"),
        ("Besuche den Acme-Store", "Acme"),
        ("Visiter la boutique Acme", "Acme"),
        ("Visita lo Store di Acme", "Acme"),
        ("Visita la tienda de Acme", "Acme"),
        ("Bezoek de Acme-store", "Acme"),
        ("Merk: Acme & Co", "Acme & Co"),
        ("Besök Acme-butiken", "Acme"),
        ("Varumärke: Acme", "Acme"),
        ("Odwiedź sklep Acme", "Acme"),
        ("Acme Store'u ziyaret edin", "Acme"),
        ("Visite a loja Acme", "Acme"),
        ("アクメのストアを表示", "アクメ"),
        ("ブランド: アクメ", "アクメ"),
        ("قم بزيارة متجر Acme", "Acme"),
    ],
)
def test_brands_in_every_language(line: str, brand: str) -> None:
    assert read_item(f'<a id="bylineInfo" href="/x">{line}</a>').brand == brand


def test_an_author_is_no_brand() -> None:
    byline = '<div id="bylineInfo">by <span class="author"><a>A. Writer</a></span></div>'
    assert read_item(byline).brand is None


@pytest.mark.parametrize(
    ("text", "count"),
    [("1,562 ratings", 1562), ("80.525 avaliações", 80525), ("1\u202f200 évaluations", 1200),
     ("(5,366)", 5366), ("1,562個の評価", 1562), ("12.345 değerlendirme", 12345), ("١٬٢٣٤", 1234),
     ("(1.2K)", None), ("3,4 mil", None), ("Be the first", None)],
)  # fmt: skip
def test_how_many_rated(text: str, count: int | None) -> None:
    assert read_item(f'<span id="acrCustomerReviewText">{text}</span>').review_count == count


def test_stock() -> None:
    button = '<input id="add-to-cart-button" type="submit">'
    assert read_item(button).in_stock is True
    assert read_item(f'<div id="partialStateBuybox">{button}</div>').in_stock is None
    assert read_item('<div id="outOfStock">no</div>').in_stock is False
    assert read_item(f'<div id="usedAccordionRow">{button}</div>').in_stock is None
    assert read_item("").in_stock is None


def test_an_item_page_without_an_id_is_refused() -> None:
    with pytest.raises(PageError, match="item_id"):
        parse("<html><body>amazon<h1 id=productTitle>x</h1></body></html>")


def tile(inner: str, attributes: str = 'data-asin="B000000001"') -> str:
    return f'<div data-component-type="s-search-result" class="s-result-item" {attributes}>{inner}</div>'


def read_results(inner: str, code: str = "us", path: str = "/s?k=x") -> ResultsPage:
    page = parse(
        f'<html><body>amazon<input id="twotabsearchtextbox" value="x"><div class="s-main-slot">{inner}</div>',
        code,
        path=path,
    )
    assert isinstance(page, ResultsPage)
    return page


def amount(text: str, classes: str = "a-price") -> str:
    return f'<span class="{classes}"><span class="a-offscreen">{text}</span></span>'


def test_a_tile_has_the_title_without_brand_or_badge() -> None:
    page = read_results(
        tile(
            '<div><span class="puis-sponsored-label-text">Sponsored</span></div><h2><span>Acme</span></h2>'
            '<a href="/sspa/click?x=1&url=%2FThing%2Fdp%2FB000000001%2Fref"><h2 aria-label="Ad - Thing">'
            "<span>Thing</span></h2></a>" + amount("$9.00") + amount("$12.00", "a-price a-text-price")
        )
    )
    (first,) = page.tiles
    assert (first.title, first.sponsored) == ("Thing", True)
    assert first.url == "https://www.amazon.com/Thing/dp/B000000001/ref"
    assert first.price is not None
    assert (first.price.amount, first.price.high) == (9.0, None)


def test_tile_prices() -> None:
    def price_of(inner: str) -> tuple[float, float | None] | None:
        (only,) = read_results(tile(f"<h2><a href=/dp/B000000001>T</a></h2>{inner}")).tiles
        return None if only.price is None else (only.price.amount, only.price.high)

    assert price_of(f"<a>{amount('$24.49')} - {amount('$39.99')}</a>") == (24.49, 39.99)
    assert price_of(amount("$24.49") + "<b>or</b>" + amount("$3.00")) == (24.49, None)
    assert price_of(amount("$3.00", "a-price a-text-price")) is None
    assert price_of(f'<div data-cy="secondary-offer-recipe">{amount("$3.00")}</div>') is None
    recipe = '<div data-cy="price-recipe">{}<i>Free with Kindle Unlimited membership</i>{}</div>'
    assert price_of(recipe.format(amount("$0.00"), "<span>Or $4.99 to buy</span>")) == (4.99, None)
    assert price_of(recipe.format(amount("$0.00"), "")) is None
    assert price_of(f'<div data-cy="price-recipe">{amount("$0.00")}</div>') == (0.0, None)


def test_only_the_main_list_counts() -> None:
    page = read_results(
        tile("<h2><a>One</a></h2>")
        + f'<div class="s-widget"><ul><li class="a-carousel-card">{tile("<h2>Other</h2>")}</li></ul></div>'
        + '<div class="s-result-item" data-asin=""></div>'
        + tile("<h2><a>Two</a></h2>", 'data-asin="B000000002"')
        + tile("<h2>bad id</h2>", 'data-asin="<script>"')
    )
    assert [found.title for found in page.tiles] == ["One", "Two"]


def test_no_results_is_a_results_page() -> None:
    page = read_results('<div class="s-no-results">none</div>', path="/s?k=x&page=7")
    assert page.tiles == ()
    assert page.has_next is False
    assert page.page == 7


def test_a_bar_without_a_count_does_not_make_the_page_its_count() -> None:
    bar = '<span data-component-type="s-result-info-bar"><form><select name="s"></select></form></span>'
    page = parse(f'<html><body>amazon: 4711 words{bar}<div class="s-main-slot"><p>No results</p></div>')
    assert isinstance(page, ResultsPage)
    assert (page.total_text, page.total) == (None, None)


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ('1-48 of over 50,000 results for "usb 3 5m"', 50000),
        ("1-16 von mehr als 1.000 Ergebnissen oder Vorschlägen", 1000),
        ("検索結果 10,000 以上 のうち 1-48件", 10000),
        ("1-48 sur plus de 20 000 résultats", 20000),
        ('one result for "12345"', None),
    ],
)
def test_totals(text: str, total: int | None) -> None:
    line = f'<div class="s-breadcrumb-header-text">{text}</div>'
    bar = f'<div data-component-type="s-result-info-bar">{line}</div>'
    page = parse(f'<html><body>amazon{bar}<div class="s-main-slot"></div>')
    assert isinstance(page, ResultsPage)
    assert (page.total_text, page.total) == (text, total)


@pytest.mark.parametrize(
    ("body", "status", "kind", "reason"),
    [
        ('<html lang=ja>Amazon<form action="/errors/validateCaptcha">', 200, "challenge", "captcha"),
        ("<html>amazon<form name=signIn><input id=ap_email></form>", 200, "challenge", "signin"),
        ("<html>amazon<script>window.gokuProps = {}</script>", 202, "challenge", "blocked"),
        ('<html>amazon<a href="/dogsofamazon"><img></a>', 404, "not_found", None),
        ('<html>amazon<a href="/ref=cs_503_link"><img></a>', 200, "error", None),
        ('<html><link rel="canonical" href="https://www.amazon.se/"><body>x', 200, "search", None),
        ("<html><body>amazon help", 200, "other", None),
        ("<html><body>amazon", 503, "error", None),
        ("<html><body>amazon", 404, "not_found", None),
    ],
)  # fmt: skip
def test_kinds_by_structure(body: str, status: int, kind: str, reason: str | None) -> None:
    page = parse(body, status=status)
    assert page.kind == kind
    assert getattr(page, "reason", None) == reason


def test_a_page_in_another_charset_is_read() -> None:
    text = item(core("￥1,280"), host="www.amazon.co.jp", lang="ja").replace("A thing", "やかん")
    body = text.replace("<head>", '<head><meta content="text/html; charset=Shift_JIS">')
    page = parse(body.encode("cp932"), "jp")
    assert isinstance(page, ItemPage)
    assert page.title == "やかん"


# Requests


def allowed(url: str) -> bool:
    """Say whether one of the adapter's own shapes admits an address, as the guard will."""
    parts = urlsplit(url)
    locale = locale_by_host("amazon", parts.hostname or "")
    assert locale is not None
    given = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    return any(
        parts.hostname in shape.hosts
        and re.fullmatch(shape.path, parts.path)
        and all(
            name in shape.params and len(values) == 1 and re.fullmatch(shape.params[name], values[0])
            for name, values in given.items()
        )
        for shape in load_site("amazon", locale.code).readable
    )


@pytest.mark.parametrize("code", LOCALES["amazon"])
def test_requests_stay_within_the_readable_shapes(code: str) -> None:
    site = load_site("amazon", code)
    host = locale_of("amazon", code).host
    for navigation, tail in {
        ToResults(query="red shoes & socks=1"): "/s?k=red+shoes+%26+socks%3D1",
        ToResults(query="x", page=3): "/s?k=x&page=3",
        ToItem(item_id="B08FT9HBQC"): "/dp/B08FT9HBQC",
        ToItem(item_id="B08FT9HBQC", variant="B08FSL34LS"): "/dp/B08FSL34LS?th=1&psc=1",
    }.items():
        url = site.request(navigation).url
        assert url == f"https://{host}{tail}"
        assert allowed(url)


@given(st.text(max_size=800), st.integers(1, 999))
def test_any_query_is_one_parameter(query: str, page: int) -> None:
    url = load_site("amazon").request(ToResults(query=query, page=page)).url
    assert allowed(url)
    given = parse_qs(urlsplit(url).query, keep_blank_values=True)
    assert set(given) == ({"k"} if page == 1 else {"k", "page"})
    assert len(given["k"][0]) <= 500


@pytest.mark.parametrize(
    "text", ["", "b08ft9hbqc", "B08FT9HBQC/../../gp/cart", "B08FT9HBQC\n", "B08FT9HBQ", "é" * 10]
)
def test_what_is_no_asin_leads_nowhere(text: str) -> None:
    site = load_site("amazon")
    for navigation in (
        ToItem(item_id=text),
        ToItem(item_id="B08FT9HBQC", variant=text),
    ):
        with pytest.raises(PageError):
            site.request(navigation)


def test_there_is_no_page_for_a_description_or_page_zero() -> None:
    site = load_site("amazon")
    description = ToSubPage(item_id="B08FT9HBQC", tab="description", url="https://x.example/")
    for navigation in (description, ToResults(query="x", page=0), ToResults(query="x", page=1000)):
        with pytest.raises(PageError):
            site.request(navigation)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.amazon.com/gp/cart/view.html",
        "https://www.amazon.com/dp/B08FT9HBQC?tag=x",
        "https://www.amazon.com/s?k=x&rh=n:1",
        "https://www.amazon.com/gp/buy/spc/handlers/display.html",
        "https://www.amazon.com/dp/B08FT9HBQC/ref=x",
        "https://www.amazon.com/s?k=x&page=0",
    ],
)
def test_nothing_else_is_readable(url: str) -> None:
    assert not allowed(url)


# Hostile bytes


@pytest.mark.parametrize(
    "body",
    [b"", b"   \n", b"{}", b'{"a": "<b>"}', b"text", b"\x1f\x8b broken", b"\x00\xff" * 500, b"<html>a shop"],
)
def test_bytes_that_are_no_page_of_amazon(body: bytes) -> None:
    with pytest.raises(UnknownPage):
        parse(body)


@pytest.mark.parametrize("closed", [b"", b"</div>" * 100_000])
def test_deep_nesting_is_refused_at_once(closed: bytes) -> None:
    with pytest.raises(HostilePage):
        parse(b"<html>amazon" + b"<div>" * 100_000 + closed)


def _formatting(attributes: int, tags: int, blocks: int, quoted: bytes = b"") -> bytes:
    named = (b" ".join(b"a%x" % (number * 99 + n) for n in range(attributes)) for number in range(tags))
    return b"<p>" + b"".join(b"<b %s%s>" % (quoted, names) for names in named) + b"<p>x" * blocks


@pytest.mark.parametrize(
    "left_open",
    [
        _formatting(1, 2_500, 4_000),
        _formatting(60, 60, 4_000),
        _formatting(60, 60, 4_000, quoted=b'a=">" '),
        b"".join(b"<p>fine words<b a%x>" % number for number in range(4_000)),
        b"".join(b"<p>fine words<b a%x><i></b>" % number for number in range(3_000)),
    ],
)
def test_formatting_that_would_take_gigabytes_to_parse_is_refused(left_open: bytes) -> None:
    page = b"<html>amazon" + b"<div class=a-row><span>words</span></div>" * 800
    with pytest.raises(HostilePage, match="may be left open"):
        parse(page + left_open)


def test_truncated_and_damaged_pages_raise_nothing_else(shared: Path) -> None:
    names = ("us-item-sheraz-mirror", "fr-item-green-chromebook", "us-results-zihao-laptop")
    for entry in entries(shared):
        if entry["id"] not in names:
            continue
        body = body_of(shared, entry)
        for part in range(1, 24):
            cut = body[: len(body) * part // 24]
            for damaged in (cut, cut.replace(b"</div>", b"", 200), cut.replace(b'"', b"", 5000)):
                with suppress(PageError):
                    parse(damaged)


@given(st.binary(max_size=3000))
def test_any_embedded_data_raises_nothing_else(noise: bytes) -> None:
    head = item("").encode().removesuffix(b"</div></body></html>")
    for key in (b"dimensionToAsinMap", b"variationValues", b"dimensions", b"selectedVariationValues"):
        data = b'{"dimensionToAsinMap" : ' + noise + b',"' + key + b'": ' + noise
        with suppress(PageError):
            parse(head + b"<script>" + data + b"</script>")


@pytest.mark.parametrize(
    "value", ["null", "[]", "{}", "1e999", '{"a":[1]}', '[["x"]]', '{"color_name":5}', "[" * 5000]
)
def test_a_map_of_the_wrong_shape_is_no_map(value: str) -> None:
    keys = (
        "dimensionToAsinMap", "variationValues", "dimensions", "variationDisplayLabels",
        "selectedVariationValues", "sortedDimValuesForAllDims", "dimensionValuesDisplayData",
    )  # fmt: skip
    good = {
        "dimensionToAsinMap": '{"0":"B000000001"}',
        "variationValues": '{"color_name":["Red"]}',
        "dimensions": '["color_name"]',
    }
    for broken in keys:
        data = ",".join(f'"{key}":{value if key == broken else good.get(key, "{}")}' for key in keys)
        page = read_item(f"<script>var x = {{{data}}}</script>")
        assert len(page.options) <= 1


@pytest.mark.parametrize("title", ["500 pieces puzzle", "501 Original Jeans", "404 Not Found T-Shirt"])
def test_a_small_items_title_is_no_failure(title: str) -> None:
    body = f'<title>{title}</title><span id="productTitle">{title}</span><div id="dp">amazon</div>'
    page = parse(body, path="/dp/B000000001")
    assert isinstance(page, ItemPage)
    assert page.title == title
