"""Which addresses of Amazon may be read, and the one each navigation leads to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeGuard
from urllib.parse import parse_qsl, quote_plus, urlsplit

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters.words import MAX_WORDS, encode_words
from windowshop.errors import PageError
from windowshop.locales import Locale
from windowshop.wire import Readable, Request

MAX_PAGE = 999
LOW: Final = "low-price"
HIGH: Final = "high-price"
_ASIN = re.compile(r"[A-Z0-9]{10}")
_WORDS = {"k": rf"[^\x00-\x1f\x7f-\x9f]{{0,{MAX_WORDS}}}", "page": "[1-9][0-9]{0,2}"}
_SORT = r"relevanceblender|relevancerank|(?:[a-z]{2,12}-){1,3}rank"
_AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,2})?"
_NODE = r"n:[0-9]{1,15}"
_NUMBERED = r"p_[a-z0-9_-]{1,60}:[0-9]{1,20}(?:\|[0-9]{1,20}){0,9}"
_NAMED = r"p_(?:4|89|lbr_brands_browse-bin):[^\x00-\x1f\x7f-\x9f,:;/\\]{1,100}"
_PROPERTY = rf"(?:{_NUMBERED}|{_NAMED})"
_REFINED = {
    "s": _SORT,
    "rh": rf"(?:{_NODE},)?{_PROPERTY}(?:,{_PROPERTY}){{0,9}}",
    LOW: _AMOUNT,
    HIGH: _AMOUNT,
}


def readable(locale: Locale) -> tuple[Readable, ...]:
    """Return the two shapes of address that `request` makes of plain navigations, and no other."""
    hosts = frozenset({locale.host})
    return (
        Readable(name="results", hosts=hosts, path="/s", params=_WORDS),
        Readable(name="item", hosts=hosts, path="/dp/[A-Z0-9]{10}", params={"th": "1", "psc": "1"}),
    )


def refinable(locale: Locale) -> tuple[Readable, ...]:
    """Return the shape of the addresses of lists that are ordered or narrowed."""
    hosts = frozenset({locale.host})
    return (Readable(name="refined results", hosts=hosts, path="/s", params={**_WORDS, **_REFINED}),)


def request(locale: Locale, navigation: Navigation) -> Request:
    """Return the request for `navigation`; raise `PageError` for what Amazon has no address for."""
    origin = f"https://{locale.host}"
    if isinstance(navigation, ToResults):
        if not 1 <= navigation.page <= MAX_PAGE:
            raise PageError(f"no results page {navigation.page}; pages go from 1 to {MAX_PAGE}")
        page = f"&page={navigation.page}" if navigation.page > 1 else ""
        narrowed = _refined(dict(navigation.refined))
        return Request(url=f"{origin}/s?k={encode_words(navigation.query)}{narrowed}{page}")
    if isinstance(navigation, ToItem):
        if navigation.variant is None:
            return Request(url=f"{origin}/dp/{asin(navigation.item_id)}")
        asin(navigation.item_id)
        return Request(url=f"{origin}/dp/{asin(navigation.variant)}?th=1&psc=1")
    raise PageError("Amazon shows the description on the item's own page")


def is_sort(code: str) -> bool:
    """Say whether `code` is how Amazon names an order of the list."""
    return re.fullmatch(_SORT, code) is not None


def is_refinement(name: str, value: str) -> bool:
    """Say whether `name:value` narrows a list, as a part of `rh=`."""
    return re.fullmatch(rf"{_NODE}|{_PROPERTY}", f"{name}:{value}") is not None


def refined(url: str) -> tuple[tuple[str, str], ...]:
    """Return what of an address orders or narrows a list, by name; of `rh=` its parts."""
    pairs = parse_qsl(urlsplit(url).query)
    parts = (part.partition(":") for name, value in pairs if name == "rh" for part in value.split(","))
    found = [(name, value) for name, _, value in parts if is_refinement(name, value)]
    plain = (pair for pair in pairs if pair[0] in ("s", LOW, HIGH))
    return tuple(sorted([*found, *((name, v) for name, v in plain if re.fullmatch(_REFINED[name], v))]))


def _refined(wanted: Mapping[str, str]) -> str:
    """Return the parameters that order and narrow a list; raise `PageError` for any that Amazon has not."""
    parts = sorted(f"{name}:{value}" for name, value in wanted.items() if name[:2] in ("n", "p_"))
    stated = {name: value for name, value in wanted.items() if name in ("s", LOW, HIGH)}
    if parts:
        stated["rh"] = ",".join(parts)
    strange = wanted.keys() - stated.keys() - {part.partition(":")[0] for part in parts}
    strange |= {name for name, value in stated.items() if re.fullmatch(_REFINED[name], value) is None}
    strange |= {part for part in parts if not is_refinement(*part.split(":", 1))}
    if strange:
        raise PageError(f"no way to narrow a list of Amazon's: {', '.join(sorted(strange))}")
    return "".join(f"&{name}={quote_plus(value)}" for name, value in sorted(stated.items()))


def asin(text: str) -> str:
    """Return `text` if it is an Amazon item id, or raise `PageError`."""
    if _ASIN.fullmatch(text) is None:
        raise PageError(f"not an Amazon item id: {text[:40]!r}")
    return text


def is_asin(text: object) -> TypeGuard[str]:
    """Say whether `text` is an Amazon item id."""
    return isinstance(text, str) and _ASIN.fullmatch(text) is not None
