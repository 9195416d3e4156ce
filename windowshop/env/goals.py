"""What an environment asks for: the tasks it is given, or the demo shop's own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windowshop.env.place import Place
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.tasks.load import load_tasks, to_tasks

Tasks = str | os.PathLike[str] | Sequence[Task | Mapping[str, Any] | str] | None


def tasks_of(tasks: Tasks, place: Place) -> tuple[Task, ...]:
    """Return the tasks of a file, of goals in the simulator's format, of instructions, or of the demo shop.

    A place that is not the demo shop has none of its own. Raises `ConfigError` naming what is wrong.
    """
    if tasks == "demo" or (tasks is None and place.source == "demo"):
        from windowshop.demo import goals

        return tuple(to_tasks(goals()))
    if tasks is None:
        return ()
    if isinstance(tasks, (str, os.PathLike)):
        return tuple(load_tasks(Path(tasks)))
    return tuple(_task(number, task) for number, task in enumerate(tasks))


def asked(tasks: Sequence[Task], which: int | str) -> Task:
    """Return the task at a place in the list, or with an id; raise `ConfigError` where there is none."""
    if isinstance(which, str):
        found = next((task for task in tasks if task.id == which), None)
    else:
        found = tasks[which] if -len(tasks) <= which < len(tasks) else None
    if found is None:
        raise ConfigError(f"there is no task {which!r} among {len(tasks)}; give tasks=, or an instruction")
    return found


def weights(tasks: Sequence[Task]) -> list[float]:
    """Return how likely each task is to be drawn, summing to one: by its goal's weight, as in the simulator.

    Raises `ConfigError` where there is nothing to draw from.
    """
    if not tasks:
        raise ConfigError("nothing to shop for: give tasks=FILE or tasks=[...], or an instruction on reset")
    raw = [_weight(task.goal) for task in tasks]
    total = sum(raw)
    return [one / total for one in raw] if total else [1 / len(raw)] * len(raw)


def _weight(goal: Mapping[str, Any] | None) -> float:
    weight = goal.get("weight", 1.0) if goal else 1.0
    return float(weight) if isinstance(weight, (int, float)) and weight >= 0 else 1.0


def _task(number: int, task: Task | Mapping[str, Any] | str) -> Task:
    if isinstance(task, Task):
        return task
    if isinstance(task, str):
        return Task(id=str(number), instruction=task)
    (one,) = to_tasks([task], f"task {number}")
    return one if "id" in task else one.model_copy(update={"id": str(number)})
