"""How long agents walk: the paper's Table 2, outcomes, what it took, and success by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from windowshop.episodes import Step
from windowshop.frozen import Frozen
from windowshop.report.entries import Entry, Group

Number = TypeVar("Number", int, float)


class Spread(Frozen):
    """The average, the least and the most of a count; None where there is nothing to count."""

    average: float | None = None
    least: int | None = None
    most: int | None = None


class Trajectories(Frozen):
    """Table 2 of the paper for one agent on one site: pages seen, items opened, searches made."""

    site: str
    agent: str
    episodes: int
    states: Spread
    items: Spread
    searches: Spread


class Outcomes(Frozen):
    """How episodes ended, and how many requests the guard refused on the way."""

    site: str
    agent: str
    episodes: int
    counts: dict[str, int]
    refused_requests: int


class Cost(Frozen):
    """What one agent on one site took; None where nobody told. Tokens and cost are the agent's own."""

    site: str
    agent: str
    episodes: int
    pages: int
    bytes: int
    credits: float | None
    tokens: int | None
    cost: float | None
    seconds: float
    agent_seconds: float


class Reached(Frozen):
    """The share of counted episodes (0 to 100) that had succeeded within so many steps, from 0 on."""

    site: str
    agent: str
    shares: tuple[float, ...]


def trajectories(group: Group) -> Trajectories:
    """Return Table 2's figures for a group."""
    walks = [entry.steps for entry in group.entries]
    return Trajectories(
        site=group.site,
        agent=group.agent,
        episodes=len(walks),
        states=_spread([len(steps) for steps in walks]),
        items=_spread([items_opened(steps) for steps in walks]),
        searches=_spread([searches_made(steps) for steps in walks]),
    )


def items_opened(steps: Sequence[Step]) -> int:
    """Count how often an item was opened from the results."""
    kinds = [kind_of(step) for step in steps]
    return sum(after == "item_page" and before == "search_results" for before, after in pairwise(kinds))


def searches_made(steps: Sequence[Step]) -> int:
    """Count the searches that were made."""
    return sum((step.action or "").startswith("search[") and step.decision != "no-op" for step in steps)


def kind_of(step: Step) -> str:
    """Return the simulator's name for the page on view: the first part of its address."""
    parts = step.state_url.split("/")
    return parts[3] if len(parts) > 4 else "index"


def outcomes(group: Group) -> Outcomes:
    """Count how a group's episodes ended, the most frequent first."""
    counts = Counter(entry.result.outcome for entry in group.entries if entry.result)
    return Outcomes(
        site=group.site,
        agent=group.agent,
        episodes=len(group.entries),
        counts=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        refused_requests=sum(len(entry.refusals) for entry in group.entries),
    )


def cost(group: Group) -> Cost:
    """Sum what a group took."""
    steps = [step for entry in group.entries for step in entry.steps]
    return Cost(
        site=group.site,
        agent=group.agent,
        episodes=len(group.entries),
        pages=sum(step.visits for step in steps),
        bytes=sum(step.bytes for step in steps),
        credits=_total([step.credits for step in steps]),
        tokens=_total([step.tokens for step in steps]),
        cost=_total([step.cost for step in steps]),
        seconds=sum(entry.result.seconds for entry in group.entries if entry.result),
        agent_seconds=sum(step.agent_seconds for step in steps),
    )


def reached(group: Group) -> Reached | None:
    """Return the cumulative success by step; None where nothing is scored."""
    scored = [entry for entry in group.entries if entry.score is not None and _is_judged(entry)]
    if not scored:
        return None
    longest = max(entry.result.steps for entry in scored if entry.result)
    won = [entry.result.steps for entry in scored if entry.result and entry.score and entry.score.is_success]
    shares = tuple(100 * sum(steps <= most for steps in won) / len(scored) for most in range(longest + 1))
    return Reached(site=group.site, agent=group.agent, shares=shares)


def _is_judged(entry: Entry) -> bool:
    return entry.score is not None and entry.score.counts and entry.score.is_success is not None


def _spread(counts: Sequence[int]) -> Spread:
    if not counts:
        return Spread()
    return Spread(average=sum(counts) / len(counts), least=min(counts), most=max(counts))


def _total(values: Sequence[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
