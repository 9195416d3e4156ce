"""How often a host has turned us away, and what follows from it."""

from __future__ import annotations

import threading
from collections import Counter

from windowshop.errors import RateLimited

MOST_BLOCKS = 3
FIRST_PAUSE = 3.0


class Blocks:
    """Count how often each host has turned us away in a row. Threads may share it."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, host: str) -> int:
        """Return how often a host has turned us away in a row."""
        with self._lock:
            return self._counts[host]

    def note(self, host: str, is_blocked: bool) -> None:
        """Note how a host answered."""
        with self._lock:
            self._counts[host] = self._counts[host] + 1 if is_blocked else 0


SHARED_BLOCKS = Blocks()
"""Where this process has been turned away."""


def require_welcome(host: str, blocks: int) -> None:
    """Raise `RateLimited` for a host that has turned us away too often: it is left alone for good."""
    if blocks >= MOST_BLOCKS:
        raise RateLimited(f"{host} has turned us away {blocks} times in a row; it is left alone")


def pause_after(blocks: int) -> float:
    """Return the seconds to wait at least: twice as long after each time that we were turned away."""
    return float(FIRST_PAUSE * (2.0**blocks - 1.0))
