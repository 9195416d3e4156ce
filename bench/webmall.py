"""WebMall's tasks in four demo shops, by the rule agent and by an oracle: the table of docs/webmall.md.

python bench/webmall.py task_sets.json 1.csv 2.csv 3.csv 4.csv
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from windowshop.agents import Agent, load_agent
from windowshop.demo.woo import Mall
from windowshop.demo.woo_goods import Goods, load_goods
from windowshop.goals.webmall import MallGoal, mall_goal, placed
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder
from windowshop.runs.mall import SOLUTION, read_records
from windowshop.runs.plan import Plan
from windowshop.scoring.webmall import score_task, slug_of, table
from windowshop.tasks.load import load_tasks
from windowshop.views import Observation

PAGES = 4


class Oracle:
    """Walk to every right offer by searching its shop for the words of its address, and do what is asked."""

    def __init__(self, goals: Mapping[str, MallGoal], goods: Sequence[Sequence[Goods]]) -> None:
        self._goals = goals
        self._ids = {
            (shop, one.slug): f"shop{shop}-{one.number}" for shop, sold in enumerate(goods, 1) for one in sold
        }
        self._shops: list[str] = []
        self._seen: Observation | None = None
        self._actions: Iterator[str] = iter(())

    def reset(self, instruction: str) -> None:
        """Begin a task."""
        self._actions = self._walk(self._goals[instruction])

    def act(self, observation: Observation) -> str:
        """Return the next action."""
        self._seen = observation
        return next(self._actions)

    def settle(self, shops: Sequence[str]) -> None:
        """Learn where the shops are."""
        self._shops = list(shops)

    def _walk(self, goal: MallGoal) -> Iterator[str]:
        found = []
        for url in goal.correct_answer.answers:
            shop = next(number for number, at in enumerate(self._shops, 1) if url.startswith(f"{at}/"))
            wanted = self._ids.get((shop, slug_of(url)))
            yield "click[back to search]"
            yield f"search[shop {shop}: {slug_of(url).replace('-', ' ')}]"
            for _ in range(PAGES):
                if self._seen is None or wanted in self._seen.available_actions.clickables:
                    break
                yield "click[next >]"
            if self._seen is None or wanted not in self._seen.available_actions.clickables:
                continue
            found.append(wanted)
            yield f"click[{wanted}]"
            if goal.correct_answer.type != "string":
                yield "click[add to cart]"
            if goal.correct_answer.type == "checkout":
                yield "click[checkout]"
        yield f"submit[{'###'.join(found)}]" if goal.correct_answer.type == "string" else "submit[Done]"


def main(tasks_file: str, *exports: str) -> None:
    goods = [load_goods(Path(path)) for path in exports]
    tasks = tuple(load_tasks(Path(tasks_file)))
    for name in ("rule", "oracle"):
        with Mall(goods) as mall, tempfile.TemporaryDirectory() as place:
            policy = Path(place, "shops.toml")
            tables = (f'[[shop]]\nurl = "{url}"\nallow = ["cart", "checkout"]\n' for url in mall.addresses)
            policy.write_text("".join(tables))
            goals = [placed(mall_goal(task.goal or {}), (*mall.addresses, SOLUTION)) for task in tasks]
            oracle = Oracle({goal.text: goal for goal in goals}, goods)
            oracle.settle(mall.addresses)

            def load(spec: str, seed: int, oracle: Oracle = oracle) -> Agent:
                return oracle if spec == "oracle" else load_agent(spec, seed)

            plan = Plan(
                tasks=tasks, sites=("webmall",), agents=(name,), source="own", locale="de", max_steps=50,
                base_url=",".join(mall.addresses), sandbox=policy,
            )  # fmt: skip
            folder = RunFolder(Path(place, "run"), plan.settings(), tasks)
            for _ in run_batch(plan, folder, load):
                pass
            folder.close()
            scores = [score_task(one.goal, one.steps, one.carts) for one in read_records(Path(place, "run"))]
            found = table(scores)["all"]
            orders = sum(len(shop.orders) for shop in mall.shops)
            rated = (
                *(found.cr, found.precision, found.recall, found.f1, found.cr_checklist),
                *(found.partial_completion, found.checkpoint_completion, found.reward),
            )
            cells = " | ".join(f"{100 * value:.1f}" for value in rated)
            print(
                f"| {name} | {cells} | {found.steps:.1f} |",
                f"{found.tasks} tasks, {orders} orders",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
