"""A worker in a process of its own: for browsers, torch, and agents that must be killed when they hang."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from windowshop.episodes import EpisodeResult
from windowshop.errors import WindowshopError
from windowshop.runs.commons import Commons
from windowshop.runs.engines.calls import Answer, Call, answer, remote
from windowshop.runs.engines.engine import Lost
from windowshop.runs.memo import Memo
from windowshop.runs.plan import Trial
from windowshop.runs.worker import Job, Worker

_PATIENCE = 5.0


class Child:
    """Play trials in a child process, and answer what it asks of the commons meanwhile.

    The child inherits no threads and no open files, and ends when its pipe does: with the parent, however
    that ends.
    """

    def __init__(self, job: Job, commons: Commons) -> None:
        self._commons = commons
        context = _context()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, job), daemon=True)
        self._process.start()
        theirs.close()

    def play(self, trial: Trial, past: tuple[str, ...] = ()) -> EpisodeResult:
        """Play one trial; raise what it raised, or `Lost` where the process died."""
        try:
            self._pipe.send((trial, past))
            while isinstance(said := self._pipe.recv(), Call):
                self._pipe.send(answer(self._commons, said))
        except (EOFError, OSError):
            self._process.join(_PATIENCE)
            raise Lost(f"the worker process died (exit code {self._process.exitcode})") from None
        if isinstance(said, EpisodeResult):
            return said
        raise said

    def kill(self) -> None:
        """Kill the process; `play` raises `Lost`."""
        self._process.kill()

    def close(self) -> None:
        """Let the process close what it has open and end."""
        self._pipe.close()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _context() -> Any:
    """Return the way to start processes: from a server that has our imports ready, where there is one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _work(pipe: Connection, job: Job) -> None:
    """Play what comes over the pipe, until it ends."""

    def carry(call: Call) -> Answer:
        pipe.send(call)
        answered: Answer = pipe.recv()
        return answered

    worker = Worker(job, remote(carry), Memo(job.plan.page_seconds))
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            trial, past = pipe.recv()
            try:
                said: EpisodeResult | Exception = worker.play(trial, past)
            except WindowshopError as error:
                said = error
            pipe.send(said)
    with suppress(EOFError, OSError, KeyboardInterrupt, WindowshopError):
        worker.close()
