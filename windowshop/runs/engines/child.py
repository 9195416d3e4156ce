"""Workers in processes of their own: for browsers, torch, agents that must be killed when they hang, and
for more workers than one interpreter can serve.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from windowshop.episodes import EpisodeResult
from windowshop.errors import ConfigError, WindowshopError
from windowshop.runs.commons import Abandoned, Commons
from windowshop.runs.engines.calls import TOLD, Answer, Call, answer, remote
from windowshop.runs.engines.engine import Lost
from windowshop.runs.memo import Memo
from windowshop.runs.plan import Trial
from windowshop.runs.worker import Job, Worker

MOST_SEATS = 249
"""So many pipes can be handed over to a process at once: Linux takes 253 files, four are its own."""
_PATIENCE = 5.0
_M_ARENA_MAX = -8
_GONE = Answer(error=Abandoned("the attempt at this episode was ended"))
_PRELOADED = (
    __name__,
    "windowshop.adapters.amazon",
    "windowshop.adapters.ebay",
    "windowshop.agents.rule",
    "httpcore",
    "windowshop.transports.http",
    "windowshop.transports.politeness",
    "windowshop.transports.recording",
    "windowshop.transports.retry",
)


class Children:
    """Start processes as they are needed, each with `seats` workers, and give each worker a seat."""

    def __init__(self, job: Job, commons: Commons, seats: int = 1) -> None:
        self._job = job
        self._commons = commons
        self._seats = seats
        self._free: list[Child] = []
        self._homes: list[_Home] = []
        self._lock = threading.Lock()

    def seat(self) -> Child:
        """Return the other end of a worker that is free, in a process that is there."""
        with self._lock:
            while self._free:
                child = self._free.pop()
                if child.is_alive():
                    return child
                child.close()
            self._homes = [home for home in self._homes if home.await_end(0.0) is None]
            self._free = self._start()
            return self._free.pop()

    def close(self) -> None:
        """Let every process end; one that hangs is killed."""
        for child in self._free:
            child.close()
        until = time.monotonic() + _PATIENCE
        for home in self._homes:
            if home.await_end(max(0.0, until - time.monotonic())) is None:
                home.kill()
                home.await_end(_PATIENCE)

    def _start(self) -> list[Child]:
        """Start a process; raise `ConfigError` where the system has no room for its pipes."""
        context = _context()
        with ExitStack() as stack:
            try:
                pipes = [context.Pipe() for _ in range(self._seats)]
                theirs = [pipe for _, pipe in pipes]
                for pipe in theirs:
                    stack.callback(pipe.close)
                process = context.Process(target=_live, args=(theirs, self._job), daemon=True)
                process.start()
            except OSError as error:
                why = f"cannot start {self._seats} workers: {error.strerror}"
                raise ConfigError(f"{why}; ask for fewer, or raise `ulimit -n`") from error
        self._homes.append(home := _Home(process))
        return [Child(home, ours, self._commons, self._seats == 1) for ours, _ in pipes]


class Child:
    """Play trials in a child process, and answer what it asks of the commons meanwhile.

    The child inherits no threads and no open files, and ends when its pipes do: with the parent, however
    that ends.
    """

    def __init__(self, home: _Home, pipe: Connection, commons: Commons, is_alone: bool) -> None:
        self._home = home
        self._pipe = pipe
        self._commons = commons
        self._is_alone = is_alone
        self._is_abandoned = False

    def is_alive(self) -> bool:
        """Say whether the process is there."""
        return self._home.await_end(0.0) is None

    def play(self, trial: Trial, past: tuple[str, ...] = ()) -> EpisodeResult:
        """Play one trial; raise what it raised, or `Lost` where the process died."""
        try:
            self._pipe.send((trial, past))
            while isinstance(said := self._pipe.recv(), Call):
                answered = _GONE if self._is_abandoned else answer(self._commons, said)
                if said.method not in TOLD:
                    self._pipe.send(answered)
        except (EOFError, OSError):
            code = self._home.await_end(_PATIENCE)
            raise Lost(f"the worker process died (exit code {code})") from None
        if isinstance(said, EpisodeResult):
            return said
        raise said

    def kill(self) -> None:
        """Kill the process, so that `play` raises `Lost`; where others play there, answer no more."""
        self._is_abandoned = True
        if self._is_alone:
            self._home.kill()

    def close(self) -> None:
        """Let the worker close what it has open, and the process end with its last one."""
        self._pipe.close()


class _Home:
    """A process and, once it has ended, its exit code. May be shared by threads."""

    def __init__(self, process: BaseProcess) -> None:
        self._process = process
        self._code: int | None = None
        self._lock = threading.Lock()

    def await_end(self, seconds: float) -> int | None:
        """Wait so long at most, and return the exit code; None where the process is still there."""
        with self._lock:
            if self._code is None:
                self._process.join(seconds)
                self._code = self._process.exitcode
                if self._code is not None:
                    self._process.close()
            return self._code

    def kill(self) -> None:
        with self._lock:
            if self._code is None:
                self._process.kill()


def _context() -> Any:
    """Return the way to start processes: from a server that has our imports ready, where there is one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED))
    return context


def _live(pipes: Sequence[Connection], job: Job) -> None:
    """Let a worker play what comes over each pipe, until that ends."""
    gc.freeze()  # what was imported stays, and is shared with the server of processes until it is touched
    if len(pipes) > 1:
        _share_memory()
    memo = Memo(job.plan.page_seconds)
    others = [threading.Thread(target=_work, args=(pipe, job, memo)) for pipe in pipes[1:]]
    for other in others:
        other.start()
    _work(pipes[0], job, memo)
    for other in others:
        other.join()


def _share_memory() -> None:
    """Let all threads take memory from two places (glibc), as each place keeps the most that it ever gave."""
    with suppress(OSError, AttributeError, TypeError):  # Windows has none to ask
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _work(pipe: Connection, job: Job, memo: Memo) -> None:
    def carry(call: Call) -> Answer:
        pipe.send(call)
        if call.method in TOLD:
            return Answer()
        answered: Answer = pipe.recv()
        return answered

    worker = Worker(job, remote(carry), memo)
    with closing(pipe), suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            trial, past = pipe.recv()
            try:
                said: EpisodeResult | Exception = worker.play(trial, past)
            except WindowshopError as error:
                said = error
            pipe.send(said)
    with suppress(EOFError, OSError, KeyboardInterrupt, WindowshopError):
        worker.close()
