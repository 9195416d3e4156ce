"""Where the workers of a run live: threads, processes, or the machines of a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from windowshop.errors import ConfigError
from windowshop.runs.commons import Commons
from windowshop.runs.engines.engine import Engine, Lost
from windowshop.runs.memo import Memo
from windowshop.runs.worker import Job, Worker

__all__ = ["Engine", "Lost", "open_engine"]


@contextmanager
def open_engine(job: Job, commons: Commons) -> Iterator[Engine]:
    """Yield the engine that the plan names; it plays at most `plan.workers` trials at once.

    Raises `ConfigError` where the engine is an extra that is not installed.
    """
    if job.plan.engine == "ray":
        from windowshop.runs.engines.cluster import Cluster

        with Cluster(job, commons) as cluster:
            yield cluster
        return
    from windowshop.runs.engines.crew import Alone, Crew

    if job.plan.engine == "processes":
        from windowshop.runs.engines.child import MOST_SEATS, Children

        seats = -(-job.plan.workers // (job.plan.processes or job.plan.workers))
        if seats > MOST_SEATS:
            raise ConfigError(f"a process has room for {MOST_SEATS} workers: raise --processes")
        with closing(Children(job, commons, seats)) as children, Crew(children.seat) as crew:
            yield crew
        return
    memo = Memo(job.plan.page_seconds)
    if job.plan.workers == 1 and job.plan.limits.seconds is None and job.plan.run_limits.seconds is None:
        with closing(Worker(job, commons, memo)) as worker:
            yield Alone(worker)
        return
    with Crew(lambda: Worker(job, commons, memo)) as crew:
        yield crew
