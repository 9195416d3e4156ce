"""Vocabulary: the purchase that was not made."""

from __future__ import annotations

from datetime import datetime

from windowshop.frozen import Frozen
from windowshop.pages import Price


class PurchaseIntent(Frozen):
    """What `click[buy now]` would have bought, on what evidence. Nothing was sent to the shop.

    `item_id` is the product that was opened, `landed_id` what the page on view says it is, `variant_id` the
    id of the chosen combination where the shop has one. `options` are the page's own words for the
    combination as it stands, `chosen` the simulator's words for what the agent clicked. `unit_price` is as
    the page showed it; None where it showed none. `page_digest` is the SHA-256 of the page's bytes, `url`
    where it landed.
    """

    format: int = 1
    dry_run: bool = True
    episode: str
    site: str
    locale: str | None = None
    item_id: str
    landed_id: str | None = None
    variant_id: str | None = None
    title: str | None = None
    options: dict[str, str]
    chosen: dict[str, str]
    unit_price: Price | None = None
    currency: str | None = None
    seller: str | None = None
    in_stock: bool | None = None
    quantity: int = 1
    url: str | None = None
    page_digest: str | None = None
    at: datetime
