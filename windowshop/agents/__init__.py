"""Agents: anything with `act(observation) -> str`, found by name, entry point or `module:factory`."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

from windowshop.errors import ConfigError, WindowshopError
from windowshop.views import Observation

BUILT_IN = {
    "rule": "windowshop.agents.rule:RuleAgent",
    "human": "windowshop.agents.human:HumanAgent",
    "scripted": "windowshop.agents.scripted:ScriptedAgent",
}


@runtime_checkable
class Agent(Protocol):
    """Choose an action, a string such as `search[red shoes]` or `click[buy now]`, for what is on view.

    An agent may also have `reset(instruction: str)`, called before each episode.
    """

    def act(self, observation: Observation) -> str:
        """Return the next action."""


def load_agent(spec: str, seed: int = 0) -> Agent:
    """Return the agent that `spec` names: `rule`, `human`, `scripted:FILE`, an entry point, `module:factory`.

    A factory that takes an argument `seed` is given it. Raises `ConfigError` naming what was tried.
    """
    name, _, argument = spec.partition(":")
    if name == "scripted":
        return _check(spec, _factory(BUILT_IN[name])(argument))
    if spec in BUILT_IN:
        return _check(spec, _factory(BUILT_IN[spec])())
    for point in entry_points(group="windowshop.agents"):
        if point.name == spec:
            return _check(spec, _seeded(point.load(), seed))
    if not argument:
        raise ConfigError(
            f"unknown agent {spec!r}; known: rule, human, scripted:FILE, or your own as module:factory"
        )
    return _check(spec, _seeded(_factory(spec), seed))


def _factory(spec: str) -> Any:
    module, _, name = spec.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` does, so that an agent in the current directory is found
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # whatever somebody's module does on import
        raise ConfigError(f"cannot load agent {spec!r}: {error}") from error


def _seeded(factory: Any, seed: int) -> Any:
    try:
        takes_seed = "seed" in inspect.signature(factory).parameters
    except (TypeError, ValueError):  # a builtin tells nothing of its arguments
        takes_seed = False
    try:
        return factory(seed=seed) if takes_seed else factory()
    except WindowshopError:
        raise
    except Exception as error:  # whatever somebody's factory does
        raise ConfigError(f"cannot make agent {factory!r}: {type(error).__name__}: {error}") from error


def _check(spec: str, agent: Any) -> Agent:
    if not isinstance(agent, Agent):
        raise ConfigError(
            f"{spec!r} gave a {type(agent).__name__}, which has no method act(observation) -> str"
        )
    return agent
