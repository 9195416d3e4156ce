"""What to run: the grid of tasks, sites, agents and repeats, and all that its outcome depends on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from windowshop.adapters import Site, load_site
from windowshop.adapters.refines import Refines
from windowshop.agents import AgentSettings
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.locales import LOCALES
from windowshop.runs.limits import Limits
from windowshop.runs.stack import RecordMode, SourceName, TransportName
from windowshop.safety.policy import Policy, own_policy, policy_for
from windowshop.views import Mode

ActionSet = Literal["simulator", "extended"]
EngineName = Literal["threads", "processes", "ray"]
_HOW = frozenset({"tasks", "engine", "workers", "processes", "ray_address", "run_limits", "resume_steps"})
_UNFIT = re.compile(r"[^A-Za-z0-9._]+")


class Trial(Frozen):
    """One cell of the grid: an agent at a task at a site, for the n-th time (from 0)."""

    site: str
    task: Task
    agent: str
    repeat: int = 0

    @property
    def name(self) -> str:
        """Return the name of the episode, the same in every run."""
        return f"{self.site}-{self.task.id}-{label(self.agent)}-{self.repeat}"


class Plan(Frozen):
    """What to run. `source` says where pages come from: the demo shop, a recording, or the live site.

    `limits` are those of one episode, `run_limits` those of the whole run. `page_seconds` is how long a page
    that was fetched is taken for the page at its address; None is as long as the run lasts. `processes` is
    among how many the workers of that engine are shared; None gives each its own.
    """

    tasks: tuple[Task, ...]
    sites: tuple[str, ...]
    locale: str = "us"
    agents: tuple[str, ...] = ("rule",)
    agent_settings: AgentSettings = AgentSettings()
    repeats: int = 1
    seed: int = 0
    max_steps: int = 15
    mode: Mode = "text_rich"
    actions: ActionSet = "simulator"
    source: SourceName = "demo"
    base_url: str | None = None
    recording: Path | None = None
    record_mode: RecordMode = "none"
    transport: TransportName = "http"
    contact: str | None = None
    page_seconds: float | None = None
    limits: Limits = Limits()
    run_limits: Limits = Limits()
    engine: EngineName = "threads"
    workers: int = 1
    processes: int | None = None
    ray_address: str | None = None
    resume_steps: bool = False
    sandbox: Path | None = None

    def trials(self) -> Iterator[Trial]:
        """Yield the grid; neighbours share a page or ask another host."""
        for repeat in range(self.repeats):
            for task in self.tasks:
                for site in self.sites:
                    for agent in self.agents:
                        yield Trial(site=site, task=task, agent=agent, repeat=repeat)

    @property
    def size(self) -> int:
        """Count the grid."""
        return self.repeats * len(self.tasks) * len(self.sites) * len(self.agents)

    @property
    def is_extended(self) -> bool:
        """Say whether agents may order and narrow lists, which the simulator cannot."""
        return self.actions == "extended"

    def settings(self) -> dict[str, Any]:
        """Return what `run.json` keeps: all that an episode depends on, not how many run at once."""
        described: dict[str, Any] = self.model_dump(mode="json", exclude=set(_HOW))
        tasks = json.dumps([(task.id, task.instruction) for task in self.tasks]).encode()
        described["tasks"] = {"count": len(self.tasks), "digest": hashlib.sha256(tasks).hexdigest()}
        described["agent_settings"] = self.agent_settings.described()
        described["policies"] = {site: self.guard_policy(site).digest for site in self.sites}
        return described

    def guard_policy(self, site: str) -> Policy:
        """Return the policy that the guard will hold for one site."""
        found = self.load(site)
        readable = tuple(found.readable)
        if self.is_extended and isinstance(found, Refines):
            readable += tuple(found.refinable)
        if self.base_url is not None and site not in LOCALES:
            return own_policy(site, self.base_url, readable)
        return policy_for(site, self.locale, readable)

    def load(self, site: str) -> Site:
        """Return the adapter of one site; raise `ConfigError` where it lacks the actions that are wanted."""
        found = load_site(site, self.locale, None if site in LOCALES else self.base_url)
        if self.is_extended and not isinstance(found, Refines):
            raise ConfigError(
                f"--actions extended is for amazon and ebay; {site} has no sort[...] or filter[...]"
            )
        return found


def label(agent: str) -> str:
    """Return an agent's specification as a word; a changed one ends in four digits of its hash."""
    word = _UNFIT.sub("_", agent).strip("_")
    return word if word == agent else f"{word[-40:]}.{hashlib.sha256(agent.encode()).hexdigest()[:4]}"
