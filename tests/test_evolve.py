"""Query evolution, with a model on loopback that answers from the request alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from model_server import ModelServer, Turn, fails, says

from windowshop.cli import group
from windowshop.goals.deepshop import ASPECTS, deepshop_goal
from windowshop.tasks.load import load_tasks

SEEDS = "Find a red lamp.\nFind a cheap tent.\n"


def answer(body: dict[str, Any]) -> Turn:
    """Write, harden or split the request that stands below the instruction."""
    asked = body["messages"][1]["content"]
    instruction, _, request = asked.partition("\n\n")
    if instruction.startswith("Split"):
        parts = {"attribute": request[:40], "filter": None, "sort": "None"}
        parts["sort"] = "cheapest first" if "wish" in request else None
        return says("Here you are:\n```json\n" + json.dumps(parts) + "\n```")
    if instruction.startswith("Write"):
        return says(f"{request} In {instruction.split('domain ')[1]}")
    return says(f"{request} With {'a wish' if 'one wish' in instruction else 'more'}.")


def evolve(tmp_path: Path, *more: str) -> tuple[int, str]:
    (tmp_path / "seeds.txt").write_text(SEEDS)
    arguments = [str(tmp_path / "seeds.txt"), "--model", "m", "-o", str(tmp_path / "out.jsonl"), *more]
    result = CliRunner().invoke(group, ["tasks", "evolve", *arguments], standalone_mode=False)
    return result.return_value or 0, result.output


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", "sk-test")


def test_seeds_times_domains_times_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(answer) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        code, said = evolve(tmp_path)
        assert (code, "60 of 60 requests" in said) == (0, True)
        asked = len(server.asked)
        assert asked == 120
        assert evolve(tmp_path)[0] == 0
        assert len(server.asked) == asked  # all of it was there
    tasks = load_tasks(tmp_path / "out.jsonl")
    goals = [deepshop_goal(task.goal or {}) for task in tasks]
    assert Counter(goal.category for goal in goals) == dict.fromkeys(
        ("Books", "Electronics", "Home", "Fashion", "Sports"), 12
    )
    assert Counter(goal.difficulty for goal in goals) == {"easy": 20, "medium": 20, "hard": 20}
    assert all(goal.asks("attribute") and not goal.asks("filter") for goal in goals)
    records = [json.loads(line) for line in (tmp_path / "out.evolved.jsonl").read_text().splitlines()]
    for record in records:
        assert len(record["steps"]) == record["round"]
        assert ("sort" in record["steps"]) == (record["parts"]["sort"] is not None)
    assert {step for record in records for step in record["steps"]} == set(ASPECTS)
    assert "difficulty: easy 20, hard 20, medium 20" in said


def test_a_balanced_sample_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(answer) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        assert "15 of 60 requests" in evolve(tmp_path, "--each", "1")[1]
    goals = [deepshop_goal(task.goal or {}) for task in load_tasks(tmp_path / "out.jsonl")]
    assert set(Counter((goal.category, goal.difficulty) for goal in goals).values()) == {1}


def test_it_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def until_the_tenth(body: dict[str, Any]) -> Turn:
        nonlocal count
        count += 1
        return answer(body) if count <= 10 else fails(400)

    with ModelServer(until_the_tenth) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        assert evolve(tmp_path)[0] != 0
    kept = (tmp_path / "out.evolved.jsonl").read_text()
    assert len(kept.splitlines()) == 5
    with ModelServer(answer) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        assert evolve(tmp_path)[0] == 0
        assert len(server.asked) == 110
    assert (tmp_path / "out.evolved.jsonl").read_text().startswith(kept)


@pytest.mark.parametrize(
    ("first", "wrong"),
    [
        ("", "a request has 1 to"),
        ("**A lamp**", "markdown stands in it"),
        ("find a  RED lamp.", "it is the same request"),
    ],
)
def test_a_useless_answer_is_told_what_was_wrong_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, wrong: str
) -> None:
    def stubborn(body: dict[str, Any]) -> Turn:
        return says(first)

    with ModelServer(stubborn) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        code, said = evolve(tmp_path)
        assert (code != 0, "no usable answer in two tries" in said) == (True, True)
        assert len(server.asked) == 2
        assert wrong in server.asked[1].body["messages"][-1]["content"]


def test_sub_queries_must_be_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(body: dict[str, Any]) -> Turn:
        asked = body["messages"][1]["content"]
        if not asked.startswith("Split"):
            return answer(body)
        if len(body["messages"]) == 2:
            return says('{"attribute": "lamp"}')
        return answer(body)

    with ModelServer(halves) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        assert evolve(tmp_path, "--rounds", "0")[0] == 0
        assert len(server.asked) == 30
        assert "the keys are attribute, filter, sort" in server.asked[2].body["messages"][-1]["content"]
