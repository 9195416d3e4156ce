"""What an agent is asked to find in the shop, in the simulator's own goal format."""

from __future__ import annotations

from typing import Any

from windowshop.demo.dice import Dice
from windowshop.demo.product import Product, Variant
from windowshop.demo.wares import catalogue

_EVERY = 4


def goals() -> list[dict[str, Any]]:
    """Return the goals, each of which the shop can satisfy in full.

    Keys: asin, category, query, name, product_category, instruction_text, attributes, price_upper,
    goal_options, weight.
    """
    found = []
    for product in catalogue()[::_EVERY]:
        dice = Dice(f"goal {product.asin}")
        offered = [variant for variant in product.variants if variant.offered]
        if offered:
            found.append(_goal(product, dice.pick(offered), dice))
    return found


def _goal(product: Product, variant: Variant, dice: Dice) -> dict[str, Any]:
    assert variant.price is not None
    attributes = list(dice.some(product.attributes, 2))
    upper = 10.0 * (int(variant.price // 10) + 1 + dice.below(3))
    wishes = [f"{name.lower()}: {value}" for name, value in variant.options.items()]
    wanted = f", and {', and '.join(wishes)}" if wishes else ""
    return {
        "asin": product.asin,
        "category": product.category,
        "query": product.query,
        "name": product.title,
        "product_category": " › ".join(product.path),
        "instruction_text": (
            f"i need a {product.brand.lower()} {product.noun.lower()} that is {' and '.join(attributes)}"
            f"{wanted}, and price lower than {upper:.2f} dollars"
        ),
        "attributes": attributes,
        "price_upper": upper,
        "goal_options": list(variant.options.values()),
        "weight": 1,
    }
