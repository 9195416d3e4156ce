"""A running WebShop server as one more site: the simulator's own pages, read like any shop's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.adapters.markup import parse_tree, plain
from windowshop.adapters.money import parse_price
from windowshop.errors import MissingField, PageError, UnknownPage
from windowshop.locales import Locale
from windowshop.pages import (
    DonePage,
    ItemPage,
    OptionGroup,
    OptionValue,
    Page,
    Price,
    ResultsPage,
    SearchPage,
    SubPage,
    Tile,
)
from windowshop.wire import Readable, Request, Response

PAGE_SIZE = 10
_ID = r"[A-Za-z0-9]{1,10}"
_HEADER = re.compile(r"Page (-?\d+) \(Total results: (\d+)\)")
_TABS = {"description": "description", "bulletpoints": "features", "reviews": "reviews", "attr": "attributes"}


class WebShop:
    """One server. Its pages hold what the simulator's loader made, so their texts are kept to the byte.

    `session` is the server's own session; `fixed_N` is how it opens with goal N.
    """

    name = "webshop"

    def __init__(self, base_url: str, session: str = "windowshop") -> None:
        self.base_url = base_url.rstrip("/")
        self.session = session
        host = urlsplit(base_url).hostname or ""
        self.locale = Locale(site=self.name, code="us", host=host, language="en-US", currency="USD")
        self.readable: Sequence[Readable] = tuple(
            Readable(name=name, hosts=frozenset({host}), path=path)
            for name, path in (
                ("index", f"/{re.escape(session)}"),
                ("results", rf"/search_results/{re.escape(session)}/[^/]+/\d+"),
                ("item", rf"/item_page/{re.escape(session)}/{_ID}/[^/]+/\d+/%7B%7D"),
                ("sub", rf"/item_sub_page/{re.escape(session)}/{_ID}/[^/]+/\d+/[A-Z][a-z]+/%7B%7D"),
            )
        )

    @property
    def opening(self) -> Request:
        """Return the address by which the server begins a session; before it, it knows none."""
        return Request(url=f"{self.base_url}/{self.session}")

    def request(self, navigation: Navigation) -> Request:
        """Return the address to read; raise `PageError` for an id that is none."""
        match navigation:
            case ToResults(query=query, page=page):
                words = quote("+".join(query.split(" ")), safe="+")
                return self._at("search_results", words or "+", str(page))
            case ToItem(item_id=item_id):
                return self._at("item_page", _checked(item_id), "+", "1", "%7B%7D")
            case ToSubPage(item_id=item_id, tab=tab):
                return self._tab(_checked(item_id), tab)

    def parse(self, response: Response) -> Page:
        """Read one of the simulator's pages; raise `PageError` for any other."""
        # A browser's parser folds a carriage return into a line feed; the simulator's own keeps it.
        tree = parse_tree(plain(response.body).replace(b"\r", b"&#13;"))
        tree.strip_tags(["script"])
        if tree.css_first("#search_input") is not None:
            return SearchPage(site=self.name)
        header = next((node for node in tree.css("h3") if _HEADER.search(node.text())), None)
        if header is not None:
            return self._results(tree, header)
        if tree.css_first("#thankyou, #asin") is not None:
            return self._done(tree)
        if tree.css_first("#product-image") is not None:
            return self._item(tree)
        for name, tab in _TABS.items():
            card = tree.css_first(f'div[name^="{name}"] .card')
            if card is not None:
                return SubPage(site=self.name, tab=tab, texts=_tab_texts(card, tab))
        raise UnknownPage("not a page of WebShop")

    def _results(self, tree: LexborHTMLParser, header: LexborNode) -> ResultsPage:
        found = _HEADER.search(header.text())
        number, total = (int(found[1]), int(found[2])) if found else (1, 0)
        tiles = tuple(
            Tile(
                item_id=_text(card.css_first(".product-link")),
                title=_text(card.css_first(".product-title")),
                price=self._price(_text(card.css_first(".product-price"))),
            )
            for card in tree.css(".searched-product")
        )
        return ResultsPage(
            site=self.name, page=number, total=total, has_next=total > number * PAGE_SIZE, tiles=tiles
        )

    def _item(self, tree: LexborHTMLParser) -> ItemPage:
        forms = " ".join(form.attributes.get("action") or "" for form in tree.css("form"))
        item_id = re.search(rf"[?&]asin=({_ID})|/item_sub_page/[^/]+/({_ID})/", forms)
        if item_id is None:
            raise MissingField("item_id", "form[action]")
        asin = item_id[1] or item_id[2]
        lines = [_text(node) for node in tree.css(".col-md-6 > h4")]
        price = next((line.removeprefix("Price: ") for line in lines if line.startswith("Price: ")), "")
        rating = next((line.removeprefix("Rating: ") for line in lines if line.startswith("Rating: ")), "")
        tabs = [tab for name, tab in _TABS.items() if tree.css_first(f'div[name^="{name}"] button')]
        return ItemPage(
            site=self.name,
            item_id=asin,
            title=_text(tree.css_first("h2")),
            price=self._price(price),
            rating=float(rating) if re.fullmatch(r"\d+(\.\d+)?", rating) else None,
            options=tuple(_groups(tree)),
            tabs={tab: self._tab(asin, tab).url for tab in tabs},
        )

    def _done(self, tree: LexborHTMLParser) -> DonePage:
        options, reward = _text(tree.css_first("#options pre")), _text(tree.css_first("#reward pre"))
        try:
            chosen = json.loads(options or "{}")
            score = float(reward) if reward else None
        except ValueError as error:
            raise MissingField("options and reward", "#options pre, #reward pre") from error
        item_id = _text(tree.css_first("#asin pre"))
        return DonePage(site=self.name, item_id=item_id, options=chosen, reward=score)

    def _tab(self, item_id: str, tab: str) -> Request:
        return self._at("item_sub_page", item_id, "+", "1", tab.capitalize(), "%7B%7D")

    def _price(self, text: str) -> Price | None:
        return parse_price(text, self.locale)

    def _at(self, page: str, *parts: str) -> Request:
        return Request(url="/".join((self.base_url, page, self.session, *parts)))


def _groups(tree: LexborHTMLParser) -> Iterator[OptionGroup]:
    """Yield the option groups; a group without values has a name all the same."""
    for choices in tree.css(".radio-toolbar"):
        name = choices.prev
        while name is not None and name.tag != "h4":
            name = name.prev
        values = (node.attributes.get("value") or "" for node in choices.css('input[type="radio"]'))
        yield OptionGroup(name=_text(name), values=tuple(OptionValue(text=value) for value in values))


def _tab_texts(card: LexborNode, tab: str) -> tuple[str, ...]:
    """Return a tab's texts; the blank that the template puts before each bullet is not part of it."""
    texts = tuple(node.text() for node in card.css("p, h4, h5"))
    return tuple(text.removeprefix(" ") for text in texts) if tab == "features" else texts


def _text(node: LexborNode | None) -> str:
    return "" if node is None else node.text()


def _checked(item_id: str) -> str:
    if re.fullmatch(_ID, item_id) is None:
        raise PageError(f"not a product of WebShop: {item_id!r}")
    return item_id
