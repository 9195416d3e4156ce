"""One product's page, put together from what its readers find."""

from __future__ import annotations

import re

from windowshop.adapters.amazon import details, offer
from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.options import read_options
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.errors import MissingField
from windowshop.pages import ItemPage

_IN_ADDRESS = re.compile(r"/(?:dp|gp/product|gp/aw/d)/(?:[^/?#]+/)??([A-Z0-9]{10})(?![A-Z0-9])")


def read_item(sheet: Sheet) -> ItemPage:
    """Read an item page; raise `MissingField` if it does not say which item it is."""
    facts = details.facts(sheet)
    price = offer.price(sheet)
    item_id = _item_id(sheet)
    options, variants = read_options(sheet, item_id, price)
    return ItemPage(
        site="amazon",
        locale=sheet.locale.code,
        item_id=item_id,
        title=details.title(sheet),
        price=price,
        list_price=offer.list_price(sheet, price),
        rating=details.rating(sheet),
        review_count=details.review_count(sheet),
        brand=details.brand(sheet, facts),
        bullets=details.bullets(sheet),
        description=details.description(sheet),
        options=options,
        variants=variants,
        in_stock=offer.in_stock(sheet),
        breadcrumbs=details.breadcrumbs(sheet),
        seller=offer.seller(sheet),
        specifics=facts,
        reviews=details.reviews(sheet),
        image=details.image(sheet),
    )


def _item_id(sheet: Sheet) -> str:
    """Return the ASIN that the page's form would post, else the one in its addresses."""
    for node in sheet.every("ASIN", "items[0.base][asin]", "asin", "averageCustomerReviews"):
        attributes = node.attributes
        found = attributes.get("value") or attributes.get("data-asin") or ""
        if is_asin(found):
            return found
    for address in (sheet.canonical, sheet.url):
        named = _IN_ADDRESS.search(address or "")
        if named is not None:
            return named.group(1)
    raise MissingField("item_id", "#ASIN, link[rel=canonical]")
