"""Vocabulary: a task, the steps an agent took at it, and how it ended."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from windowshop.frozen import Frozen
from windowshop.purchase import PurchaseIntent
from windowshop.views import AvailableActions


class Task(Frozen):
    """What an agent is asked to do. `goal` is what scoring knows, in its benchmark's own words."""

    id: str
    instruction: str
    goal: dict[str, Any] | None = None
    benchmark: str | None = None


class Spent(Frozen):
    """What something took: pages asked of the network, bytes, scraping credits, tokens, dollars.

    What nobody told (no scraping service, no model) is None, not nothing.
    """

    requests: int = 0
    bytes: int = 0
    credits: float | None = None
    tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: Spent) -> Spent:
        mine, theirs = self.model_dump(), other.model_dump()
        return Spent(**{name: _sum(mine[name], theirs[name]) for name in mine})


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other


class Step(Frozen):
    """One line of `steps.jsonl`: an action and the observation that followed (step 0 has no action).

    `decision` is the guard's verdict, or `no-op` with `note` saying why nothing changed; a note
    on a chosen option says that the shop has none left, or does not sell it so. `url` and
    `page_digest` (SHA-256) are those of the shop's page on view; `visits`, `bytes`, `seconds` and
    `credits` are what this step itself asked of the network, `tokens` and `cost` (dollars) what the agent
    took to choose the action; None where nobody told. `neutralised` counts the forged control
    tokens and invisible characters that were taken out of the page's words.
    """

    format: int = 1
    episode: str
    step: int
    action: str | None = None
    decision: str | None = None
    note: str | None = None
    observation: str
    available_actions: AvailableActions
    state_url: str
    url: str | None = None
    page_digest: str | None = None
    screenshot: str | None = None
    done: bool = False
    visits: int = 0
    bytes: int = 0
    credits: float | None = None
    tokens: int | None = None
    cost: float | None = None
    neutralised: int = 0
    at: datetime
    seconds: float = 0.0
    agent_seconds: float = 0.0


class Exchange(Frozen):
    """One line of `exchanges.jsonl`: what an agent asked of a model (or of others), and the raw answer.

    It stands between the steps `step` and `step` + 1. `answer` is None where none came, and `error` says
    why. Tokens and cost are None where nobody told; cost is in the currency of the user's price table.
    """

    format: int = 1
    episode: str = ""
    step: int = 0
    request: dict[str, Any]
    answer: dict[str, Any] | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0

    @property
    def spent(self) -> Spent:
        """Return what it took, as far as it was told."""
        told = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return Spent(tokens=sum(told) if told else None, cost=self.cost)


class EpisodeResult(Frozen):
    """One line of `episodes.jsonl`: how an episode ended.

    `outcome` is one of: intercepted, step_limit, agent_error, model_error, blocked:<reason>, site_error,
    refused, replay_miss, page_error, budget:<limit>, interrupted, error (a defect of ours).
    `repeat` counts from 0; `visits` are the pages fetched, `seconds` the time it took.
    """

    format: int = 1
    episode: str
    task: Task
    site: str
    locale: str | None = None
    agent: str
    repeat: int = 0
    outcome: str
    reason: str | None = None
    steps: int
    visits: int
    intent: PurchaseIntent | None = None
    dry_run: bool = True
    spent: Spent = Spent()
    seconds: float = 0.0
