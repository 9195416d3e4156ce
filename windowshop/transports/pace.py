"""One request at a time to a host, and a pause after each."""

from __future__ import annotations

import os
import random
import re
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from filelock import FileLock
from loguru import logger

from windowshop.errors import StorageError

DELAY = 3.0
JITTER = 0.5
_LONG = 60.0


class Turns(Protocol):
    """Whatever holds the turns at each host, for all who share it."""

    def turn(self, host: str, at_least: float = 0.0) -> AbstractContextManager[None]:
        """Hold the host's turn; it begins when the pause since the last one is over."""


class Pace:
    """One turn at a time for each host, and at least `delay` seconds between two turns.

    Up to half as much again is added by lot. Threads share a pace by sharing the object; with a `ledger`, a
    folder, so do all processes of this machine that name the same one.
    """

    def __init__(
        self,
        delay: float = DELAY,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        ledger: Path | None = None,
    ) -> None:
        self.delay = delay
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._ledger = ledger
        self._ended: dict[str, float] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, host: str, at_least: float = 0.0) -> Iterator[None]:
        """Hold the host's turn; it begins when the pause since the last one is over."""
        with self._lock:
            lock = self._locks[host]
        with lock, self._entry(host) as entry:
            pause = max(self.delay, at_least) * (1 + JITTER * self._jitter())
            ended = max(self._ended.get(host, float("-inf")), _read_time(entry, self._clock()))
            wait = ended + pause - self._clock()
            if wait > _LONG:
                logger.warning("{} is asked again in {:.0f} s", host, wait)
            if wait > 0:
                self._sleep(wait)
            try:
                yield
            finally:
                self._ended[host] = self._clock()
                if entry is not None:
                    entry.write_text(f"{self._ended[host]!r}\n", "ascii")

    @contextmanager
    def _entry(self, host: str) -> Iterator[Path | None]:
        """Hold the host's entry in the ledger, where there is one."""
        if self._ledger is None:
            yield None
            return
        name = re.sub(r"[^A-Za-z0-9.-]", "_", host)
        try:
            self._ledger.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot share turns in {self._ledger}: {error.strerror}") from error
        # a turn may end in another thread than it began in
        with FileLock(self._ledger / f"{name}.lock", thread_local=False):
            yield self._ledger / name


def _read_time(entry: Path | None, now: float) -> float:
    """Return when the last turn in an entry ended; a time to come is of another start of the machine."""
    try:
        ended = float(entry.read_text("ascii")) if entry is not None else float("-inf")
    except (OSError, ValueError):
        return float("-inf")
    return ended if ended <= now else float("-inf")


_USER = os.getuid() if hasattr(os, "getuid") else "shared"
SHARED_PACE = Pace(ledger=Path(tempfile.gettempdir(), f"windowshop-turns-{_USER}"))
"""The pace of every live transport of this user on this machine."""
