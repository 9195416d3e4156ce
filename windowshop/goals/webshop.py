"""WebShop's goals, by the fields that the simulator's reward reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windowshop.frozen import Frozen


class WebShopGoal(Frozen):
    """A goal of the simulator; `goal_options` is a list in human goals, by group in synthetic ones."""

    instruction_text: str
    attributes: tuple[str, ...]
    price_upper: float
    goal_options: tuple[str, ...] | dict[str, str] = ()
    name: str | None = None
    query: str | None = None
    product_category: str | None = None


def webshop_goal(record: Mapping[str, Any]) -> WebShopGoal:
    """Return the goal in one record; raises pydantic's `ValidationError` naming the field that is wrong."""
    known = {name: record[name] for name in WebShopGoal.model_fields if name in record}
    return WebShopGoal.model_validate(known)
