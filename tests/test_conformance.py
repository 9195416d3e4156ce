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
