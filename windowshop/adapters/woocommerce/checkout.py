"""WooCommerce's cart and classic checkout, for a shop of the user's own (see `adapters.selling`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from windowshop.adapters.markup import parse_tree, plain, text_of
from windowshop.adapters.money import parse_count
from windowshop.adapters.selling import form_on
from windowshop.adapters.woocommerce.addresses import ITEM_PATH
from windowshop.orders import Buyer, Line, Order
from windowshop.sandbox import SandboxPost, Writable
from windowshop.wire import Readable, Response

_WORDS: Final = r"[^\x00-\x1f\x7f]{0,200}"
_NUMBER: Final = r"[0-9]{1,10}"
_BILLING: Final = (
    "first_name", "last_name", "company", "country", "address_1", "address_2", "city", "state", "postcode",
    "phone", "email",
)  # fmt: skip
ADD: Final = Writable(
    name="add",
    needs="cart",
    path=ITEM_PATH,
    fields={
        **dict.fromkeys(("add-to-cart", "product_id", "variation_id"), _NUMBER),
        "quantity": r"[1-9][0-9]?",
    },
)
PLACE: Final = Writable(
    name="place",
    needs="checkout",
    path="/checkout/",
    fields={
        **{f"billing_{name}": _WORDS for name in _BILLING},
        "order_comments": _WORDS,
        "payment_method": r"[a-z0-9_-]{1,40}",
        "demo_card-card-number": r"[0-9 ]{0,24}",
        "demo_card-card-expiry": r"[0-9 /]{0,9}",
        "demo_card-card-cvc": r"[0-9]{0,4}",
        "woocommerce-process-checkout-nonce": r"[0-9a-f]{1,64}",
        "_wp_http_referer": r"/[a-z/?=&_-]*",
        "woocommerce_checkout_place_order": _WORDS,
        "terms": "on|1",
        "terms-field": "1",
    },
)
WRITABLE: Final = (ADD, PLACE)
_COUNTRIES: Final = {"usa": "US", "us": "US", "united states": "US", "uk": "GB", "germany": "DE"}
_CART: Final = (
    "tr.cart_item td.product-name a[href], tr.wc-block-cart-items__row a[href*='/product'], "
    "tr.woocommerce-cart-form__cart-item td.product-name a[href]"
)
_ORDERED: Final = (
    "td.woocommerce-table__product-name a[href], td.wc-block-order-confirmation-totals__product a[href]"
)
_ADDRESS: Final = (
    ".woocommerce-customer-details address",
    '[data-block-name="woocommerce/order-confirmation-billing-address"] address',
    "address",
)
_ADDED: Final = ".woocommerce-message, .wc-block-components-notice-banner__content"
_NUMBERED: Final = (
    ".woocommerce-order-overview__order strong, .wc-block-order-confirmation-summary-list-item__value"
)


def selling(host: str) -> tuple[Readable, ...]:
    """Name the pages of the cart and the checkout."""
    hosts = frozenset({host})
    return (
        Readable(name="cart", hosts=hosts, path="/cart/"),
        Readable(name="checkout", hosts=hosts, path="/checkout/"),
        Readable(
            name="order",
            hosts=hosts,
            path=rf"/checkout/order-received/{_NUMBER}/",
            params={"key": r"wc_order_[A-Za-z0-9]{1,32}"},
        ),
    )


def to_cart(response: Response, variant: str | None = None) -> SandboxPost | None:
    """Return the form by which an item's page adds it; of a product with variations the one that is given."""
    post = form_on(_tree(response), response.url, ADD, {"variation_id": variant} if variant else None)
    sent = dict(post.fields) if post else {}
    is_open = sent.get("variation_id") == "0"
    return post if "add-to-cart" in sent and not is_open else None


def is_added(response: Response) -> bool:
    """Say whether a page tells that something was put into the cart."""
    return _tree(response).css_first(_ADDED) is not None


def lines(response: Response) -> tuple[Line, ...]:
    """Return what a page of the cart, classic or of blocks, lists."""
    return tuple(_lines(_tree(response), response.url, _CART))


def proceed(response: Response, buyer: Buyer) -> SandboxPost | None:
    """Return the form of the checkout, filled; None where it complains, or where the cart is empty."""
    tree = _tree(response)
    if tree.css_first(".woocommerce-error, .is-error") is not None:
        return None
    given = {
        "billing_first_name": buyer.first_name,
        "billing_last_name": buyer.last_name,
        "billing_address_1": buyer.line,
        "billing_city": buyer.city,
        "billing_state": buyer.state,
        "billing_postcode": buyer.zip,
        "billing_country": _COUNTRIES.get(buyer.country.lower(), buyer.country),
        "billing_email": buyer.email,
        "demo_card-card-number": buyer.card,
        "demo_card-card-expiry": buyer.expiry_date,
        "demo_card-card-cvc": buyer.cvv,
    }
    return form_on(tree, response.url, PLACE, given)


def order(response: Response) -> Order | None:
    """Return what the page after a checkout confirms."""
    if "/checkout/order-received" not in response.url:
        return None
    tree = _tree(response)
    address = next((found for where in _ADDRESS if (found := tree.css_first(where)) is not None), None)
    text = text_of(tree.body, " ") or ""
    email = re.search(r"[^\s@:]+@[^\s@]+\.[a-z]{2,}", text)
    return Order(
        number=text_of(tree.css_first(_NUMBERED)),
        lines=tuple(_lines(tree, response.url, _ORDERED)),
        address=text_of(address, " "),
        email=email.group() if email else None,
        text=text,
    )


def _lines(tree: LexborHTMLParser, url: str, selectors: str) -> Iterator[Line]:
    links = {link.mem_id: link for link in tree.css(selectors)}
    for link in links.values():
        title, row = text_of(link), link.parent
        while row is not None and row.tag not in ("tr", "body"):
            row = row.parent
        box = row.css_first("input.qty, input[name$='[qty]'], input[type=number]") if row else None
        said = text_of(row.css_first(".product-quantity")) if row and box is None else None
        if title:
            yield Line(
                title=title,
                url=urljoin(url, link.attributes["href"] or ""),
                quantity=parse_count(box.attributes.get("value") if box else said),
            )


def _tree(response: Response) -> LexborHTMLParser:
    return parse_tree(plain(response.body))
