"""Manners: one request at a time to a host, a pause after each, and the host's rules for robots."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from urllib.parse import urlsplit, urlunsplit

from loguru import logger
from protego import Protego

from windowshop.errors import FetchError, Refused
from windowshop.transports.identity import ROBOT
from windowshop.transports.permits import Permits, require
from windowshop.transports.retry import failure_of
from windowshop.wire import Decision, Request, Response, Transport

DELAY = 3.0
JITTER = 0.5
_LONG = 60.0


class Pace:
    """One turn at a time for each host, and at least `delay` seconds between two turns.

    Up to half as much again is added by lot. Threads share a pace by sharing the object; processes
    cannot, so give each of n processes n times the delay.
    """

    def __init__(
        self,
        delay: float = DELAY,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.delay = delay
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._ended: dict[str, float] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, host: str, at_least: float = 0.0) -> Iterator[None]:
        """Hold the host's turn; it begins when the pause since the last one is over."""
        with self._lock:
            lock = self._locks[host]
        with lock:
            pause = max(self.delay, at_least) * (1 + JITTER * self._jitter())
            wait = self._ended.get(host, float("-inf")) + pause - self._clock()
            if wait > _LONG:
                logger.warning("{} is asked again in {:.0f} s", host, wait)
            if wait > 0:
                self._sleep(wait)
            try:
                yield
            finally:
                self._ended[host] = self._clock()


SHARED_PACE = Pace()
"""The pace of every live transport in this process."""


class Polite:
    """Fetch as a good guest does: in its turn, and only what robots.txt lets a `windowshop` read.

    The rules are fetched once a host, through the same transport and in a turn of their own, after `permits`
    was asked. Where a host has no
    rules (4xx) everything may be read; where they cannot be had, nothing: the failure is raised instead.
    """

    def __init__(
        self, transport: Transport, pace: Pace = SHARED_PACE, permits: Permits | None = None
    ) -> None:
        self.name = transport.name
        self._transport = transport
        self._pace = pace
        self._permits = permits
        self._rules: dict[str, Protego] = {}

    def fetch(self, request: Request) -> Response:
        """Fetch in turn; raise `Refused` by the rule "robots" for what the host closes to robots."""
        host = urlsplit(request.url).netloc
        rules = self._rules_of(request.url, host)
        if not rules.can_fetch(request.url, ROBOT):
            reason = f"the robots.txt of {host} closes this address to robots"
            raise Refused(Decision(verdict="refuse", rule="robots", reason=reason), request.url)
        with self._pace.turn(host, at_least=rules.crawl_delay(ROBOT) or 0.0):
            return self._transport.fetch(request)

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
