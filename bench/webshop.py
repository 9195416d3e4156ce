"""The baselines and a choice oracle on the demo shop's goals, on both sites: the table of docs/benchmarks.md.

python bench/webshop.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from windowshop.agents import Agent, load_agent
from windowshop.demo.goal import goals
from windowshop.report.scored import score_run
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder
from windowshop.runs.plan import Plan
from windowshop.scoring.nouns import spacy_nouns
from windowshop.scoring.score import Score
from windowshop.tasks.load import to_tasks
from windowshop.views import Observation

AGENTS = ("random", "rule", "rule+options", "oracle")
PAGES = 5


class Oracle:
    """Search for the product that the goal names, choose it with its options, and read all of its page."""

    def __init__(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self._known = known
        self._actions: Iterator[str] = iter(())
        self._seen: Observation | None = None

    def reset(self, instruction: str) -> None:
        """Begin a task."""
        self._actions = self._walk(self._known[instruction])

    def act(self, observation: Observation) -> str:
        """Return the next action."""
        self._seen = observation
        return next(self._actions)

    def _walk(self, goal: Mapping[str, Any]) -> Iterator[str]:
        yield f"search[{goal['name']}]"
        for _ in range(PAGES):
            titles = self._seen.titles if self._seen else {}
            found = [name for name, title in titles.items() if title == goal["name"]]
            if found:
                yield f"click[{found[0]}]"
                break
            yield "click[next >]"
        for value in goal["goal_options"]:
            yield f"click[{value}]"
        for tab in ("description", "features"):
            yield f"click[{tab}]"
            yield "click[< prev]"
        yield "click[buy now]"


def main() -> None:
    known = {goal["instruction_text"]: goal for goal in goals()}
    tasks = tuple(to_tasks(goals()))
    nouns, _ = spacy_nouns()

    def load(spec: str, seed: int) -> Agent:
        return Oracle(known) if spec == "oracle" else load_agent(spec, seed)

    print("| agent | Amazon: score | success % | eBay: score | success % |\n|---|---|---|---|---|")
    for agent in AGENTS:
        plan = Plan(tasks=tasks, sites=("amazon", "ebay"), agents=(agent,), max_steps=20)
        with tempfile.TemporaryDirectory() as place:
            folder = RunFolder(Path(place, "run"), plan.settings(), tasks)
            for _ in run_batch(plan, folder, load):
                pass
            folder.close()
            scores = list(score_run(Path(place, "run"), nouns))
        cells = (cell for site in plan.sites for cell in figures([one for one in scores if one.site == site]))
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def figures(scores: list[Score]) -> tuple[str, str]:
    """Return 100 x the mean reward, as a range where parts are unknown, and the share of full rewards."""
    low = 100 * fmean(one.low or 0.0 for one in scores)
    high = 100 * fmean(1.0 if one.high is None else one.high for one in scores)
    known = f"{low:.1f}" if round(low, 1) == round(high, 1) else f"{low:.1f} to {high:.1f}"
    return known, f"{100 * fmean(one.is_success is True for one in scores):.1f}"


if __name__ == "__main__":
    main()
