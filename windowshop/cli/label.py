"""`windowshop label`: score a run by hand, in the browser."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="label")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--annotator", help="Your name [default: the page asks].")
@click.option("--blind", is_flag=True, help="Hide the agent, and mix the episodes, for each annotator anew.")
@click.option("--port", default=0, show_default="any that is free", type=click.IntRange(0, 65535))
@click.option(
    "--export",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the labels: .csv or .jsonl.",
)
@click.option(
    "--import",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add labels: .csv or .jsonl.",
)
def command(
    run: Path, annotator: str | None, blind: bool, port: int, out: Path | None, source: Path | None
) -> None:
    """Serve a page on this machine where people score a run's episodes; answers go to RUN/labels.jsonl.

    Several people may work at the same time, each under a name; who comes back goes on where they were.

    \b
    Examples:
      windowshop label runs/one --blind
      windowshop label runs/one --export labels.csv
    """
    if source is not None:
        _import(run, source)
    if out is not None:
        _export(run, out)
    if source is not None or out is not None:
        return
    from windowshop.report.labelling import Desk, label_app
    from windowshop.report.server import import_starlette, serve

    import_starlette()
    desk = Desk(run, blind)
    try:
        serve(
            label_app(desk, annotator),
            port,
            lambda address: click.echo(f"label: {address}  (Ctrl-C ends it)"),
        )
    finally:
        desk.close()


def _import(run: Path, source: Path) -> None:
    from windowshop.errors import ConfigError
    from windowshop.journal import Journal
    from windowshop.report.reading import LABELS, read_labels
    from windowshop.runs.folder import read_results
    from windowshop.scoring.labels import from_csv, from_jsonl

    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read labels from {source}: {error}") from error
    labels = list((from_csv if source.suffix == ".csv" else from_jsonl)(text, str(source)))
    known = {result.episode for result in read_results(run)}
    strange = sorted({label.episode for label in labels} - known)
    if strange:
        raise ConfigError(f"{source} labels episodes that {run} does not have: {', '.join(strange[:5])}")
    before = set(read_labels(run))
    fresh = [label for label in labels if label not in before]
    with Journal(run / LABELS, durable=True) as journal:
        for label in fresh:
            journal.append(label)
    click.echo(f"{len(fresh)} labels added, {len(labels) - len(fresh)} were there already")


def _export(run: Path, out: Path) -> None:
    from windowshop.report.reading import read_labels
    from windowshop.report.scored import write_records, write_text
    from windowshop.scoring.labels import to_csv

    labels = read_labels(run)
    if out.suffix == ".csv":
        write_text(out, to_csv(labels))
    else:
        write_records(out, labels)
    click.echo(f"{len(labels)} labels: {out}")
