"""The files that WebMall's own tools read and write of a study, from our records. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from windowshop.scoring.webmall import Checked, MallRecord, MallScore, check, checklist, table
from windowshop.terminal import cell

GOALS: Final = ("experiment_id", "task_id", "goal_description", "achieved", "weight")
PENALTIES: Final = ("experiment_id", "task_id", "penalty", "wrong_solutions")
STEPS: Final = (
    "step", "shop_id", "action", "used_axtree_object", "url", "reward", "cumulative_reward", "thought",
    "experiment_id", "task_id",
)  # fmt: skip


def result_files(study: str, records: Sequence[MallRecord], scores: Sequence[MallScore]) -> dict[str, str]:
    """Return name -> text of every result file; `study` names the experiment."""
    files = {
        "goal_achievement.csv": _csv(GOALS, (row for score in scores for row in _goals(study, score))),
        "penalties.csv": _csv(PENALTIES, (_penalty(study, score) for score in scores)),
        "task_stepwise_log.csv": _csv(
            STEPS, (row for record in records for row in _steps(study, record)), "excel-tab"
        ),
        "action_statistics.csv": _csv(("action", "count"), _actions(records)),
        "study_summary.json": _json(_summary(study, scores, in_full=True)),
        "study_summary_short.json": _json(_summary(study, scores, in_full=False)),
    }
    for record in records:
        files[f"{record.task}/task_summary.json"] = _json(_task(record))
    return files


def walked(record: MallRecord) -> Iterator[Checked]:
    """Yield the checklist after each step."""
    points = checklist(record.goal)
    for step in record.steps:
        found = check(points, step, record.goal)
        points = found.checklist
        yield found


def _goals(study: str, score: MallScore) -> Iterator[tuple[Any, ...]]:
    for point in score.checklist:
        yield study, score.task, point.id, point.flag, point.weight


def _penalty(study: str, score: MallScore) -> tuple[Any, ...]:
    # the benchmark's evaluators never set a penalty, and its tools write it so
    return study, score.task, None, "|".join(score.wrong)


def _steps(study: str, record: MallRecord) -> Iterator[tuple[Any, ...]]:
    """Yield a row a step; the reward of a step stands on the row of the next, as in the benchmark's files."""
    earned, total = 0.0, 0.0
    rewards = [found.reward for found in walked(record)]
    for number, step in enumerate(record.steps):
        total += earned
        shop = shop_id(step.url, record.shops)
        row = (number, shop, step.action, "", step.url, round(earned, 6), round(total, 6), step.thought)
        yield (*row, study, record.task)
        earned = rewards[number]
    last = len(record.steps)
    yield last, "", "", "", "", round(earned, 6), round(total + earned, 6), "", study, record.task


def shop_id(url: str, shops: Sequence[str]) -> int | str:
    """Return the shop's number, from 1; nothing for an address in none of them."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return shops.index(origin) + 1 if origin in shops else ""


def _task(record: MallRecord) -> Mapping[str, Any]:
    """Return what happened step by step: the reward of each step stands beside it here."""
    total, told = 0.0, {}
    for number, (step, found) in enumerate(zip(record.steps, walked(record), strict=True)):
        total += found.reward
        told[str(number)] = {
            "action": step.action,
            "url": step.url,
            "think": step.thought,
            "reward": found.reward,
            "cumulative_reward": total,
            "finished": step.submitted is not None,
            "action_error": "",
        }
    return told


def _actions(records: Iterable[MallRecord]) -> Iterator[tuple[str, int]]:
    kinds = ((step.action or "").partition("[")[0] for record in records for step in record.steps)
    yield from sorted(Counter(kinds).items())


def _summary(study: str, scores: Sequence[MallScore], in_full: bool) -> Mapping[str, Any]:
    means = {name: found.model_dump() for name, found in table(scores).items()}
    tasks = {
        score.task: {
            "task_completed": bool(score.cr_checklist),
            "partial_completion": score.partial_completion,
            "checkpoint_completion": score.checkpoint_completion,
            "strict": {"cr": score.cr, "precision": score.precision, "recall": score.recall, "f1": score.f1},
            "steps": score.steps,
        }
        for score in scores
    }
    return {"study": study, "means": means, **({"tasks": tasks} if in_full else {})}


def _csv(header: Sequence[str], rows: Iterable[Sequence[Any]], dialect: str = "excel") -> str:
    text = io.StringIO()
    writer = csv.writer(text, dialect, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
