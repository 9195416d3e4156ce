"""One product's page, of any theme: what it says for machines first, then WooCommerce's own classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import UNSAID, Field, Source, once, read_fields
from windowshop.adapters.markup import clean, select, text_of
from windowshop.adapters.money import parse_count, parse_number
from windowshop.adapters.woocommerce.addresses import joined, number_of
from windowshop.adapters.woocommerce.amounts import country_of, list_price_in, price_in
from windowshop.adapters.woocommerce.options import OPTIONS, VARIANTS
from windowshop.adapters.woocommerce.product import (
    MAIN,
    PRICE,
    TITLE,
    main_of,
    part_of,
    price_of,
    summary_of,
    title_of,
)
from windowshop.adapters.woocommerce.sheet import Sheet, classes_of, is_in, number_in
from windowshop.errors import MissingField
from windowshop.pages import ItemPage, Price, Review

_SHORT: Final = ".woocommerce-product-details__short-description, .wp-block-post-excerpt__excerpt"
_LONG: Final = (
    "#tab-description, .woocommerce-Tabs-panel--description, .wp-block-woocommerce-product-description"
)
_FACTS: Final = "table.woocommerce-product-attributes tr, table.shop_attributes tr"
_STOCK: Final = "p.stock, .wc-block-components-product-stock-indicator"
_RATED: Final = ".woocommerce-product-rating"
_STARS: Final = f"{_RATED} strong.rating"
_COUNT: Final = f"{_RATED} .woocommerce-review-link .count"
_META: Final = ".product_meta"
_BRAND: Final = f"{_META} [class*=brand] a"
_TRAIL: Final = ".woocommerce-breadcrumb, .wc-block-breadcrumbs"
_CRUMBS: Final = ".woocommerce-breadcrumb a, .wc-block-breadcrumbs a"
_REVIEWS: Final = "#reviews li.review"
_PHOTO: Final = ".woocommerce-product-gallery__image"
_IMAGE: Final = f"{_PHOTO} a[href], {_PHOTO} img"
_BUTTON: Final = "[name=add-to-cart].single_add_to_cart_button, button.single_add_to_cart_button"
_SUMMARY: Final = "div.product .summary"
_HEAD: Final = f"{_SUMMARY} .price, {_SUMMARY} .product_title"


def is_called_item(sheet: Sheet) -> bool:
    """Say whether a page is one product's by the body's class, or the class of what is around it."""
    root = sheet.tree.root
    return "single-product" in sheet.kinds or (root is not None and "single-product" in classes_of(root))


def shows_item(sheet: Sheet) -> bool:
    """Say whether a page is one product's by the product's own element."""
    return any(summary.css_first(_HEAD) is not None for summary in sheet.tree.css(_SUMMARY))


def read_item(sheet: Sheet) -> ItemPage:
    """Read a product; raise `MissingField` where nothing on the page gives its number."""
    if ITEM_ID.find(sheet) is None:
        raise MissingField("item_id", ITEM_ID.places)
    return ItemPage(site="woocommerce", locale=sheet.locale.code, **read_fields(FIELDS, sheet))


def _from_body(sheet: Sheet) -> str | None:
    return next((one.removeprefix("postid-") for one in sheet.kinds if one.startswith("postid-")), None)


def _from_main(sheet: Sheet) -> str | None:
    main = once(sheet, main_of)
    return None if main is None else number_in(main)


def _titled(sheet: Sheet) -> str | None:
    return text_of(once(sheet, title_of), " ")


def _shown_price(sheet: Sheet) -> Price | None:
    return price_in(sheet, once(sheet, price_of), country_of(sheet))


def _struck_price(sheet: Sheet) -> Price | None:
    return list_price_in(sheet, once(sheet, price_of), country_of(sheet))


def _offered_price(sheet: Sheet) -> Price | None:
    """Return the one price of the JSON-LD; a page that shows an empty price has none."""
    offers = sheet.linked("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    if not isinstance(offer, dict) or once(sheet, price_of) is not None:
        return None
    specified = offer.get("priceSpecification")
    nested = specified[0] if isinstance(specified, list) and specified else specified
    places = (offer, nested if isinstance(nested, dict) else {})
    amount = next((parse_number(str(place["price"])) for place in places if place.get("price")), None)
    return None if amount is None else Price(amount=amount, currency=sheet.currency)


def _stock_said(sheet: Sheet) -> bool | None:
    """Read the line on the stock: only "out" is certain, for a choice may be had or not."""
    node = sheet.own(_STOCK, once(sheet, summary_of))
    classes = "" if node is None else node.attributes.get("class") or ""
    return False if "out-of-stock" in classes else True if "in-stock" in classes else None


def _stock_class(sheet: Sheet) -> Any:
    main = once(sheet, main_of)
    classes = "" if main is None else main.attributes.get("class") or ""
    if "onbackorder" in classes.split():
        return UNSAID
    return False if "outofstock" in classes.split() else True if "instock" in classes.split() else None


def _stock_offered(sheet: Sheet) -> bool | None:
    offers = sheet.linked("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    said = str(offer.get("availability")) if isinstance(offer, dict) else ""
    return True if said.endswith("/InStock") else False if said.endswith("/OutOfStock") else None


def _button(sheet: Sheet) -> bool | None:
    return True if sheet.own(_BUTTON) is not None else None


def _linked(*path: str) -> Callable[[Sheet], str | None]:
    """Return the reader of a text in the page's JSON-LD product."""

    def read(sheet: Sheet) -> str | None:
        value = sheet.linked(path[0])
        for name in path[1:]:
            first = value[0] if isinstance(value, list) and value else value
            value = first.get(name) if isinstance(first, dict) else None
        return clean(str(value)) if isinstance(value, str | int | float) else None

    return read


def _number(read: Callable[[Sheet], str | None]) -> Callable[[Sheet], float | None]:
    """Return a reader of a rating above 0: WooCommerce writes 0 where nobody has rated."""
    return lambda sheet: parse_number(read(sheet) or "") or None


def _count(read: Callable[[Sheet], str | None]) -> Callable[[Sheet], int | None]:
    return lambda sheet: parse_count(read(sheet))


def _rated(sheet: Sheet) -> LexborNode | None:
    return sheet.own(_RATED, once(sheet, summary_of))


def _said(selectors: str) -> Callable[[Sheet], str | None]:
    """Return the reader of what is said where the product's stars are."""

    def read(sheet: Sheet) -> str | None:
        rated = once(sheet, _rated)
        return None if rated is None else text_of(rated.css_first(selectors), " ")

    return read


def _brand(sheet: Sheet) -> str | None:
    links = (link for meta in once(sheet, summary_of).css(_META) for link in meta.css(_BRAND))
    return text_of(next((link for link in links if not sheet.is_aside(link)), None), " ")


def _described(sheet: Sheet) -> list[tuple[LexborNode, str]]:
    """Return the short and the long description with their texts, without the tab's own heading."""
    found = []
    for node in (sheet.own(_SHORT, once(sheet, summary_of)), part_of(sheet, _LONG)):
        if node is not None:
            first = next((child for child in node.iter() if child.is_element_node), None)
            text = text_of(node, " ") or ""
            if first is not None and first.tag == "h2":
                text = text.removeprefix(text_of(first, " ") or "")
            found.append((node, text))
    return found


def _description(sheet: Sheet) -> str | None:
    return clean(" ".join(text for _, text in once(sheet, _described)))


def _bullets(sheet: Sheet) -> tuple[str, ...]:
    lines = (
        clean(line.text(separator=" ")) for node, _ in once(sheet, _described) for line in node.css("li")
    )
    return tuple(line for line in lines if line)


def _facts(sheet: Sheet) -> dict[str, str]:
    rows = select(sheet.tree, _FACTS)
    facts = ((text_of(row.css_first("th")), text_of(row.css_first("td"), " ")) for row in rows)
    return {name.rstrip(" :："): value.replace(" ,", ",") for name, value in facts if name and value}


def _links(sheet: Sheet) -> Iterator[LexborNode]:
    """Yield the links of each trail, of one inside another with that."""
    last = None
    for trail in select(sheet.tree, _TRAIL):
        if last is None or not is_in(trail, last):
            last = trail
            yield from select(trail, _CRUMBS)


def _crumbs(sheet: Sheet) -> tuple[str, ...]:
    crumbs = (text_of(node) for node in _links(sheet))
    return tuple(crumb for crumb in crumbs if crumb)


def _reviews(sheet: Sheet) -> tuple[Review, ...]:
    tab = sheet.tree.css_first("#reviews")
    listed = [] if tab is None else tab.css(_REVIEWS) or sheet.tree.css(_REVIEWS)
    return tuple(
        Review(
            score=parse_number(text_of(one.css_first("strong.rating")) or ""),
            body=text_of(one.css_first(".description"), " "),
        )
        for one in listed
    )


def _image(sheet: Sheet) -> str | None:
    photo = part_of(sheet, _PHOTO)
    node = None if photo is None else photo.css_first(_IMAGE) or sheet.own(_IMAGE)
    source = None if node is None else node.attributes.get("href") or node.attributes.get("src")
    return joined(sheet.url, source) if source else None


ITEM_ID: Final[Field[Sheet]] = Field(
    "item_id",
    (
        Source("body", "body.postid-N", _from_body),
        Source("product", MAIN, _from_main),
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
        (
            Source("heading", TITLE, _titled),
            Source("json-ld", "Product.name", _linked("name")),
        ),
    ),
    Field(
        "price", (Source("shown", PRICE, _shown_price), Source("json-ld", "Product.offers", _offered_price))
    ),
    Field("list_price", (Source("shown", f"{PRICE} del", _struck_price),)),
    OPTIONS,
    VARIANTS,
    Field(
        "in_stock",
        (
            Source("line", _STOCK, _stock_said),
            Source("class", MAIN, _stock_class),
            Source("json-ld", "Product.offers.availability", _stock_offered),
            Source("button", _BUTTON, _button),
        ),
    ),
    Field(
        "rating",
        (
            Source("json-ld", "Product.aggregateRating", _number(_linked("aggregateRating", "ratingValue"))),
            Source("stars", _STARS, _number(_said(_STARS))),
        ),
    ),
    Field(
        "review_count",
        (
            Source("json-ld", "Product.aggregateRating", _count(_linked("aggregateRating", "reviewCount"))),
            Source("link", _COUNT, _count(_said(_COUNT))),
        ),
    ),
    Field(
        "brand",
        (
            Source("json-ld", "Product.brand", _linked("brand", "name")),
            Source("meta", _BRAND, _brand),
        ),
    ),
    Field("description", (Source("texts", f"{_SHORT}, {_LONG}", _description),)),
    Field("bullets", (Source("texts", f"{_SHORT} li, {_LONG} li", _bullets),)),
    Field("specifics", (Source("table", _FACTS, _facts),)),
    Field("breadcrumbs", (Source("trail", _CRUMBS, _crumbs),)),
    Field("reviews", (Source("list", _REVIEWS, _reviews),)),
    Field("image", (Source("gallery", ".woocommerce-product-gallery__image", _image),)),
)
