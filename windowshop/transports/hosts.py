"""What all who visit a host must know together: whose turn it is, its rules for robots, if we are welcome."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from windowshop.transports.blocks import SHARED_BLOCKS, Blocks
from windowshop.transports.pace import SHARED_PACE, Turns


class Hosts(Turns, Protocol):
    """Whatever keeps this, for all who share it."""

    def rules(self, host: str) -> str | None:
        """Return the robots.txt of a host, if somebody has read it."""

    def keep_rules(self, host: str, rules: str) -> None:
        """Keep the robots.txt of a host."""

    def blocks(self, host: str) -> int:
        """Return how often a host has turned us away in a row."""

    def note_answer(self, host: str, is_blocked: bool) -> None:
        """Note whether a host has turned us away."""


class KnownHosts:
    """Keep it in this process, and the turns with all processes of this user. May be shared by threads."""

    def __init__(self, pace: Turns | None = None, blocks: Blocks = SHARED_BLOCKS) -> None:
        self._pace = SHARED_PACE if pace is None else pace
        self._blocks = blocks
        self._rules: dict[str, str] = {}

    def turn(self, host: str, at_least: float = 0.0) -> AbstractContextManager[None]:
        """Hold the host's turn; it begins when the pause since the last one is over."""
        return self._pace.turn(host, at_least)

    def rules(self, host: str) -> str | None:
        """Return the robots.txt of a host, if somebody has read it."""
        return self._rules.get(host)

    def keep_rules(self, host: str, rules: str) -> None:
        """Keep the robots.txt of a host."""
        self._rules[host] = rules

    def blocks(self, host: str) -> int:
        """Return how often a host has turned us away in a row."""
        return self._blocks.count(host)

    def note_answer(self, host: str, is_blocked: bool) -> None:
        """Note whether a host has turned us away."""
        self._blocks.note(host, is_blocked)
