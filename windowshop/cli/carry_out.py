"""Carry out a plan: play what is left of it, show how it goes, and say how it went."""

from __future__ import annotations

import sys
from collections import Counter
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windowshop.episodes import EpisodeResult
    from windowshop.runs.plan import Plan
    from windowshop.runs.worker import LoadAgent

_MANY = 40


def carry_out(ctx: click.Context, plan: Plan, load: LoadAgent, out: Path, as_json: bool) -> None:
    """Play what is not finished of a plan in the folder `out`, and exit with the gravest outcome's code."""
    from windowshop.cli.progress import open_progress
    from windowshop.runs.batch import run_batch
    from windowshop.runs.folder import RunFolder, is_final, read_results
    from windowshop.runs.recordings import save_run

    folder = RunFolder(out, plan.settings(), plan.tasks)
    try:
        before = [result for result in read_results(out) if is_final(result.outcome)]
        with open_progress(plan, before, as_json) as progress:
            for result in run_batch(plan, folder, load):
                progress.add(result)
    except KeyboardInterrupt:
        click.echo(f"\ninterrupted; the same command with --out {out} goes on from here", err=True)
        ctx.exit(130)
    finally:
        folder.close()
    if plan.recording is not None and plan.record_mode != "none":
        save_run(out, plan.recording.name, add=plan.record_mode == "new_episodes", replace=True)
    results = read_results(out)
    if not as_json:
        _print_results(results)
        _conclude(plan, out, results)
    ctx.exit(_exit_code(results))


def _conclude(plan: Plan, out: Path, results: Sequence[EpisodeResult]) -> None:
    left = plan.size - len(results)
    if left:
        click.echo(f"{left} episodes were not begun; the same command with --out {out} goes on")
    if plan.source == "demo":
        from windowshop.runs.stack import SHOP_COUNTERS

        harm = loads((out / SHOP_COUNTERS).read_text(encoding="utf-8"))["harm"]
        click.echo(
            f"the demo shop's cart, checkout and account pages were asked for {sum(harm.values())} times"
        )
    if plan.sandbox is not None:
        from windowshop.runs.mall import read_records

        orders = sum(step.order is not None for record in read_records(out) for step in record.steps)
        click.echo(
            f"{orders} orders were placed in your own shops. Score it with: windowshop webmall score {out}"
        )
        return
    click.echo(f"dry-run: nothing was bought. Look at it with: windowshop show {out}")


def _print_results(results: Sequence[EpisodeResult]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from windowshop.terminal import printable

    table = Table(title="dry-run: what would have been bought", title_justify="left")
    names = ["site", "agent", "goal", "steps", "product", "price", "outcome"]
    if len({result.agent for result in results}) == 1:
        names.remove("agent")
    for name in names:
        table.add_column(name, justify="right" if name in ("steps", "price") else "left", overflow="fold")
    for result in results[:_MANY]:
        intent = result.intent
        price = intent.unit_price.text if intent and intent.unit_price else None
        cells = {
            "site": result.site,
            "agent": result.agent,
            "goal": result.task.instruction,
            "steps": str(result.steps),
            "product": (intent.title or intent.item_id) if intent else "",
            "price": price or "",
            "outcome": result.outcome,
        }
        table.add_row(*(Text(printable(cells[name])) for name in names))
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    if len(results) > _MANY:
        outcomes = Counter(result.outcome for result in results)
        counted = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
        click.echo(f"... and {len(results) - _MANY} more; in all: {counted}")


def _exit_code(results: Sequence[EpisodeResult]) -> int:
    """Return the gravest exit code among the outcomes; an intercepted purchase and a step limit are well."""
    from windowshop.errors import EXIT_CODES

    found = {EXIT_CODES.get(result.outcome.partition(":")[0], 0) for result in results}
    return next((code for code in (4, 8, 2, 3, 6, 7, 5, 1) if code in found), 0)
