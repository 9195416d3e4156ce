"""Where the reward was lost between the simulator and the site, per cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from windowshop.frozen import Frozen
from windowshop.report.entries import SIMULATOR, Entry, Group
from windowshop.scoring.outcomes import is_environment

CAUSES: Final = {
    "blocked": "The shop asked who we are, or asked us to slow down",
    "page": "A page was not understood",
    "failure": "The site, the model or the run failed otherwise",
    "search": "No product of the goal's kind was among those shown (title score at most 0.2)",
    "option": "The chosen product's page does not offer an option that was asked for",
    "agent": "A fitting product was on view, and the agent bought another or nothing",
    "unknown": "The shop does not tell whether the part was met",
}
"""The causes, in the order in which they are asked about; the first that applies to a loss takes it."""


class Loss(Frozen):
    """Points of 100 lost by one agent on one site, in all and per cause.

    `baseline` is the mean reward of the same agent on the same goals in the simulator; where no run of the
    simulator has the goal it is 100, the full reward. `paired` counts the goals that have one.
    """

    site: str
    agent: str
    episodes: int
    paired: int
    baseline: float
    reached: float
    lost: float
    causes: dict[str, float]


class Pair(Frozen):
    """One goal in the simulator and on a site: the mean rewards, 0 to 1."""

    site: str
    agent: str
    goal: str
    simulator: float
    real: float


def losses(groups: Sequence[Group]) -> list[Loss]:
    """Return the loss of each agent on each real site, where something was scored."""
    return [
        _loss(group, simulated_rewards(groups, group.agent))
        for group in groups
        if group.site != SIMULATOR and group.scores
    ]


def pairs(groups: Sequence[Group]) -> list[Pair]:
    """Return the goals that an agent tried both in the simulator and on a site."""
    found = []
    for group in groups:
        if group.site == SIMULATOR:
            continue
        simulated = simulated_rewards(groups, group.agent)
        for goal, real in _rewards([group]).items():
            if goal in simulated:
                found.append(
                    Pair(site=group.site, agent=group.agent, goal=goal, simulator=simulated[goal], real=real)
                )
    return found


def simulated_rewards(groups: Sequence[Group], agent: str) -> dict[str, float]:
    """Return an agent's mean reward on each goal in the simulator."""
    name = agent.partition(" · ")[0]
    return _rewards(
        [group for group in groups if group.site == SIMULATOR and group.agent.partition(" · ")[0] == name]
    )


def _rewards(groups: Sequence[Group]) -> dict[str, float]:
    known: defaultdict[str, list[float]] = defaultdict(list)
    for group in groups:
        for entry in group.entries:
            if entry.score and entry.score.counts and entry.score.reward is not None and entry.goal:
                known[entry.goal].append(entry.score.reward)
    return {goal: sum(rewards) / len(rewards) for goal, rewards in known.items()}


def _loss(group: Group, simulated: Mapping[str, float]) -> Loss:
    judged = [entry for entry in group.entries if entry.score is not None and entry.score.low is not None]
    total: defaultdict[str, float] = defaultdict(float)
    baselines, paired = [], 0
    for entry in judged:
        known = simulated.get(entry.goal or "")
        paired += known is not None
        baseline = 1.0 if known is None else known
        baselines.append(baseline)
        for cause, lost in lost_by_cause(entry, baseline).items():
            total[cause] += lost
    count = max(1, len(judged))
    causes = {cause: 100 * total[cause] / count for cause in CAUSES if total[cause] > 0}
    baseline = 100 * sum(baselines) / count
    lost = sum(causes.values())
    return Loss(
        site=group.site,
        agent=group.agent,
        episodes=len(judged),
        paired=paired,
        baseline=baseline,
        reached=baseline - lost,
        lost=lost,
        causes=causes,
    )


def lost_by_cause(entry: Entry, baseline: float) -> dict[str, float]:
    """Share out what an episode lost against `baseline` (0 to 1). A gain is no loss, and counts for nothing.

    Of a loss that the simulator has too, each cause keeps its share.
    """
    score = entry.score
    if score is None or score.low is None or score.high is None:
        return {}
    if is_environment(score.outcome):
        return {_environment(score.outcome): baseline}
    causes = _shares(entry)
    whole = sum(causes.values())
    lost = max(0.0, baseline - score.low)
    return {cause: share / whole * lost for cause, share in causes.items()} if whole > 0 else {}


def _environment(outcome: str) -> str:
    kind = outcome.partition(":")[0]
    return {"blocked": "blocked", "page_error": "page"}.get(kind, "failure")


def _shares(entry: Entry) -> dict[str, float]:
    """Return what an episode lost against the full reward, by cause."""
    score = entry.score
    assert score is not None and score.low is not None and score.high is not None
    found = {"unknown": score.high - score.low}
    certain = 1.0 - score.high
    shown = score.shown
    if shown is not None and (shown.products == 0 or (shown.best_title_score or 0.0) <= 0.2):
        return found | {"search": certain}
    parts = score.parts
    if parts is None:
        return found | {"agent": certain}
    count = len(parts.attributes) + len(parts.options) + 1
    missing = sum(part.matched is False and part.offered is False for part in parts.options) / count
    option = min(certain, missing * parts.type.high)
    return found | {"option": option, "agent": certain - option}
