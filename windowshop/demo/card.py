"""One product as a list of products shows it."""

from __future__ import annotations

from windowshop.demo.product import Product
from windowshop.frozen import Frozen


class Card(Frozen):
    """A tile: `high` is set for a price range, `list_price` where a struck-out price stands beside."""

    product: Product
    href: str
    sponsored: bool
    low: float | None
    high: float | None

    @property
    def list_price(self) -> float | None:
        """Return the struck-out price, if the tile shows one."""
        return self.product.struck(self.low, self.high)
