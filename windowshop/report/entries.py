"""The episodes of one or several runs in one list, each with everything that is known of it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from windowshop.episodes import EpisodeResult, Step
from windowshop.report.reading import Refusal, Run
from windowshop.scoring.case import Verdict
from windowshop.scoring.score import Score

SIMULATOR = "webshop"


@dataclass(frozen=True)
class Entry:
    """One episode; `agent` names its run where two runs tried the same. `result` None: it goes on."""

    key: str
    run: Run
    name: str
    site: str
    agent: str
    result: EpisodeResult | None
    steps: list[Step]
    refusals: list[Refusal]
    score: Score | None
    verdicts: list[Verdict]

    @property
    def goal(self) -> str | None:
        """Return what tells a goal from others across runs and sites: its words."""
        return self.result.task.instruction if self.result else None


@dataclass(frozen=True)
class Group:
    """The episodes of one agent on one site."""

    site: str
    agent: str
    entries: list[Entry]

    @property
    def scores(self) -> list[Score]:
        """Return the scores of those that were scored."""
        return [entry.score for entry in self.entries if entry.score is not None]


def entries_of(runs: Sequence[Run]) -> list[Entry]:
    """Return the episodes of runs in the order in which they began."""
    labels = _labels(runs)
    found = []
    for number, run in enumerate(runs):
        results = {result.episode: result for result in run.results}
        scores = {score.episode: score for score in run.scores}
        verdicts = defaultdict(list)
        for verdict in run.verdicts:
            verdicts[verdict.episode].append(verdict)
        for name, steps in run.steps.items():
            result = results.get(name)
            site = result.site if result else name.partition("-")[0]
            agent = result.agent if result else _agent(run)
            found.append(
                Entry(
                    key=key_of(run, name),
                    run=run,
                    name=name,
                    site=site,
                    agent=labels.get((number, site, agent), agent),
                    result=result,
                    steps=steps,
                    refusals=run.refusals.get(name, []),
                    score=scores.get(name),
                    verdicts=verdicts[name],
                )
            )
    return found


def key_of(run: Run, episode: str) -> str:
    """Return a name for an episode that tells nothing: a digest of the run's beginning and its own name."""
    return hashlib.sha256(f"{run.manifest.get('created')} {episode}".encode()).hexdigest()[:12]


def groups_of(entries: Sequence[Entry]) -> list[Group]:
    """Return the finished episodes by site and agent, the simulator first."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.result is not None:
            found.setdefault((entry.site, entry.agent), []).append(entry)
    order = sorted(found, key=lambda key: (key[0] != SIMULATOR, *key))
    return [Group(site=key[0], agent=key[1], entries=found[key]) for key in order]


def _labels(runs: Sequence[Run]) -> dict[tuple[int, str, str], str]:
    """Name agents with their run where two runs made the same attempts on the same site."""
    attempts: dict[tuple[str, str], dict[int, set[tuple[str, int]]]] = defaultdict(lambda: defaultdict(set))
    for number, run in enumerate(runs):
        for result in run.results:
            attempts[result.site, result.agent][number].add((result.task.instruction, result.repeat))
    labels: dict[tuple[int, str, str], str] = {}
    for (site, agent), by_run in attempts.items():
        made = [attempt for tried in by_run.values() for attempt in tried]
        if len(made) != len(set(made)):
            labels |= {(number, site, agent): f"{agent} · {runs[number].path.name}" for number in by_run}
    return labels


def _agent(run: Run) -> str:
    agent = run.settings.get("agent") or run.settings.get("agents")
    return agent if isinstance(agent, str) else ", ".join(map(str, agent or ("?",)))
