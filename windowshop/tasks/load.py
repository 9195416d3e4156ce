"""Read a task file: typed tasks, a benchmark's own records, goal texts, or one instruction a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.goals.webmall import records_in
from windowshop.tasks.benchmarks import BENCHMARKS, import_tasks, recognise
from windowshop.tasks.webshop import goal_texts


def load_tasks(path: Path) -> list[Task]:
    """Return the tasks in a file; raise `ConfigError` naming the record and the field that is wrong.

    A benchmark's records (JSON or JSON lines) are known by their fields; so are the typed tasks that
    `windowshop tasks import` writes, and a JSON list of plain texts.
    """
    if path.suffix in (".json", ".jsonl", ".ndjson"):
        return to_tasks(read_records(path), str(path))
    lines = [line for line in _text(path).splitlines() if line.strip()]
    if not lines:
        raise ConfigError(f"{path} holds no instruction; write one a line")
    return [Task(id=str(number), instruction=line.strip()) for number, line in enumerate(lines)]


def read_records(path: Path) -> Any:
    """Return what a JSON file holds (task sets as one list), or the list of a JSON lines file's records."""
    text = _text(path)
    if path.suffix == ".json":
        held = _json(text, str(path))
        return list(records_in(held)) if isinstance(held, list) else held
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return [_json(line, f"{path}:{number}") for number, line in lines]


def to_tasks(records: Any, source: str = "goals") -> list[Task]:
    """Return tasks for records, whichever known kind they are of."""
    if not isinstance(records, Sequence) or isinstance(records, str) or not records:
        raise ConfigError(f"{source}: expected a list of goals or tasks, each with its instruction")
    if all(isinstance(record, str) for record in records):
        return goal_texts(records)
    first = records[0]
    benchmark = recognise(first) if isinstance(first, dict) else None
    if benchmark is not None:
        return import_tasks(records, benchmark, source)
    tasks = [_task(number, record, source) for number, record in enumerate(records)]
    places: dict[str, int] = {}
    for number, task in enumerate(tasks):
        if task.id in places:
            raise ConfigError(
                f"{source}: records {places[task.id]} and {number} have the same id {task.id!r}"
            )
        places[task.id] = number
    return tasks


def pick(tasks: Iterable[Task], limit: str | None) -> list[Task]:
    """Return the first N tasks for "N", or those from A up to B for "A-B" (counted from 0, B not taken)."""
    chosen = list(tasks)
    if limit is None:
        return chosen
    start, dash, stop = limit.rpartition("-")
    if not stop.isdecimal() or (dash and not start.isdecimal()):
        raise ConfigError(f"--limit {limit!r}: write a number such as 10, or a range such as 10-20")
    picked = chosen[int(start or 0) : int(stop)]
    if not picked:
        raise ConfigError(f"--limit {limit!r} leaves none of the {len(chosen)} tasks")
    return picked


def _task(number: int, record: Any, source: str) -> Task:
    if not isinstance(record, dict):
        raise ConfigError(f"{source}: record {number} is not an object")
    if "instruction" in record and record.keys() <= Task.model_fields.keys():
        try:
            task = Task.model_validate({"id": str(number), **record})
            if task.benchmark is not None and task.benchmark in BENCHMARKS and task.goal is not None:
                BENCHMARKS[task.benchmark](task.goal, number)
            return task
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(f"{source}: record {number}: {first['loc'][0]}: {first['msg']}") from None
    for field in ("instruction_text", "instruction", "ques", "task"):
        value = record.get(field)
        if isinstance(value, str) and value.strip():
            named = record.get("id")
            return Task(id=str(number if named is None else named), instruction=value, goal=record)
    raise ConfigError(f"{source}: record {number} has no instruction_text")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read tasks from {path}: {error}") from error


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{source}: not JSON: {error}") from error
