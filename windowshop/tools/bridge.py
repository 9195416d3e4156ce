"""Amazon or eBay as a catalogue: the same tools, over the same guarded visits as any episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windowshop.actions import ToItem, ToResults
from windowshop.errors import FetchError, PageError
from windowshop.goals.shoppingbench import Document
from windowshop.pages import ItemPage, ResultsPage, Tile
from windowshop.runs.visit import Visitor
from windowshop.tools.catalogue import DEPTH, Search, in_order

_PAGES = 3


class ShopCatalogue:
    """Search a real shop (or its recording) and read its item pages; a page is fetched once.

    The price bounds and the order are applied to what the search shows, as the published server applies its
    own to the best matches. What these shops do not say stays unknown: a shop's id is a seller's name here
    and stands only on item pages, services are not told at all, so that filters on them are refused.
    """

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    def find(self, search: Search) -> list[Document]:
        """Return at most `DEPTH` products; raise `ValueError` for a filter that these shops cannot answer."""
        if search.service or search.shop_id is not None:
            raise ValueError("this shop tells neither services nor shop ids in its results; leave them out")
        tiles = [tile for tile in self._tiles(search.query) if _within(tile, search)]
        return in_order([_from_tile(tile) for tile in tiles[:DEPTH]], search.sort)

    def view(self, product_ids: Sequence[str]) -> list[Document]:
        """Return what the item pages say, in this order; items that are gone are left out."""
        products = []
        for product_id in product_ids:
            try:
                page = self._visitor.visit(ToItem(item_id=product_id)).page
            except PageError:  # no id of this shop, or a page that nobody can read
                continue
            if isinstance(page, ItemPage):
                products.append(_from_item(page))
        return products

    def _tiles(self, query: str) -> Iterator[Tile]:
        """Yield the tiles of the first pages, each product once."""
        seen: set[str] = set()
        for number in range(1, _PAGES + 1):
            page = self._visitor.visit(ToResults(query=query, page=number)).page
            if not isinstance(page, ResultsPage):
                raise FetchError(f"{page.site} answered with a page of kind {page.kind}")
            for tile in page.tiles:
                if tile.item_id not in seen:
                    seen.add(tile.item_id)
                    yield tile
            if not page.has_next or len(seen) >= DEPTH:
                return


def _within(tile: Tile, search: Search) -> bool:
    """Say whether a tile's price lies within the bounds; a tile without one lies within no bound."""
    if search.low is None and search.high is None:
        return True
    if tile.price is None:
        return False
    amount = tile.price.amount
    return (search.low is None or amount >= search.low) and (search.high is None or amount <= search.high)


def _from_tile(tile: Tile) -> Document:
    return Document(
        product_id=tile.item_id, title=tile.title or "", price=tile.price.amount if tile.price else None
    )


def _from_item(page: ItemPage) -> Document:
    attributes = {name: (value,) for name, value in page.specifics.items()}
    if page.brand is not None:
        attributes.setdefault("brand", (page.brand,))
    return Document(
        product_id=page.item_id,
        shop_id=page.seller or "",
        title=page.title or "",
        price=page.price.amount if page.price else None,
        brand=page.brand,
        category=" > ".join(page.breadcrumbs) or None,
        short_description=" ".join(page.bullets),
        description=page.description or "",
        sku_options={variant.item_id: variant.options for variant in page.variants},
        attributes=attributes,
    )
