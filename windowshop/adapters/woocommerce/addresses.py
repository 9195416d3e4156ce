"""A WooCommerce shop's addresses: which may be read, how they are built, what they say."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, parse_qs, urljoin, urlsplit

from windowshop.actions import Navigation, ToItem, ToResults
from windowshop.adapters.words import MAX_WORDS, encode_words
from windowshop.errors import PageError
from windowshop.wire import Readable, Request

_NUMBER: Final = r"[1-9][0-9]{0,9}"
_SLUG: Final = r"(?:[a-z0-9_-]|%[89a-fA-F][0-9a-fA-F])+"
_BASES: Final = (
    "product|produkt|produkte|produit|producto|prodotto|produto|produs|proizvod|tuote|vare|vara|toode|termek|"
    "urun|izdelek|produkts|preke|sanpham|san-pham|shop|store|boutique|tienda|negozio|loja|butik|winkel|sklep"
)
"""What WooCommerce puts before a product's name in each of its languages, and the two usual shop bases."""
ITEM_PATH: Final = rf"(?:/[a-z]{{2}}(?:-[a-z]{{2}})?)?/(?:{_BASES})(?:/{_SLUG}){{1,4}}/?"
_IN_PATH: Final = re.compile(rf"/(?:{_BASES})/(?:{_SLUG}/)*({_SLUG})/?$")
_WHOLE: Final = re.compile(r"https?://[^\s/?#][^\s?#]*")
"""An address that joining to another leaves as it is."""
_BELOW: Final = re.compile(r"((?:\.\./)*)(\w[\w.%-]*(?:/\w[\w.%-]*)*/?)", re.ASCII)
"""An address that is a folder above the page's, which few are, and a path below that."""
_PAGE: Final = re.compile(r"/page/([1-9][0-9]{0,3})(?:/|$)")


def readable(host: str) -> tuple[Readable, ...]:
    """Name every address that `request` builds, and the permanent one that the shop then sends us to."""
    hosts = frozenset({host})
    words = {"s": rf"[^\x00-\x1f\x7f]{{0,{MAX_WORDS}}}", "post_type": "product"}
    return (
        Readable(name="results", hosts=hosts, path=r"(?:/page/[1-9][0-9]{0,3})?/", params=words),
        Readable(name="number", hosts=hosts, path="/", params={"post_type": "product", "p": _NUMBER}),
        Readable(name="item", hosts=hosts, path=ITEM_PATH),
    )


def request(navigation: Navigation, base_url: str | None) -> Request:
    """Build an address; raise `PageError` for what cannot be one of this shop's."""
    if base_url is None:
        raise PageError("nobody said where the shop stands: give --base-url")
    match navigation:
        case ToResults(query=query, page=page):
            number = f"page/{page}/" if page > 1 else ""
            return Request(url=f"{base_url}/{number}?s={encode_words(query)}&post_type=product")
        case ToItem(item_id=item_id) if re.fullmatch(_NUMBER, item_id):
            # a variant stands on its product's own page, and has no address
            return Request(url=f"{base_url}/?post_type=product&p={item_id}")
    raise PageError(f"the shop has no page for {navigation!r}")


def joined(base: str, address: str) -> str:
    """Join an address to the page's, as `urljoin` does; quick for those that the products of a list have."""
    if _WHOLE.fullmatch(address) is not None:
        return address
    below = _BELOW.fullmatch(address)
    if below is None or _WHOLE.fullmatch(base) is None:
        return urljoin(base, address)
    return _folder(base, below.group(1)) + below.group(2)


@lru_cache(maxsize=256)
def _folder(base: str, above: str) -> str:
    return urljoin(base, f"{above}.")


def slug_of(address: str | None) -> str | None:
    """Return the name under which a product stands, from its address."""
    found = _IN_PATH.search(split_address(address).path)
    return None if found is None else found.group(1)


def number_of(address: str | None) -> str | None:
    """Return the number in a short link (`?p=326`), if it is one."""
    given = parse_qs(split_address(address).query).get("p", [])
    return next((one for one in given if re.fullmatch(_NUMBER, one)), None)


def query_of(address: str | None) -> str | None:
    """Return the words that an address searches for."""
    return " ".join(parse_qs(split_address(address).query).get("s", [])).strip() or None


def page_of(address: str | None) -> int | None:
    """Return the number of the page in a list that an address names."""
    parts = split_address(address)
    found = _PAGE.search(parts.path)
    given = [found.group(1)] if found else parse_qs(parts.query).get("paged", [])
    return next((int(one) for one in given if re.fullmatch("[1-9][0-9]{0,3}", one)), None)


def split_address(address: str | None) -> SplitResult:
    """Split an address as a page states it; one that is no address has no parts."""
    try:
        return urlsplit(address or "")
    except ValueError:
        return urlsplit("")
