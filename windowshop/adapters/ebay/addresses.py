"""eBay's addresses: which may be read, how they are built, what they say."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, parse_qs, parse_qsl, quote_plus, urlencode, urlsplit

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.adapters.words import MAX_WORDS, encode_words
from windowshop.errors import PageError
from windowshop.locales import DESCRIPTION_HOSTS, Locale
from windowshop.wire import Readable, Request

SORT: Final = "_sop"
LOW: Final = "_udlo"
HIGH: Final = "_udhi"
CATEGORY: Final = "_dcat"
_DESCRIPTION_HOSTS = DESCRIPTION_HOSTS["ebay"]
_ID = r"[0-9]{9,15}"
_ITEM_ID = re.compile(rf"/itm/(?:[^/?#]+/)?({_ID})(?![0-9])")
_OLD_ITEM_ID = re.compile(rf"(?:itemZ|[?&]i(?:tem|id)=)({_ID})(?![0-9])")
_FLAG = r"[0-9]|true|false"
_DESCRIPTION_PARAMS = {
    "t": r"[0-9]{1,15}",
    "category": r"[0-9]{1,9}",
    "seller": r"[A-Za-z0-9._*$!~@-]{1,80}",
    "excSoj": _FLAG,
    "ver": _FLAG,
    "excTrk": _FLAG,
    "lsite": r"[0-9]{1,4}",
    "ittenable": _FLAG,
    "domain": r"ebay\.[a-z]{2,3}(?:\.[a-z]{2})?",
    "descgauge": _FLAG,
    "cspheader": _FLAG,
    "oneClk": _FLAG,
    "secureDesc": _FLAG,
    "lang": r"[a-z]{2}",
    "variationId": _ID,
}

_WORDS = {"_nkw": rf"[^\x00-\x1f\x7f]{{0,{MAX_WORDS}}}", "_pgn": r"[1-9][0-9]{0,3}"}
_AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,2})?"
_TEXT = r"(?:[A-Za-z0-9.+&' ,-]|%(?:2[0-9A-E]|[89A-F][0-9A-F])){1,120}"
_ASPECT = rf"{_TEXT}(?:\|{_TEXT}){{0,9}}"
_ASPECTS = (
    *("Brand", "Color", "Colour", "Size", "Type", "Material", "Model", "Style", "Department", "Features"),
    *("Language", "Finish", "Theme", "Format", "Genre", "Pattern", "Platform", "Fit", "Manufacturer", "Set"),
    *("Character", "Rarity", "Graded", "Shape", "Scale", "Year", "Edition", "Power", "Voltage", "Gender"),
    *("Marke", "Farbe", "Produktart", "Modell", "Stil", "Abteilung", "Thema", "Muster", "Sprache", "Serie"),
    *("Plattform", "Motiv", "Marque", "Couleur", "Taille", "Marca", "Colore", "Taglia", "Tipo", "Materiale"),
    *(
        "Modello",
        "Stile",
        "Talla",
        "Modelo",
        "Estilo",
        "Merk",
        "Kleur",
        "Maat",
        "Soort",
        "Materiaal",
        "Stijl",
    ),
    *("Marka", "Kolor", "Rozmiar", "Rodzaj"),
)
"""The features of goods by which lists are narrowed most, in eBay's languages.

The guard lets through no name that must be encoded: none of two words, and none with an accent.
"""
_FLAGS = ("BIN", "Auction", "BO", "FS", "FR", "RPA", "AS", "AV", "FAST", "Savings")
_REFINED = {
    SORT: r"[1-9][0-9]?",
    LOW: _AMOUNT,
    HIGH: _AMOUNT,
    CATEGORY: r"[1-9][0-9]{0,8}",
    "LH_ItemCondition": r"[1-9][0-9]{0,4}(?:\|[1-9][0-9]{0,4}){0,9}",
    "LH_PrefLoc": r"[1-9]",
    **{f"LH_{flag}": "1" for flag in _FLAGS},
    **dict.fromkeys(_ASPECTS, _ASPECT),
}


def readable(locale: Locale) -> tuple[Readable, ...]:
    """Name every address that the adapter may ask for on one marketplace: no more than `request` builds."""
    hosts = frozenset({locale.host})
    return (
        Readable(name="results", hosts=hosts, path=r"/sch/i\.html", params=_WORDS),
        Readable(name="item", hosts=hosts, path=rf"/itm/{_ID}", params={"var": _ID}),
        Readable(
            name="description", hosts=_DESCRIPTION_HOSTS, path=rf"/itmdesc/{_ID}", params=_DESCRIPTION_PARAMS
        ),
    )


def refinable(locale: Locale) -> tuple[Readable, ...]:
    """Name the addresses of lists that are ordered or narrowed."""
    hosts = frozenset({locale.host})
    return (
        Readable(name="refined results", hosts=hosts, path=r"/sch/i\.html", params={**_WORDS, **_REFINED}),
    )


def request(navigation: Navigation, locale: Locale) -> Request:
    """Build the address of a navigation; raise `PageError` for an id or address that is none of eBay's."""
    match navigation:
        case ToResults():
            return Request(url=_results_url(navigation, locale))
        case ToItem():
            return Request(url=_item_url(navigation, locale))
        case ToSubPage():
            return Request(url=_description_url(navigation))


def item_id_of(address: str | None) -> str | None:
    """Return the item that an address of any eBay generation leads to, if it leads to one."""
    found = _ITEM_ID.search(address or "") or _OLD_ITEM_ID.search(address or "")
    return None if found is None else found.group(1)


def query_of(address: str | None) -> str | None:
    """Return the words searched for that stand in an address, if any do."""
    named = parse_qs(split_address(address).query)
    for name in ("_nkw", "satitle"):
        if name in named and named[name][0].strip():
            return named[name][0].strip()
    return None


def is_refinement(name: str, value: str) -> bool:
    """Say whether a query parameter orders or narrows a list, in a way that may be asked for."""
    return name in _REFINED and re.fullmatch(_REFINED[name], value) is not None


def refined(address: str) -> tuple[tuple[str, str], ...]:
    """Return the parameters of an address that order or narrow a list, by name."""
    pairs = parse_qsl(split_address(address).query)
    return tuple(sorted((name, value) for name, value in pairs if is_refinement(name, value)))


def split_address(address: str | None) -> SplitResult:
    """Split an address as a page states it; one that is no address has no parts."""
    try:
        return urlsplit(address or "")
    except ValueError:
        return urlsplit("")


def is_description(address: str) -> bool:
    """Say whether an address is one of the frames that hold a seller's description."""
    host = split_address(address).hostname or ""
    return host == "ebaydesc.com" or host.endswith(".ebaydesc.com")


def _results_url(navigation: ToResults, locale: Locale) -> str:
    if not 1 <= navigation.page <= 9999:
        raise PageError(f"eBay has no results page {navigation.page}")
    page = f"&_pgn={navigation.page}" if navigation.page > 1 else ""
    strange = [name for name, value in navigation.refined if not is_refinement(name, value)]
    if strange:
        raise PageError(f"no way to narrow a list of eBay's: {', '.join(strange)}")
    refined = "".join(f"&{name}={quote_plus(value)}" for name, value in sorted(navigation.refined))
    return f"https://{locale.host}/sch/i.html?_nkw={encode_words(navigation.query)}{refined}{page}"


def _item_url(navigation: ToItem, locale: Locale) -> str:
    address = f"https://{locale.host}/itm/{_checked(navigation.item_id)}"
    return address if navigation.variant is None else f"{address}?var={_checked(navigation.variant)}"


def _description_url(navigation: ToSubPage) -> str:
    item_id = _checked(navigation.item_id)
    parts = split_address(navigation.url)
    named = re.search(rf"/itmdesc/({_ID})$", parts.path) or re.search(rf"&item=({_ID})(?:&|$)", parts.query)
    if parts.scheme != "https" or parts.netloc not in _DESCRIPTION_HOSTS or named is None:
        raise PageError(f"not an address of an eBay description: {navigation.url!r}")
    if named.group(1) != item_id:
        raise PageError(f"the description of {named.group(1)}, not of {item_id}")
    kept: dict[str, str] = {}
    for name, value in parse_qsl(parts.query):
        pattern = _DESCRIPTION_PARAMS.get(name)
        if pattern is not None and name not in kept and re.fullmatch(pattern, value):
            kept[name] = value
    query = f"?{urlencode(kept)}" if kept else ""
    return f"https://{parts.netloc}/itmdesc/{item_id}{query}"


def _checked(item_id: str) -> str:
    if re.fullmatch(_ID, item_id) is None:
        raise PageError(f"not an eBay item id: {item_id!r}")
    return item_id
