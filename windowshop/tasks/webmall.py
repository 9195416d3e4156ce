"""WebMall's task sets as tasks: their texts keep the placeholders until a run knows where the shops are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windowshop.episodes import Task
from windowshop.goals.webmall import mall_goal


def mall_task(record: Mapping[str, Any], number: int) -> Task:
    """Return the task for one of WebMall's records, under its id of today."""
    goal = mall_goal(record)
    return Task(id=goal.id, instruction=goal.text, goal=goal.model_dump(mode="json"), benchmark="webmall")
