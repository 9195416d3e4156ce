"""WebShop's released agents: a BERT that chooses among the actions, a BART that writes the search."""

from windowshop.agents.webshop.agent import WebshopAgent, load_webshop_agent

__all__ = ["WebshopAgent", "load_webshop_agent"]
