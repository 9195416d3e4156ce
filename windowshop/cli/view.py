"""`windowshop view`: the report while the run goes on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="view")
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--port", default=0, show_default="any that is free", type=click.IntRange(0, 65535))
def command(runs: tuple[Path, ...], port: int) -> None:
    """Serve the report's pages on this machine; they follow what is written in the run folders.

    Example: windowshop view runs/20260101-120000
    """
    from windowshop.report.live import live_app
    from windowshop.report.reading import read_run
    from windowshop.report.server import serve

    for run in runs:
        read_run(run)
    serve(live_app(list(runs)), port, lambda address: click.echo(f"report: {address}  (Ctrl-C ends it)"))
