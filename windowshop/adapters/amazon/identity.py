"""Which item a page is about."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.sheet import Sheet, under_ids
from windowshop.adapters.fields import Field, Source

_IN_ADDRESS = re.compile(r"/(?:dp|gp/product|gp/aw/d)/(?:[^/?#]+/)??([A-Z0-9]{10})(?![A-Z0-9])")
_HOLDERS = ("ASIN", "items[0.base][asin]", "asin", "averageCustomerReviews")


def _posted(_: Sheet, node: LexborNode) -> str | None:
    """Return the ASIN that the page's form would post, or that a part of it is about."""
    attributes = node.attributes
    found = attributes.get("value") or attributes.get("data-asin") or ""
    return found if is_asin(found) else None


def _named(address: str | None) -> str | None:
    named = _IN_ADDRESS.search(address or "")
    return None if named is None else named.group(1)


ITEM_ID: Field[Sheet] = Field(
    "item_id",
    (
        *under_ids(_HOLDERS, _posted),
        Source("canonical address", "link[rel=canonical]", lambda sheet: _named(sheet.canonical)),
        Source("address", "the address it came from", lambda sheet: _named(sheet.url)),
    ),
)
