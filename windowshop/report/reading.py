"""Everything that is known of a run, read from its folder; it may still be going on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from windowshop.episodes import EpisodeResult, Step
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.journal import read_journal
from windowshop.report.scored import read_scores
from windowshop.runs.folder import read_manifest, read_results, read_steps
from windowshop.scoring.case import Verdict
from windowshop.scoring.labels import Label, check_label
from windowshop.scoring.score import Score

LABELS = "labels.jsonl"
CALLS = "judge/calls.jsonl"


class Refusal(Frozen):
    """A request or an action that the guard refused; `step` is the step during which it was made."""

    episode: str
    step: int
    what: str
    name: str
    rule: str
    reason: str


@dataclass(frozen=True)
class Run:
    """One run folder as it stands. Episodes without a result have not ended; there may be no scores."""

    path: Path
    manifest: dict[str, Any]
    results: list[EpisodeResult]
    steps: dict[str, list[Step]]
    refusals: dict[str, list[Refusal]] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    judge_cost: float | None = None
    judge_calls: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """Return what was run, as `run.json` has it."""
        settings: dict[str, Any] = self.manifest["settings"]
        return settings


def read_run(path: Path) -> Run:
    """Read a run folder; raise `ConfigError` where it is none."""
    manifest = read_manifest(path)
    steps = read_steps(path)
    costs = [record.get("cost") for record in read_journal(path / CALLS)]
    known = [cost for cost in costs if cost is not None]
    return Run(
        path=path,
        manifest=manifest,
        results=read_results(path),
        steps=steps,
        refusals=read_refusals(path, steps),
        scores=read_scores(path),
        verdicts=read_verdicts(path),
        labels=read_labels(path),
        judge_cost=sum(known) if known else None,
        judge_calls=len(costs),
    )


def read_refusals(path: Path, steps: dict[str, list[Step]]) -> dict[str, list[Refusal]]:
    """Return what the guard refused, by episode; of an episode begun again, that of its last attempt."""
    found: dict[str, list[Refusal]] = {}
    for record in read_journal(path / "audit.jsonl"):
        episode = record.get("episode")
        if record.get("verdict") != "refuse" or episode not in steps:
            continue
        at, taken = datetime.fromisoformat(record["at"]), steps[episode]
        if at < taken[0].at:
            continue
        step = next((one.step for one in taken if at <= one.at), taken[-1].step)
        found.setdefault(episode, []).append(
            Refusal(episode=episode, step=step, **{key: str(record.get(key, "")) for key in _SAID})
        )
    return found


_SAID = ("what", "name", "rule", "reason")


def read_labels(path: Path) -> list[Label]:
    """Return every answer that people gave about a run, in order."""
    file = path / LABELS
    return [check_label(record, f"{file}:{number}") for number, record in enumerate(read_journal(file), 1)]


def read_verdicts(path: Path) -> list[Verdict]:
    """Return every judge's verdicts on a run."""
    try:
        return [
            Verdict.model_validate(record)
            for file in sorted((path / "scores").glob("judge-*.jsonl"))
            for record in read_journal(file)
        ]
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(
            f"{path}/scores: a verdict is not of this version: {first['loc']}: {first['msg']}"
        ) from None


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """Read several run folders."""
    return [read_run(path) for path in paths]
