"""Several shops as one site: WebMall's four, or any others; a product's id says in which shop it stands.

`search[words]` asks the shops one after the other, `search[shop 2: words]` one of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.adapters.woocommerce import WooCommerce
from windowshop.adapters.woocommerce import site as woocommerce
from windowshop.errors import PageError, UnknownPage
from windowshop.locales import Locale
from windowshop.pages import ItemPage, Page, ResultsPage
from windowshop.wire import Readable, Request, Response

_ONE_SHOP: Final = re.compile(r"\s*shop\s*([1-9])\s*:\s*(.*)", re.IGNORECASE)
_ID: Final = re.compile(r"shop([1-9])-([0-9]+)")


@dataclass(frozen=True)
class Mall:
    """The shops in order. The first page of each makes up what a search of them all finds."""

    locale: Locale
    shops: tuple[WooCommerce, ...]
    name: str = "webmall"
    opening: None = None

    @property
    def readable(self) -> Sequence[Readable]:
        """Return the address grammar of every shop."""
        by_host = {shop.locale.host: shop.readable for shop in self.shops}
        return tuple(shape for shapes in by_host.values() for shape in shapes)

    def request(self, navigation: Navigation) -> Request:
        """Build the address in the shop that a navigation names; raise `PageError` where it names none."""
        match navigation:
            case ToResults(query=query, page=page):
                one = _ONE_SHOP.fullmatch(query)
                if one is not None:
                    return self._shop(one[1]).request(ToResults(query=one[2], page=page))
                first = self._shop(str(page)).request(ToResults(query=query))
                return Request(url=_together(first.url))
            case ToItem(item_id=item_id, variant=variant) if (found := _ID.fullmatch(item_id)) is not None:
                own = _ID.fullmatch(variant or "")
                return self._shop(found[1]).request(ToItem(item_id=found[2], variant=own[2] if own else None))
            case ToSubPage():
                raise PageError("these shops have no page apart for a part of an item")
        raise PageError(f"no shop has a page for {navigation!r}")

    def parse(self, response: Response) -> Page:
        """Read a page with the adapter of the shop that it is from; raise `PageError` as that does."""
        number = self.number_of(response.url)
        if number is None:
            raise UnknownPage(f"{response.url} is in none of the {len(self.shops)} shops")
        page = self.shops[number - 1].parse(response).model_copy(update={"site": self.name})
        if isinstance(page, ResultsPage):
            return self._listed(page, number, response.url)
        return _named(page, number) if isinstance(page, ItemPage) else page

    def number_of(self, url: str) -> int | None:
        """Return in which shop an address is, counted from 1."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        return next((place for place, shop in enumerate(self.shops, 1) if shop.base_url == origin), None)

    def _shop(self, number: str) -> WooCommerce:
        if not 1 <= int(number) <= len(self.shops):
            raise PageError(f"there is no shop {number}; there are {len(self.shops)}")
        return self.shops[int(number) - 1]

    def _listed(self, page: ResultsPage, number: int, url: str) -> ResultsPage:
        """Name the products by shop; of a search of all shops the next page is the next shop's."""
        tiles = tuple(
            tile.model_copy(update={"item_id": f"shop{number}-{tile.item_id}"}) for tile in page.tiles
        )
        if not _is_together(url):
            return page.model_copy(update={"tiles": tiles})
        more = {"page": number, "has_next": number < len(self.shops), "total": None, "total_text": None}
        return page.model_copy(update={"tiles": tiles, **more})


def site(locale: str, base_url: str | None = None) -> Mall:
    """Return the shops at the addresses in `base_url`, with commas between."""
    addresses = [address for address in (base_url or "").split(",") if address]
    shops = tuple(woocommerce(locale, address) for address in addresses)
    first = shops[0] if shops else woocommerce(locale)
    return Mall(locale=first.locale.model_copy(update={"site": "webmall"}), shops=shops)


def _together(url: str) -> str:
    """Return the address of a search of all shops: the same page, by another order of what is asked.

    So that an address alone tells, in a recording too, whether the next page is this shop's or another's.
    """
    place, _, query = url.partition("?")
    return f"{place}?{'&'.join(reversed(query.split('&')))}"


def _is_together(url: str) -> bool:
    return urlsplit(url).query.startswith("post_type=")


def _named(page: ItemPage, number: int) -> ItemPage:
    variants = tuple(
        one.model_copy(update={"item_id": f"shop{number}-{one.item_id}"}) for one in page.variants
    )
    return page.model_copy(update={"item_id": f"shop{number}-{page.item_id}", "variants": variants})
