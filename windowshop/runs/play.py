"""Let an agent act until the episode ends, and say how it ended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from windowshop.agents import Agent, Telling
from windowshop.episodes import Spent
from windowshop.errors import (
    AgentError,
    Challenged,
    ConfigError,
    Leak,
    StorageError,
    WindowshopError,
)
from windowshop.frozen import Frozen
from windowshop.runs.episode import Episode
from windowshop.views import Observation


class Ending(Frozen):
    """How an episode ended: a typed outcome (see `EpisodeResult`) and why."""

    outcome: str
    reason: str | None = None


class Account(Protocol):
    """What may be spent on asking others, and what was."""

    def afford(self) -> None:
        """Raise `BudgetSpent` where nothing is left for another answer."""

    def note(self, more: Spent) -> None:
        """Note what was taken."""


def play(
    episode: Episode,
    agent: Agent,
    max_steps: int,
    account: Account | None = None,
    past: Sequence[str] = (),
) -> Ending:
    """Let the agent act until it buys, fails, or has taken `max_steps` steps.

    `past` are actions of an attempt that was cut short: they are done again before the agent is asked, and
    told to an agent that has `recall(observation, action)`. Every `WindowshopError` becomes an ending, but
    for `StorageError`, `ConfigError` (a wrong key, say) and `Leak`, which end the whole run.
    """
    try:
        observation = episode.reset()
        if hasattr(agent, "reset"):
            _ask(agent.reset, episode.task.instruction)
        for number in range(max_steps):
            if number < len(past):
                if hasattr(agent, "recall"):
                    _ask(agent.recall, observation, past[number])
                observation = episode.step(past[number])
            else:
                if account is not None:
                    account.afford()
                asked = time.perf_counter()
                try:
                    action = _action(_ask(agent.act, observation))
                finally:
                    spent = _settle(episode, agent, account)
                observation = episode.step(action, time.perf_counter() - asked, spent)
            if episode.intent is not None:
                return Ending(outcome="intercepted", reason="the purchase was recorded, not made")
    except (StorageError, ConfigError, Leak):
        raise
    except WindowshopError as error:
        return ending_of(error)
    return Ending(outcome="step_limit", reason=f"no purchase within {max_steps} steps")


def ending_of(error: WindowshopError) -> Ending:
    """Return the ending that an error is."""
    detail = error.reason if isinstance(error, Challenged) else getattr(error, "limit", None)
    return Ending(
        outcome=f"{error.outcome}:{detail}" if detail else error.outcome,
        reason="; ".join([str(error), *getattr(error, "__notes__", [])]),
    )


def _settle(episode: Episode, agent: Agent, account: Account | None) -> Spent:
    """Write down what the agent asked others, and return what that took."""
    spent = Spent()
    if not isinstance(agent, Telling):
        return spent
    for exchange in agent.exchanges():
        spent += exchange.spent
        episode.keep(exchange)
    if account is not None:
        account.note(spent)
    return spent


def _action(answer: object) -> str:
    if not isinstance(answer, str):
        raise AgentError(f"the agent answered a {type(answer).__name__}, not a string")
    return answer


def _ask(method: object, *arguments: Observation | str) -> object:
    """Call the agent; whatever goes wrong inside it is an `AgentError` with its own words."""
    try:
        return method(*arguments)  # type: ignore[operator]
    except WindowshopError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
