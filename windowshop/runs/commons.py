"""What the workers of one run share: its files, its pages, its purse. The parent holds it, and it alone.

Threads call it; other processes and machines call it through a proxy that their engine gives them, so every
argument and every answer is a plain value.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple

from windowshop.episodes import Spent
from windowshop.errors import StorageError
from windowshop.runs.folder import RunFolder, keep_file
from windowshop.runs.limits import Limits
from windowshop.runs.memo import is_fresh
from windowshop.transports.hosts import Hosts, KnownHosts
from windowshop.transports.recording import PAGES, Recorder
from windowshop.transports.replay import Replay
from windowshop.wire import Request, Response

JournalName = Literal["steps", "purchases", "audit", "exchanges"]


class Abandoned(StorageError):
    """The parent has ended this attempt at an episode: whatever it still does is not written."""


class Attempt(NamedTuple):
    """One attempt at an episode: when it began, what was taken, how many steps are written."""

    token: int
    began: float
    spent: Spent = Spent()
    steps: int = 0


class Commons:
    """Keep what is written in order and what is shared in one place.

    An attempt at an episode has a token; when the parent ends it, or begins another attempt, nothing is
    taken from the old one any more. `pages` are those that this run has already.
    """

    def __init__(
        self,
        folder: RunFolder,
        limits: Limits,
        spent: Spent,
        pages: Replay,
        page_seconds: float | None = None,
        hosts: Hosts | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._spent = spent
        self._pages = pages
        self._page_seconds = page_seconds
        self._hosts = KnownHosts() if hosts is None else hosts
        self._clock = clock
        self._turns: dict[tuple[int, str], AbstractContextManager[None]] = {}
        self._recorder: Recorder | None = None
        self._attempts: dict[str, Attempt] = {}
        self._episodes: dict[int, str] = {}
        self._claims: dict[str, int] = {}
        self._tokens = 0
        self._is_closed = False
        self._changed = threading.Condition()

    def begin(self, episode: str) -> int:
        """Begin an attempt, in place of any other at the same episode."""
        with self._changed:
            if self._is_closed:
                raise Abandoned("the run has ended")
            self._end(episode)
            self._tokens += 1
            self._attempts[episode] = Attempt(self._tokens, self._clock())
            self._episodes[self._tokens] = episode
            return self._tokens

    def end(self, episode: str) -> Attempt | None:
        """End the attempt at an episode and tell what it came to; None where none was begun."""
        with self._changed:
            return self._end(episode)

    def began(self, episode: str) -> float | None:
        """Return when the attempt at an episode began, by the monotonic clock."""
        with self._changed:
            attempt = self._attempts.get(episode)
            return None if attempt is None else attempt.began

    def append(self, token: int, journal: JournalName, line: bytes) -> None:
        """Write one line; it is on disk when this returns. Raises `Abandoned` for an attempt that ended.

        A step is written before another attempt can begin, so that no two attempts are mixed.
        """
        with self._changed:
            attempt = self._require(token)
            if journal == "steps":
                self._folder.steps.append_line(line)
                self._update(attempt._replace(steps=attempt.steps + 1))
                return
        getattr(self._folder, journal).append_line(line)

    def spend(self, token: int, more: Spent) -> None:
        """Note what an attempt took."""
        with self._changed:
            attempt = self._require(token)
            self._update(attempt._replace(spent=attempt.spent + more))
            self._spent += more

    def reached(self, token: int) -> str | None:
        """Name the limit of the run that leaves no other answer to any agent."""
        with self._changed:
            self._require(token)
            return self._limits.reached(self._spent)

    def ask(self, token: int) -> str | None:
        """Take one request from the run's purse, or name the limit that was reached."""
        with self._changed:
            attempt = self._require(token)
            limit = self._limits.reached(self._spent, by_fetching=True)
            if limit is None:
                one = Spent(requests=1)
                self._update(attempt._replace(spent=attempt.spent + one))
                self._spent += one
            return limit

    def claim(self, token: int, url: str) -> bool:
        """Wait until nobody else reads the page at an address, hold it, and say whether this run has it."""
        with self._changed:
            self._require(token)
            while self._claims.setdefault(url, token) != token:
                self._changed.wait()
                self._require(token)
        return self._pages.holds(url)

    def release(self, token: int, url: str) -> None:
        """Let others have an address."""
        with self._changed:
            if self._claims.get(url) == token:
                del self._claims[url]
                self._changed.notify_all()

    def take_turn(self, token: int, host: str, at_least: float) -> None:
        """Wait for the host's turn and hold it."""
        turn = self._hosts.turn(host, at_least)
        turn.__enter__()
        with self._changed:
            if token in self._episodes:
                self._turns[token, host] = turn
                return
        turn.__exit__(None, None, None)
        raise Abandoned("the attempt at this episode was ended")

    def end_turn(self, token: int, host: str) -> None:
        """Let others have the host."""
        with self._changed:
            turn = self._turns.pop((token, host), None)
        if turn is not None:
            turn.__exit__(None, None, None)

    def rules(self, host: str) -> str | None:
        """Return the robots.txt of a host, if a worker has read it."""
        return self._hosts.rules(host)

    def keep_rules(self, host: str, rules: str) -> None:
        """Keep the robots.txt of a host."""
        self._hosts.keep_rules(host, rules)

    def blocks(self, host: str) -> int:
        """Return how often a host has turned the run away in a row."""
        return self._hosts.blocks(host)

    def note_answer(self, host: str, is_blocked: bool) -> None:
        """Note whether a host has turned a worker away."""
        self._hosts.note_answer(host, is_blocked)

    def recall(self, url: str) -> Response | None:
        """Return the page that this run has of an address, unless it is too old."""
        if not self._pages.holds(url):
            return None
        page = self._pages.fetch(Request(url=url))
        return page if is_fresh(page.at, self._page_seconds) else None

    def record(self, token: int, url: str, packed: bytes) -> None:
        """Keep a page that was fetched, packed by `write_page`; it is on disk when this returns.

        One that comes after its attempt was ended is kept too, so that it need not be fetched again, unless
        somebody else has asked for it since: that raises `Abandoned`.
        """
        with self._changed:
            if token not in self._episodes and (
                self._is_closed or url in self._claims or self._pages.holds(url)
            ):
                raise Abandoned("the attempt at this episode was ended")
            if self._recorder is None:
                self._recorder = Recorder(self._folder.path / PAGES)
        start = self._recorder.append_packed(packed)
        self._pages.add(url, self._recorder.path, start)

    def keep(self, name: str, data: bytes) -> None:
        """Keep a file in the run folder."""
        keep_file(self._folder.path, name, data)

    def close(self) -> None:
        """End every attempt and close the recording; the folder stays open."""
        with self._changed:
            self._is_closed = True
            for episode in tuple(self._attempts):
                self._end(episode)
        if self._recorder is not None:
            self._recorder.close()

    def _end(self, episode: str) -> Attempt | None:
        attempt = self._attempts.pop(episode, None)
        if attempt is not None:
            del self._episodes[attempt.token]
            self._claims = {url: token for url, token in self._claims.items() if token != attempt.token}
            for held in [held for held in self._turns if held[0] == attempt.token]:
                self._turns.pop(held).__exit__(None, None, None)
            self._changed.notify_all()
        return attempt

    def _require(self, token: int) -> Attempt:
        episode = self._episodes.get(token)
        if episode is None:
            raise Abandoned("the attempt at this episode was ended")
        return self._attempts[episode]

    def _update(self, attempt: Attempt) -> None:
        self._attempts[self._episodes[attempt.token]] = attempt
