"""Manners: one request at a time to a host, a pause after each, and the host's rules for robots."""

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
from http import HTTPStatus
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from filelock import FileLock
from loguru import logger
from protego import Protego

from windowshop.errors import FetchError, RateLimited, Refused, StorageError
from windowshop.transports.blocks import SHARED_BLOCKS, Blocks
from windowshop.transports.identity import ROBOT
from windowshop.transports.permits import Permits, require
from windowshop.transports.retry import failure_of
from windowshop.wire import Decision, Request, Response, Transport

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


class Polite:
    """Fetch as a good guest does: in its turn, and only what robots.txt lets a `windowshop` read.

    The rules are fetched once a host, through the same transport and in a turn of their own, after `permits`
    was asked. Where a host has no rules (4xx) everything may be read; where they cannot be had, nothing: the
    failure is raised instead. A host that says 429, 403 or "come back later" is asked at ever longer
    intervals, and after `MOST_BLOCKS` such answers in a row no more.
    """

    def __init__(
        self,
        transport: Transport,
        pace: Turns = SHARED_PACE,
        permits: Permits | None = None,
        blocks: Blocks = SHARED_BLOCKS,
    ) -> None:
        self.name = transport.name
        self._transport = transport
        self._pace = pace
        self._permits = permits
        self._blocks = blocks
        self._rules: dict[str, Protego] = {}

    def fetch(self, request: Request) -> Response:
        """Fetch in turn.

        Raises `Refused` by the rule "robots" for what the host closes to robots, and `RateLimited` where it
        has turned us away too often.
        """
        host = urlsplit(request.url).netloc
        self._blocks.require_welcome(host)
        rules = self._rules_of(request.url, host)
        if not rules.can_fetch(request.url, ROBOT):
            reason = f"the robots.txt of {host} closes this address to robots"
            raise Refused(Decision(verdict="refuse", rule="robots", reason=reason), request.url)
        pause = max(rules.crawl_delay(ROBOT) or 0.0, self._blocks.pause(host))
        with self._pace.turn(host, at_least=pause):
            self._blocks.require_welcome(host)
            response = self._transport.fetch(request)
        is_limited = isinstance(failure_of(response), RateLimited)
        self._blocks.note(host, is_limited or response.status == HTTPStatus.FORBIDDEN)
        return response

    def _rules_of(self, url: str, host: str) -> Protego:
        if host not in self._rules:
            address = urlunsplit((urlsplit(url).scheme, host, "/robots.txt", "", ""))
            with self._pace.turn(host):
                if host not in self._rules:
                    if self._permits is not None:
                        require(self._permits, address)
                    self._rules[host] = _read_rules(self._transport.fetch(Request(url=address)))
        return self._rules[host]


def _read_rules(response: Response) -> Protego:
    """Read a robots.txt; raise `FetchError` for an answer that leaves the rules unknown (RFC 9309, 2.3.1)."""
    failure = failure_of(response)
    if failure is not None:
        raise failure
    if response.status >= HTTPStatus.BAD_REQUEST:
        return Protego.parse("")
    if response.status != HTTPStatus.OK:
        raise FetchError(f"no rules for robots: {response.status} at {response.url}")
    return Protego.parse(response.body.decode("utf-8", "replace"))
