"""How a run stands, from its folder alone, while it runs or after."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import Field

from windowshop.episodes import Spent
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.journal import read_journal
from windowshop.runs.folder import is_final, read_manifest

_TAIL = 1 << 18
Record = Mapping[str, Any]


class Which(Frozen):
    """Which episodes are meant; what is None is not asked. `episode` and `outcome` are beginnings."""

    site: str | None = None
    agent: str | None = None
    task: str | None = None
    outcome: str | None = None
    episode: str | None = None

    def __call__(self, record: Record) -> bool:
        """Say whether a line of `episodes.jsonl` is meant."""
        return (
            self.site in (None, record["site"])
            and self.agent in (None, record["agent"])
            and self.task in (None, record["task"]["id"])
            and record["outcome"].startswith(self.outcome or "")
            and record["episode"].startswith(self.episode or "")
        )


class Row(Frozen):
    """The episodes of one agent at one site: how many there are to be, and how many ended how."""

    site: str
    agent: str
    planned: int | None
    outcomes: dict[str, int] = Field(default_factory=dict)


class Status(Frozen):
    """How a run stands. `planned` is None where the run does not say; `left` are those not done with.

    `in_flight` names the episodes that were written of last and have not ended, while a runner holds the
    folder. `spent` and `seconds` sum up every attempt.
    """

    format: int = 1
    path: str
    created: str
    source: str
    is_running: bool
    planned: int | None
    done: int
    outcomes: dict[str, int]
    rows: tuple[Row, ...]
    spent: Spent
    seconds: float
    in_flight: tuple[str, ...] = ()


def status_of(path: Path, which: Which = Which()) -> Status:  # noqa: B008
    """Return how the run in a folder stands, counting the episodes that are meant.

    Raises `ConfigError` where the folder is not a run.
    """
    manifest = read_manifest(path)
    settings = manifest["settings"]
    last: dict[str, Record] = {}
    spent, seconds = Spent(), 0.0
    for record in _results(path):
        if which(record):
            last[record["episode"]] = record
            spent += Spent.model_validate(record.get("spent") or {"requests": record["visits"]})
            seconds += record["seconds"]
    is_running = is_held(path)
    cells: dict[tuple[str, str], Counter[str]] = {}
    for record in last.values():
        cells.setdefault((record["site"], record["agent"]), Counter())[record["outcome"]] += 1
    planned = _planned(settings, which)
    for cell in planned:
        cells.setdefault(cell, Counter())
    rows = [
        Row(site=site, agent=agent, planned=planned.get((site, agent)), outcomes=dict(found))
        for (site, agent), found in sorted(cells.items())
    ]
    return Status(
        path=str(path),
        created=manifest["created"],
        source=settings.get("source", "unknown"),
        is_running=is_running,
        planned=sum(planned.values()) if planned else None,
        done=sum(is_final(record["outcome"]) for record in last.values()),
        outcomes=dict(Counter(record["outcome"] for record in last.values()).most_common()),
        rows=tuple(rows),
        spent=spent,
        seconds=round(seconds, 3),
        in_flight=tuple(_in_flight(path, last)) if is_running else (),
    )


def find_runs(home: Path) -> list[Path]:
    """Return the run folders under a folder, oldest first; a run folder is its own."""
    if (home / "run.json").exists():
        return [home]
    if not home.is_dir():
        raise ConfigError(f"{home} is not a folder; run folders are looked for in runs/, or where you say")
    return sorted((path.parent for path in home.glob("*/run.json")), key=lambda run: run.name)


def is_held(path: Path) -> bool:
    """Say whether a runner holds the folder now."""
    if not (path / ".lock").exists():
        return False
    lock = FileLock(path / ".lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


def _results(path: Path) -> Iterator[Record]:
    for record in read_journal(path / "episodes.jsonl"):
        if "outcome" not in record or "episode" not in record:
            raise ConfigError(f"{path} holds a record that is no EpisodeResult: {str(record)[:80]}")
        yield record


def _planned(settings: Record, which: Which) -> dict[tuple[str, str], int]:
    agents = settings.get("agents")
    if agents is None or which.task or which.outcome or which.episode:
        return {}
    each = settings["tasks"]["count"] * settings["repeats"]
    return {
        (site, agent): each
        for site in settings["sites"]
        for agent in agents
        if which.site in (None, site) and which.agent in (None, agent)
    }


def _in_flight(path: Path, last: Mapping[str, Record]) -> Iterable[str]:
    """Name the episodes in the last lines of the steps that have no final end."""
    steps = path / "steps.jsonl"
    with steps.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
        lines = file.read().split(b"\n")[1:-1]
    names = dict.fromkeys(json.loads(line)["episode"] for line in lines)
    return [name for name in names if name not in last or not is_final(last[name]["outcome"])]
