"""From what the user writes behind `--agent` to an agent."""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from windowshop.agents.agent import Agent
from windowshop.agents.settings import AgentSettings
from windowshop.errors import ConfigError, WindowshopError
from windowshop.factory import load_factory

if TYPE_CHECKING:
    from windowshop.llm import Budget

KINDS = (
    "random, rule, rule+options, human, scripted:FILE, webshop-il, webshop-rl, llm, llm-tools, "
    "'cmd: PROGRAM', http://ADDRESS, or your own as module:factory"
)


def load_agent(
    spec: str, seed: int = 0, settings: AgentSettings | None = None, budget: Budget | None = None
) -> Agent:
    """Return the agent that `spec` names: one of `KINDS`, or an entry point.

    A factory of the user's that takes an argument `seed` or `settings` is given it. `budget` is what agents
    in several threads spend together; without it each agent has the settings' limits to itself. Raises
    `ConfigError` naming what was tried.
    """
    settings = settings or AgentSettings()
    agent = _built_in(spec, seed, settings, budget)
    if agent is not None:
        return agent
    for point in entry_points(group="windowshop.agents"):
        if point.name == spec:
            return _check(spec, _call(point.load(), seed, settings))
    if ":" not in spec.strip(":"):
        raise ConfigError(f"unknown agent {spec!r}; known: {KINDS}")
    return _check(spec, _call(load_factory(spec, "agent"), seed, settings))


def _built_in(spec: str, seed: int, settings: AgentSettings, budget: Budget | None) -> Agent | None:
    """Return one of our own agents; each is imported only when it is asked for."""
    name, _, argument = spec.partition(":")
    match name if name in ("scripted", "cmd", "http", "https") else spec:
        case "random":
            from windowshop.agents.random_choice import RandomAgent

            return RandomAgent(seed)
        case "rule" | "rule+options":
            from windowshop.agents.rule import RuleAgent

            return RuleAgent(options=spec == "rule+options")
        case "human":
            from windowshop.agents.human import HumanAgent

            return HumanAgent()
        case "scripted":
            from windowshop.agents.scripted import ScriptedAgent

            return ScriptedAgent(argument)
        case "webshop-il" | "webshop-rl":
            from windowshop.agents.webshop import load_webshop_agent

            return load_webshop_agent(spec, seed, settings)
        case "llm" | "llm-tools":
            from windowshop.agents.llm import load_llm_agent

            return load_llm_agent(spec, seed, settings, budget)
        case "cmd":
            from windowshop.agents.process import ProcessAgent

            return ProcessAgent(argument, settings.timeout)
        case "http" | "https":
            from windowshop.agents.remote import RemoteAgent

            return RemoteAgent(spec, settings.timeout)
    return None


def _call(factory: Any, seed: int, settings: AgentSettings) -> Any:
    """Make an agent, with as much of what we know as its factory wants to know."""
    try:
        taken = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # a builtin tells nothing of its arguments
        taken = {}  # type: ignore[assignment]
    known = {"seed": seed, "settings": settings}
    try:
        return factory(**{name: value for name, value in known.items() if name in taken})
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
