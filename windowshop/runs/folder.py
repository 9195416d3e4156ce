"""A run on disk: self-describing, append-only, readable at any moment."""

from __future__ import annotations

import json
import platform
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from pydantic import ValidationError

from windowshop.episodes import EpisodeResult, Exchange, Spent, Step, Task
from windowshop.errors import ConfigError, StorageError
from windowshop.journal import Journal, line_of, read_journal

FORMAT = 1
_TRY_AGAIN = ("interrupted", "blocked", "site_error", "model_error")
Record = TypeVar("Record", Step, EpisodeResult, Exchange, Task)
_BEGINNINGS = frozenset({".lock", "tasks.jsonl", "run.partial"})
"""What a runner that was killed at once may have left behind."""
_PACKAGES = ("windowshop", "selectolax", "playwright", "httpx", "pydantic", "scraperapi-sdk", "warcio")


class RunFolder:
    """The files of one run, open for appending.

    `run.json` and `tasks.jsonl` say what was run; `steps.jsonl`, `episodes.jsonl`, `purchases.jsonl`,
    `audit.jsonl` and `exchanges.jsonl` hold a line each as it happens; `pages.warc.gz` the pages;
    `screenshots/` and `pages/` pictures and unread pages.
    Opening a folder that holds something else, or another run, raises `ConfigError`; a folder that cannot be
    written, or that another runner is writing in, `StorageError`.
    """

    def __init__(self, path: Path, settings: dict[str, Any], tasks: Sequence[Task] = ()) -> None:
        self.path = path
        self.is_resumed = (path / "run.json").exists()
        if not self.is_resumed and path.exists() and (not path.is_dir() or _names(path) - _BEGINNINGS):
            raise ConfigError(f"{path} is there already and is not a run; choose another --out")
        self._lock = _lock(path)
        try:
            self._describe(settings, tasks)
        except BaseException:
            self._lock.release()
            raise
        self.steps = Journal(path / "steps.jsonl")
        self.episodes = Journal(path / "episodes.jsonl")
        self.purchases = Journal(path / "purchases.jsonl", durable=True)
        self.audit = Journal(path / "audit.jsonl")
        self.exchanges = Journal(path / "exchanges.jsonl")

    def finished(self) -> set[str]:
        """Name the episodes that need no second run: all but those in which the environment failed."""
        return {result.episode for result in read_results(self.path) if is_final(result.outcome)}

    def close(self) -> None:
        """Close every file."""
        for journal in (self.steps, self.episodes, self.purchases, self.audit, self.exchanges):
            journal.close()
        self._lock.release()

    def _describe(self, settings: dict[str, Any], tasks: Sequence[Task]) -> None:
        manifest = self.path / "run.json"
        if manifest.exists():
            before = read_manifest(self.path)["settings"]
            if before != settings:
                changed = sorted(key for key in {*before, *settings} if before.get(key) != settings.get(key))
                raise ConfigError(
                    f"{self.path} holds another run (different: {', '.join(changed)}); choose another --out"
                )
            return
        described = {
            "format": FORMAT,
            "dry_run": True,
            "created": datetime.now(UTC).isoformat(),
            "settings": settings,
            "versions": _versions(),
        }
        try:
            lines = b"".join(line_of(task) + b"\n" for task in tasks)
            (self.path / "tasks.jsonl").write_bytes(lines)
            partial = manifest.with_suffix(".partial")
            partial.write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            partial.replace(manifest)
        except OSError as error:
            raise StorageError(f"cannot write the run folder {self.path}: {error.strerror}") from error


def is_final(outcome: str) -> bool:
    """Say whether an episode is done with; not where the environment failed or the run's purse was empty."""
    kind, _, detail = outcome.partition(":")
    return kind not in _TRY_AGAIN and not (kind == "budget" and detail.startswith("run:"))


def keep_file(folder: Path, name: str, data: bytes) -> None:
    """Write a file of a run whole or not at all."""
    path = folder / name
    partial = path.with_name(f"{path.name}.{threading.get_ident()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def read_manifest(path: Path) -> dict[str, Any]:
    """Return `run.json`; raise `ConfigError` where the folder is not a run."""
    try:
        manifest: dict[str, Any] = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is not a run folder: {error}") from error
    if manifest.get("format") != FORMAT:
        raise ConfigError(
            f"{path}: run format {manifest.get('format')} is not {FORMAT}, which this version reads"
        )
    return manifest


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Return the tasks that a run was given."""
    return tuple(_checked(Task, record, path) for record in read_journal(path / "tasks.jsonl"))


def read_results(path: Path) -> list[EpisodeResult]:
    """Return how each episode ended; of one that was run again, how it ended last."""
    results = (_checked(EpisodeResult, record, path) for record in read_journal(path / "episodes.jsonl"))
    return list({result.episode: result for result in results}.values())


def read_spent(path: Path) -> Spent:
    """Return what a run has taken so far: every attempt counts, also those that were cut short.

    An answer that was paid for counts also where no step came of it.
    """
    spent = Spent()
    for record in read_journal(path / "steps.jsonl"):
        spent += Spent(requests=record["visits"], bytes=record["bytes"], credits=record.get("credits"))
    for record in read_journal(path / "exchanges.jsonl"):
        spent += _checked(Exchange, record, path).spent
    return spent


def read_past(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the actions that each episode's last attempt took, but for a last one that failed."""
    return {
        name: tuple(step.action for step in steps if step.action is not None and _went_well(step))
        for name, steps in read_steps(path).items()
    }


def _went_well(step: Step) -> bool:
    return step.decision is not None and step.decision.partition(" ")[0] in ("allow", "no-op")


def read_steps(path: Path) -> dict[str, list[Step]]:
    """Return the steps of each episode; of an episode begun again, those of the last attempt."""
    episodes: dict[str, list[Step]] = {}
    for record in read_journal(path / "steps.jsonl"):
        step = _checked(Step, record, path)
        if step.step == 0:
            episodes[step.episode] = []
        episodes.setdefault(step.episode, []).append(step)
    return episodes


def _checked(kind: type[Record], record: dict[str, Any], path: Path) -> Record:
    """Read a record; raise `ConfigError` for one that this version did not write."""
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(
            f"{path} holds a record that is no {kind.__name__}: {first['loc']}: {first['msg']}"
        ) from None


def _names(path: Path) -> set[str]:
    return {entry.name for entry in path.iterdir()}


def _lock(path: Path) -> FileLock:
    lock = FileLock(path / ".lock")
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise StorageError(f"another runner is writing in {path}") from None
    except OSError as error:
        raise StorageError(f"cannot write the run folder {path}: {error.strerror}") from error
    return lock


def _versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {"python": sys.version.split()[0], "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions
