"""Which of eBay's marketplaces a page belongs to, as the page itself tells."""

from __future__ import annotations

from windowshop.adapters.ebay.addresses import split_address
from windowshop.locales import Locale, locale_by_host


def marketplace_of(addresses: tuple[str, ...], fallback: Locale) -> Locale:
    """Return the marketplace of the first address on an eBay host we know, else `fallback`."""
    for address in addresses:
        host = split_address(address).hostname
        found = locale_by_host("ebay", host) if host else None
        if found is not None:
            return found
    return fallback
