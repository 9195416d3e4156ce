"""One worker's place at the commons: the attempt that it makes now, and all that this may take and write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

from windowshop.episodes import Spent
from windowshop.errors import ReplayMiss
from windowshop.journal import line_of
from windowshop.runs.commons import Commons, JournalName
from windowshop.runs.limits import Limits, budget_spent
from windowshop.transports.warc import write_page
from windowshop.wire import Request, Response, Transport


class Desk:
    """Speak to the commons for one attempt at a time; `spent` is what this one took so far."""

    name = "shelf"

    def __init__(self, commons: Commons, limits: Limits, run_limits: Limits) -> None:
        self.spent = Spent()
        self.steps = _Lines(self, "steps")
        self.purchases = _Lines(self, "purchases")
        self.audit = _Lines(self, "audit")
        self.exchanges = _Lines(self, "exchanges")
        self._commons = commons
        self._limits = limits
        self._is_run_limited = run_limits.are_spent
        self._token = 0
        self.hosts = _RunHosts(self, commons)

    def begin(self, episode: str) -> None:
        """Begin an attempt at an episode."""
        self.spent = Spent()
        self._token = self._commons.begin(episode)

    def write(self, journal: JournalName, record: BaseModel | dict[str, Any]) -> None:
        """Write one line of the attempt."""
        self._commons.append(self._token, journal, line_of(record))

    def ask(self) -> None:
        """Take one request; raise `BudgetSpent` where a limit leaves none."""
        one = Spent(requests=1)
        mine = self._limits.reached(self.spent, by_fetching=True)
        if mine is not None or self._is_run_limited:
            self._stop_at(mine, self._commons.ask(self._token) if mine is None else None)
        else:
            self._commons.spend(self._token, one)
        self.spent += one

    def note(self, more: Spent) -> None:
        """Note what was taken."""
        self.spent += more
        self._commons.spend(self._token, more)

    def afford(self) -> None:
        """Raise `BudgetSpent` where a limit leaves nothing for another answer of the agent."""
        mine = self._limits.reached(self.spent)
        asks = mine is None and self._is_run_limited
        self._stop_at(mine, self._commons.reached(self._token) if asks else None)

    def fetch(self, request: Request) -> Response:
        """Return a page that the run has already; raise `ReplayMiss` where there is none."""
        page = self._commons.recall(request.url)
        if page is None:
            raise ReplayMiss(request.url, ())
        return page

    def append(self, request: Request, response: Response) -> None:
        """Record a page that was fetched."""
        self._commons.record(self._token, request.url, write_page(request, response))

    def keep(self, name: str, data: bytes) -> None:
        """Keep a file in the run folder."""
        self._commons.keep(name, data)

    @contextmanager
    def hold(self, url: str) -> Iterator[bool]:
        """Keep other episodes from an address meanwhile, and say whether the run has its page."""
        token = self._token
        is_there = self._commons.claim(token, url)
        try:
            yield is_there
        finally:
            self._commons.release(token, url)

    @property
    def token(self) -> int:
        """Return the attempt that is made now."""
        return self._token

    @staticmethod
    def _stop_at(mine: str | None, theirs: str | None) -> None:
        if mine is not None:
            raise budget_spent(mine)
        if theirs is not None:
            raise budget_spent(f"run:{theirs}")


class Metered:
    """Fetch what the purse allows, and count it."""

    def __init__(self, transport: Transport, desk: Desk) -> None:
        self.name = transport.name
        self._transport = transport
        self._desk = desk

    def fetch(self, request: Request) -> Response:
        """Fetch one page; raise `BudgetSpent` before it is asked for."""
        self._desk.ask()
        response = self._transport.fetch(request)
        self._desk.note(Spent(bytes=len(response.body), credits=response.credits))
        return response


class _RunHosts:
    """Know the hosts together with all the other workers of the run."""

    def __init__(self, desk: Desk, commons: Commons) -> None:
        self._desk = desk
        self._commons = commons
        self.rules = commons.rules
        self.keep_rules = commons.keep_rules
        self.blocks = commons.blocks
        self.note_answer = commons.note_answer

    @contextmanager
    def turn(self, host: str, at_least: float = 0.0) -> Iterator[None]:
        token = self._desk.token
        self._commons.take_turn(token, host, at_least)
        try:
            yield
        finally:
            self._commons.end_turn(token, host)


class _Lines:
    def __init__(self, desk: Desk, journal: JournalName) -> None:
        self._desk = desk
        self._journal = journal

    def append(self, record: BaseModel | dict[str, Any]) -> None:
        self._desk.write(self._journal, record)
