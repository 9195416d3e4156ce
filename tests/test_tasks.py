"""Tasks of the benchmarks: taken in whole, typed, and wrong records named."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from windowshop.cli import group
from windowshop.errors import ConfigError
from windowshop.goals.deepshop import ASPECTS, deepshop_goal
from windowshop.goals.shoppingbench import shopping_goal
from windowshop.tasks.load import load_tasks
from windowshop.tasks.read import Beside, read_benchmark
from windowshop.tasks.webshop import webshop_goals

SHOPPING = ("product", "shop", "voucher", "web_simpleqa")


def run(*args: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["tasks", *map(str, args)], standalone_mode=False)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.return_value or result.exit_code, result.output


def test_goals_made_from_items_stand_in_the_simulators_order(shared: Path) -> None:
    golden = shared / "golden"
    expected = json.loads((golden / "goals.json").read_text())
    items = json.loads((golden / "products.json").read_text())
    human = json.loads((golden / "items_human_ins.json").read_text())
    goals = webshop_goals(items, human)
    assert [goal["asin"] for goal in goals] == [goal["asin"] for goal in expected]
    drawn = {"price_upper", "instruction_text"}  # the simulator draws its price limits without a seed
    for goal, other in zip(goals, expected, strict=True):
        assert {key: value for key, value in goal.items() if key not in drawn} == {
            key: value for key, value in other.items() if key not in drawn
        }
        said = goal["instruction_text"].split(", and price lower")[0]
        assert said == other["instruction_text"].split(", and price lower")[0]


def test_price_limits_are_the_larger_of_two_of_the_next_four_tens() -> None:
    items = [{"asin": f"B{number:09}", "name": "lamp", "pricing": "$24.99"} for number in range(40)]
    human = {item["asin"]: [{"instruction": "a lamp.", "instruction_attributes": ["red"]}] for item in items}
    goals = webshop_goals(items, human)
    assert {goal["price_upper"] for goal in goals} == {40.0, 50.0, 60.0}
    assert (
        goals[0]["instruction_text"] == f"a lamp, and price lower than {goals[0]['price_upper']:.2f} dollars"
    )
    dear = webshop_goals([{**items[0], "pricing": "$985.00"}], human)
    assert (dear[0]["price_upper"], dear[0]["instruction_text"]) == (1_000_000, "a lamp")


def test_synthetic_goals_are_one_for_each_combination_and_weighed() -> None:
    options = {"Size": [{"value": "S"}, {"value": "M/L"}], "Colour": [{"value": "Red"}], "None": None}
    item = {"asin": "B1", "name": "x", "pricing": "", "customization_options": options}
    side = {"B1": {"instruction": "find x", "instruction_attributes": ["soft", "new"]}}
    goals = webshop_goals([item], None, side)
    texts = sorted(goal["instruction_text"].split(", and price")[0] for goal in goals)
    assert texts == ["find x with colour: red, and size: m | l", "find x with colour: red, and size: s"]
    assert {goal["weight"] for goal in goals} == {0.5}


def test_deepshop_is_taken_in_whole(shared: Path, tmp_path: Path) -> None:
    file = shared / "benchmarks/deepshop/deepshop.jsonl"
    code, said = run("import", "deepshop", file, "-o", tmp_path / "tasks.jsonl")
    assert (code, said.split(" in ")[0]) == (0, "150 tasks of deepshop")
    tasks = load_tasks(tmp_path / "tasks.jsonl")
    assert tasks == read_benchmark("deepshop", file) == load_tasks(file)
    goals = [deepshop_goal(task.goal or {}) for task in tasks]
    assert Counter(goal.difficulty for goal in goals) == {"easy": 50, "medium": 50, "hard": 50}
    assert {count for count in Counter(goal.category for goal in goals).values()} == {30}
    asked = {aspect: sum(goal.asks(aspect) for goal in goals) for aspect in ASPECTS}
    assert asked == {"attribute": 150, "filter": 134, "sort": 88}
    assert sum(goal.asks("filter", strict=True) for goal in goals) == 133


def test_shoppingbench_is_taken_in_whole(shared: Path) -> None:
    folder = shared / "benchmarks/shoppingbench"
    counts = {}
    for name in SHOPPING:
        tasks = load_tasks(folder / f"synthesize_{name}_test.jsonl")
        goals = [shopping_goal(task.goal or {}) for task in tasks]
        (intent,) = {goal.intent for goal in goals}
        counts[intent] = len(tasks)
        assert len({task.id for task in tasks}) == len(tasks)
    assert counts == {"product": 250, "shop": 250, "voucher": 250, "web": 150}
    oro = load_tasks(folder / "oro_problem_suite_v3_noemb.json")
    assert Counter(shopping_goal(task.goal or {}).intent for task in oro) == dict.fromkeys(
        ("product", "shop", "voucher"), 10
    )


def test_goal_texts_have_splits(tmp_path: Path) -> None:
    file = tmp_path / "human_goals.json"
    file.write_text(json.dumps([f"goal {number}" for number in range(1600)]))
    sizes = {
        name: len(read_benchmark("webshop", file, Beside(split=name))) for name in ("test", "eval", "train")
    }
    assert sizes == {"test": 500, "eval": 1000, "train": 100}
    assert read_benchmark("webshop", file, Beside(split="eval"))[0].id == "500"
    file.write_text(json.dumps(["one goal"]))
    with pytest.raises(ConfigError, match="the split eval begins at 500"):
        read_benchmark("webshop", file, Beside(split="eval"))


def test_lint_names_every_record_and_field(tmp_path: Path) -> None:
    good = {"query": "a lamp", "reward": {"product_id": "1", "title": ["Lamp"]}}
    bad = {"query": "a lamp", "reward": {"title": "Lamp"}}
    half = {
        **good,
        "voucher": {"voucher_type": "shop", "threshold": 1, "discount_type": "fixed", "budget": 5},
    }
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in (good, bad, half)))
    code, said = run("lint", file)
    assert code == 1
    assert "record 1: wanted.0.product_id: Field required" in said
    assert "record 2: voucher: Value error, a fixed voucher needs face_value" in said
    assert "record 0" not in said
    with pytest.raises(ConfigError, match=r"record 1: wanted\.0\.product_id"):
        load_tasks(file)


def test_lint_is_content_with_the_papers_files(shared: Path) -> None:
    for name in SHOPPING:
        code, said = run("lint", shared / f"benchmarks/shoppingbench/synthesize_{name}_test.jsonl")
        assert (code, said.endswith("tasks, nothing wrong\n")) == (0, True)


def test_a_task_is_shown_with_what_scoring_knows(tmp_path: Path) -> None:
    record = {"instruction_text": "a lamp", "attributes": ["red"], "price_upper": 20.0}
    file = tmp_path / "goals.json"
    file.write_text(json.dumps([record]))
    assert run("show", file)[1] == "0  webshop  a lamp\n"
    assert '"price_upper": 20.0' in run("show", file, "--id", "0")[1]
    code, said = run("show", file, "--id", "7")
    assert (code, "has no task '7'" in said) == (2, True)


def test_an_unknown_benchmark_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ConfigError, match="unknown benchmark 'shopworld'; known: webshop, deepshop"):
        read_benchmark("shopworld", tmp_path / "x.json")
