"""One pair of hands: plays one trial after the other, with transports and agents of its own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from loguru import logger

from windowshop.adapters import Site
from windowshop.agents import Agent
from windowshop.episodes import EpisodeResult
from windowshop.errors import ConfigError, Leak, StorageError, WindowshopError
from windowshop.runs.commons import Commons
from windowshop.runs.desk import Desk, Metered
from windowshop.runs.episode import Episode
from windowshop.runs.mall import open_episode
from windowshop.runs.memo import Memo
from windowshop.runs.plan import Plan, Trial
from windowshop.runs.play import Ending, ending_of, play
from windowshop.runs.stack import Origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard

LoadAgent = Callable[[str, int], Agent]
"""What makes an agent from its specification and the run's seed."""


class Job(NamedTuple):
    """All that a worker must know: the plan, where pages come from, the run folder, how agents are made."""

    plan: Plan
    origin: Origin
    folder: Path
    load: LoadAgent


class _Counter(NamedTuple):
    site: Site
    guard: Guard
    visitor: Visitor


class Worker:
    """Play trials, one at a time. What was opened for one, a browser say, serves those after it."""

    def __init__(self, job: Job, commons: Commons, memo: Memo) -> None:
        self._job = job
        self._desk = Desk(commons, job.plan.limits, job.plan.run_limits)
        self._memo = memo
        self._agents: dict[str, Agent] = {}
        self._counters: dict[str, _Counter] = {}
        self._stack = ExitStack()

    def play(self, trial: Trial, past: tuple[str, ...] = ()) -> EpisodeResult:
        """Play one trial to its end and tell how it ended.

        Raises what ends the whole run: `StorageError`, `ConfigError`, `Leak`.
        """
        desk, plan = self._desk, self._job.plan
        began = time.perf_counter()
        episode: Episode | None = None
        desk.begin(trial.name)
        try:
            counter = self._counter(trial.site, trial.name)
            episode = open_episode(plan, counter.site, desk.audit)(
                task=trial.task,
                name=trial.name,
                visitor=counter.visitor,
                guard=counter.guard,
                steps=desk.steps,
                purchases=desk.purchases,
                mode=plan.mode,
                exchanges=desk.exchanges,
                extended=plan.is_extended,
            )
            with closing(episode):
                ending = play(episode, self._agent(trial), plan.max_steps, desk, past)
                episode.conclude(self._job.folder)
        except (StorageError, ConfigError, Leak):
            raise
        except WindowshopError as error:
            ending = ending_of(error)
        except Exception as error:  # a defect of ours: recorded, and the batch goes on
            logger.opt(exception=error).error("episode {} failed", trial.name)
            ending = Ending(outcome="error", reason=repr(error))
        return EpisodeResult(
            episode=trial.name,
            task=trial.task,
            site=trial.site,
            locale=plan.locale,
            agent=trial.agent,
            repeat=trial.repeat,
            outcome=ending.outcome,
            reason=ending.reason,
            steps=max(0, episode.count - 1) if episode else 0,
            visits=episode.visits if episode else 0,
            intent=episode.intent if episode else None,
            spent=desk.spent,
            seconds=round(time.perf_counter() - began, 3),
        )

    def kill(self) -> None:
        """Do nothing: a thread cannot be killed, but no step of it is written any more (`Abandoned`)."""

    def close(self) -> None:
        """Close what was opened for the trials."""
        for agent in self._agents.values():
            if hasattr(agent, "close"):
                self._stack.callback(agent.close)
        self._stack.close()

    def _counter(self, name: str, episode: str) -> _Counter:
        if name not in self._counters:
            with ExitStack() as stack:
                self._counters[name] = self._open(name, episode, stack)
                self._stack.enter_context(stack.pop_all())
        return self._counters[name]

    def _open(self, name: str, episode: str, stack: ExitStack) -> _Counter:
        job, plan, desk = self._job, self._job.plan, self._desk
        site = plan.load(name)
        guard = Guard(plan.guard_policy(name), desk.audit)
        guard.episode = episode
        live = open_transport(plan.transport, job.origin, site, guard, job.folder, plan.contact, desk)
        transport = Metered(stack.enter_context(live), desk)
        if site.opening is not None:
            guard.fetch(site.opening, transport)
        visitor = Visitor(site, guard, transport, job.folder, desk, self._memo, plan.is_extended)
        return _Counter(site, guard, visitor)

    def _agent(self, trial: Trial) -> Agent:
        """Return this worker's agent; one that draws lots begins each trial where any worker would."""
        if trial.agent not in self._agents:
            self._agents[trial.agent] = self._job.load(trial.agent, self._job.plan.seed)
        agent = self._agents[trial.agent]
        if hasattr(agent, "reseed"):
            words = f"{self._job.plan.seed} {trial.site} {trial.task.id} {trial.repeat}"
            agent.reseed(int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]))
        return agent
