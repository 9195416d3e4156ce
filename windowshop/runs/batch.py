"""Many episodes into one run folder: the grid of sites and tasks, each finished episode only once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from loguru import logger

from windowshop.adapters import Site, load_site
from windowshop.agents import load_agent
from windowshop.episodes import EpisodeResult, Task
from windowshop.errors import StorageError
from windowshop.frozen import Frozen
from windowshop.runs.episode import Episode
from windowshop.runs.folder import RunFolder
from windowshop.runs.play import play
from windowshop.runs.stack import Source, TransportName, open_source, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
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
    source: Literal["demo", "recording", "live"] = "demo"
    recording: Path | None = None
    transport: TransportName = "http"
    contact: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return what `run.json` keeps: all that the run depends on."""
        described: dict[str, Any] = self.model_dump(mode="json", exclude={"tasks"})
        described["tasks"] = [task.id for task in self.tasks]
        described["policies"] = {site: self.guard_policy(site).digest for site in self.sites}
        return described

    def guard_policy(self, site: str):  # type: ignore[no-untyped-def]
        """Return the policy that the guard will hold for one site."""
        return policy_for(site, self.locale, tuple(load_site(site, self.locale).readable))


def run_batch(plan: Plan, folder: RunFolder) -> Iterator[EpisodeResult]:
    """Yield each episode's result as it ends, after it was written; finished episodes are passed over.

    An interrupt is recorded as the outcome of the episode in flight and then raised. `StorageError` ends
    the run; every other failure is one episode's outcome.
    """
    with open_source(plan.source, plan.recording) as source:
        for name in plan.sites:
            site = load_site(name, plan.locale)
            guard = Guard(plan.guard_policy(name), folder.audit)
            yield from _run_site(plan, folder, site, guard, source)


def _run_site(
    plan: Plan, folder: RunFolder, site: Site, guard: Guard, source: Source
) -> Iterator[EpisodeResult]:
    finished = folder.finished()
    waiting = [task for task in plan.tasks if f"{site.name}-{task.id}" not in finished]
    if not waiting:
        return
    agent = load_agent(plan.agent, plan.seed)
    with open_transport(plan, site, guard, source, folder.path) as transport:
        visitor = Visitor(site, guard, transport, folder.path)
        for task in waiting:
            name = f"{site.name}-{task.id}"
            episode = Episode(task, name, visitor, guard, folder.steps, folder.purchases, plan.mode)
            result = EpisodeResult(
                episode=name,
                task=task,
                site=site.name,
                locale=plan.locale,
                agent=plan.agent,
                outcome="interrupted",
                steps=0,
                visits=0,
            )
            try:
                result = play(episode, agent, plan.agent, site.name, plan.locale, plan.max_steps)
            except StorageError:
                raise
            except Exception as error:  # a defect of ours: recorded, and the batch goes on
                logger.opt(exception=error).error("episode {} failed", name)
                result = result.model_copy(update={"outcome": "error", "reason": repr(error)})
            finally:
                folder.episodes.append(result)
            yield result
