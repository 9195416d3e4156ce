"""One product's page, of any theme: what it says for machines first, then WooCommerce's own classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import UNSAID, Field, Source, once, read_fields
from windowshop.adapters.markup import clean, text_of
from windowshop.adapters.money import parse_count, parse_number
from windowshop.adapters.woocommerce.addresses import number_of
from windowshop.adapters.woocommerce.amounts import list_price_in, price_in
from windowshop.adapters.woocommerce.options import OPTIONS, VARIANTS
from windowshop.adapters.woocommerce.sheet import Sheet, number_in
from windowshop.errors import MissingField
from windowshop.pages import ItemPage, Price, Review

_BODY: Final = "body.single-product, html.single-product"
_MAIN: Final = "[id^=product-].type-product, div.type-product, main.type-product, section.type-product"
_TITLE: Final = ".product_title, .summary .entry-title, h1.entry-title, .product h1.wp-block-post-title"
_PRICE: Final = (
    ".summary .price:not(.price-unit), .wp-block-woocommerce-product-price, .product .price:not(.price-unit)"
)
_SHORT: Final = ".woocommerce-product-details__short-description, .wp-block-post-excerpt__excerpt"
_LONG: Final = (
    "#tab-description, .woocommerce-Tabs-panel--description, .wp-block-woocommerce-product-description"
)
_FACTS: Final = "table.woocommerce-product-attributes tr, table.shop_attributes tr"
_STOCK: Final = "p.stock, .wc-block-components-product-stock-indicator"
_RATING: Final = ".woocommerce-product-rating"
_CRUMBS: Final = ".woocommerce-breadcrumb a, .wc-block-breadcrumbs a"
_BUTTON: Final = "[name=add-to-cart].single_add_to_cart_button, button.single_add_to_cart_button"


def is_item(sheet: Sheet) -> bool:
    """Say whether a page is one product's: by the body's class, else by the product's own element."""
    return sheet.node.css_first(_BODY) is not None or (
        sheet.node.css_first("div.product .summary .price, div.product .summary .product_title") is not None
    )


def read_item(sheet: Sheet) -> ItemPage:
    """Read a product; raise `MissingField` where nothing on the page gives its number."""
    if ITEM_ID.find(sheet) is None:
        raise MissingField("item_id", ITEM_ID.places)
    return ItemPage(site="woocommerce", locale=sheet.locale.code, **read_fields(FIELDS, sheet))


def _main(sheet: Sheet) -> LexborNode | None:
    return sheet.own(_MAIN)


def _from_body(sheet: Sheet) -> str | None:
    classes = (sheet.attribute("body", "class") or "").split()
    return next((one.removeprefix("postid-") for one in classes if one.startswith("postid-")), None)


def _from_main(sheet: Sheet) -> str | None:
    main = once(sheet, _main)
    return None if main is None else number_in(main)


def _price_block(sheet: Sheet) -> LexborNode | None:
    return sheet.own(_PRICE)


def _shown_price(sheet: Sheet) -> Price | None:
    return price_in(sheet, once(sheet, _price_block))


def _offered_price(sheet: Sheet) -> Price | None:
    """Return the one price of the JSON-LD; a page that shows an empty price has none."""
    offers = sheet.typed("Product").get("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    if not isinstance(offer, dict) or once(sheet, _price_block) is not None:
        return None
    specified = offer.get("priceSpecification")
    nested = specified[0] if isinstance(specified, list) and specified else specified
    places = (offer, nested if isinstance(nested, dict) else {})
    amount = next((parse_number(str(place["price"])) for place in places if place.get("price")), None)
    return None if amount is None else Price(amount=amount, currency=sheet.money.code)


def _stock_said(sheet: Sheet) -> bool | None:
    """Read the line on the stock: only "out" is certain, for a choice may be had or not."""
    node = sheet.own(_STOCK)
    classes = "" if node is None else node.attributes.get("class") or ""
    return False if "out-of-stock" in classes else True if "in-stock" in classes else None


def _stock_class(sheet: Sheet) -> Any:
    main = once(sheet, _main)
    classes = "" if main is None else main.attributes.get("class") or ""
    if "onbackorder" in classes.split():
        return UNSAID
    return False if "outofstock" in classes.split() else True if "instock" in classes.split() else None


def _stock_offered(sheet: Sheet) -> bool | None:
    offers = sheet.typed("Product").get("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    said = str(offer.get("availability")) if isinstance(offer, dict) else ""
    return True if said.endswith("/InStock") else False if said.endswith("/OutOfStock") else None


def _button(sheet: Sheet) -> bool | None:
    return True if sheet.own(_BUTTON) is not None else None


def _linked(*path: str) -> Callable[[Sheet], str | None]:
    """Return the reader of a text in the page's JSON-LD product."""

    def read(sheet: Sheet) -> str | None:
        value: Any = sheet.typed("Product")
        for name in path:
            first = value[0] if isinstance(value, list) and value else value
            value = first.get(name) if isinstance(first, dict) else None
        return clean(str(value)) if isinstance(value, str | int | float) else None

    return read


def _number(read: Callable[[Sheet], str | None]) -> Callable[[Sheet], float | None]:
    """Return a reader of a rating above 0: WooCommerce writes 0 where nobody has rated."""
    return lambda sheet: parse_number(read(sheet) or "") or None


def _count(read: Callable[[Sheet], str | None]) -> Callable[[Sheet], int | None]:
    return lambda sheet: parse_count(read(sheet))


def _said(selectors: str) -> Callable[[Sheet], str | None]:
    return lambda sheet: sheet.text(selectors)


def _described(sheet: Sheet) -> list[LexborNode]:
    found = (sheet.own(selectors) for selectors in (_SHORT, _LONG))
    return [node for node in found if node is not None]


def _description(sheet: Sheet) -> str | None:
    """Return the short and the long description, without the tab's own heading."""
    texts = []
    for node in once(sheet, _described):
        heading = node.css_first("h2")
        first = next((child for child in node.iter() if child.is_element_node), None)
        text = text_of(node, " ") or ""
        if heading is not None and first is not None and first.mem_id == heading.mem_id:
            text = text.removeprefix(text_of(heading, " ") or "")
        texts.append(text)
    return clean(" ".join(texts))


def _bullets(sheet: Sheet) -> tuple[str, ...]:
    lines = (text_of(line, " ") for node in once(sheet, _described) for line in node.css("li"))
    return tuple(line for line in lines if line)


def _facts(sheet: Sheet) -> dict[str, str]:
    rows = (
        (text_of(row.css_first("th")), text_of(row.css_first("td"), " ")) for row in sheet.node.css(_FACTS)
    )
    return {name.rstrip(" :："): value.replace(" ,", ",") for name, value in rows if name and value}


def _crumbs(sheet: Sheet) -> tuple[str, ...]:
    crumbs = (text_of(node) for node in sheet.node.css(_CRUMBS))
    return tuple(crumb for crumb in crumbs if crumb)


def _reviews(sheet: Sheet) -> tuple[Review, ...]:
    return tuple(
        Review(
            score=parse_number(text_of(one.css_first("strong.rating")) or ""),
            body=text_of(one.css_first(".description"), " "),
        )
        for one in sheet.node.css("#reviews li.review")
    )


def _image(sheet: Sheet) -> str | None:
    node = sheet.own(".woocommerce-product-gallery__image a[href], .woocommerce-product-gallery__image img")
    source = None if node is None else node.attributes.get("href") or node.attributes.get("src")
    return urljoin(sheet.url, source) if source else None


ITEM_ID: Final[Field[Sheet]] = Field(
    "item_id",
    (
        Source("body", "body.postid-N", _from_body),
        Source("product", _MAIN, _from_main),
        Source("button", _BUTTON, lambda sheet: sheet.attribute(_BUTTON, "value")),
        Source("form", "[data-product_id]", lambda sheet: sheet.attribute("form.cart", "data-product_id")),
        Source(
            "short link",
            "link[rel=shortlink]",
            lambda s: number_of(s.attribute("link[rel=shortlink]", "href")),
        ),
        Source("address", "?p=", lambda sheet: number_of(sheet.url)),
    ),
)
FIELDS: Final[tuple[Field[Sheet], ...]] = (
    ITEM_ID,
    Field(
        "title",
        (Source("heading", _TITLE, _said(_TITLE)), Source("json-ld", "Product.name", _linked("name"))),
    ),
    Field(
        "price", (Source("shown", _PRICE, _shown_price), Source("json-ld", "Product.offers", _offered_price))
    ),
    Field(
        "list_price",
        (Source("shown", f"{_PRICE} del", lambda sheet: list_price_in(sheet, once(sheet, _price_block))),),
    ),
    OPTIONS,
    VARIANTS,
    Field(
        "in_stock",
        (
            Source("line", _STOCK, _stock_said),
            Source("class", _MAIN, _stock_class),
            Source("json-ld", "Product.offers.availability", _stock_offered),
            Source("button", _BUTTON, _button),
        ),
    ),
    Field(
        "rating",
        (
            Source("json-ld", "Product.aggregateRating", _number(_linked("aggregateRating", "ratingValue"))),
            Source("stars", f"{_RATING} strong", _number(_said(f"{_RATING} strong.rating"))),
        ),
    ),
    Field(
        "review_count",
        (
            Source("json-ld", "Product.aggregateRating", _count(_linked("aggregateRating", "reviewCount"))),
            Source(
                "link", ".woocommerce-review-link .count", _count(_said(".woocommerce-review-link .count"))
            ),
        ),
    ),
    Field(
        "brand",
        (
            Source("json-ld", "Product.brand", _linked("brand", "name")),
            Source("meta", ".product_meta [class*=brand] a", _said(".product_meta [class*=brand] a")),
        ),
    ),
    Field("description", (Source("texts", f"{_SHORT}, {_LONG}", _description),)),
    Field("bullets", (Source("texts", f"{_SHORT} li, {_LONG} li", _bullets),)),
    Field("specifics", (Source("table", _FACTS, _facts),)),
    Field("breadcrumbs", (Source("trail", _CRUMBS, _crumbs),)),
    Field("reviews", (Source("list", "#reviews li.review", _reviews),)),
    Field("image", (Source("gallery", ".woocommerce-product-gallery__image", _image),)),
)
