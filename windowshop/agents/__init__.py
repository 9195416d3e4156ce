"""Agents: anything with `act(observation) -> str`, found by name, entry point or `module:factory`."""

from windowshop.agents.agent import Agent, Telling
from windowshop.agents.load import load_agent
from windowshop.agents.settings import AgentSettings

__all__ = ["Agent", "AgentSettings", "Telling", "load_agent"]
