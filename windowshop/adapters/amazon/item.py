"""One product's page, put together from what its fields' sources say."""

from __future__ import annotations

from windowshop.adapters.amazon import details, offer
from windowshop.adapters.amazon.identity import ITEM_ID
from windowshop.adapters.amazon.options import OPTIONS, VARIANTS
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.fields import Field, read_fields
from windowshop.errors import MissingField
from windowshop.pages import ItemPage

FIELDS: tuple[Field[Sheet], ...] = (
    details.SPECIFICS,
    offer.PRICE,
    ITEM_ID,
    OPTIONS,
    VARIANTS,
    details.TITLE,
    offer.LIST_PRICE,
    details.RATING,
    details.REVIEW_COUNT,
    details.BRAND,
    details.BULLETS,
    details.DESCRIPTION,
    offer.IN_STOCK,
    details.BREADCRUMBS,
    offer.SELLER,
    details.REVIEWS,
    details.IMAGE,
)


def read_item(sheet: Sheet) -> ItemPage:
    """Read an item page; raise `MissingField` if it does not say which item it is."""
    if ITEM_ID.find(sheet) is None:
        raise MissingField("item_id", ITEM_ID.places)
    return ItemPage(site="amazon", locale=sheet.locale.code, **read_fields(FIELDS, sheet))
