"""A crew of threads in the parent, each of which sees to one worker: itself, or a process of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from windowshop.episodes import EpisodeResult
from windowshop.runs.engines.engine import Lost
from windowshop.runs.plan import Trial

_PATIENCE = 5.0


class Player(Protocol):
    """Whatever plays one trial after the other."""

    def play(self, trial: Trial, past: tuple[str, ...] = ()) -> EpisodeResult:
        """Play a trial to its end."""

    def close(self) -> None:
        """Close what was opened for the trials."""

    def kill(self) -> None:
        """End the trial that is being played, as far as that can be done from another thread."""


class Alone:
    """Play each trial at once, in the parent's own thread: where a person plays, and nothing is timed."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def submit(self, trial: Trial, past: tuple[str, ...] = ()) -> Future[EpisodeResult]:
        """Play a trial."""
        future: Future[EpisodeResult] = Future()
        try:
            future.set_result(self._player.play(trial, past))
        except BaseException as error:  # an interrupt too: the parent records what was in flight
            future.set_exception(error)
        return future

    def abandon(self, future: Future[EpisodeResult]) -> None:
        """Do nothing: nothing is in flight here."""


class Crew:
    """Play trials in as many hands as are wanted at once; a hand that is free is used again."""

    def __init__(self, make: Callable[[], Player]) -> None:
        self._make = make
        self._idle: list[_Hand] = []
        self._busy: dict[Future[EpisodeResult], _Hand] = {}
        self._lock = threading.Lock()

    def submit(self, trial: Trial, past: tuple[str, ...] = ()) -> Future[EpisodeResult]:
        """Begin a trial."""
        order = _Order(trial, past, Future())
        with self._lock:
            hand = self._idle.pop() if self._idle else None
            if hand is None:
                hand = _Hand(self._make, self._rest)
                hand.start()
            self._busy[order.future] = hand
        hand.orders.put(order)
        return order.future

    def abandon(self, future: Future[EpisodeResult]) -> None:
        """Give a trial up, and its hand with it; another takes its place."""
        with self._lock:
            hand = self._busy.pop(future, None)
        if hand is not None:
            hand.dismiss()

    def _rest(self, hand: _Hand, future: Future[EpisodeResult]) -> None:
        with self._lock:
            if self._busy.pop(future, None) is not None:
                self._idle.append(hand)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let every hand close what it has open; one that hangs in an agent is not waited for."""
        with self._lock:
            idle, busy = [*self._idle], [*self._busy.values()]
            self._busy.clear()
        for hand in busy:
            hand.dismiss()
        for hand in idle:
            hand.orders.put(None)
        until = time.monotonic() + _PATIENCE
        for hand in (*idle, *busy):
            hand.join(max(0.0, until - time.monotonic()))


class _Order(NamedTuple):
    trial: Trial
    past: tuple[str, ...]
    future: Future[EpisodeResult]


class _Hand(threading.Thread):
    def __init__(
        self, make: Callable[[], Player], rest: Callable[[_Hand, Future[EpisodeResult]], None]
    ) -> None:
        super().__init__(name="windowshop-worker", daemon=True)
        self.orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._make = make
        self._rest = rest
        self._player: Player | None = None
        self._is_dismissed = False

    def dismiss(self) -> None:
        self._is_dismissed = True
        self.orders.put(None)
        if self._player is not None:
            self._player.kill()

    def run(self) -> None:
        while (order := self.orders.get()) is not None:
            try:
                if self._player is None:
                    self._player = self._make()
                if self._is_dismissed:
                    break
                result = self._player.play(order.trial, order.past)
            except BaseException as error:  # whatever it is, the parent decides
                if isinstance(error, Lost):
                    self._drop()
                self._rest(self, order.future)
                order.future.set_exception(error)
            else:
                self._rest(self, order.future)
                order.future.set_result(result)
        self._drop()

    def _drop(self) -> None:
        player, self._player = self._player, None
        if player is not None:
            player.close()
