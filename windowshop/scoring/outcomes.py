"""Whose doing an episode's end was: the agent's, or that of everything around it."""

from __future__ import annotations

from typing import Final

ENVIRONMENT: Final = frozenset(
    {
        "blocked",
        "site_error",
        "refused",
        "replay_miss",
        "page_error",
        "model_error",
        "interrupted",
        "error",
        "leak",
    }
)
"""Outcomes that say nothing about the agent. Scores are given without and with them, both stated."""


def is_environment(outcome: str) -> bool:
    """Say whether the environment ended the episode (or the purse of the whole run), and not the agent."""
    return outcome.partition(":")[0] in ENVIRONMENT or outcome.startswith("budget:run:")
