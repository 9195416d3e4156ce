"""`windowshop diff`: two runs side by side."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windowshop.cli.filters import filters

if TYPE_CHECKING:
    from windowshop.runs.compare import Comparison
    from windowshop.runs.status import Which

_SAYS = {
    "same": "the same",
    "agent": "the actions part at step {step}",
    "page": "the same actions, but what was read differs at step {step}",
    "end": "the same steps, but they ended otherwise",
    "only_first": "only in the first",
    "only_second": "only in the second",
}
_LINES = 12


@click.command(name="diff")
@click.argument("first", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("second", type=click.Path(exists=True, file_okay=False, path_type=Path))
@filters
@click.option("--all", "show_all", is_flag=True, help="Print the episodes that are the same, too.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 where anything differs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line an episode.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    first: Path,
    second: Path,
    which: Which,
    show_all: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Compare two runs episode by episode: where the actions part, and what differed in the page.

    Episodes are paired by site, task and repeat; one agent against another where each run has one.

    Example: windowshop diff runs/one runs/two --site amazon
    """
    from windowshop.runs.compare import compare

    counts: Counter[str] = Counter()
    for found in compare(first, second, which):
        counts[found.verdict] += 1
        if as_json:
            click.echo(found.model_dump_json())
        elif show_all or found.verdict != "same":
            _print(found)
    if not as_json:
        says = {name: text.replace(" at step {step}", "") for name, text in _SAYS.items()}
        click.echo(
            ", ".join(f"{counts[name]} {says[name]}" for name in _SAYS if counts[name]) or "no episodes"
        )
    ctx.exit(1 if exit_code and set(counts) - {"same"} else 0)


def _print(found: Comparison) -> None:
    from windowshop.terminal import printable

    name = f"{found.site} task {found.task}" + (f" repeat {found.repeat}" if found.repeat else "")
    click.echo(printable(f"{name}: {_SAYS[found.verdict].format(step=found.step)}"))
    for mark, side in (("<", found.first), (">", found.second)):
        if side is not None and found.verdict != "same":
            did = f"{side.action}  " if side.action is not None else ""
            where = f"  {side.url}" if side.url else ""
            click.echo(printable(f"  {mark} {side.episode}: {did}({side.outcome}){where}"))
    for line in found.lines[:_LINES]:
        click.echo(printable(f"    {line[:200]}"))
    if len(found.lines) > _LINES:
        click.echo(f"    ... and {len(found.lines) - _LINES} more lines")
