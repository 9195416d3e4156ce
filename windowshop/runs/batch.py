"""Many episodes into one run folder: the grid, each finished episode once, whatever happens meanwhile."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from queue import Empty, SimpleQueue

from loguru import logger

from windowshop.agents import load_agent
from windowshop.episodes import EpisodeResult, Spent
from windowshop.errors import StorageError
from windowshop.runs.commons import Attempt, Commons
from windowshop.runs.engines import Engine, Lost, open_engine
from windowshop.runs.folder import RunFolder, read_past, read_spent
from windowshop.runs.plan import Plan, Trial
from windowshop.runs.stack import Origin, open_origin, open_own_pages
from windowshop.runs.worker import Job, LoadAgent

LOSSES = 2
"""How often a trial is begun again because its worker died."""
_SWEEP = 0.25


def run_batch(
    plan: Plan, folder: RunFolder, load: LoadAgent = load_agent, origin: Origin | None = None
) -> Iterator[EpisodeResult]:
    """Yield each episode's result as it ends, after it was written; finished episodes are passed over.

    A site that blocks us is left alone: its other trials are not begun, and wait for the next time. Whatever
    ends the run early, the episodes in flight are recorded as interrupted. `StorageError`, `ConfigError`
    and `Leak` end the run; every other failure is one episode's outcome. `origin` is where pages come from,
    if not from where the plan says.
    """
    finished = folder.finished()
    waiting = deque(trial for trial in plan.trials() if trial.name not in finished)
    if not waiting:
        return
    past = read_past(folder.path) if plan.resume_steps and folder.is_resumed else {}
    if origin is None:
        recording = plan.recording if plan.source == "recording" else None
        with open_origin(plan.source, recording, folder.path) as opened:
            yield from _run(plan, folder, load, opened, waiting, past)
    else:
        yield from _run(plan, folder, load, origin, waiting, past)


def _run(
    plan: Plan,
    folder: RunFolder,
    load: LoadAgent,
    origin: Origin,
    waiting: deque[Trial],
    past: dict[str, tuple[str, ...]],
) -> Iterator[EpisodeResult]:
    is_counted = folder.is_resumed and plan.run_limits.are_spent
    spent = read_spent(folder.path) if is_counted else Spent()
    known = plan.recording if plan.record_mode == "new_episodes" else None
    pages = open_own_pages(folder.path, origin, known)
    job = Job(plan, origin, folder.path, load)
    with (
        closing(Commons(folder, plan.run_limits, spent, pages, plan.page_seconds)) as commons,
        open_engine(job, commons) as engine,
    ):
        batch = Batch(plan, folder, commons, engine, waiting, past)
        try:
            yield from batch.results()
        finally:
            batch.interrupt()


class Batch:
    """What waits, what runs, and what was seen so far."""

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        commons: Commons,
        engine: Engine,
        waiting: deque[Trial],
        past: dict[str, tuple[str, ...]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._commons = commons
        self._engine = engine
        self._waiting = waiting
        self._past = past
        self._clock = clock
        self._running: dict[Future[EpisodeResult], Trial] = {}
        self._ended: SimpleQueue[Future[EpisodeResult]] = SimpleQueue()
        self._blocks: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._is_spent = False

    def results(self) -> Iterator[EpisodeResult]:
        """Keep every worker busy, and yield each result once it is written."""
        began = swept = self._clock()
        is_timed = self._plan.limits.seconds is not None or self._plan.run_limits.seconds is not None
        while True:
            while len(self._running) < self._plan.workers and (trial := self._next()) is not None:
                future = self._engine.submit(trial, self._past.get(trial.name, ()))
                self._running[future] = trial
                future.add_done_callback(self._ended.put)
            if not self._running:
                return
            with suppress(Empty):
                future = self._ended.get(timeout=_SWEEP if is_timed else None)
                if future in self._running and (result := self._result(future)) is not None:
                    yield self._write(result)
            if is_timed and self._clock() - swept >= _SWEEP:
                swept = self._clock()
                for result in self._late(began):
                    yield self._write(result)

    def interrupt(self) -> None:
        """Record what is still in flight as interrupted."""
        for trial in self._running.values():
            with suppress(StorageError):
                self._folder.episodes.append(self._cut(trial, "interrupted", "the run was ended"))
        self._running.clear()

    def _next(self) -> Trial | None:
        while self._waiting and not self._is_spent:
            trial = self._waiting.popleft()
            if self._blocks[trial.site] < (self._plan.run_limits.blocks or 1):
                return trial
        return None

    def _result(self, future: Future[EpisodeResult]) -> EpisodeResult | None:
        """Return how a trial ended; None for one that is begun again as its worker died."""
        trial = self._running[future]
        try:
            result = future.result()
        except Lost as lost:
            self._losses[trial.name] += 1
            if self._losses[trial.name] <= LOSSES:
                logger.warning("{}: {}; it is begun again", trial.name, lost)
                del self._running[future]
                self._commons.end(trial.name)
                self._waiting.appendleft(trial)
                return None
            result = self._cut(trial, "interrupted", str(lost))
        del self._running[future]
        self._commons.end(trial.name)
        return result

    def _late(self, began: float) -> Iterator[EpisodeResult]:
        """Give up what has run for too long."""
        now, mine, whole = self._clock(), self._plan.limits.seconds, self._plan.run_limits.seconds
        is_over = whole is not None and now - began >= whole
        self._is_spent = self._is_spent or is_over
        for future, trial in tuple(self._running.items()):
            start = self._commons.began(trial.name)
            if not is_over and (mine is None or start is None or now - start < mine):
                continue
            limit = "run:seconds" if is_over else "seconds"
            result = self._cut(trial, f"budget:{limit}", f"stopped after {whole if is_over else mine:g} s")
            del self._running[future]
            self._engine.abandon(future)
            yield result

    def _cut(self, trial: Trial, outcome: str, reason: str) -> EpisodeResult:
        """End an attempt from outside, and say what it came to."""
        now = self._clock()
        attempt = self._commons.end(trial.name) or Attempt(0, now)
        return EpisodeResult(
            episode=trial.name,
            task=trial.task,
            site=trial.site,
            locale=self._plan.locale,
            agent=trial.agent,
            repeat=trial.repeat,
            outcome=outcome,
            reason=reason,
            steps=max(0, attempt.steps - 1),
            visits=attempt.spent.requests,
            spent=attempt.spent,
            seconds=round(now - attempt.began, 3),
        )

    def _write(self, result: EpisodeResult) -> EpisodeResult:
        self._folder.episodes.append(result)
        kind = result.outcome.partition(":")[0]
        if result.outcome.startswith("budget:run:"):
            self._is_spent = True
        if kind == "blocked" and self._plan.source != "recording":
            self._blocks[result.site] += 1
            if self._blocks[result.site] == (self._plan.run_limits.blocks or 1):
                logger.warning("{} blocks us; its other trials are not begun", result.site)
        return result
