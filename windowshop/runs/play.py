"""Let an agent act until the episode ends, and say how it ended."""

from __future__ import annotations

import time

from windowshop.agents import Agent
from windowshop.errors import AgentError, Challenged, ConfigError, StorageError, WindowshopError
from windowshop.frozen import Frozen
from windowshop.runs.episode import Episode
from windowshop.views import Observation


class Ending(Frozen):
    """How an episode ended: a typed outcome (see `EpisodeResult`) and why."""

    outcome: str
    reason: str | None = None


def play(episode: Episode, agent: Agent, max_steps: int) -> Ending:
    """Let the agent act until it buys, fails, or has taken `max_steps` steps.

    Every `WindowshopError` becomes an ending, but for `StorageError` and `ConfigError` (a wrong key, say),
    which end the whole run.
    """
    try:
        observation = episode.reset()
        if hasattr(agent, "reset"):
            _ask(agent.reset, episode.task.instruction)
        for _ in range(max_steps):
            asked = time.perf_counter()
            action = _ask(agent.act, observation)
            observation = episode.step(action, time.perf_counter() - asked)
            if episode.intent is not None:
                return Ending(outcome="intercepted", reason="the purchase was recorded, not made")
    except (StorageError, ConfigError):
        raise
    except Challenged as error:
        return Ending(outcome=f"{error.outcome}:{error.reason}", reason=str(error))
    except WindowshopError as error:
        return Ending(outcome=error.outcome, reason="; ".join([str(error), *getattr(error, "__notes__", [])]))
    return Ending(outcome="step_limit", reason=f"no purchase within {max_steps} steps")


def _ask(method: object, argument: Observation | str) -> str:
    """Call the agent; whatever goes wrong inside it is an `AgentError` with its own words."""
    try:
        answer = method(argument)  # type: ignore[operator]
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    if isinstance(argument, Observation) and not isinstance(answer, str):
        raise AgentError(f"the agent answered a {type(answer).__name__}, not a string")
    return answer  # type: ignore[no-any-return]
