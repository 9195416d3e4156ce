"""How much may be spent, by one episode and by the whole run, and which limit was reached."""

from __future__ import annotations

from pydantic import Field

from windowshop.episodes import Spent
from windowshop.errors import BudgetSpent
from windowshop.frozen import Frozen

_LEFT_BY_FETCHING = ("requests", "bytes", "credits")


class Limits(Frozen):
    """The most that may be spent; None is no limit. `seconds` is a wall clock that the parent holds.

    `blocks` counts the episodes of one site that ended in a challenge, before the site is left alone.
    """

    seconds: float | None = Field(default=None, gt=0)
    requests: int | None = Field(default=None, ge=0)
    bytes: int | None = Field(default=None, ge=0)
    credits: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    blocks: int | None = Field(default=None, ge=1)

    @property
    def are_spent(self) -> bool:
        """Say whether there is a limit on anything that is spent, which has to be asked for."""
        return any(getattr(self, name) is not None for name in Spent.model_fields)

    def reached(self, spent: Spent, by_fetching: bool = False) -> str | None:
        """Name the limit that leaves nothing to go on with; `by_fetching`, of those that a fetch spends."""
        for name in Spent.model_fields:
            limit = getattr(self, name)
            is_relevant = (name in _LEFT_BY_FETCHING) == by_fetching
            if limit is not None and is_relevant and (getattr(spent, name) or 0) >= limit:
                return name
        return None


def budget_spent(limit: str) -> BudgetSpent:
    """Return the error for a limit that was reached: `requests`, or `run:requests`."""
    whose = "the whole run" if limit.startswith("run:") else "one episode"
    return BudgetSpent(f"the limit on {limit.removeprefix('run:')} of {whose} was reached", limit)
