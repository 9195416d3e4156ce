"""django-oscar's basket and checkout, for a shop of the user's own (see `windowshop.adapters.selling`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from windowshop.adapters.markup import parse_tree, plain, text_of
from windowshop.adapters.money import parse_count
from windowshop.adapters.selling import form_on
from windowshop.locales import Locale
from windowshop.orders import Buyer, Line, Order
from windowshop.sandbox import SandboxPost, Writable
from windowshop.wire import Readable, Request, Response

_TOKEN: Final = {"csrfmiddlewaretoken": r"[A-Za-z0-9]{1,128}"}
_WORDS: Final = r"[^\x00-\x1f\x7f]{0,200}"
_PREFIX: Final = r"(?:/[a-z]{2}(?:-[a-z]{2,4})?)?"
_ADDRESS: Final = ("first_name", "last_name", "line1", "line4", "state", "postcode", "country")
ADD: Final = Writable(
    name="add",
    needs="cart",
    path=rf"{_PREFIX}/basket/add/[0-9]+/",
    fields={**_TOKEN, "quantity": r"[1-9][0-9]?"},
)
GUEST: Final = Writable(
    name="guest",
    needs="checkout",
    path=rf"{_PREFIX}/checkout/",
    fields={**_TOKEN, "username": r"[^\s@]{1,80}@[^\s@]{1,120}", "options": "anonymous", "password": ""},
)
SHIPPING: Final = Writable(
    name="shipping",
    needs="checkout",
    path=rf"{_PREFIX}/checkout/shipping-address/",
    fields={**_TOKEN, **dict.fromkeys(_ADDRESS, _WORDS)},
)
PLACE: Final = Writable(
    name="place",
    needs="checkout",
    path=rf"{_PREFIX}/checkout/preview/",
    fields={**_TOKEN, "action": "place_order"},
)


class Checkout:
    """What the adapter of one shop says of its basket and checkout (see `Sells`)."""

    locale: Locale
    base_url: str | None
    writable = (ADD, GUEST, SHIPPING, PLACE)

    @property
    def selling(self) -> tuple[Readable, ...]:
        """Name the pages of the basket and the checkout, and the front page, where a form may send us on."""
        hosts = frozenset({self.locale.host})
        step = "(?:(?:shipping-address|shipping-method|payment-method|payment-details|preview|thank-you)/)?"
        return (
            Readable(name="home", hosts=hosts, path=rf"{_PREFIX}/(?:catalogue/)?"),
            Readable(name="basket", hosts=hosts, path=rf"{_PREFIX}/basket/"),
            Readable(name="checkout", hosts=hosts, path=rf"{_PREFIX}/checkout/{step}"),
        )

    @property
    def cart(self) -> Request:
        """Return where the basket is shown."""
        return Request(url=f"{self.base_url}/basket/")

    @property
    def checkout(self) -> Request:
        """Return where the checkout begins."""
        return Request(url=f"{self.base_url}/checkout/")

    def to_cart(self, response: Response, variant: str | None = None) -> SandboxPost | None:
        """Return the form by which a product's own page adds it; a variant has a page of its own."""
        return form_on(_tree(response), response.url, ADD)

    def lines(self, response: Response) -> tuple[Line, ...]:
        """Return what the basket lists."""
        return tuple(_lines(_tree(response), response.url))

    def proceed(self, response: Response, buyer: Buyer) -> SandboxPost | Request | None:
        """Return the form that a step of the checkout waits for, or where its link leads."""
        tree = _tree(response)
        given = {
            "username": buyer.email,
            "first_name": buyer.first_name,
            "last_name": buyer.last_name,
            "line1": buyer.line,
            "line4": buyer.city,
            "state": buyer.state,
            "postcode": buyer.zip,
        }
        for form in (GUEST, SHIPPING, PLACE):
            found = form_on(tree, response.url, form, given)
            if found is not None:
                return found
        onward = tree.css_first("a#view_preview[href]")
        address = None if onward is None else onward.attributes.get("href")
        return Request(url=urljoin(response.url, address)) if address else None

    def order(self, response: Response) -> Order | None:
        """Return what the thank-you page confirms."""
        if not response.url.endswith("/checkout/thank-you/"):
            return None
        tree = _tree(response)
        return Order(
            number=str(parse_count(text_of(tree.css_first("h1, h2, .lead"))) or "") or None,
            lines=tuple(_lines(tree, response.url)),
            address=text_of(tree.css_first("address"), " "),
            text=text_of(tree.body, " ") or "",
        )


def _lines(tree: LexborHTMLParser, url: str) -> Iterator[Line]:
    for row in tree.css(".basket-items, .order-contents .row, .content .row"):
        link = row.css_first("h3 a[href*='/catalogue/'], h4 a[href*='/catalogue/'], p a[href*='/catalogue/']")
        title = text_of(link)
        box = row.css_first("input[name$=quantity]")
        if link is not None and title:
            yield Line(
                title=title,
                url=urljoin(url, link.attributes["href"] or ""),
                quantity=parse_count(box.attributes.get("value")) if box is not None else None,
            )


def _tree(response: Response) -> LexborHTMLParser:
    return parse_tree(plain(response.body))
