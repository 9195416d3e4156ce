"""django-oscar, the shop that anyone may run: a whole adapter in one file (see docs/add-a-site.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters.explain import Explanation, explain_fields, explain_tiles
from windowshop.adapters.fields import Field, Source, read_fields
from windowshop.adapters.markup import clean, parse_tree, plain, text_of
from windowshop.adapters.money import parse_count, parse_price
from windowshop.adapters.oscar_checkout import Checkout
from windowshop.adapters.words import MAX_WORDS, encode_words
from windowshop.errors import MissingField, PageError, UnknownPage
from windowshop.locales import Locale, own_locale
from windowshop.pages import (
    ErrorPage,
    ItemPage,
    NotFound,
    OptionGroup,
    OptionValue,
    OtherPage,
    Page,
    ResultsPage,
    Review,
    Tile,
)
from windowshop.wire import Readable, Request, Response

_SLUG: Final = r"(?:[A-Za-z0-9_-]|%[89A-Fa-f][0-9A-Fa-f])+"
_ID: Final = rf"{_SLUG}_[0-9]+"
_IN_PATH: Final = re.compile(rf"/catalogue/({_ID})/")
_TITLE: Final = ".product_main h1"
_STOCK: Final = ".product_main .availability"
_RATED: Final = ".product_main .star-rating"
_BOX: Final = "input[type=hidden][name=q]"
_TOTAL: Final = f"form:has({_BOX}) strong"
_STARS: Final = ("One", "Two", "Three", "Four", "Five")


@dataclass(frozen=True)
class Sheet:
    """One parsed page, or one product in a list, and where it stands."""

    node: LexborHTMLParser | LexborNode
    url: str
    locale: Locale
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    def text(self, selector: str) -> str | None:
        """Return the cleaned text of the first match."""
        return text_of(self.node.css_first(selector), " ")

    def attribute(self, selector: str, name: str) -> str | None:
        """Return an attribute of the first match."""
        node = self.node.css_first(selector)
        return None if node is None else node.attributes.get(name)

    @property
    def item_id(self) -> str:
        """Return which product it is; raise `MissingField` where nothing says so."""
        found: str | None = ITEM_ID.value(self)
        if found is None:
            raise MissingField("item_id", ITEM_ID.places)
        return found


Reader = Callable[[Sheet], Any]


@dataclass(frozen=True)
class Oscar(Checkout):
    """One shop, at `base_url`; without one its pages can be read but not asked for."""

    locale: Locale
    base_url: str | None = None
    name: str = "oscar"
    opening: None = None

    @property
    def readable(self) -> tuple[Readable, ...]:
        """Name every address that `request` can build; a shop may put its language before the path."""
        hosts, prefix = frozenset({self.locale.host}), r"(?:/[a-z]{2}(?:-[a-z]{2,4})?)?"
        words = {"q": rf"[^\x00-\x1f\x7f]{{0,{MAX_WORDS}}}", "page": r"[1-9][0-9]{0,3}"}
        return (
            Readable(name="results", hosts=hosts, path=rf"{prefix}/search/", params=words),
            Readable(name="item", hosts=hosts, path=rf"{prefix}/catalogue/{_ID}/"),
        )

    def request(self, navigation: Navigation) -> Request:
        """Build an address; raise `PageError` for what cannot be one of this shop's."""
        if self.base_url is None:
            raise PageError("nobody said where the shop stands: give --base-url")
        match navigation:
            case ToResults(query=query, page=page):
                number = f"&page={page}" if page > 1 else ""
                return Request(url=f"{self.base_url}/search/?q={encode_words(query)}{number}")
            case ToItem(item_id=item_id, variant=variant) if re.fullmatch(_ID, variant or item_id):
                return Request(url=f"{self.base_url}/catalogue/{variant or item_id}/")
        raise PageError(f"the shop has no page for {navigation!r}")

    def parse(self, response: Response) -> Page:
        """Read a page of any kind; raise `PageError` for bytes that are no page of an Oscar shop."""
        return self._page(self._open(response), response)

    def explain(self, response: Response, tiles: int | None = None) -> Explanation:
        """Read a page and say where each field comes from."""
        sheet, fresh = self._open(response), self._open(response)
        page = self._page(sheet, response)
        if page.kind == "item":
            return Explanation(page=page, fields=explain_fields(ITEM, sheet, fresh))
        if page.kind == "results":
            fields, listed = explain_fields(RESULTS, sheet, fresh), list(_pods(fresh))
            return Explanation(page=page, fields=fields, tiles=explain_tiles(TILE, listed, tiles))
        return Explanation(page=page)

    def _open(self, response: Response) -> Sheet:
        return Sheet(parse_tree(plain(response.body)), response.url, self.locale)

    def _page(self, sheet: Sheet, response: Response) -> Page:
        of = {"site": self.name, "locale": self.locale.code}
        if response.status >= 400:
            return NotFound(**of) if response.status in (404, 410) else ErrorPage(**of)
        if sheet.node.css_first("article.product_page") is not None:
            if ITEM_ID.value(sheet) is None:
                raise MissingField("item_id", ITEM_ID.places)
            return ItemPage(**of, **read_fields(ITEM, sheet))
        if sheet.node.css_first(".product_pod, .page input[type=hidden][name=q]") is not None:
            tiles = tuple(Tile(**read_fields(TILE, pod)) for pod in _pods(sheet))
            return ResultsPage(**of, **read_fields(RESULTS, sheet), tiles=tiles)
        if sheet.node.css_first("form[action$='/search/'] input[name=q], body.default") is None:
            raise UnknownPage("nothing on the page is an Oscar shop's")
        return OtherPage(**of)


def site(locale: str, base_url: str | None = None) -> Oscar:
    """Return the adapter of the shop at `base_url`, in the currency and language of `locale`."""
    parts = urlsplit(base_url or "")
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
    return Oscar(locale=own_locale("oscar", locale, base_url), base_url=origin)


def _pods(sheet: Sheet) -> Iterator[Sheet]:
    for pod in sheet.node.css("article.product_pod"):
        tile = Sheet(pod, sheet.url, sheet.locale)
        if ITEM_ID.value(tile) is not None:
            yield tile


def _id_in(address: str | None) -> str | None:
    found = _IN_PATH.search(urlsplit(address or "").path)
    return None if found is None else found.group(1)


def _linked(selector: str) -> Reader:
    return lambda sheet: _id_in(sheet.attribute(selector, "href"))


def _said(selector: str) -> Reader:
    return lambda sheet: sheet.text(selector)


def _priced(selector: str) -> Reader:
    return lambda sheet: parse_price(sheet.text(selector), sheet.locale)


def _address(selector: str, attribute: str) -> Reader:
    def read(sheet: Sheet) -> str | None:
        found = sheet.attribute(selector, attribute)
        return urljoin(sheet.url, found) if found else None

    return read


def _asked(name: str) -> Reader:
    return lambda sheet: clean(" ".join(parse_qs(urlsplit(sheet.url).query).get(name, [])))


def _stars(node: LexborNode | None) -> float | None:
    """Return how many stars are drawn: the shop writes their number in a class, in English everywhere."""
    classes = [] if node is None else (node.attributes.get("class") or "").split()
    return next((float(number) for number, name in enumerate(_STARS, 1) if name in classes), None)


def _stocked(sheet: Sheet) -> bool | None:
    """Return whether it can be bought: the shop writes its code for a stock as a class."""
    codes = set((sheet.attribute(_STOCK, "class") or "").split())
    is_out = bool(codes & {"outofstock", "unavailable"})
    return False if is_out else True if codes & {"instock", "available"} else None


def _described(sheet: Sheet) -> Iterator[LexborNode]:
    """Yield what stands between the heading of the description and the next one."""
    heading = sheet.node.css_first("#product_description")
    node = None if heading is None else heading.next
    while node is not None and "sub-header" not in (node.attributes.get("class") or ""):
        if node.is_element_node:
            yield node
        node = node.next


def _description(sheet: Sheet) -> str | None:
    return clean(" ".join(text for node in _described(sheet) if (text := text_of(node, " "))))


def _bullets(sheet: Sheet) -> tuple[str, ...]:
    lines = (text_of(line, " ") for node in _described(sheet) for line in node.css("li"))
    return tuple(line for line in lines if line)


def _facts(sheet: Sheet) -> dict[str, str]:
    rows = sheet.node.css("article.product_page > table.table-striped tr")
    facts = ((text_of(row.css_first("th")), text_of(row.css_first("td"), " ")) for row in rows)
    return {name: value for name, value in facts if name and value}


def _variants(sheet: Sheet) -> tuple[OptionGroup, ...]:
    """Return the links to a product's variants as one choice; each is sold on a page of its own."""
    title = sheet.text(_TITLE) or ""
    values = tuple(
        OptionValue(text=text.removeprefix(title).lstrip(" ,-:") or text, available=True, item_id=item_id)
        for link in sheet.node.css(".product_main > a[href]")
        if (item_id := _id_in(link.attributes["href"])) and (text := text_of(link, " "))
    )
    name = (sheet.text(".product_main > h2") or "").rstrip(" :：")
    return (OptionGroup(name=name, values=values),) if name and values else ()


def _reviews(sheet: Sheet) -> tuple[Review, ...]:
    return tuple(
        Review(
            title=text_of(one.css_first("header a")),
            score=_stars(one.css_first(".star-rating")),
            body=text_of(one.css_first("header + p")),
        )
        for one in sheet.node.css("article.review")
    )


def _crumbs(sheet: Sheet) -> tuple[str, ...]:
    crumbs = (text_of(node) for node in sheet.node.css(".breadcrumb-item a"))
    return tuple(crumb for crumb in crumbs if crumb)


def _page_number(sheet: Sheet) -> int:
    asked = _asked("page")(sheet)
    return int(asked) if asked and re.fullmatch("[1-9][0-9]{0,3}", asked) else 1


def _follows(sheet: Sheet) -> bool:
    """Say whether the last entry of the pages leads on; without pages nothing does."""
    entries = sheet.node.css(".pagination > li")
    return bool(entries) and entries[-1].css_first("a[href]") is not None


def _at(name: str, *places: tuple[str, Reader]) -> Field[Sheet]:
    """Return a field that stands at one of `places`, in the order in which they are believed."""
    return Field(name, tuple(Source(where, where, read) for where, read in places))


ITEM_ID: Final = _at(
    "item_id",
    ("#write_review", _linked("#write_review")),
    ("h3 a", _linked("h3 a[href]")),
    ("the page's own address", lambda sheet: _id_in(sheet.url)),
)
ITEM: Final = (
    ITEM_ID,
    _at("title", (_TITLE, _said(_TITLE))),
    _at("price", (".product_main .price_color", _priced(".product_main .price_color"))),
    _at("in_stock", (_STOCK, _stocked)),
    _at("rating", (_RATED, lambda sheet: _stars(sheet.node.css_first(_RATED)))),
    _at("review_count", (f"{_RATED} small", lambda sheet: parse_count(sheet.text(f"{_RATED} small")))),
    _at("options", (".product_main > a", _variants)),
    _at("description", ("#product_description", _description)),
    _at("bullets", ("#product_description li", _bullets)),
    _at("specifics", ("table.table-striped tr", _facts)),
    _at("breadcrumbs", (".breadcrumb-item a", _crumbs)),
    _at("reviews", ("article.review", _reviews)),
    _at("image", ("#product_gallery img", _address("#product_gallery img", "src"))),
)
TILE: Final = (
    ITEM_ID,
    _at("title", ("h3 a[title]", lambda tile: clean(tile.attribute("h3 a", "title"))), ("h3", _said("h3"))),
    _at("price", (".price_color", _priced(".price_color"))),
    _at("url", ("h3 a", _address("h3 a[href]", "href"))),
)
RESULTS: Final = (
    _at("query", (_BOX, lambda sheet: clean(sheet.attribute(_BOX, "value"))), ("?q=", _asked("q"))),
    _at("page", ("?page=", _page_number)),
    _at("has_next", (".pagination > li", _follows)),
    _at("total", (_TOTAL, lambda sheet: parse_count(sheet.text(_TOTAL)))),
    _at("total_text", (_TOTAL, _said(_TOTAL))),
)
