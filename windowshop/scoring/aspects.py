"""What is asked of a product, in DeepShop's three aspects."""

from __future__ import annotations

import re
from typing import Any, Literal

from windowshop.episodes import Task
from windowshop.frozen import Frozen
from windowshop.goals.deepshop import ASPECTS, Aspect, is_asked

__all__ = ["ASPECTS", "Absent", "Aspect", "Aspects", "aspects_of"]

Absent = Literal["repository", "lenient"]

_PRICE = re.compile(r",? and price lower than (?P<limit>[\d.]+) dollars\W*$")


class Aspects(Frozen):
    """The sub-queries of a task; None where an aspect is not asked.

    `derived` says that the task had none of its own: what is wanted of the product is then the attribute, and
    the simulator's price clause the filter.
    """

    attribute: str | None = None
    filter: str | None = None
    sort: str | None = None
    category: str | None = None
    difficulty: str | None = None
    derived: bool = False

    def asked(self) -> dict[Aspect, str]:
        """Return the sub-queries that are asked, in DeepShop's order."""
        found = ((aspect, getattr(self, aspect)) for aspect in ASPECTS)
        return {aspect: query for aspect, query in found if query is not None}


def aspects_of(task: Task, absent: Absent = "repository") -> Aspects:
    """Return a task's sub-queries.

    By the repository's rule an aspect is not asked where it is the word "None"; by the lenient one (later
    users of the file) also where it is empty, "none" or "**".
    """
    goal: dict[str, Any] = task.goal or {}
    if not any(isinstance(goal.get(aspect), str) for aspect in ASPECTS):
        clause = _PRICE.search(task.instruction)
        wanted = task.instruction[: clause.start()] if clause else task.instruction
        limit = f"price lower than {clause['limit']} dollars" if clause else None
        return Aspects(attribute=wanted, filter=limit, derived=True)
    return Aspects(
        **{aspect: _asked(goal.get(aspect), absent) for aspect in ASPECTS},
        category=_text(goal.get("category")),
        difficulty=_text(goal.get("difficulty")),
    )


def _asked(query: object, absent: Absent) -> str | None:
    return query if isinstance(query, str) and is_asked(query, strict=absent == "lenient") else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
