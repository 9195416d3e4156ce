"""Many episodes into one run folder: the grid of sites and tasks, each finished episode only once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loguru import logger

from windowshop.adapters import Site, load_site
from windowshop.agents import Agent
from windowshop.episodes import EpisodeResult, Task
from windowshop.errors import ConfigError, StorageError
from windowshop.frozen import Frozen
from windowshop.runs.episode import Episode
from windowshop.runs.folder import RunFolder
from windowshop.runs.play import Ending, play
from windowshop.runs.stack import (
    Origin,
    SourceName,
    TransportName,
    open_origin,
    open_recording,
    open_transport,
)
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import Policy, own_policy, policy_for
from windowshop.views import Mode


class Plan(Frozen):
    """What to run. `source` says where pages come from: the demo shop, a recording, or the live site."""

    tasks: tuple[Task, ...]
    sites: tuple[str, ...]
    locale: str = "us"
    agent: str = "rule"
    seed: int = 0
    max_steps: int = 15
    mode: Mode = "text_rich"
    source: SourceName = "demo"
    base_url: str | None = None
    recording: Path | None = None
    transport: TransportName = "http"
    contact: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return what `run.json` keeps: all that the run depends on."""
        described: dict[str, Any] = self.model_dump(mode="json", exclude={"tasks"})
        tasks = json.dumps([(task.id, task.instruction) for task in self.tasks]).encode()
        described["tasks"] = {"count": len(self.tasks), "digest": hashlib.sha256(tasks).hexdigest()}
        described["policies"] = {site: self.guard_policy(site).digest for site in self.sites}
        return described

    def guard_policy(self, site: str) -> Policy:
        """Return the policy that the guard will hold for one site."""
        readable = tuple(self.load(site).readable)
        if site == "webshop" and self.base_url is not None:
            return own_policy(site, self.base_url, readable)
        return policy_for(site, self.locale, readable)

    def load(self, site: str) -> Site:
        """Return the adapter of one site."""
        return load_site(site, self.locale, self.base_url)


def run_batch(plan: Plan, agent: Agent, folder: RunFolder) -> Iterator[EpisodeResult]:
    """Yield each episode's result as it ends, after it was written; finished episodes are passed over.

    A site that blocks us is left alone: its other tasks are not begun, and wait for the next time. An
    interrupt is recorded as the outcome of the episode in flight and then raised. `StorageError` and
    `ConfigError` end the run; every other failure is one episode's outcome.
    """
    with open_origin(plan.source, plan.recording, folder.path) as origin:
        for name in plan.sites:
            site = plan.load(name)
            guard = Guard(plan.guard_policy(name), folder.audit)
            yield from run_site(plan, agent, folder, site, guard, origin)


def run_site(
    plan: Plan, agent: Agent, folder: RunFolder, site: Site, guard: Guard, origin: Origin
) -> Iterator[EpisodeResult]:
    """Yield the results of one site's episodes that are not finished yet."""
    finished = folder.finished()
    waiting = [task for task in plan.tasks if f"{site.name}-{task.id}" not in finished]
    if not waiting:
        return
    with open_transport(plan.transport, origin, site, guard, folder.path, plan.contact) as transport:
        if site.opening is not None:
            guard.fetch(site.opening, transport)
        earlier = open_recording(folder.path) if folder.is_resumed and origin.recording is None else None
        visitor = Visitor(site, guard, transport, folder.path, earlier)
        for task in waiting:
            name = f"{site.name}-{task.id}"
            episode = Episode(task, name, visitor, guard, folder.steps, folder.purchases, plan.mode)
            try:
                ending = play(episode, agent, plan.max_steps)
            except KeyboardInterrupt:
                folder.episodes.append(_result(plan, episode, site, Ending(outcome="interrupted")))
                raise
            except (StorageError, ConfigError):
                raise
            except Exception as error:  # a defect of ours: recorded, and the batch goes on
                logger.opt(exception=error).error("episode {} failed", name)
                ending = Ending(outcome="error", reason=repr(error))
            result = _result(plan, episode, site, ending)
            folder.episodes.append(result)
            yield result
            if result.outcome.startswith("blocked") and origin.recording is None:
                logger.warning("{} blocks us; its other tasks are not begun", site.name)
                return


def _result(plan: Plan, episode: Episode, site: Site, ending: Ending) -> EpisodeResult:
    return EpisodeResult(
        episode=episode.name,
        task=episode.task,
        site=site.name,
        locale=plan.locale,
        agent=plan.agent,
        outcome=ending.outcome,
        reason=ending.reason,
        steps=max(0, episode.count - 1),
        visits=episode.visits,
        intent=episode.intent,
        seconds=round(time.perf_counter() - episode.began, 3),
    )
