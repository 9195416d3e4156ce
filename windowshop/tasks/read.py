"""Take in a benchmark's own files, each in the layout in which it is published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.tasks.benchmarks import BENCHMARKS, import_tasks, problems, recognise
from windowshop.tasks.load import load_tasks, read_records
from windowshop.tasks.webshop import SEED, SPLITS, goal_texts, split, webshop_goals


class Beside(Frozen):
    """What WebShop keeps in other files: the human instructions, the attributes; a seed and a split."""

    human: Path | None = None
    attributes: Path | None = None
    seed: int = SEED
    split: str | None = None


def read_benchmark(benchmark: str, path: Path, beside: Beside | None = None) -> list[Task]:
    """Return the tasks in a benchmark's own file; raise `ConfigError` naming the record and the field."""
    beside = beside or Beside()
    records = benchmark_records(benchmark, path, beside)
    if isinstance(records, list) and records and all(isinstance(record, str) for record in records):
        tasks = goal_texts(records)
    else:
        tasks = import_tasks(records, benchmark, str(path))
    if beside.split is None:
        return tasks
    chosen = split(tasks, beside.split)
    if not chosen:
        raise ConfigError(
            f"{path} holds {len(tasks)} goals; the split {beside.split} begins at {SPLITS[beside.split][0]}"
        )
    return chosen


def lint_tasks(path: Path, benchmark: str | None = None) -> tuple[int, list[str]]:
    """Return how many tasks a file holds and what is wrong with them, a line for each record and field."""
    try:
        if benchmark is None and path.suffix in (".json", ".jsonl", ".ndjson"):
            records = read_records(path)
            first = records[0] if isinstance(records, list) and records else None
            benchmark = recognise(first) if isinstance(first, dict) else None
        if benchmark is None:
            return len(load_tasks(path)), []
        records = benchmark_records(benchmark, path, Beside())
        if not isinstance(records, list) or not records:
            return 0, [f"expected a list of records of {benchmark}"]
        return len(records), list(problems(records, benchmark))
    except ConfigError as error:
        return 0, [str(error)]


def benchmark_records(benchmark: str, path: Path, beside: Beside) -> Any:
    """Return a benchmark's records; WebShop's raw items become goals first."""
    if benchmark not in BENCHMARKS:
        raise ConfigError(f"unknown benchmark {benchmark!r}; known: {', '.join(BENCHMARKS)}")
    records = read_records(path)
    first = records[0] if isinstance(records, list) and records else None
    if benchmark == "webshop" and isinstance(first, Mapping) and "instruction_text" not in first:
        human = read_records(beside.human) if beside.human else None
        attributes = read_records(beside.attributes) if beside.attributes else None
        return webshop_goals(records, human, attributes, beside.seed)
    return records
