"""What every format is made of: an episode's steps, its end, and the decisions that changed something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from windowshop.episodes import EpisodeResult, Step
from windowshop.runs.folder import read_manifest, read_results, read_steps

_LINK = re.compile(
    r"^\[(?:clicked )?button\] (?P<id>.+) \[(?:clicked )?button_\]\n(?P<title>.*)$", re.MULTILINE
)


class Decision(NamedTuple):
    """One choice: what was on view, what was done, and what was on view after it."""

    before: Step
    action: str
    after: Step

    @property
    def is_search(self) -> bool:
        """Say whether words were searched for."""
        return self.action.startswith("search[")


class Played(NamedTuple):
    """One episode; `mode` is that of its observations."""

    result: EpisodeResult
    steps: tuple[Step, ...]
    mode: str

    def decisions(self) -> Iterator[Decision]:
        """Yield the choices in order; those that changed nothing, and one that failed, are left out."""
        before = self.steps[0]
        for step in self.steps[1:]:
            verdict = (step.decision or "").partition(" ")[0]
            if step.action is not None and verdict in ("allow", "intercept"):
                yield Decision(before, step.action, step)
                before = step


def played(run: Path) -> Iterator[Played]:
    """Yield the finished episodes of a run."""
    mode = str(read_manifest(run)["settings"].get("mode") or "text_rich")
    steps = read_steps(run)
    for result in read_results(run):
        if steps.get(result.episode):
            yield Played(result, tuple(steps[result.episode]), mode)


def titles(step: Step) -> dict[str, str]:
    """Return lower-cased id -> title for the products on a page of results, from its text."""
    clickables = set(step.available_actions.clickables)
    if "buy now" in clickables or step.available_actions.has_search_bar:
        return {}
    if "[button]" in step.observation:
        found = ((match["id"].lower(), match["title"]) for match in _LINK.finditer(step.observation))
    else:
        fields = step.observation.split(" [SEP] ")
        found = ((field.lower(), title) for field, title in pairwise(fields))
    return {
        name: title for name, title in found if name in clickables - {"< prev", "next >", "back to search"}
    }
