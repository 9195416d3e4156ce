"""Vocabulary: the marketplaces of each site, with host, language, currency and number format.

This table is frozen on purpose: it is the only place from which a real shop's host name comes.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen


class Locale(Frozen):
    """One marketplace. `decimal` is the decimal mark in its prices; the other mark groups digits."""

    site: str
    code: str
    host: str
    language: str
    currency: str
    decimal: str = "."


def _table(site: str, rows: str) -> dict[str, Locale]:
    table = {}
    for row in rows.strip().splitlines():
        code, host, language, currency, decimal = row.split()
        table[code] = Locale(
            site=site, code=code, host=host, language=language, currency=currency, decimal=decimal
        )
    return table


LOCALES: Final = MappingProxyType(
    {
        "amazon": _table(
            "amazon",
            """
            us www.amazon.com    en-US USD .
            uk www.amazon.co.uk  en-GB GBP .
            de www.amazon.de     de-DE EUR ,
            fr www.amazon.fr     fr-FR EUR ,
            es www.amazon.es     es-ES EUR ,
            it www.amazon.it     it-IT EUR ,
            nl www.amazon.nl     nl-NL EUR ,
            be www.amazon.com.be fr-BE EUR ,
            ie www.amazon.ie     en-IE EUR .
            se www.amazon.se     sv-SE SEK ,
            pl www.amazon.pl     pl-PL PLN ,
            tr www.amazon.com.tr tr-TR TRY ,
            ca www.amazon.ca     en-CA CAD .
            mx www.amazon.com.mx es-MX MXN .
            br www.amazon.com.br pt-BR BRL ,
            in www.amazon.in     en-IN INR .
            jp www.amazon.co.jp  ja-JP JPY .
            au www.amazon.com.au en-AU AUD .
            sg www.amazon.sg     en-SG SGD .
            ae www.amazon.ae     en-AE AED .
            sa www.amazon.sa     en-SA SAR .
            eg www.amazon.eg     en-EG EGP .
            za www.amazon.co.za  en-ZA ZAR .
            """,
        ),
        "ebay": _table(
            "ebay",
            """
            us www.ebay.com    en-US USD .
            uk www.ebay.co.uk  en-GB GBP .
            de www.ebay.de     de-DE EUR ,
            at www.ebay.at     de-AT EUR ,
            ch www.ebay.ch     de-CH CHF .
            fr www.ebay.fr     fr-FR EUR ,
            it www.ebay.it     it-IT EUR ,
            es www.ebay.es     es-ES EUR ,
            nl www.ebay.nl     nl-NL EUR ,
            be www.ebay.be     fr-BE EUR ,
            ie www.ebay.ie     en-IE EUR .
            pl www.ebay.pl     pl-PL PLN ,
            ca www.ebay.ca     en-CA CAD .
            au www.ebay.com.au en-AU AUD .
            hk www.ebay.com.hk zh-HK HKD .
            sg www.ebay.com.sg en-SG SGD .
            my www.ebay.com.my en-MY MYR .
            ph www.ebay.ph     en-PH PHP .
            """,
        ),
    }
)

ASSET_HOSTS: Final = MappingProxyType(
    {
        "amazon": frozenset({"m.media-amazon.com", "images-na.ssl-images-amazon.com"}),
        "ebay": frozenset({"i.ebayimg.com", "ir.ebaystatic.com"}),
    }
)
"""Hosts that serve nothing but pictures, styles and fonts for the pages of a site."""

DESCRIPTION_HOSTS: Final = MappingProxyType(
    {
        "amazon": frozenset[str](),
        "ebay": frozenset({"vi.vipr.ebaydesc.com", "itm.ebaydesc.com"}),
    }
)
"""Hosts that serve the sellers' own descriptions as pages apart."""


def locale_of(site: str, code: str = "us") -> Locale:
    """Return one marketplace, or raise `ConfigError` naming those there are."""
    codes = LOCALES.get(site)
    if codes is None:
        raise ConfigError(f"unknown site {site!r}; known sites: {', '.join(LOCALES)}")
    if code not in codes:
        raise ConfigError(f"{site} has no locale {code!r}; it has: {', '.join(codes)}")
    return codes[code]


def own_locale(site: str, code: str, base_url: str | None) -> Locale:
    """Return the locale of a shop that anyone may run: the host of `base_url`, and what a country writes.

    Raises `ConfigError` for a code that no marketplace in the table has.
    """
    return _own_locale(site, code, urlsplit(base_url or "").hostname or "")


@lru_cache(maxsize=256)
def _own_locale(site: str, code: str, host: str) -> Locale:
    table = {known: locale for name in LOCALES for known, locale in LOCALES[name].items()}
    if code not in table:
        raise ConfigError(f"{site} has no locale {code!r}; it has: {', '.join(table)}")
    return table[code].model_copy(update={"site": site, "host": host})


def locale_by_host(site: str, host: str) -> Locale | None:
    """Return the marketplace that answers under `host` (a bare domain counts as its www), if any."""
    name = host.lower().rstrip(".")
    bare = name.removeprefix("www.")
    for locale in LOCALES.get(site, {}).values():
        if locale.host.removeprefix("www.") == bare:
            return locale
    return None
