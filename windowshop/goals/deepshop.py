"""DeepShop's queries: what is asked in full, and its three sub-queries that a judge looks at one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from windowshop.frozen import Frozen

Aspect = Literal["attribute", "filter", "sort"]
ASPECTS: Final[tuple[Aspect, ...]] = ("attribute", "filter", "sort")
MAX_STEPS: Final = 15
_ABSENT_IN_CODE = frozenset({"None"})
_ABSENT_IN_SENSE = frozenset({"", "none", "**"})


class DeepShopGoal(Frozen):
    """One record of DeepShop's files, in its own field names; a sub-query that is not asked is "None"."""

    web_name: str
    id: str
    ques: str
    web: str
    attribute: str
    filter: str
    sort: str
    category: str | None = None
    difficulty: Literal["easy", "medium", "hard"] | None = None

    def asks(self, aspect: Aspect, strict: bool = False) -> bool:
        """Say whether there is something to judge in an aspect."""
        return is_asked(getattr(self, aspect), strict)


def is_asked(query: str, strict: bool = False) -> bool:
    """Say whether a sub-query asks for anything.

    The paper's own code takes any text but "None" for a sub-query, debris of a broken download too;
    `strict` also takes "", "none" and "**" for nothing, as MolmoWeb does.
    """
    return query.strip().lower() not in _ABSENT_IN_SENSE if strict else query not in _ABSENT_IN_CODE


def deepshop_goal(record: Mapping[str, Any]) -> DeepShopGoal:
    """Return the goal in one record; raises pydantic's `ValidationError` naming the field that is wrong."""
    known = {name: record[name] for name in DeepShopGoal.model_fields if name in record}
    return DeepShopGoal.model_validate(known)
