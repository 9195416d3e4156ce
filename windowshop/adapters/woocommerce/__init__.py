"""WooCommerce, the shop in WordPress: any theme, classic or of blocks; a shop is a base URL and a locale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from windowshop.actions import Navigation
from windowshop.adapters.explain import Explanation, explain_fields, explain_tiles
from windowshop.adapters.markup import parse_tree, plain
from windowshop.adapters.woocommerce import addresses
from windowshop.adapters.woocommerce import checkout as till
from windowshop.adapters.woocommerce.item import FIELDS as ITEM
from windowshop.adapters.woocommerce.item import is_called_item, read_item, shows_item
from windowshop.adapters.woocommerce.results import FIELDS as RESULTS
from windowshop.adapters.woocommerce.results import TILES, is_called_results, read_results, shows_results
from windowshop.adapters.woocommerce.sheet import Sheet
from windowshop.adapters.woocommerce.tiles import TILE
from windowshop.errors import UnknownPage
from windowshop.locales import Locale, own_locale
from windowshop.pages import Challenge, ErrorPage, NotFound, OtherPage, Page, SearchPage
from windowshop.wire import Readable, Request, Response

_OURS: Final = re.compile(rb"woocommerce|wc-block|wp-content|wp-includes", re.IGNORECASE)
_ROBOTS: Final = re.compile(rb"cf-chl|cf_chl_opt|challenge-platform/|sucuri_cloudproxy|_Incapsula_Resource")
_SIGN_IN: Final = {"woocommerce-account": ".woocommerce-form-login", "login": "#loginform"}
"""The form by which one signs in, by the kind of page that has it."""


@dataclass(frozen=True)
class WooCommerce:
    """One shop, at `base_url`; without one its pages can be read but not asked for."""

    locale: Locale
    base_url: str | None = None
    name: str = "woocommerce"
    opening: None = None
    writable = till.WRITABLE
    to_cart = staticmethod(till.to_cart)
    lines = staticmethod(till.lines)
    proceed = staticmethod(till.proceed)
    order = staticmethod(till.order)

    @property
    def readable(self) -> tuple[Readable, ...]:
        """Return the address grammar of this one shop."""
        return addresses.readable(self.locale.host)

    @property
    def selling(self) -> tuple[Readable, ...]:
        """Return the addresses of the cart and the checkout, which are read in a sandbox alone."""
        return till.selling(self.locale.host)

    @property
    def cart(self) -> Request:
        """Return where the cart is shown."""
        return Request(url=f"{self.base_url}/cart/")

    @property
    def checkout(self) -> Request:
        """Return where the checkout begins."""
        return Request(url=f"{self.base_url}/checkout/")

    def request(self, navigation: Navigation) -> Request:
        """Build the address of a navigation; raise `PageError` for what cannot be one of the shop's."""
        return addresses.request(navigation, self.base_url)

    def parse(self, response: Response) -> Page:
        """Read a page of any kind; raise `PageError` for bytes that are no page of such a shop."""
        return self._page(self._open(response), response)

    def explain(self, response: Response, tiles: int | None = None) -> Explanation:
        """Read a page and say where each field comes from, of the first `tiles` products or of all."""
        sheet, fresh = self._open(response), self._open(response)
        page = self._page(sheet, response)
        if isinstance(sheet, Challenge) or isinstance(fresh, Challenge):
            return Explanation(page=page)
        if page.kind == "item":
            return Explanation(page=page, fields=explain_fields(ITEM, sheet, fresh))
        if page.kind == "results":
            listed = explain_tiles(TILE, TILES.value(fresh), tiles)
            return Explanation(page=page, fields=explain_fields(RESULTS, sheet, fresh), tiles=listed)
        return Explanation(page=page)

    def _open(self, response: Response) -> Sheet | Challenge:
        """Return the page's sheet, or what a robot check in front of the shop is."""
        body = plain(response.body)
        tree = parse_tree(body)
        if _OURS.search(body) is None:
            if _ROBOTS.search(body) is None:
                raise UnknownPage("nothing on the page is WooCommerce's")
            return Challenge(site=self.name, locale=self.locale.code, reason="captcha")
        return Sheet(tree, body, response.url, self.locale)

    def _page(self, sheet: Sheet | Challenge, response: Response) -> Page:
        if isinstance(sheet, Challenge):
            return sheet
        of = {"site": self.name, "locale": self.locale.code}
        if response.status in (404, 410) or "error404" in sheet.kinds:
            return NotFound(**of)
        if response.status >= 400:
            return ErrorPage(**of)
        if is_called_item(sheet):
            return read_item(sheet)
        if is_called_results(sheet):
            return read_results(sheet)
        if shows_item(sheet):
            return read_item(sheet)
        if shows_results(sheet):
            return read_results(sheet)
        forms = [form for kind, form in _SIGN_IN.items() if kind in sheet.kinds]
        if any(sheet.tree.css_first(form) is not None for form in forms):
            return Challenge(**of, reason="signin")
        if "home" in sheet.kinds:
            return SearchPage(**of)
        return OtherPage(**of)


def site(locale: str, base_url: str | None = None) -> WooCommerce:
    """Return the adapter of the shop at `base_url`, in the language and currency of `locale`."""
    parts = urlsplit(base_url or "")
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
    return WooCommerce(locale=own_locale("woocommerce", locale, base_url), base_url=origin)
