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
from windowshop.wire import Request, Response, Transport


class Desk:
    """Speak to the commons for one attempt at a time; `spent` is what this one took so far."""

    name = "shelf"

    def __init__(self, commons: Commons, limits: Limits) -> None:
        self.spent = Spent()
        self.steps = _Lines(self, "steps")
        self.purchases = _Lines(self, "purchases")
        self.audit = _Lines(self, "audit")
        self.exchanges = _Lines(self, "exchanges")
        self._commons = commons
        self._limits = limits
        self._token = 0

    def begin(self, episode: str) -> None:
        """Begin an attempt at an episode."""
        self.spent = Spent()
        self._token = self._commons.begin(episode)

    def write(self, journal: JournalName, record: BaseModel | dict[str, Any]) -> None:
        """Write one line of the attempt."""
        self._commons.append(self._token, journal, line_of(record))

    def ask(self) -> None:
        """Take one request; raise `BudgetSpent` where a limit leaves none."""
        limit = self._limits.reached(self.spent, by_fetching=True)
        self._stop_at(limit, self._commons.ask(self._token) if limit is None else None)
        self.spent += Spent(requests=1)

    def note(self, more: Spent) -> None:
        """Note what was taken."""
        self.spent += more
        self._commons.spend(self._token, more)

    def afford(self) -> None:
        """Raise `BudgetSpent` where a limit leaves nothing for another answer of the agent."""
        mine = self._limits.reached(self.spent)
        self._stop_at(mine, self._commons.reached(self._token) if mine is None else None)

    def holds(self, url: str) -> bool:
        """Say whether the run has a page of this address, be it too old."""
        return self._commons.holds(url)

    def fetch(self, request: Request) -> Response:
        """Return a page that the run has already; raise `ReplayMiss` where there is none."""
        page = self._commons.recall(request.url)
        if page is None:
            raise ReplayMiss(request.url, ())
        return page

    def append(self, request: Request, response: Response) -> None:
        """Record a page that was fetched."""
        self._commons.record(request, response)

    def keep(self, name: str, data: bytes) -> None:
        """Keep a file in the run folder."""
        self._commons.keep(name, data)

    @contextmanager
    def hold(self, url: str) -> Iterator[None]:
        """Hold an address, so that no other episode fetches it meanwhile."""
        token = self._token
        self._commons.claim(token, url)
        try:
            yield
        finally:
            self._commons.release(token, url)

    @contextmanager
    def turn(self, host: str, at_least: float = 0.0) -> Iterator[None]:
        """Hold a host's turn, with all the other workers of the run."""
        token = self._token
        self._commons.take_turn(token, host, at_least)
        try:
            yield
        finally:
            self._commons.end_turn(token, host)

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


class _Lines:
    def __init__(self, desk: Desk, journal: JournalName) -> None:
        self._desk = desk
        self._journal = journal

    def append(self, record: BaseModel | dict[str, Any]) -> None:
        self._desk.write(self._journal, record)
