"""The purchase that is not made, from what the landed page showed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from windowshop.pages import ItemPage, Variant
from windowshop.purchase import PurchaseIntent
from windowshop.views import View


def intend(
    view: View,
    *,
    episode: str,
    site: str,
    selected: Mapping[str, str],
    variant: Variant | None,
    url: str | None,
    page_digest: str | None,
    at: datetime,
) -> PurchaseIntent:
    """Return what buying at this view would have bought. Pure; the evidence is the page's own.

    `selected` and `variant` are the combination as it stands on the page. The price is the variant's where
    the page gives one, else the page's own; None where it shows none, and for a combination that the shop
    does not sell.
    """
    page: ItemPage | None = view.product.page if view.product else None
    is_never_made = bool(page and page.variants and not variant and len(selected) == len(page.options))
    price = (variant.price if variant else None) or (page.price if page and not is_never_made else None)
    in_stock = (
        variant.in_stock if variant and variant.in_stock is not None else page.in_stock if page else None
    )
    return PurchaseIntent(
        episode=episode,
        site=site,
        locale=page.locale if page else None,
        item_id=view.item_id or "",
        landed_id=page.item_id if page else None,
        variant_id=variant.item_id if variant else view.variant_id,
        title=page.title if page else None,
        options=dict(selected),
        chosen=view.options,
        unit_price=price,
        currency=price.currency if price else None,
        seller=page.seller if page else None,
        in_stock=in_stock,
        url=url,
        page_digest=page_digest,
        at=at,
    )
