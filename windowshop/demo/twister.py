"""The option data of an Amazon item page: the rows of swatches and the map from options to items."""

from __future__ import annotations

from typing import Any

from windowshop.demo.product import Choice, Product
from windowshop.frozen import Frozen


class Swatch(Frozen):
    """One value of a row; `asin` is the item that a click leads to."""

    index: int
    value: str
    asin: str
    selected: bool
    available: bool
    price: float | None


class Row(Frozen):
    """One option group as the page shows it."""

    key: str
    name: str
    selected: str | None
    swatches: tuple[Swatch, ...]


def rows(product: Product, chosen: dict[str, str]) -> list[Row]:
    """Return the rows of swatches for a page that has `chosen` selected."""
    return [
        Row(
            key=choice.key,
            name=choice.name,
            selected=chosen.get(choice.name),
            swatches=tuple(_swatch(product, chosen, choice, index) for index in range(len(choice.values))),
        )
        for choice in product.choices
    ]


def _swatch(product: Product, chosen: dict[str, str], choice: Choice, index: int) -> Swatch:
    value = choice.values[index]
    target = chosen | {choice.name: value}
    variant = product.only(target)
    near = product.matching(target) or product.matching({choice.name: value})
    return Swatch(
        index=index,
        value=value,
        asin=(variant or near[0]).asin,
        selected=chosen.get(choice.name) == value,
        available=variant.stock > 0 if variant else bool(product.matching(target)),
        price=variant.price if variant and variant.offered else None,
    )


def twister(product: Product, chosen: dict[str, str], asin: str) -> dict[str, Any]:
    """Return the data that Amazon's page script is handed."""
    keys = {choice.name: choice.key for choice in product.choices}
    return {
        "isTabletWeb": False,
        "dimensionSelectionData": [
            {"isSelected": int(choice.name in chosen), "isRequired": int(choice.name not in chosen)}
            for choice in product.choices
        ],
        "currentAsin": asin,
        "landingAsin": asin,
        "parentAsin": product.parent,
        "dimensionToAsinMap": {
            "_".join(str(number) for number in _numbers(product, variant.options)): variant.asin
            for variant in product.variants
        },
        "variationValues": {choice.key: list(choice.values) for choice in product.choices},
        "selectedVariationValues": {
            keys[name]: number for name, number in zip(chosen, _numbers(product, chosen), strict=True)
        },
        "currentDimensionCombinationId": "_".join(str(number) for number in _numbers(product, chosen)),
        "num_total_variations": len(product.variants),
        "dimensions": [choice.key for choice in product.choices],
        "dimensionsDisplayType": ["swatch" for _ in product.choices],
        "unselectedDimCount": len(product.choices) - len(chosen),
        "dimensionValuesDisplayData": {
            variant.asin: list(variant.options.values()) for variant in product.variants
        },
        "variationDisplayLabels": {choice.key: choice.name for choice in product.choices},
        "unavailablePopOverStringValue": "See available options",
    }


def sorting(product: Product, chosen: dict[str, str]) -> dict[str, Any]:
    """Return the state that stands beside the swatches."""
    return {
        "sortedVariations": [list(_numbers(product, variant.options)) for variant in product.variants],
        "sortedDimValuesForAllDims": {
            row.key: [
                {
                    "indexInDimList": swatch.index,
                    "defaultAsin": swatch.asin,
                    "dimensionValueState": _state(swatch),
                    "dimensionValueDisplayText": swatch.value,
                    "dimensionDisplaySubType": "image" if row.key == "color_name" else "text",
                    "pageLoadURL": f"/dp/{swatch.asin}/ref=twister_{product.parent}?_encoding=UTF8&psc=1",
                    "slotsFetched": swatch.price is not None,
                }
                for swatch in row.swatches
            ]
            for row in rows(product, chosen)
        },
    }


def _state(swatch: Swatch) -> str:
    if swatch.selected:
        return "SELECTED"
    return "AVAILABLE" if swatch.available else "UNAVAILABLE"


def _numbers(product: Product, options: dict[str, str]) -> list[int]:
    return [choice.values.index(options[choice.name]) for choice in product.choices if choice.name in options]
