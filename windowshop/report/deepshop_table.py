"""DeepShop's table: what a judge says of each aspect, in all, by category and by difficulty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windowshop.frozen import Frozen
from windowshop.scoring.case import Ruling, Verdict
from windowshop.scoring.statistics import Interval, scaled, share_interval

_ORDER = ("attribute", "filter", "sort", "task")


class Cell(Frozen):
    """The share of yes among what was asked, in per cent, by the repository's rule and by the strict one.

    By the strict rule an unclear reply is left out and counted in `unclear`.
    """

    asked: int
    repository: float
    interval: Interval
    strict: float | None
    unclear: int


class Row(Frozen):
    """One group of verdicts; `group` is all, a category or a difficulty. `task` is the holistic verdict."""

    site: str
    agent: str
    judge: str
    group: str
    episodes: int
    no_answer: int
    errors: int
    cells: dict[str, Cell]


def deepshop_rows(verdicts: Sequence[Verdict]) -> list[Row]:
    """Return the table of each judge, site and agent."""
    keys = dict.fromkeys((one.site, one.agent, judge_name(one)) for one in verdicts)
    rows = []
    for site, agent, judge in sorted(keys):
        own = [one for one in verdicts if (one.site, one.agent, judge_name(one)) == (site, agent, judge)]
        rows += [_row(site, agent, judge, group, members) for group, members in _groups(own)]
    return rows


def judge_name(verdict: Verdict) -> str:
    """Return a judge by what tells it apart."""
    seeing = "" if verdict.seeing == "screenshots" else ", text only"
    return f"{verdict.model} ({verdict.protocol}{seeing})"


def _groups(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, list[Verdict]]]:
    yield "all", list(verdicts)
    for field in ("category", "difficulty"):
        for value in sorted({getattr(one, field) for one in verdicts} - {None}):
            yield value, [one for one in verdicts if getattr(one, field) == value]


def _row(site: str, agent: str, judge: str, group: str, verdicts: list[Verdict]) -> Row:
    found: dict[str, list[Ruling]] = {name: [] for name in _ORDER}
    for verdict in verdicts:
        for name, ruling in verdict.rulings.items():
            if name != "task":
                found[name].append(ruling)
        if verdict.overall is not None:
            found["task"].append(verdict.overall)
    return Row(
        site=site,
        agent=agent,
        judge=judge,
        group=group,
        episodes=len(verdicts),
        no_answer=sum(verdict.no_answer for verdict in verdicts),
        errors=sum(verdict.error is not None for verdict in verdicts),
        cells={name: _cell(rulings) for name, rulings in found.items() if rulings},
    )


def _cell(rulings: Sequence[Ruling]) -> Cell:
    hits = sum(ruling.repository for ruling in rulings)
    clear = [ruling.strict for ruling in rulings if ruling.strict is not None]
    return Cell(
        asked=len(rulings),
        repository=100 * hits / len(rulings),
        interval=scaled(share_interval(hits, len(rulings)), 100),
        strict=100 * sum(clear) / len(clear) if clear else None,
        unclear=len(rulings) - len(clear),
    )
