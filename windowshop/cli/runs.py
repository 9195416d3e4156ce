"""`windowshop runs`: list what was run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from windowshop.cli.filters import filters

if TYPE_CHECKING:
    from windowshop.runs.status import Which


@click.command(name="runs")
@click.argument("folder", type=click.Path(path_type=Path), default="runs")
@filters
@click.option("--since", help="Only those begun on or after this day, as 2026-01-31.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a run.")
def command(folder: Path, which: Which, since: str | None, as_json: bool) -> None:
    """List the runs in FOLDER (runs/), oldest first; with a filter, those that have such episodes.

    Example: windowshop runs --agent rule --outcome blocked
    """
    from windowshop.cli.status import said
    from windowshop.runs.status import Which, find_runs, status_of
    from windowshop.terminal import printable

    for path in find_runs(folder):
        status = status_of(path, which)
        if (since and status.created < since) or (which != Which() and not status.outcomes):
            continue
        if as_json:
            click.echo(status.model_dump_json())
            continue
        of = "" if status.planned is None else f"/{status.planned}"
        found = ", ".join(f"{number} {outcome}" for outcome, number in status.outcomes.items())
        mark = " (running)" if status.is_running else ""
        line = (
            f"{path}  {status.source}  {status.done}{of}{mark}: {found or 'none yet'}; {said(status.spent)}"
        )
        click.echo(printable(line))
