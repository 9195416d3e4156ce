"""Every ShoppingBench query over a catalogue made of its own goods: bench/shoppingbench.py QUERIES.jsonl...

The published corpus is not part of the benchmark's repository, so the catalogue holds what the queries ask
for: a product with each goal's title, variant, attributes, services and a price in its range (the knowledge
queries bring whole products). With so few products to confuse, these scores are no result of the benchmark;
they show that every query runs and is scored, and what the oracle reaches says whether the scoring is right.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from windowshop.goals.shoppingbench import Document, ShoppingGoal, Wanted, shopping_goal
from windowshop.scoring.shoppingbench import ShoppingScore, summarise
from windowshop.scoring.similarity import WordSimilarity
from windowshop.tasks.load import load_tasks
from windowshop.tools.catalogue import LocalCatalogue, build_catalogue
from windowshop.tools.distill import score_rollout
from windowshop.tools.rollout import ToolAgent, roll_out
from windowshop.tools.rule import RuleToolAgent
from windowshop.tools.toolbox import Toolbox
from windowshop.tools.turn import Call, Turn


class Oracle:
    """Recommend what the goal names: the upper bound."""

    def __init__(self, goals: Iterable[ShoppingGoal]) -> None:
        self._ids = {goal.query: [wanted.product_id for wanted in goal.wanted] for goal in goals}

    def turn(self, system: str, history: str) -> str:
        query = history.removeprefix("<user>").removesuffix("</user>")
        ids = ",".join(self._ids[query])
        recommend = Call(name="recommend_product", parameters={"product_ids": ids})
        return Turn(
            think="", calls=(recommend, Call(name="terminate", parameters={"status": "success"}))
        ).text


def goods(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a product for each that is asked for; those of one query stand in one shop."""
    for number, record in enumerate(records):
        goal = shopping_goal(record)
        if goal.intent == "web":
            yield record["reward"]
            continue
        budget = goal.voucher.budget / len(goal.wanted) if goal.voucher else None
        for wanted in goal.wanted:
            yield product(wanted, f"shop{number}", budget).model_dump(mode="json")


def product(wanted: Wanted, shop: str, budget: float | None) -> Document:
    """Return a product that has all that is asked for."""
    bounds = [bound for prices in wanted.price for bound in prices.values()]
    low = max((low for low, _ in bounds if low is not None), default=None)
    return Document(
        product_id=wanted.product_id,
        shop_id=shop,
        title=wanted.title[0],
        price=low if low is not None else budget if budget is not None else 100.0,
        service=wanted.service,
        sku_options={"1": {name: value for group in wanted.sku_options for name, value in group.items()}},
        attributes={name: values for group in wanted.attributes for name, values in group.items()},
    )


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(files: tuple[Path, ...]) -> None:
    """Run the rule agent and the oracle over every query, and print the benchmark's table."""
    records = [task.goal or {} for file in files for task in load_tasks(file)]
    goals = [shopping_goal(record) for record in records]
    titles = WordSimilarity()
    agents: dict[str, ToolAgent] = {"rule": RuleToolAgent(), "oracle": Oracle(goals)}
    table = Table("agent", "intent", "asked", "ran", "ASR %", "CAR %")
    with tempfile.TemporaryDirectory() as folder:
        count = build_catalogue(goods(json.loads(json.dumps(records))), Path(folder) / "catalogue")
        shop = LocalCatalogue(Path(folder) / "catalogue")
        for name, agent in agents.items():
            scores = [score(goal, agent, shop, titles) for goal in goals]
            for intent in ("product", "shop", "voucher", "web"):
                asked = sum(goal.intent == intent for goal in goals)
                total = summarise([each for each in scores if each.intent == intent], asked)
                shares = (f"{100 * (share or 0):.1f}" for share in (total.asr, total.car))
                table.add_row(name, intent, str(asked), str(total.ran), *shares)
        shop.close()
    Console().print(f"{count} products")
    Console().print(table)


def score(
    goal: ShoppingGoal, agent: ToolAgent, shop: LocalCatalogue, titles: WordSimilarity
) -> ShoppingScore:
    """Return the score of one query."""
    return score_rollout(roll_out(goal.query, agent, Toolbox(shop)), goal, shop, titles)


if __name__ == "__main__":
    main()
