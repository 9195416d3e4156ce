"""The sessions of a server: so many at once, each its own client's, none kept that nobody uses."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from windowshop.env.text import WebAgentTextEnv
from windowshop.errors import BudgetSpent, ConfigError

MAX_SESSIONS = 256
IDLE_SECONDS = 1800.0
_NUMBERS = 2**53


class Pool:
    """Make environments and lend them by number, each to one call at a time. May be shared by threads.

    A session that was idle for `idle_seconds` is closed when the next call comes, whichever it is for.
    """

    def __init__(
        self,
        make: Callable[[int | None, str | None], WebAgentTextEnv],
        max_sessions: int = MAX_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._max_sessions = max_sessions
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._making = 0

    def create(self, goal: int | None = None, instruction: str | None = None) -> int:
        """Make a session for a goal or an instruction, else a goal that is drawn, and return its number.

        Raises `BudgetSpent` where there are too many, and what making one raises.
        """
        self._expire()
        with self._lock:
            if len(self._held) + self._making >= self._max_sessions:
                raise BudgetSpent(f"{self._max_sessions} sessions are open; close one first", "sessions")
            self._making += 1
        try:
            held = _Held(self._make(goal, instruction), self._clock())
        finally:
            with self._lock:
                self._making -= 1
        with self._lock:
            number = next(
                one for one in iter(lambda: secrets.randbelow(_NUMBERS), None) if one not in self._held
            )
            self._held[number] = held
        return number

    @contextmanager
    def lend(self, number: int) -> Iterator[WebAgentTextEnv]:
        """Lend a session to one call; raise `ConfigError` where there is none of that number."""
        self._expire()
        with self._lock:
            held = self._held.get(number)
        if held is None:
            raise ConfigError(
                f"there is no session {number}: it was closed, idle for too long, or never made"
            )
        with held.lock:
            if held.is_closed:
                raise ConfigError(f"session {number} was closed")
            held.used = self._clock()
            try:
                yield held.env
            finally:
                held.used = self._clock()

    def close(self, number: int) -> bool:
        """Close a session; say whether there was one."""
        with self._lock:
            held = self._held.pop(number, None)
        if held is None:
            return False
        held.close()
        return True

    def numbers(self) -> list[int]:
        """List the open sessions."""
        self._expire()
        with self._lock:
            return list(self._held)

    def close_all(self) -> None:
        """Close every session."""
        for number in tuple(self._held):
            self.close(number)

    def _expire(self) -> None:
        now = self._clock()
        with self._lock:
            old = [
                number
                for number, held in self._held.items()
                if now - held.used > self._idle_seconds and not held.lock.locked()
            ]
        for number in old:
            self.close(number)


class _Held:
    def __init__(self, env: Any, used: float) -> None:
        self.env = env
        self.used = used
        self.is_closed = False
        self.lock = threading.Lock()

    def close(self) -> None:
        with self.lock, suppress(ConfigError):
            if not self.is_closed:
                self.is_closed = True
                self.env.close()
