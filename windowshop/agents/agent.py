"""What an agent is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from windowshop.episodes import Exchange
from windowshop.views import Observation


@runtime_checkable
class Agent(Protocol):
    """Choose an action, a string such as `search[red shoes]` or `click[buy now]`, for what is on view.

    An agent may also have `reset(instruction: str)`, called before each episode; `reseed(seed: int)`, called
    before that; `recall(observation, action)`, told what it did in an episode that now goes on; `close()`.
    """

    def act(self, observation: Observation) -> str:
        """Return the next action."""


@runtime_checkable
class Telling(Protocol):
    """An agent that asks others (a model, another program), and tells what it asked and was answered."""

    def exchanges(self) -> list[Exchange]:
        """Return the exchanges since this was last called."""
