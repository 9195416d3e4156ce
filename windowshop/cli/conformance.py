"""`windowshop conformance`: our steps against those that the real simulator recorded."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from windowshop.scoring.nouns import Nouns


@click.command(name="conformance")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--products",
    required=True,
    type=click.Path(exists=True, dir_okay=False),
    help="The simulator's products after its loader (products_loaded.json).",
)
@click.option(
    "--prices",
    type=click.Path(exists=True, dir_okay=False),
    help="The purchase prices that it drew (product_prices.json): then rewards are computed, not taken "
    "from the recording.",
)
@click.option(
    "--goals",
    type=click.Path(exists=True, dir_okay=False),
    help="The simulator's goals (goals.json), by which rewards are computed [default: those recorded].",
)
@click.option("--show", default=5, show_default=True, help="How many differences to print.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    products: str,
    prices: str | None,
    goals: str | None,
    show: int,
    as_json: bool,
) -> None:
    """Replay recorded simulator episodes (JSON lines) and compare every step with windowshop's.

    Exits with 0 only when all steps are identical.

    Example: windowshop conformance text.jsonl text_rich.jsonl --products products_loaded.json
    """
    from windowshop.runs.conformance import Catalogue, Difference, replay

    catalogue = Catalogue(_read(products), _read(prices) if prices else None, _tagger() if prices else None)
    known = _read(goals) if goals else None
    report, differences = [], list[Difference]()
    for file in files:
        wrong: Counter[str] = Counter()
        total = identical = 0
        with Path(file).open(encoding="utf-8") as lines:
            for line in lines:
                for found in replay(_with_goal(json.loads(line), known), catalogue):
                    total += 1
                    identical += not found
                    wrong.update(difference.aspect for difference in found)
                    differences.extend(found)
        report.append({"file": file, "steps": total, "identical": identical, "different": dict(wrong)})
    if as_json:
        shown = [difference.model_dump() for difference in differences[:show]]
        click.echo(json.dumps({"files": report, "differences": shown}, indent=1))
    else:
        for row in report:
            different = row["different"] or ""
            click.echo(f"{row['identical']} / {row['steps']} steps identical  {row['file']}  {different}")
        for difference in differences[:show]:
            click.echo(
                _readable(
                    difference.expected,
                    difference.got,
                    f"{difference.episode} step {difference.step} {difference.aspect}",
                )
            )
    ctx.exit(1 if differences else 0)


def _read(file: str) -> Any:
    return json.loads(Path(file).read_text(encoding="utf-8"))


def _with_goal(episode: dict[str, Any], goals: list[Any] | None) -> dict[str, Any]:
    """Return a recorded episode with the goal that the simulator's list has for it."""
    if goals is None:
        return episode
    number = episode.get("goal_index")
    if not isinstance(number, int) or not 0 <= number < len(goals):
        from windowshop.errors import ConfigError

        raise ConfigError(
            f"episode {episode.get('name')!r} has goal {number!r}, and --goals has {len(goals)}"
        )
    return {**episode, "goal": goals[number]}


def _tagger() -> Nouns:
    from windowshop.scoring.nouns import spacy_nouns

    nouns, model = spacy_nouns()
    click.echo(f"nouns by {model}", err=True)
    return nouns


def _readable(expected: object, got: object, title: str) -> str:
    lines = difflib.unified_diff(_lines(expected), _lines(got), "simulator", "windowshop", lineterm="", n=1)
    return "\n".join([f"--- {title}", *lines])


def _lines(side: object) -> list[str]:
    text = side if isinstance(side, str) else json.dumps(side, indent=1, default=str)
    return text.splitlines()
