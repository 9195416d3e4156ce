"""A run as cases for a judge, and its verdicts beside it."""

from __future__ import annotations

import re
from pathlib import Path

from windowshop.report.reading import CALLS
from windowshop.report.recorded import Recorded
from windowshop.report.scored import write_records
from windowshop.runs.folder import read_manifest, read_results, read_steps
from windowshop.scoring.aspects import Absent, aspects_of
from windowshop.scoring.case import Case, Screenshot, Verdict, answer_of, facts_of
from windowshop.scoring.judge import screenshot_at

__all__ = ["CALLS", "cases_of", "verdicts_file", "write_verdicts"]


def cases_of(run: Path, absent: Absent = "repository", episode: str | None = None) -> list[Case]:
    """Return the episodes that have ended (those whose name begins with `episode`) as a judge sees them."""
    recorded = Recorded(run, read_manifest(run)["settings"])
    steps = read_steps(run)
    pictures: dict[str, Screenshot] = {}
    cases = []
    for result in read_results(run):
        if not result.episode.startswith(episode or ""):
            continue
        taken = steps.get(result.episode, [])
        names = [step.screenshot for step in taken if step.screenshot is not None]
        pictures |= {name: screenshot_at(run, name) for name in names if name not in pictures}
        chosen = recorded.chosen(result, taken)
        cases.append(
            Case(
                episode=result.episode,
                site=result.site,
                agent=result.agent,
                repeat=result.repeat,
                task=result.task,
                aspects=aspects_of(result.task, absent),
                answer=answer_of(result.intent),
                actions=tuple(step.action for step in taken if step.action is not None),
                screenshots=tuple(pictures[name] for name in names),
                observations=tuple(step.observation for step in taken),
                facts=facts_of(result.intent, chosen.page if chosen else None),
            )
        )
    return cases


def verdicts_file(run: Path, protocol: str, model: str, seeing: str) -> Path:
    """Return where the verdicts of one judge stand."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", model)
    return run / "scores" / f"judge-{protocol}-{seeing}-{name}.jsonl"


def write_verdicts(path: Path, verdicts: list[Verdict]) -> None:
    """Write verdicts, whole or not at all."""
    write_records(path, verdicts)
