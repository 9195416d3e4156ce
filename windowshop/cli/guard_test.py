"""`windowshop guard test`: every way out of the browser that we know of, tried on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from windowshop.runs.hostile import Outcome


@click.command(name="test")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON a vector and way.")
@click.option("--short", is_flag=True, help="Only the few that are tried before every live session.")
@click.pass_context
def command(ctx: click.Context, as_json: bool, short: bool) -> None:
    """Let a hostile shop on this machine try every way out of the installed Chromium.

    Each vector is run three times: with no guard, to show that it does reach the shop; behind the wall with
    scripts running; and as windowshop itself fetches, without. Exits with 4 if anything reached the shop that
    must not. It takes a minute or two.
    """
    from windowshop.demo.hostile_vectors import VECTORS
    from windowshop.runs.hostile import leaks, run_vectors
    from windowshop.runs.hostile import short as short_ones

    outcomes = run_vectors(short_ones() if short else VECTORS)
    leaked = leaks(outcomes)
    if as_json:
        for outcome in outcomes:
            click.echo(json.dumps(outcome.model_dump(mode="json")))
    else:
        _table(outcomes)
        fired = sum(outcome.reached is not None for outcome in outcomes if outcome.way == "no guard")
        tried = len({outcome.vector for outcome in outcomes})
        click.echo(f"{tried} vectors: {fired} reach the shop with no guard, {len(leaked)} with it")
        for outcome in leaked:
            click.echo(f"LEAK  {outcome.vector} ({outcome.way}): {outcome.reached}")
    ctx.exit(4 if leaked else 0)


def _table(outcomes: Sequence[Outcome]) -> None:
    from rich.console import Console
    from rich.table import Table

    from windowshop.runs.hostile import WAYS

    table = Table()
    for name in ("vector", "threat", *WAYS):
        table.add_column(name)
    by_vector: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        by_vector.setdefault(outcome.vector, {})[outcome.way] = outcome
    for name, ways in by_vector.items():
        threat = next(iter(ways.values())).threat
        table.add_row(name, threat, *(_cell(ways[way]) if way in ways else "-" for way in WAYS))
    Console(width=120).print(table)


def _cell(outcome: Outcome) -> str:
    if outcome.reached is not None:
        return "reached the shop" if outcome.way == "no guard" else "REACHED THE SHOP"
    if outcome.way == "no guard":
        return "did not fire here"
    return f"{outcome.layer} ({outcome.rule})" if outcome.rule else f"{outcome.layer}"
