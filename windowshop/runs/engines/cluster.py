"""Workers on the machines of a Ray cluster. What they write comes back, and is written by the parent.

Ray does the distribution: it places trials, brings them back, and begins one again whose machine is lost. A
single actor, on the parent's machine, is the wire to the commons, and so the one keeper of the turns at
each host.
"""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from types import TracebackType
from typing import Any, Self

from windowshop.episodes import EpisodeResult
from windowshop.errors import ConfigError, WindowshopError
from windowshop.runs.commons import Commons
from windowshop.runs.engines.calls import Answer, Call, answer, remote
from windowshop.runs.engines.engine import Lost
from windowshop.runs.memo import Memo
from windowshop.runs.plan import Trial
from windowshop.runs.worker import Job, Worker

RETRIES = 2
"""How often Ray begins a trial again whose worker or machine was lost."""


class Wire:
    """Carry calls to the parent and answers back; the parent takes what has come and answers when it can."""

    def __init__(self) -> None:
        self._numbers = count()
        self._calls: asyncio.Queue[tuple[int, Call]] = asyncio.Queue()
        self._awaited: dict[int, asyncio.Future[Answer]] = {}

    async def call(self, call: Call) -> Answer:
        """Wait for the parent's answer."""
        number = next(self._numbers)
        self._awaited[number] = asyncio.get_running_loop().create_future()
        await self._calls.put((number, call))
        try:
            return await self._awaited[number]
        finally:
            del self._awaited[number]

    async def take(self) -> list[tuple[int, Call]]:
        """Return all calls that have come, at least one."""
        calls = [await self._calls.get()]
        while not self._calls.empty():
            calls.append(self._calls.get_nowait())
        return calls

    async def answer(self, number: int, answered: Answer) -> None:
        """Give an answer to whoever waits for it; it may be gone."""
        waiting = self._awaited.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answered)


class Cluster:
    """Play trials as Ray tasks. Joins the cluster at `plan.ray_address`, or starts one on this machine."""

    def __init__(self, job: Job, commons: Commons) -> None:
        self._ray = ray = load_ray()
        self._commons = commons
        self._owns = not ray.is_initialized()
        if self._owns:
            address = job.plan.ray_address
            local: dict[str, Any] = {} if address else {"include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        self._wire = (
            ray.remote(Wire).options(num_cpus=0, max_concurrency=10_000, scheduling_strategy=here).remote()
        )
        cpus = ray.cluster_resources().get("CPU", 1.0)
        share = min(1.0, int(1000 * cpus / job.plan.workers) / 1000)
        self._play = ray.remote(_play).options(num_cpus=share, max_retries=RETRIES)
        self._job = ray.put(job)
        self._refs: dict[Future[EpisodeResult], Any] = {}
        self._is_open = True
        self._callers = ThreadPoolExecutor(max(8, 2 * job.plan.workers), "windowshop-calls")
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._server.start()

    def submit(self, trial: Trial, past: tuple[str, ...] = ()) -> Future[EpisodeResult]:
        """Begin a trial wherever there is room."""
        future: Future[EpisodeResult] = Future()
        ref = self._play.remote(self._job, self._wire, trial, past)
        self._refs[future] = ref
        ref.future().add_done_callback(lambda done: self._finish(future, done))
        return future

    def abandon(self, future: Future[EpisodeResult]) -> None:
        """Kill the worker of a trial."""
        self._ray.cancel(self._refs.pop(future), force=True)

    def _finish(self, future: Future[EpisodeResult], done: Future[EpisodeResult | WindowshopError]) -> None:
        self._refs.pop(future, None)
        error = done.exception()
        said = None if error is not None else done.result()
        if isinstance(said, EpisodeResult):
            future.set_result(said)
        elif isinstance(said, WindowshopError):
            future.set_exception(said)
        elif isinstance(error, self._ray.exceptions.RayTaskError | self._ray.exceptions.RaySystemError):
            last = str(error).strip().splitlines()[-1]
            future.set_exception(
                ConfigError(
                    f"a machine of the cluster cannot play: {last}; windowshop and the agent must be "
                    "installed there, in the same versions"
                )
            )
        else:
            future.set_exception(Lost(f"Ray lost the worker: {type(error).__name__}"))

    def _serve(self) -> None:
        """Answer the workers' calls, each in a thread of its own, for some have to wait."""
        while self._is_open:
            try:
                calls = self._ray.get(self._wire.take.remote())
            except Exception:  # the cluster is gone, and with it whoever could call
                return
            for number, call in calls:
                self._callers.submit(self._answer, number, call)

    def _answer(self, number: int, call: Call) -> None:
        answered = answer(self._commons, call)
        if self._is_open:
            self._wire.answer.remote(number, answered)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_open = False
        for ref in self._refs.values():
            self._ray.cancel(ref, force=True)
        self._ray.kill(self._wire)
        self._server.join()
        self._callers.shutdown(wait=False)
        if self._owns:
            self._ray.shutdown()


_workers: dict[Any, Worker] = {}


def _play(job: Job, wire: Any, trial: Trial, past: tuple[str, ...]) -> EpisodeResult | WindowshopError:
    """Play a trial in a worker process of Ray's, which keeps what it opened for the next one."""
    import ray

    run = ray.get_runtime_context().get_job_id(), wire._actor_id
    if run not in _workers:
        for old in tuple(_workers):
            _workers.pop(old).close()

        def carry(call: Call) -> Answer:
            answered: Answer = ray.get(wire.call.remote(call))
            return answered

        _workers[run] = Worker(job, remote(carry), Memo(job.plan.page_seconds))
    try:
        return _workers[run].play(trial, past)
    except WindowshopError as error:
        return error


def load_ray() -> Any:
    """Return Ray, told to keep quiet; raise `ConfigError` where it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import ray
            import ray.util.scheduling_strategies
    except ImportError:
        raise ConfigError("--engine ray needs Ray: pip install 'windowshop[ray]'") from None
    return ray
