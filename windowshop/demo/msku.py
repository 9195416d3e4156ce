"""The option data of an eBay item page: the menus and the variation model."""

from __future__ import annotations

from typing import Any

from windowshop.demo.product import Product, Variant
from windowshop.demo.render import money
from windowshop.frozen import Frozen

_FIRST_MENU = 1000


class Entry(Frozen):
    """One value of a menu; `out` where every variation with it is out of stock."""

    id: int
    text: str
    out: bool


class Menu(Frozen):
    """One option group as the page shows it."""

    id: int
    name: str
    selected: str | None
    values: tuple[Entry, ...]


def menus(product: Product, chosen: dict[str, str]) -> list[Menu]:
    """Return the menus of a page that has `chosen` selected."""
    ids = _value_ids(product)
    return [
        Menu(
            id=_FIRST_MENU + number,
            name=choice.name,
            selected=chosen.get(choice.name),
            values=tuple(
                Entry(
                    id=ids[choice.name, value],
                    text=value,
                    out=not any(variant.stock for variant in product.matching({choice.name: value})),
                )
                for value in choice.values
            ),
        )
        for number, choice in enumerate(product.choices)
    ]


def model(product: Product, chosen: dict[str, str]) -> dict[str, Any]:
    """Return the page's state with the variation model in its place, or without one."""
    modules: dict[str, Any] = {"itemId": product.listing_id}
    if product.choices:
        modules["MSKU"] = _variations(product, chosen)
    return {"o": {"l": 1, "g": {}, "w": [["demo", 0, {"model": {"modules": modules}}]]}}


def _variations(product: Product, chosen: dict[str, str]) -> dict[str, Any]:
    shown = menus(product, chosen)
    ids = _value_ids(product)
    variant = product.only(chosen)
    return {
        "_type": "VariationViewModel",
        "selectMenus": [
            {
                "id": menu.id,
                "displayLabel": menu.name,
                "defaultDisplayValue": "- Select -",
                "menuItemValueIds": [entry.id for entry in menu.values],
                "hasPictures": False,
                "selectedValueId": ids[menu.name, menu.selected] if menu.selected else -1,
                "accessibilityText": {"text": f"Please select a {menu.name}"},
            }
            for menu in shown
        ],
        "menuItemMap": {
            str(entry.id): {
                "valueId": entry.id,
                "valueName": entry.text,
                "displayName": entry.text,
                "matchingVariationIds": [
                    int(v.variation_id) for v in product.matching({menu.name: entry.text})
                ],
                "outOfStock": entry.out,
            }
            for menu in shown
            for entry in menu.values
        },
        "variationsMap": {v.variation_id: _variation(v) for v in product.variants},
        "selectedVariationId": int(variant.variation_id) if variant else -1,
        "outOfStockLabel": {
            "_type": "TextualDisplay",
            "textSpans": [{"_type": "TextSpan", "text": "(Out Of Stock)"}],
        },
        "variationCombinations": {
            "_".join(str(ids[pair]) for pair in v.options.items()): int(v.variation_id)
            for v in product.variants
        },
        "showMskuPriceRange": variant is None,
    }


def _variation(variant: Variant) -> dict[str, Any]:
    shown: dict[str, Any] = {"isAddedToCart": False}
    if variant.price is not None:
        shown["price"] = {
            "_type": "TextualDisplayValue",
            "value": {"value": variant.price, "currency": "USD"},
            "textSpans": [{"_type": "TextSpan", "text": f"US {money(variant.price)}"}],
        }
    return {
        "binModel": shown,
        "quantity": {"_type": "QuantityViewModel", "outOfStock": variant.stock == 0},
        "watch": {"_type": "WatchViewModel", "state": "watch"},
    }


def _value_ids(product: Product) -> dict[tuple[str, str], int]:
    pairs = [(choice.name, value) for choice in product.choices for value in choice.values]
    return {pair: number for number, pair in enumerate(pairs)}
