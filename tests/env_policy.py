"""One policy for every way in: what it does follows from what it is shown, and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from windowshop.views import Observation

BUTTONS = frozenset({"back to search", "< prev", "next >", "description", "features", "reviews", "buy now"})
PLAN = (
    *("search[shirt]", "click[next >]", "click[< prev]", "first", "click[description]", "click[< prev]"),
    *("click[features]", "click[< prev]", "click[no such thing]", "first", "last", "click[reviews]"),
    *("click[< prev]", "click[back to search]", "search[kettle]", "last", "last", "click[buy now]"),
)


def choose(step: int, clickables: Sequence[str]) -> str:
    """Return what the policy does at a step: `first` and `last` are of the products, or options, on view."""
    planned = PLAN[step]
    if planned not in ("first", "last"):
        return planned
    offered = [name for name in clickables if name not in BUTTONS]
    return f"click[{offered[0 if planned == 'first' else -1]}]"


class Policy:
    def __init__(self) -> None:
        self.step = -1

    def act(self, observation: Observation) -> str:
        self.step += 1
        return choose(self.step, observation.available_actions.clickables)
