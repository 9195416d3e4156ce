"""`windowshop agreement`: how far annotators agree, and judges with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command(name="agreement")
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(runs: tuple[Path, ...], as_json: bool) -> None:
    """Print how far the annotators of runs agree with each other, and judges with them, per question.

    Per cent, Cohen's kappa and Krippendorff's alpha, with 95 % bootstrap intervals.

    Example: windowshop agreement runs/one runs/two
    """
    from windowshop.errors import ConfigError
    from windowshop.report.agreed import agreements
    from windowshop.report.reading import read_run

    found = agreements([read_run(run) for run in runs])
    if not found:
        raise ConfigError("no two raters rated the same: see windowshop label, windowshop judge")
    if as_json:
        click.echo(json.dumps([one.model_dump(mode="json") for one in found], indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    from windowshop.report.render import interval, number

    table = Table(title="agreement", title_justify="left")
    for name in ("question", "raters", "items", "agree, %", "kappa", "alpha"):
        table.add_column(name, justify="left" if name in ("question", "raters") else "right")
    for one in found:
        table.add_row(
            one.question,
            ", ".join(one.raters),
            str(one.items),
            f"{number(one.percent, 0)}  {interval(one.percent_interval, 0)}",
            f"{number(one.kappa, 2)}  {interval(one.kappa_interval, 2)}",
            f"{number(one.alpha, 2)}  {interval(one.alpha_interval, 2)}",
        )
    Console(width=None if sys.stdout.isatty() else 140).print(table)
