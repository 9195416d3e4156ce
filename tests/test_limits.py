"""Limits: reaching one is an outcome, is never passed by a request, and costs nobody else's episode."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gated import GatedShop
from hypothesis import given
from hypothesis import strategies as some
from test_batch import TASKS, plan_of, run

from windowshop.agents import Agent
from windowshop.cli import group
from windowshop.episodes import Exchange, Spent, Task
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder, read_results
from windowshop.runs.limits import Limits
from windowshop.views import Observation


@pytest.fixture
def shop() -> Iterator[GatedShop]:
    with GatedShop() as running:
        yield running


def test_an_episode_asks_for_no_page_more_than_it_may(shop: GatedShop, tmp_path: Path) -> None:
    results = run(plan_of(limits=Limits(requests=1)), tmp_path / "run", shop)
    assert {result.outcome for result in results} == {"budget:requests"}
    assert {result.spent.requests for result in results} == {1}
    assert sum(shop.visits.values()) == len(TASKS)
    assert run(plan_of(limits=Limits(requests=1)), tmp_path / "run", shop) == [], "it had its chance"


@pytest.mark.parametrize("workers", [1, 4])
def test_a_run_asks_for_no_page_more_than_it_may_and_goes_on_with_more(
    shop: GatedShop, tmp_path: Path, workers: int
) -> None:
    plan = plan_of(run_limits=Limits(requests=5), workers=workers)
    first = run(plan, tmp_path / "run", shop)
    assert sum(shop.visits.values()) == 5
    assert any(result.outcome == "budget:run:requests" for result in first)
    again = run(plan, tmp_path / "run", shop)
    assert sum(shop.visits.values()) == 5, "what an earlier sitting took counts"
    assert {result.outcome for result in again} == {"budget:run:requests"}
    run(plan_of(run_limits=Limits(requests=8), workers=workers), tmp_path / "run", shop)
    assert {result.outcome for result in read_results(tmp_path / "run")} == {"intercepted"}
    assert sum(shop.visits.values()) == 8


def test_bytes_are_held_against_the_limit(shop: GatedShop, tmp_path: Path) -> None:
    results = run(plan_of(limits=Limits(bytes=1)), tmp_path / "run", shop)
    assert {(result.outcome, result.spent.requests) for result in results} == {("budget:bytes", 1)}


class Asks:
    """Ask a model before each action, and tell what it cost."""

    def act(self, observation: Observation) -> str:
        return "search[kettle]"

    def exchanges(self) -> list[Exchange]:
        return [
            Exchange(request={"ask": 1}, answer={"say": 2}, prompt_tokens=70, completion_tokens=30, cost=0.5)
        ]


def asks(spec: str, seed: int) -> Agent:
    return Asks()


@pytest.mark.parametrize(
    ("limits", "outcome", "steps"),
    [
        (Limits(tokens=300), "budget:tokens", 3),
        (Limits(cost=1.0), "budget:cost", 2),
        (Limits(tokens=0), "budget:tokens", 0),
        (Limits(), "step_limit", 15),
    ],
)
def test_what_models_take_is_written_and_limited(
    shop: GatedShop, tmp_path: Path, limits: Limits, outcome: str, steps: int
) -> None:
    [result] = run(plan_of(TASKS[0], limits=limits), tmp_path / "run", shop, asks)
    assert (result.outcome, result.steps) == (outcome, steps)
    lines = list(read_journal(tmp_path / "run/steps.jsonl"))
    assert [(line["tokens"], line["cost"]) for line in lines] == [(None, None), *[(100, 0.5)] * steps]
    exchanges = list(read_journal(tmp_path / "run/exchanges.jsonl"))
    assert [(line["episode"], line["step"]) for line in exchanges] == [
        ("amazon-0-rule-0", step) for step in range(steps)
    ]
    if steps:
        assert (result.spent.tokens, result.spent.cost) == (100 * steps, 0.5 * steps)


def test_a_runs_cost_stops_every_agent(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(run_limits=Limits(cost=5.0), max_steps=6)
    results = run(plan, tmp_path / "run", shop, asks)
    assert Counter(result.outcome for result in results) == {"step_limit": 1, "budget:run:cost": 1}
    assert sum(result.spent.cost or 0 for result in results) == 5.0


class Hangs:
    """Hang for ever at kettles; buy otherwise."""

    def __init__(self) -> None:
        self.hung = threading.Event()

    def reset(self, instruction: str) -> None:
        self.instruction = instruction

    def act(self, observation: Observation) -> str:
        if "kettle" in self.instruction:
            self.hung.wait()
        return "click[buy now]"


def test_an_agent_that_hangs_is_given_up_and_the_others_go_on(shop: GatedShop, tmp_path: Path) -> None:
    made: list[Hangs] = []

    def load(spec: str, seed: int) -> Agent:
        made.append(Hangs())
        return made[-1]

    plan = plan_of(limits=Limits(seconds=0.5), max_steps=2, workers=1)
    results = run(plan, tmp_path / "run", shop, load)
    outcomes = {result.task.id: result.outcome for result in results}
    assert outcomes == {"0": "budget:seconds", "1": "step_limit", "2": "step_limit", "3": "step_limit"}
    late = next(result for result in results if result.task.id == "0")
    assert late.reason == "stopped after 0.5 s"
    before = (tmp_path / "run/steps.jsonl").read_bytes()
    for agent in made:
        agent.hung.set()
    for thread in threading.enumerate():
        if thread.name == "windowshop-worker":
            thread.join(30)
    assert (tmp_path / "run/steps.jsonl").read_bytes() == before, "what was given up writes nothing more"


def test_a_run_that_is_out_of_time_ends_what_is_in_flight(shop: GatedShop, tmp_path: Path) -> None:
    made: list[Hangs] = []

    def load(spec: str, seed: int) -> Agent:
        made.append(Hangs())
        return made[-1]

    tasks = [Task(id=str(number), instruction="a kettle") for number in range(6)]
    plan = plan_of(*tasks, run_limits=Limits(seconds=0.4), workers=2)
    results = run(plan, tmp_path / "run", shop, load)
    assert [result.outcome for result in results] == ["budget:run:seconds"] * 2
    for agent in made:
        agent.hung.set()


def test_a_limit_is_an_exit_code(tmp_path: Path) -> None:
    def windowshop(*args: str) -> Any:
        out = ["--out", str(tmp_path / "run"), "--transport", "http"]
        return CliRunner().invoke(group, ["run", "--tasks", "demo", "--limit", "3", *out, *args])

    result = windowshop("--max-requests", "3", "--json")
    assert result.exit_code == 5, result.output
    outcomes = [json.loads(line)["outcome"] for line in result.stdout.splitlines()]
    assert outcomes == ["intercepted", "budget:run:requests"]
    assert windowshop("--max-requests", "30").exit_code == 0


amounts = some.one_of(some.none(), some.integers(0, 9))


@given(
    some.builds(
        Spent,
        requests=some.integers(0, 9),
        bytes=some.integers(0, 9),
        credits=amounts,
        tokens=amounts,
        cost=amounts,
    ),
    some.builds(
        Spent,
        requests=some.integers(0, 9),
        bytes=some.integers(0, 9),
        credits=amounts,
        tokens=amounts,
        cost=amounts,
    ),
)
def test_what_was_spent_adds_up_and_what_nobody_told_stays_unknown(one: Spent, other: Spent) -> None:
    both = one + other
    assert both == other + one
    for name in Spent.model_fields:
        mine, theirs, sum_ = (getattr(spent, name) for spent in (one, other, both))
        assert (sum_ is None) == (mine is None and theirs is None)
        assert sum_ is None or sum_ == (mine or 0) + (theirs or 0)


def test_what_had_ended_is_not_said_to_be_interrupted(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(TASKS[0])
    folder = RunFolder(tmp_path / "run", plan.settings())
    batch = run_batch(plan, folder, origin=shop.origin)
    next(batch)
    batch.close()
    folder.close()
    [result] = read_results(tmp_path / "run")
    assert result.outcome == "intercepted", "what had ended is not said to be interrupted"
