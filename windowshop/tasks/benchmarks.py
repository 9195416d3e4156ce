"""The benchmarks whose tasks are known here: from a benchmark's own records to one typed task format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.goals.deepshop import deepshop_goal
from windowshop.goals.shoppingbench import shopping_goal
from windowshop.goals.webshop import webshop_goal
from windowshop.tasks.webmall import mall_task

Maker = Callable[[Mapping[str, Any], int], Task]


def webshop_task(record: Mapping[str, Any], number: int) -> Task:
    """Return the task for one goal of the simulator; its place is its id, as in the simulator."""
    goal = webshop_goal(record)
    named = record.get("id")
    name = str(number if named is None else named)
    return Task(id=name, instruction=goal.instruction_text, goal=dict(record), benchmark="webshop")


def deepshop_task(record: Mapping[str, Any], number: int) -> Task:
    """Return the task for one of DeepShop's records."""
    goal = deepshop_goal(record)
    return Task(id=goal.id, instruction=goal.ques, goal=goal.model_dump(), benchmark="deepshop")


def shopping_task(record: Mapping[str, Any], number: int) -> Task:
    """Return the task for one record; its query, its only name in ShoppingBench, is no name for a file."""
    goal = shopping_goal(record)
    name = f"{goal.intent}-{number}"
    return Task(id=name, instruction=goal.query, goal=dict(record), benchmark="shoppingbench")


BENCHMARKS: Final[Mapping[str, Maker]] = {
    "webshop": webshop_task,
    "deepshop": deepshop_task,
    "shoppingbench": shopping_task,
    "webmall": mall_task,
}
_MARKS: Final = {
    "deepshop": {"ques", "attribute", "filter", "sort"},
    "shoppingbench": {"query", "reward"},
    "webmall": {"correct_answer", "category"},
    "webshop": {"instruction_text", "attributes", "price_upper"},
}


def recognise(record: Mapping[str, Any]) -> str | None:
    """Name the benchmark whose record this is, by the fields that only it has."""
    return next((name for name, marks in _MARKS.items() if marks <= record.keys()), None)


def problems(records: Sequence[Any], benchmark: str) -> Iterator[str]:
    """Yield what is wrong with a benchmark's records, a line each: the record, the field, and why."""
    seen: dict[str, int] = {}
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            yield f"record {number}: not an object"
            continue
        try:
            task = BENCHMARKS[benchmark](record, number)
        except ValidationError as error:
            yield from (f"record {number}: {_field(each['loc'])}: {each['msg']}" for each in error.errors())
            continue
        if task.id in seen:
            yield f"record {number}: id: {task.id!r} is that of record {seen[task.id]} too"
        seen[task.id] = number


def import_tasks(records: Sequence[Any], benchmark: str, source: str) -> list[Task]:
    """Return the tasks for a benchmark's records; raise `ConfigError` naming the first that is wrong."""
    if not isinstance(records, Sequence) or isinstance(records, str) or not records:
        raise ConfigError(f"{source}: expected the list of records of {benchmark}")
    for problem in problems(records, benchmark):
        raise ConfigError(f"{source}: {problem}")
    return [BENCHMARKS[benchmark](record, number) for number, record in enumerate(records)]


def _field(location: tuple[str | int, ...]) -> str:
    return ".".join(str(part) for part in location) or "the record"
