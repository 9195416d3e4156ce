"""Call what cannot be interrupted, and stop waiting for it when it takes too long."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


class _Worker:
    """A thread that does one job after another; it is kept, since a new one's memory is cold."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name="watchdog", daemon=True).start()

    def give(self, job: Callable[[], None]) -> None:
        """Hand over a job."""
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()


_idle: deque[_Worker] = deque()
bytearray(16_000_000)  # a block this large, once freed, has glibc keep a tree's memory for the next page
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def call_within(seconds: float, function: Callable[[Given], Result], argument: Given) -> Result:
    """Return what `function(argument)` returns, or raise what it raises.

    Raises `TimeoutError` after `seconds`; the thread that is still at it is left behind and not used again.
    """
    answers: SimpleQueue[tuple[Result, None] | tuple[None, Exception]] = SimpleQueue()

    def job() -> None:
        try:
            answers.put((function(argument), None))
        except Exception as error:  # handed to the caller, whatever it is
            answers.put((None, error))

    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.give(job)
    try:
        result, error = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"not done after {seconds} s") from None
    _idle.append(worker)
    if error is not None:
        raise error
    return result  # type: ignore[return-value]
