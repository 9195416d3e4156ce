"""Sites: bytes -> Page, Navigation -> Request. One package a site, loaded by name or entry point."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol

from windowshop.actions import Navigation
from windowshop.errors import ConfigError
from windowshop.locales import Locale, locale_of
from windowshop.pages import Page
from windowshop.wire import Readable, Request, Response


class Site(Protocol):
    """What windowshop needs to know of a shop, and all that an adapter may say.

    `readable` is the address grammar outside which the guard lets nothing leave. `opening` is a page that
    must be read before any other, where a server wants that. `parse` raises `PageError` for bytes that are
    no page of the site, and nothing else.
    """

    @property
    def name(self) -> str:
        """Return what the site is called."""

    @property
    def locale(self) -> Locale:
        """Return the marketplace."""

    @property
    def readable(self) -> Sequence[Readable]:
        """Return the address grammar."""

    @property
    def opening(self) -> Request | None:
        """Return the page that must be read before any other."""

    def request(self, navigation: Navigation) -> Request:
        """Return the address to visit; raise `PageError` for an id that the site cannot have."""

    def parse(self, response: Response) -> Page:
        """Return what the page says."""


BUILT_IN = {"amazon": "windowshop.adapters.amazon", "ebay": "windowshop.adapters.ebay"}
ANYWHERE = {
    "woocommerce": "windowshop.adapters.woocommerce",
    "woo": "windowshop.adapters.woocommerce",
    "webmall": "windowshop.adapters.mall",
}
"""Shops that anyone may run, by name: theirs is no table of hosts but the address that the user gives."""


def load_site(name: str, locale: str = "us", base_url: str | None = None) -> Site:
    """Return the adapter called `name` for one marketplace; raise `ConfigError` if there is none.

    `webshop` is a server of the user's own, at `base_url`. Built-in sites come first, then the entry points
    of the group `windowshop.sites`, whose value is a callable `site(locale, base_url) -> Site`; `base_url`
    is the address of the shop where anyone may run one, or a page of it, or None.
    """
    if name == "webshop":
        from windowshop.adapters.webshop import WebShop

        if base_url is None:
            raise ConfigError(
                "webshop is a server of your own: say where with --base-url http://127.0.0.1:3000"
            )
        return WebShop(base_url)
    if name in BUILT_IN:
        site: Site = import_module(BUILT_IN[name]).site(locale_of(name, locale))
        return site
    if name in ANYWHERE:
        shop: Site = import_module(ANYWHERE[name]).site(locale, base_url)
        return shop
    for point in entry_points(group="windowshop.sites"):
        if point.name == name:
            plugged: Site = point.load()(locale, base_url)
            return plugged
    raise ConfigError(f"unknown site {name!r}; known sites: {', '.join(site_names())}")


def site_names() -> list[str]:
    """Name every site that `load_site` can load."""
    return [
        *BUILT_IN,
        "webshop",
        *ANYWHERE,
        *(point.name for point in entry_points(group="windowshop.sites")),
    ]
