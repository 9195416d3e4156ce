"""Take in a benchmark's own files, each in the layout in which it is published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.tasks.benchmarks import BENCHMARKS, import_tasks, problems
from windowshop.tasks.load import read_records
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


def lint_benchmark(benchmark: str, path: Path) -> list[str]:
    """Return what is wrong with a benchmark's own file, a line for each record and field."""
    records = benchmark_records(benchmark, path, Beside())
    if not isinstance(records, list) or not records:
        return ["expected a list of records"]
    return list(problems(records, benchmark))


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
