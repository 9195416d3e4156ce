"""Every figure of a report, ready to be printed: what the HTML, the Markdown and the JSON have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from windowshop.frozen import Frozen
from windowshop.report.agreed import agreements
from windowshop.report.by_hand import HandRow, hand_rows, hand_verdicts
from windowshop.report.deepshop_table import Row, deepshop_rows
from windowshop.report.entries import SIMULATOR, Entry, Group, entries_of, groups_of
from windowshop.report.gap import Loss, Pair, losses, pairs
from windowshop.report.reading import Run
from windowshop.report.trajectories import (
    Cost,
    Outcomes,
    Reached,
    Trajectories,
    cost,
    outcomes,
    reached,
    trajectories,
)
from windowshop.scoring.agreement import Agreement
from windowshop.scoring.score import Means, Score, means
from windowshop.scoring.statistics import (
    Comparison,
    Interval,
    adjust,
    compare,
    mean_interval,
    pass_all_k,
    pass_at_k,
    scaled,
    share_interval,
)


class ScoreRow(Frozen):
    """Tables 4 and 9 of the paper for one agent on one site, with 95 % intervals of score and success."""

    site: str
    agent: str
    means: Means
    score_interval: Interval
    success_interval: Interval
    rewards: tuple[float, ...]


class PassRow(Frozen):
    """The mean chance over goals that one of k attempts succeeds, and that all do (0 to 100), for k from 1.

    `goals` counts those that were tried at least k times.
    """

    site: str
    agent: str
    goals: tuple[int, ...]
    at: tuple[float, ...]
    all: tuple[float, ...]


class About(Frozen):
    """What was run."""

    name: str
    created: str
    source: str
    sites: tuple[str, ...]
    settings: dict[str, Any]
    versions: dict[str, Any]
    finished: int
    episodes: int
    judge_calls: int
    judge_cost: float | None


class Figures(Frozen):
    """All tables of a report; the same folders give the same figures."""

    format: int = 1
    runs: tuple[About, ...]
    episodes: int
    unfinished: int
    scored: int
    is_dry: bool
    intercepted: int
    ordered: int
    refused_requests: int
    pages: int
    scores: tuple[ScoreRow, ...]
    by_hand: tuple[HandRow, ...]
    comparisons: tuple[Comparison, ...]
    passes: tuple[PassRow, ...]
    deepshop: tuple[Row, ...]
    trajectories: tuple[Trajectories, ...]
    reached: tuple[Reached, ...]
    outcomes: tuple[Outcomes, ...]
    costs: tuple[Cost, ...]
    losses: tuple[Loss, ...]
    pairs: tuple[Pair, ...]
    agreements: tuple[Agreement, ...]


def figures_of(runs: Sequence[Run], entries: Sequence[Entry] | None = None) -> Figures:
    """Compute the figures of one or several runs."""
    entries = entries_of(runs) if entries is None else entries
    groups = groups_of(entries)
    curves = [reached(group) for group in groups]
    labels = {(entry.run.path, entry.name): entry.agent for entry in entries}
    ruled = [(run, verdict) for run in runs for verdict in run.verdicts] + hand_verdicts(runs)
    verdicts = [
        verdict.model_copy(update={"agent": labels.get((run.path, verdict.episode), verdict.agent)})
        for run, verdict in ruled
    ]
    intents = [entry.result.intent for entry in entries if entry.result and entry.result.intent]
    return Figures(
        runs=tuple(_about(run) for run in runs),
        episodes=len(entries),
        unfinished=sum(entry.result is None for entry in entries),
        scored=sum(entry.score is not None for entry in entries),
        is_dry=all(run.manifest.get("dry_run") is True for run in runs),
        intercepted=len([intent for intent in intents if intent.dry_run]),
        ordered=len([intent for intent in intents if not intent.dry_run]),
        refused_requests=sum(len(entry.refusals) for entry in entries),
        pages=sum(step.visits for entry in entries for step in entry.steps),
        scores=tuple(_scores(group) for group in groups if any(one.low is not None for one in group.scores)),
        by_hand=tuple(hand_rows(groups)),
        comparisons=tuple(_comparisons(groups)),
        passes=tuple(row for row in map(_passes, groups) if row is not None),
        deepshop=tuple(deepshop_rows(verdicts)),
        trajectories=tuple(map(trajectories, groups)),
        reached=tuple(curve for curve in curves if curve is not None),
        outcomes=tuple(map(outcomes, groups)),
        costs=tuple(map(cost, groups)),
        losses=tuple(losses(groups)),
        pairs=tuple(pairs(groups)),
        agreements=tuple(agreements(runs)),
    )


def site_name(site: str) -> str:
    """Return a site's name for people."""
    return {"amazon": "Amazon", "ebay": "eBay", SIMULATOR: "WebShop simulator"}.get(site, site)


def _about(run: Run) -> About:
    settings = run.settings
    return About(
        name=run.path.resolve().name,
        created=str(run.manifest.get("created", "")),
        source=str(settings.get("source", "")),
        sites=tuple(settings.get("sites", ())),
        settings=settings,
        versions=run.manifest.get("versions", {}),
        finished=len(run.results),
        episodes=len(run.steps),
        judge_calls=run.judge_calls,
        judge_cost=run.judge_cost,
    )


def _scores(group: Group) -> ScoreRow:
    found = means(group.scores)
    counted = [score for score in group.scores if score.counts]
    rewards = [score.reward for score in counted if score.reward is not None]
    return ScoreRow(
        site=group.site,
        agent=group.agent,
        means=found,
        score_interval=scaled(mean_interval(rewards), 100),
        success_interval=scaled(share_interval(found.successes, found.judged), 100),
        rewards=tuple(sorted(rewards)),
    )


def _comparisons(groups: Sequence[Group]) -> list[Comparison]:
    """Compare every two agents of a site on the goals that both tried, by their mean reward there."""
    found = []
    for site in dict.fromkeys(group.site for group in groups):
        for one, other in combinations([group for group in groups if group.site == site], 2):
            first, second = _by_goal(one), _by_goal(other)
            both = {goal: (first[goal], second[goal]) for goal in first.keys() & second.keys()}
            if both:
                found.append(compare(site, one.agent, other.agent, both))
    return adjust(found)


def _by_goal(group: Group) -> dict[str, float]:
    known: defaultdict[str, list[float]] = defaultdict(list)
    for entry in group.entries:
        score = entry.score
        if score and score.counts and score.reward is not None and entry.goal:
            known[entry.goal].append(score.reward)
    return {goal: sum(rewards) / len(rewards) for goal, rewards in known.items()}


def _passes(group: Group) -> PassRow | None:
    """Return pass@k for every k; None where no goal was tried twice."""
    tried: defaultdict[str, list[bool]] = defaultdict(list)
    for entry in group.entries:
        verdict = _success(entry.score)
        if verdict is not None and entry.goal:
            tried[entry.goal].append(verdict)
    repeats = max(map(len, tried.values()), default=0)
    if repeats < 2:
        return None
    goals, at, every = [], [], []
    for k in range(1, repeats + 1):
        enough = [attempts for attempts in tried.values() if len(attempts) >= k]
        goals.append(len(enough))
        at.append(100 * sum(pass_at_k(len(one), sum(one), k) or 0.0 for one in enough) / len(enough))
        every.append(100 * sum(pass_all_k(len(one), sum(one), k) or 0.0 for one in enough) / len(enough))
    return PassRow(site=group.site, agent=group.agent, goals=tuple(goals), at=tuple(at), all=tuple(every))


def _success(score: Score | None) -> bool | None:
    return score.is_success if score is not None and score.counts else None
