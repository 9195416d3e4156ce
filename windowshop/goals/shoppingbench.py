"""ShoppingBench's goals: four intents, told apart by the shape of the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from windowshop.frozen import Frozen

Intent = Literal["product", "shop", "voucher", "web"]


class Wanted(Frozen):
    """One product that is asked for: every constraint that is given counts.

    `price` holds ranges by mode ("less than", "greater than", "between"), an open end as None;
    `sku_options` the pairs of one variant; `attributes` each a name with its values.
    """

    product_id: str
    title: tuple[str, ...]
    price: tuple[dict[str, tuple[float | None, float | None]], ...] = ()
    service: tuple[str, ...] = ()
    sku_options: tuple[dict[str, str], ...] = ()
    attributes: tuple[dict[str, tuple[str, ...]], ...] = ()


class Document(Frozen):
    """One product of a catalogue, in the fields of ShoppingBench's documents.

    `sku_options` holds each variant's pairs by the variant's name, `attributes` each name's values, `price`
    an amount in the catalogue's currency. What a shop does not say is empty, a price None.
    """

    product_id: str
    shop_id: str = ""
    title: str = ""
    price: float | None = None
    brand: str | None = None
    category: str | None = None
    short_description: str = ""
    description: str = ""
    sold_count: int | None = None
    service: tuple[str, ...] = ()
    sku_options: dict[str, dict[str, str]] = Field(default_factory=dict)
    attributes: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Voucher(Frozen):
    """The rules of a voucher, and the money there is: amounts in the catalogue's currency.

    A voucher of type `shop` needs all products from one shop. `fixed` takes `face_value` off, `percentage`
    the share `discount` (0 to 1), at most `cap`; both from `threshold` on.
    """

    voucher_type: Literal["platform", "shop"]
    threshold: float
    discount_type: Literal["fixed", "percentage"]
    face_value: float | None = None
    discount: float | None = None
    cap: float | None = None
    price_after_voucher: float | None = None
    budget: float

    @model_validator(mode="after")
    def _is_whole(self) -> Voucher:
        if self.discount_type == "fixed" and self.face_value is None:
            raise ValueError("a fixed voucher needs face_value")
        if self.discount_type == "percentage" and self.discount is None:
            raise ValueError("a percentage voucher needs discount")
        return self

    def price(self, total: float, same_shop: bool) -> float:
        """Return what is paid for products worth `total`; the voucher counts from its threshold on."""
        if total < self.threshold or (self.voucher_type == "shop" and not same_shop):
            return total
        if self.discount_type == "fixed":
            return total - (self.face_value or 0)
        share = self.discount or 0
        reduced = total * (1 - share)
        return reduced if self.cap is None else max(reduced, total - self.cap)


class ShoppingGoal(Frozen):
    """What one query asks: its intent, the products in their order, a voucher or a hidden word."""

    query: str
    intent: Intent
    wanted: tuple[Wanted, ...] = Field(min_length=1)
    voucher: Voucher | None = None
    knowledge: str | None = None


def shopping_goal(record: Mapping[str, Any]) -> ShoppingGoal:
    """Return the goal for one record; raises pydantic's `ValidationError` naming the field that is wrong."""
    reward = record.get("reward")
    items = reward if isinstance(reward, list) else [reward]
    knowledge = record.get("Knowledge_Attribute")
    intent: Intent = "product"
    if knowledge is not None:
        intent, items = "web", [_by_title(item) for item in items]
    elif record.get("voucher") is not None:
        intent = "voucher"
    elif isinstance(reward, list):
        intent = "shop"
    return ShoppingGoal.model_validate(
        {
            "query": record.get("query"),
            "intent": intent,
            "wanted": items,
            "voucher": record.get("voucher"),
            "knowledge": None if knowledge is None else str(knowledge),  # a year stands there as a number
        }
    )


def _by_title(product: Any) -> Any:
    """Return what a knowledge task asks of the product that its record holds whole: the title."""
    if not isinstance(product, Mapping):
        return product
    return {"product_id": product.get("product_id"), "title": [product.get("title")]}
