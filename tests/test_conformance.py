"""Every recorded step of the real simulator, through the command that users run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from windowshop.cli import group


def conformance(*args: str | Path) -> Result:
    return CliRunner().invoke(group, ["conformance", *map(str, args)], catch_exceptions=False)


@pytest.mark.parametrize("mode", ["text", "text_rich", "url"])
def test_all_recorded_steps_are_identical(shared: Path, mode: str) -> None:
    golden = shared / "golden"
    tables = ("--prices", golden / "product_prices.json")
    result = conformance(
        golden / f"{mode}.jsonl", "--products", golden / "products_loaded.json", *tables, "--json"
    )
    report = json.loads(result.stdout)
    assert report["differences"] == []
    assert report["files"][0]["identical"] == report["files"][0]["steps"] > 600
    assert result.exit_code == 0


def test_a_changed_step_is_found_and_shown(shared: Path, tmp_path: Path) -> None:
    episode = json.loads((shared / "golden/text.jsonl").read_text(encoding="utf-8").splitlines()[0])
    episode["steps"][1]["observation"] += "!"
    changed = tmp_path / "changed.jsonl"
    changed.write_text(json.dumps(episode), encoding="utf-8")
    result = conformance(changed, "--products", shared / "golden/products_loaded.json")
    assert result.exit_code == 1
    assert "9 / 10 steps identical" in result.stdout
    assert "step 1 observation" in result.stdout


def test_rewards_are_those_of_the_simulators_own_goals(shared: Path, tmp_path: Path) -> None:
    golden = shared / "golden"
    tables = ("--products", golden / "products_loaded.json", "--prices", golden / "product_prices.json")
    given = conformance(golden / "text.jsonl", *tables, "--goals", golden / "goals.json", "--json")
    assert given.exit_code == 0, given.stdout
    others = [
        {**goal, "price_upper": 0.01} for goal in json.loads((golden / "goals.json").read_text("utf-8"))
    ]
    changed = tmp_path / "goals.json"
    changed.write_text(json.dumps(others), encoding="utf-8")
    wrong = conformance(golden / "text.jsonl", *tables, "--goals", changed, "--json")
    assert set(json.loads(wrong.stdout)["files"][0]["different"]) >= {"reward"}
    changed.write_text("[]", encoding="utf-8")
    none = CliRunner().invoke(
        group, ["conformance", *map(str, (golden / "text.jsonl", *tables, "--goals", changed))]
    )
    assert none.exit_code == 2
    assert "--goals has 0" in none.output
