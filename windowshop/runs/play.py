"""Let an agent act until the episode ends, and say how it ended."""

from __future__ import annotations

import time

from windowshop.agents import Agent
from windowshop.episodes import EpisodeResult
from windowshop.errors import AgentError, Challenged, WindowshopError
from windowshop.runs.episode import Episode
from windowshop.views import Observation


def play(
    episode: Episode, agent: Agent, agent_name: str, site: str, locale: str, max_steps: int
) -> EpisodeResult:
    """Return how the episode ended: a typed outcome, never an exception of windowshop's own.

    Raises `StorageError`, which ends the whole run, and lets `KeyboardInterrupt` pass.
    """
    began = time.perf_counter()
    outcome, reason = "step_limit", f"no purchase within {max_steps} steps"
    try:
        observation = episode.reset()
        if hasattr(agent, "reset"):
            _ask(agent.reset, episode.task.instruction)
        for _ in range(max_steps):
            asked = time.perf_counter()
            action = _ask(agent.act, observation)
            observation = episode.step(action, time.perf_counter() - asked)
            if episode.intent is not None:
                outcome, reason = "intercepted", "the purchase was recorded, not made"
                break
    except Challenged as error:
        outcome, reason = f"{error.outcome}:{error.reason}", str(error)
    except WindowshopError as error:
        if error.outcome == "storage_error":
            raise
        outcome, reason = error.outcome, "; ".join([str(error), *getattr(error, "__notes__", [])])
    return EpisodeResult(
        episode=episode.name,
        task=episode.task,
        site=site,
        locale=locale,
        agent=agent_name,
        outcome=outcome,
        reason=reason,
        steps=max(0, episode.count - 1),
        visits=episode.visits,
        intent=episode.intent,
        seconds=round(time.perf_counter() - began, 3),
    )


def _ask(method: object, argument: Observation | str) -> str:
    """Call the agent; whatever goes wrong inside it is an `AgentError` with its own words."""
    try:
        answer = method(argument)  # type: ignore[operator]
    except AgentError:
        raise
    except Exception as error:
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    if isinstance(argument, Observation) and not isinstance(answer, str):
        raise AgentError(f"the agent answered a {type(answer).__name__}, not a string")
    return answer  # type: ignore[no-any-return]
