"""Two runs side by side: where the actions part, and what differed in the page before they did."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from windowshop.episodes import EpisodeResult, Step
from windowshop.frozen import Frozen
from windowshop.runs.folder import read_results, read_steps
from windowshop.runs.status import Which

Verdict = Literal["same", "agent", "page", "end", "only_first", "only_second"]


class Side(Frozen):
    """What one run did at the step where the two part; `action` is None where it had ended."""

    episode: str
    outcome: str | None
    action: str | None = None
    url: str | None = None
    page_digest: str | None = None


class Comparison(Frozen):
    """One pair of episodes.

    `agent`: the agents read the same and did otherwise. `page`: they read something else at `step`; `lines`
    say what, in the form of a diff. `end`: they did the same and ended otherwise.
    """

    site: str
    task: str
    repeat: int
    verdict: Verdict
    step: int | None = None
    first: Side | None = None
    second: Side | None = None
    lines: tuple[str, ...] = ()


def compare(first: Path, second: Path, which: Which = Which()) -> Iterator[Comparison]:  # noqa: B008
    """Yield the comparison of each pair of episodes: the same site, task and repeat; the same agent, if any.

    Where a run has several agents at a task, only those of the same name are compared.
    """
    ours, theirs = _by_cell(first, which), _by_cell(second, which)
    our_steps, their_steps = read_steps(first), read_steps(second)
    for cell in dict.fromkeys([*ours, *theirs]):
        for one, other in _pairs(ours.get(cell, {}), theirs.get(cell, {})):
            site, task, repeat = cell
            found = _compare(
                one,
                other,
                our_steps.get(one.episode, ()) if one else (),
                their_steps.get(other.episode, ()) if other else (),
            )
            yield found.model_copy(update={"site": site, "task": task, "repeat": repeat})


Cell = tuple[str, str, int]


def _by_cell(path: Path, which: Which) -> dict[Cell, dict[str, EpisodeResult]]:
    cells: dict[Cell, dict[str, EpisodeResult]] = {}
    for result in read_results(path):
        if which(result.model_dump()):
            cells.setdefault((result.site, result.task.id, result.repeat), {})[result.agent] = result
    return cells


def _pairs(
    ours: Mapping[str, EpisodeResult], theirs: Mapping[str, EpisodeResult]
) -> Iterator[tuple[EpisodeResult | None, EpisodeResult | None]]:
    if len(ours) == len(theirs) == 1:
        yield next(iter(ours.values())), next(iter(theirs.values()))
        return
    for agent in dict.fromkeys([*ours, *theirs]):
        yield ours.get(agent), theirs.get(agent)


def _compare(
    one: EpisodeResult | None, other: EpisodeResult | None, our: Sequence[Step], their: Sequence[Step]
) -> Comparison:
    def said(verdict: Verdict, step: int | None = None, lines: tuple[str, ...] = ()) -> Comparison:
        return Comparison(
            site="",
            task="",
            repeat=0,
            verdict=verdict,
            step=step,
            first=_side(one, our, step),
            second=_side(other, their, step),
            lines=lines,
        )

    if one is None or other is None:
        return said("only_second" if one is None else "only_first")
    for number in range(max(len(our), len(their))):
        mine = our[number] if number < len(our) else None
        yours = their[number] if number < len(their) else None
        if (mine and mine.action) != (yours and yours.action):
            return said("agent", number)
        if mine is None or yours is None or mine.observation != yours.observation:
            return said("page", number, _lines(mine, yours))
    return said("same" if one.outcome == other.outcome else "end")


def _side(result: EpisodeResult | None, steps: Sequence[Step], number: int | None) -> Side | None:
    if result is None:
        return None
    step = steps[number] if number is not None and number < len(steps) else None
    return Side(
        episode=result.episode,
        outcome=result.outcome,
        action=step.action if step else None,
        url=step.url if step else None,
        page_digest=step.page_digest if step else None,
    )


def _lines(mine: Step | None, yours: Step | None) -> tuple[str, ...]:
    """Return what was taken out of and put into the text between two observations."""
    before = mine.observation.splitlines() if mine else []
    after = yours.observation.splitlines() if yours else []
    found = difflib.unified_diff(before, after, n=0, lineterm="")
    return tuple(line for line in found if not line.startswith(("---", "+++", "@@")))
