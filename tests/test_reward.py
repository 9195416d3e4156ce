"""The simulator's reward, exact on every recorded case, and honest about what a real shop does not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from windowshop.scoring.color import normalize_color
from windowshop.scoring.token_set import token_set_ratio
from windowshop.scoring.webshop import Purchased, reward


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def purchased(record: dict[str, Any]) -> Purchased:
    return Purchased(
        name=record["name"],
        title=record["Title"],
        bullets=tuple(record["BulletPoints"]),
        description=record["Description"],
        attributes=tuple(record["Attributes"]),
        query=record["query"],
        category=record["product_category"],
    )


def test_every_recorded_reward_and_its_parts_are_exact(shared: Path) -> None:
    cases = lines(shared / "golden/reward.jsonl")
    assert len(cases) > 300
    for case in cases:
        got = reward(
            purchased(case["purchased"]),
            case["goal"],
            case["price"],
            case["options"],
            case["purchased_nouns"],
            case["goal_nouns"],
        )
        if "error" in case:  # the simulator fails where the price cannot be judged; here it is unknown
            assert (got.reward, got.r_price) == (None, None), case["kind"]
            continue
        assert got.reward == case["reward"], case["kind"]
        parts = got.model_dump() | got.type_match.model_dump()
        assert {name: parts[name] for name in case["info"]} == case["info"], case["kind"]


def test_every_recorded_fuzzy_score_is_exact(shared: Path) -> None:
    cases = lines(shared / "golden/fuzz.jsonl")
    assert [case for case in cases if token_set_ratio(case[0], case[1]) != case[2]] == []


def test_every_recorded_colour_is_exact(shared: Path) -> None:
    cases = lines(shared / "golden/color.jsonl")
    assert [case for case in cases if normalize_color(case[0]) != case[1]] == []


@pytest.mark.parametrize(
    ("value", "color"), [("dark red", "dark"), ("standard", "tan"), ("x-large", "x-large")]
)
def test_colour_words_replace_whole_values(value: str, color: str) -> None:
    assert normalize_color(value) == color


def test_an_unknown_price_leaves_the_reward_unknown_and_the_rest_known() -> None:
    goal = {"attributes": ["soft"], "goal_options": ["red"], "price_upper": 20.0}
    lamp = Purchased(name="lamp", title="Soft lamp")
    got = reward(lamp, goal, None, {"color": "dark red"}, ["lamp"], ["lamp"])
    assert (got.reward, got.r_price, got.r_att, got.r_option) == (None, None, 1.0, 0.0)
