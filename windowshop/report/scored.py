"""Score a finished run and keep the scores beside it; the same run gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from windowshop.errors import ConfigError, StorageError
from windowshop.journal import read_journal
from windowshop.report.recorded import Recorded
from windowshop.runs.folder import read_manifest, read_results, read_steps
from windowshop.scoring.live import Counting
from windowshop.scoring.nouns import Nouns
from windowshop.scoring.score import Score, score_episode

SCORES = "scores/webshop.jsonl"


def score_run(run: Path, nouns: Nouns, counting: Counting = "chosen") -> Iterator[Score]:
    """Yield the score of each episode that has ended, in the order in which they ended."""
    recorded = Recorded(run, read_manifest(run)["settings"])
    steps = read_steps(run)
    for result in read_results(run):
        taken = steps.get(result.episode, [])
        yield score_episode(
            result, recorded.chosen(result, taken), recorded.titles(result, taken), nouns, counting
        )


def write_records(path: Path, records: Iterable[BaseModel]) -> None:
    """Write records as JSON lines, whole or not at all."""
    write_text(path, "".join(record.model_dump_json() + "\n" for record in records))


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; raise `StorageError` where it cannot be written."""
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def read_scores(run: Path) -> list[Score]:
    """Return the scores of a run; none where it was not scored yet."""
    try:
        return [Score.model_validate(record) for record in read_journal(run / SCORES)]
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(
            f"{run / SCORES} is not of this version ({first['loc']}: {first['msg']}); score the run again"
        ) from None


def as_json(value: object) -> str:
    """Return JSON with sorted keys and a line feed at its end."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
