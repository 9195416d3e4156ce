"""`windowshop score`: what a finished run is worth, as often as one likes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windowshop.scoring.score import Score


@click.command(name="score")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--scorer", type=click.Choice(["webshop", "applied"]), default="webshop", show_default=True)
@click.option(
    "--options",
    "counting",
    type=click.Choice(["chosen", "standing"]),
    default="chosen",
    show_default=True,
    help="Count the options that were clicked, as the simulator does, or also those the page had selected.",
)
@click.option("--nouns", "model", help="The spaCy model of the type reward [default: the one installed].")
@click.option("--json", "as_json", is_flag=True, help="Print each score as a line of JSON.")
def command(run: Path, scorer: str, counting: str, model: str | None, as_json: bool) -> None:
    """Score a run by the simulator's reward, component by component, and keep it in RUN/scores.

    What a real shop does not tell is unknown: it is counted apart, never as 0 or 1. The scorer `applied`
    checks by rules what a DeepShop task asks: was the list sorted and narrowed so, and does the chosen
    item keep to its price, rating and number of reviews.

    Example: windowshop score runs/20260101-120000
    """
    from windowshop.report.scored import SCORES, score_run, write_records

    if scorer == "applied":
        _applied(run, as_json)
        return
    from windowshop.scoring.nouns import spacy_nouns

    nouns, tagger = spacy_nouns(model)
    scores = list(score_run(run, nouns, "standing" if counting == "standing" else "chosen"))
    write_records(run / SCORES, scores)
    if as_json:
        for score in scores:
            click.echo(score.model_dump_json())
        return
    _table(scores)
    _explain(scores, tagger)
    click.echo(f"\neach component, with the text that matched: {run / SCORES}")


def _applied(run: Path, as_json: bool) -> None:
    """Check a run by rules, and print how many episodes met what was asked."""
    from collections import Counter

    from windowshop.report.applied import APPLIED, apply_to_run
    from windowshop.report.scored import write_records

    found = list(apply_to_run(run))
    write_records(run / APPLIED, found)
    if as_json:
        for record in found:
            click.echo(record.model_dump_json())
        return
    counts = Counter((check.what, check.matched) for record in found for check in record.checks)
    click.echo(f"{'asked':<14} {'met':>5} {'not met':>8} {'unknown':>8}")
    for what in dict.fromkeys(what for what, _ in counts):
        met, missed, unknown = (counts[what, matched] for matched in (True, False, None))
        click.echo(f"{what:<14} {met:>5} {missed:>8} {unknown:>8}")
    unasked = sum(not record.checks for record in found)
    if unasked:
        click.echo(f"{unasked} episodes ask nothing that a rule can read")
    click.echo(f"\neach check: {run / APPLIED}")


def _table(scores: Sequence[Score]) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table

    from windowshop.scoring.score import means

    table = Table(title="Eq. 1 on what would have been bought", title_justify="left")
    for name in (
        "site",
        "agent",
        "episodes",
        "score",
        "success",
        "attributes",
        "options",
        "type",
        "price",
        "unknown",
    ):
        table.add_column(name, justify="left" if name in ("site", "agent") else "right")
    groups = dict.fromkeys((score.site, score.agent) for score in scores)
    for site, agent in groups:
        found = means(score for score in scores if (score.site, score.agent) == (site, agent))
        shown = (found.score, found.success, found.attribute, found.option, found.type, found.price)
        counted = (
            f"{found.counted}" if found.counted == found.episodes else f"{found.counted} of {found.episodes}"
        )
        cells = ["–" if value is None else f"{value:.1f}" for value in shown]
        table.add_row(site, agent, counted, *cells, f"{found.counted - found.known}")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def _explain(scores: Sequence[Score], tagger: str) -> None:
    from windowshop.scoring.live import CARRIES_OVER
    from windowshop.scoring.score import means

    total = means(scores)
    if total.known < total.counted and total.low is not None and total.high is not None:
        click.echo(
            f"{total.counted - total.known} rewards are not known in full; were every unknown part at "
            f"its worst or "
            f"best, the score of all would be {total.low:.1f} or {total.high:.1f}"
        )
    if total.counted < total.episodes:
        click.echo(f"ended by the environment, and not counted: {total.episodes - total.counted}")
    unjudged = sum(score.low is None for score in scores)
    if unjudged:
        click.echo(f"without a goal in WebShop's format, to be labelled or judged: {unjudged}")
    click.echo(f"what carries over to a real shop (nouns by {tagger}):")
    for line in CARRIES_OVER:
        click.echo(f"  {line}")
