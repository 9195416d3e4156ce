"""`windowshop status`: how a run stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from windowshop.cli.filters import filters

if TYPE_CHECKING:
    from windowshop.episodes import Spent
    from windowshop.runs.status import Status, Which


@click.command(name="status")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@filters
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(run: Path, which: Which, as_json: bool) -> None:
    """Say how a run stands: what is done and how it ended, what is left, what it took.

    A run that is going on can be asked as well.

    \b
    Examples:
      windowshop status runs/20260101-120000
      windowshop status runs/20260101-120000 --site ebay --outcome blocked
    """
    from windowshop.runs.status import status_of

    status = status_of(run, which)
    if as_json:
        click.echo(status.model_dump_json(indent=1))
        return
    _print(status)


def _print(status: Status) -> None:
    from windowshop.terminal import printable

    whole = "" if status.planned is None else f" of {status.planned}"
    going = "running now" if status.is_running else "nobody is running it"
    click.echo(f"{status.path}: dry-run, {status.source}, {status.created[:19]}, {going}")
    click.echo(f"{status.done}{whole} episodes are done")
    width = max([len(f"{row.site} {row.agent}") for row in status.rows], default=0)
    for row in status.rows:
        found = ", ".join(f"{number} {outcome}" for outcome, number in row.outcomes.items())
        of = "" if row.planned is None else f" of {row.planned}"
        name = f"{row.site} {row.agent}"
        click.echo(printable(f"  {name:{width}}  {sum(row.outcomes.values())}{of}: {found or 'none yet'}"))
    click.echo(f"taken: {said(status.spent)}; {status.seconds:.0f} s of episodes")
    if status.in_flight:
        click.echo(printable(f"in flight: {', '.join(status.in_flight)}"))


def said(spent: Spent) -> str:
    """Return what was spent in words; what nobody told is left out."""
    parts = [f"{spent.requests} pages", f"{spent.bytes / 1e6:.1f} MB"]
    if spent.credits is not None:
        parts.append(f"{spent.credits:g} credits")
    if spent.tokens is not None:
        parts.append(f"{spent.tokens} tokens")
    if spent.cost is not None:
        parts.append(f"{spent.cost:.4f} on models")
    return ", ".join(parts)
