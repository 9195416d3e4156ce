"""One eBay listing, of any generation of the page."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from windowshop.adapters.ebay.addresses import item_id_of
from windowshop.adapters.ebay.details import (
    description_url,
    read_brand,
    read_breadcrumbs,
    read_condition,
    read_image,
    read_rating,
    read_reviews,
    read_seller,
    read_specifics,
    read_title,
)
from windowshop.adapters.ebay.offer import read_in_stock, read_list_price, read_price
from windowshop.adapters.ebay.options import chosen_variant, needs_choice, read_options
from windowshop.adapters.ebay.sheet import open_sheet
from windowshop.errors import MissingField
from windowshop.locales import Locale
from windowshop.pages import ItemPage

_TITLES = frozenset({"x-item-title__mainTitle", "it-ttl", "itemTitle", "vi-is1-titleH1", "vi-it-itHd"})
_NUMBER = "#descItemNumber, .ux-layout-section__textual-display--itemId, .iti-act-num"
_ITEM_NUMBER = re.compile(r"(?<![0-9])[0-9]{9,15}(?![0-9])")


def is_item(headings: list[LexborNode]) -> bool:
    """Say whether one of a page's main headings is the title of a listing."""
    return any(
        heading.attrs.get("id") == "itemTitle" or not _TITLES.isdisjoint(_classes(heading))
        for heading in headings
    )


def _classes(node: LexborNode) -> list[str]:
    return (node.attrs.get("class") or "").split()


def parse_item(
    tree: LexborHTMLParser,
    headings: list[LexborNode],
    body: bytes,
    locale: Locale,
    addresses: tuple[str, ...],
) -> ItemPage:
    """Read a listing; raise `MissingField` where nothing on the page names it."""
    sheet = open_sheet(tree, body, locale, headings)
    frame = description_url(sheet)
    item_id = next((found for address in (*addresses, frame) if (found := item_id_of(address))), None)
    if item_id is None:
        printed = tree.css_first(_NUMBER)
        numbered = None if printed is None else _ITEM_NUMBER.search(printed.text())
        if numbered is None:
            raise MissingField("item_id", f"link[rel=canonical], meta[property='og:url'], {_NUMBER}")
        item_id = numbered.group()
    groups, variants = read_options(sheet)
    must_choose = needs_choice(groups)
    specifics = read_specifics(sheet)
    price = read_price(sheet)
    chosen = chosen_variant(groups, variants)
    if price is None and chosen is not None:
        price = chosen.price
    rating, review_count = read_rating(sheet)
    return ItemPage(
        site="ebay",
        locale=locale.code,
        item_id=item_id,
        title=read_title(sheet),
        price=price,
        list_price=read_list_price(sheet, price),
        rating=rating,
        review_count=review_count,
        brand=read_brand(sheet, specifics),
        tabs={"description": frame} if frame else {},
        options=groups,
        variants=variants,
        in_stock=read_in_stock(sheet, must_choose),
        breadcrumbs=read_breadcrumbs(sheet),
        condition=read_condition(sheet),
        seller=read_seller(sheet),
        specifics=specifics,
        reviews=read_reviews(sheet),
        image=read_image(sheet),
    )
