"""One eBay listing, of any generation of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay import details, offer
from windowshop.adapters.ebay.addresses import item_id_of
from windowshop.adapters.ebay.details import description_url
from windowshop.adapters.ebay.options import OPTIONS, VARIANTS
from windowshop.adapters.ebay.sheet import Sheet
from windowshop.adapters.fields import Field, Source, read_fields
from windowshop.errors import MissingField
from windowshop.pages import ItemPage

_TITLES = frozenset({"x-item-title__mainTitle", "it-ttl", "itemTitle", "vi-is1-titleH1", "vi-it-itHd"})
_NUMBER = "#descItemNumber, .ux-layout-section__textual-display--itemId, .iti-act-num"
_ITEM_NUMBER = re.compile(r"(?<![0-9])[0-9]{9,15}(?![0-9])")


def is_item(headings: Iterable[LexborNode]) -> bool:
    """Say whether one of a page's main headings is the title of a listing."""
    return any(
        heading.attrs.get("id") == "itemTitle" or not _TITLES.isdisjoint(_classes(heading))
        for heading in headings
    )


def _classes(node: LexborNode) -> list[str]:
    return (node.attrs.get("class") or "").split()


def read_item(sheet: Sheet) -> ItemPage:
    """Read a listing; raise `MissingField` where nothing on the page names it."""
    if ITEM_ID.find(sheet) is None:
        raise MissingField("item_id", ITEM_ID.places)
    frame = description_url(sheet)
    return ItemPage(
        site="ebay",
        locale=sheet.locale.code,
        tabs={"description": frame} if frame else {},
        **read_fields(FIELDS, sheet),
    )


def _printed_number(sheet: Sheet) -> str | None:
    printed = sheet.tree.css_first(_NUMBER)
    numbered = None if printed is None else _ITEM_NUMBER.search(printed.text())
    return None if numbered is None else numbered.group()


def _addressed(sheet: Sheet) -> str | None:
    return next((found for address in sheet.addresses if (found := item_id_of(address))), None)


ITEM_ID: Field[Sheet] = Field(
    "item_id",
    (
        Source("address", "link[rel=canonical], meta[property='og:url']", _addressed),
        Source("description", "iframe[src*=ebaydesc]", lambda sheet: item_id_of(description_url(sheet))),
        Source("printed", _NUMBER, _printed_number),
    ),
)
FIELDS: tuple[Field[Sheet], ...] = (
    ITEM_ID,
    OPTIONS,
    VARIANTS,
    details.SPECIFICS,
    offer.PRICE,
    details.RATING,
    details.REVIEW_COUNT,
    details.TITLE,
    offer.LIST_PRICE,
    details.BRAND,
    offer.IN_STOCK,
    details.BREADCRUMBS,
    details.CONDITION,
    details.SELLER,
    details.REVIEWS,
    details.IMAGE,
)
