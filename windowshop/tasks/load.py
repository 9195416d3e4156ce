"""Read a task file: WebShop goals (JSON or JSON lines) or one instruction a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from windowshop.episodes import Task
from windowshop.errors import ConfigError


def load_tasks(path: Path) -> list[Task]:
    """Return the tasks in a file; raise `ConfigError` naming the record and the field that is wrong."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read tasks from {path}: {error}") from error
    if path.suffix == ".json":
        return goals_to_tasks(_json(text, str(path)), str(path))
    lines = [line for line in text.splitlines() if line.strip()]
    if path.suffix in (".jsonl", ".ndjson"):
        records = [_json(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
        return goals_to_tasks(records, str(path))
    if not lines:
        raise ConfigError(f"{path} holds no instruction; write one a line")
    return [Task(id=str(number), instruction=line.strip()) for number, line in enumerate(lines)]


def goals_to_tasks(records: Any, source: str = "goals") -> list[Task]:
    """Return tasks for goals in the simulator's format; a goal's place is its id, as in the simulator."""
    if not isinstance(records, Sequence) or isinstance(records, str) or not records:
        raise ConfigError(f"{source}: expected a list of goals with the field instruction_text")
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
    for field in ("instruction_text", "instruction", "ques", "task"):
        value = record.get(field)
        if isinstance(value, str) and value.strip():
            named = record.get("id")
            return Task(id=str(number if named is None else named), instruction=value, goal=record)
    raise ConfigError(f"{source}: record {number} has no instruction_text")


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{source}: not JSON: {error}") from error
