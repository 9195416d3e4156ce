"""Which addresses of Amazon may be read, and the one each navigation leads to."""

from __future__ import annotations

import re
from typing import TypeGuard

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters.words import MAX_WORDS, encode_words
from windowshop.errors import PageError
from windowshop.locales import Locale
from windowshop.wire import Readable, Request

MAX_PAGE = 999
_ASIN = re.compile(r"[A-Z0-9]{10}")


def readable(locale: Locale) -> tuple[Readable, ...]:
    """Return the two shapes of address that `request` makes, and no other."""
    hosts = frozenset({locale.host})
    return (
        Readable(
            name="results",
            hosts=hosts,
            path="/s",
            params={"k": rf"[^\x00-\x1f\x7f-\x9f]{{0,{MAX_WORDS}}}", "page": "[1-9][0-9]{0,2}"},
        ),
        Readable(name="item", hosts=hosts, path="/dp/[A-Z0-9]{10}", params={"th": "1", "psc": "1"}),
    )


def request(locale: Locale, navigation: Navigation) -> Request:
    """Return the request for `navigation`; raise `PageError` for what Amazon has no address for."""
    origin = f"https://{locale.host}"
    if isinstance(navigation, ToResults):
        if not 1 <= navigation.page <= MAX_PAGE:
            raise PageError(f"no results page {navigation.page}; pages go from 1 to {MAX_PAGE}")
        page = f"&page={navigation.page}" if navigation.page > 1 else ""
        return Request(url=f"{origin}/s?k={encode_words(navigation.query)}{page}")
    if isinstance(navigation, ToItem):
        if navigation.variant is None:
            return Request(url=f"{origin}/dp/{asin(navigation.item_id)}")
        asin(navigation.item_id)
        return Request(url=f"{origin}/dp/{asin(navigation.variant)}?th=1&psc=1")
    raise PageError("Amazon shows the description on the item's own page")


def asin(text: str) -> str:
    """Return `text` if it is an Amazon item id, or raise `PageError`."""
    if _ASIN.fullmatch(text) is None:
        raise PageError(f"not an Amazon item id: {text[:40]!r}")
    return text


def is_asin(text: object) -> TypeGuard[str]:
    """Say whether `text` is an Amazon item id."""
    return isinstance(text, str) and _ASIN.fullmatch(text) is not None
