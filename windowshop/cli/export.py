"""`windowshop export`: a run in other people's formats."""

from __future__ import annotations

from pathlib import Path

import click

_NAMES = {
    "il-trajs": "il_trajs.jsonl",
    "sft": "sft.jsonl",
    "mind2web": "mind2web",
    "parquet": "parquet",
    "webvoyager": "results",
}


@click.command(name="export")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--format", "name", type=click.Choice(list(_NAMES)), required=True)
@click.option("--out", type=click.Path(path_type=Path), help="[default: in RUN/export, by the format's name]")
@click.option(
    "--outcome", "outcomes", multiple=True, help="Only episodes that ended so (intercepted). Repeatable."
)
def command(run: Path, name: str, out: Path | None, outcomes: tuple[str, ...]) -> None:
    """Write RUN as WebShop's il_trajs, chat samples, Online-Mind2Web or WebVoyager results, or Parquet.

    \b
    Examples:
      windowshop export runs/one --format il-trajs
      windowshop export runs/one --format sft --outcome intercepted --out samples.jsonl
    """
    from windowshop.export import export

    out = out or run / "export" / _NAMES[name]
    count = export(run, name, out, frozenset(outcomes))
    click.echo(f"{count} episodes are in {out}")
