"""`windowshop report`: what runs came to, as a page to show, as Markdown, as JSON."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="report")
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="The page [default: report.html in RUN]."
)
@click.option("--score", is_flag=True, help="Score the runs first (as windowshop score does).")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON as well.")
def command(runs: tuple[Path, ...], out: Path | None, score: bool, as_json: bool) -> None:
    """Write a report of one or several runs: a self-contained page, and beside it Markdown and JSON.

    Runs with the same goals are compared: agents on one site, the simulator (--site webshop) with the shops.
    Where there are many episodes they stand in a folder beside the page.

    \b
    Examples:
      windowshop report runs/one --score
      windowshop report runs/simulator runs/live --out gap.html
    """
    from windowshop.report.markdown import markdown
    from windowshop.report.page import write_report
    from windowshop.report.reading import read_run
    from windowshop.report.scored import SCORES, score_run, write_records, write_text
    from windowshop.report.scored import as_json as to_json

    if score:
        from windowshop.scoring.nouns import spacy_nouns

        nouns, _ = spacy_nouns()
        for run in runs:
            write_records(run / SCORES, score_run(run, nouns))
    path = out or runs[0] / "report.html"
    figures = write_report([read_run(run) for run in runs], path)
    write_text(path.with_suffix(".md"), markdown(figures))
    text = to_json(figures.model_dump(mode="json"))
    write_text(path.with_suffix(".json"), text)
    if as_json:
        click.echo(text, nl=False)
    else:
        click.echo(f"report: {path} (and .md, .json beside it)")
