"""How a run is going: one live table on a terminal, a plain line an episode anywhere else."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from windowshop.episodes import EpisodeResult, Spent
from windowshop.terminal import printable

if TYPE_CHECKING:
    from rich.table import Table

    from windowshop.runs.plan import Plan


class Progress(Protocol):
    """Whatever shows how a run is going."""

    def add(self, result: EpisodeResult) -> None:
        """Take note of an episode that has ended."""


@contextmanager
def open_progress(plan: Plan, before: Sequence[EpisodeResult], as_json: bool) -> Iterator[Progress]:
    """Yield what suits where we print; `before` has ended in an earlier sitting."""
    if as_json:
        yield _Lines()
    elif not sys.stderr.isatty() or "human" in plan.agents:
        yield _Plain(plan.size, len(before))
    else:
        from rich.console import Console
        from rich.live import Live

        table = _Live(plan, before)
        with Live(
            console=Console(stderr=True), get_renderable=table.render, refresh_per_second=4, transient=True
        ):
            yield table


class _Lines:
    def add(self, result: EpisodeResult) -> None:
        click.echo(result.model_dump_json())


class _Plain:
    def __init__(self, total: int, done: int) -> None:
        self._total = total
        self._done = done

    def add(self, result: EpisodeResult) -> None:
        self._done += 1
        line = f"[{self._done}/{self._total}] {result.episode}: {result.outcome} after {result.steps} steps"
        click.echo(printable(line), err=True)
        if result.reason and result.outcome not in ("intercepted", "step_limit"):
            click.echo(f"        {printable(result.reason)}", err=True)


class _Live:
    def __init__(self, plan: Plan, before: Sequence[EpisodeResult]) -> None:
        self._plan = plan
        self._began = time.monotonic()
        self._sitting = 0
        self._spent = Spent()
        self._cells: Counter[tuple[str, str, str]] = Counter()
        for result in before:
            self._count(result)

    def add(self, result: EpisodeResult) -> None:
        self._sitting += 1
        self._spent += result.spent
        self._count(result)

    def _count(self, result: EpisodeResult) -> None:
        kind = result.outcome.partition(":")[0]
        shown = kind if kind in ("intercepted", "step_limit", "blocked") else "other"
        for name in ("done", shown):
            self._cells[result.site, result.agent, name] += 1

    def render(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        plan, taken = self._plan, time.monotonic() - self._began
        each = len(plan.tasks) * plan.repeats
        table = Table(title=f"windowshop, dry-run: {plan.source}", caption=self._caption(taken))
        for name in ("site", "agent", "done", "intercepted", "step limit", "blocked", "other"):
            table.add_column(name, justify="left" if name in ("site", "agent") else "right")
        for site in plan.sites:
            for agent in plan.agents:
                of = {name: self._cells[site, agent, name] for name in _COUNTED}
                cells = (site, agent, f"{of['done']}/{each}", *(str(of[name]) for name in _COUNTED[1:]))
                table.add_row(*(Text(printable(cell)) for cell in cells))
        return table

    def _caption(self, taken: float) -> str:
        done = sum(number for (_, _, name), number in self._cells.items() if name == "done")
        left = self._plan.size - done
        rate = self._sitting / taken if taken else 0.0
        parts = [
            f"{done} of {self._plan.size}",
            f"{60 * rate:.1f} a minute",
            f"about {_time(left / rate)} left" if rate else "",
            f"{self._spent.requests} pages, {self._spent.bytes / 1e6:.1f} MB",
            "" if self._spent.credits is None else f"{self._spent.credits:g} credits",
            "" if self._spent.tokens is None else f"{self._spent.tokens} tokens",
            "" if self._spent.cost is None else f"{self._spent.cost:.4f} spent on models",
        ]
        return " · ".join(part for part in parts if part)


_COUNTED = ("done", "intercepted", "step_limit", "blocked", "other")


def _time(seconds: float) -> str:
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}"
