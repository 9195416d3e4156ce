"""How runs stand, read from their folders: while they run, after, and where something is torn or odd."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from gated import GatedShop
from test_batch import plan_of, run
from test_run import windowshop

from windowshop.runs.limits import Limits
from windowshop.runs.status import Which, find_runs, status_of


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two runs: a whole one of two agents, and one that its purse ended."""
    path = tmp_path_factory.mktemp("runs")
    with GatedShop() as shop:
        run(plan_of(sites=("amazon", "ebay"), agents=("rule", "random")), path / "a", shop)
        run(plan_of(run_limits=Limits(requests=5)), path / "b", shop)
    return path


def test_a_run_is_summed_up_by_site_and_agent(home: Path) -> None:
    status = status_of(home / "a")
    assert (status.planned, status.done, status.is_running) == (16, 16, False)
    assert [(row.site, row.agent, row.planned) for row in status.rows] == [
        (site, agent, 4) for site in ("amazon", "ebay") for agent in ("random", "rule")
    ]
    assert sum(status.outcomes.values()) == 16
    lines = [json.loads(line) for line in (home / "a/steps.jsonl").read_text().splitlines()]
    assert status.spent.requests == sum(line["visits"] for line in lines)
    assert status.spent.bytes == sum(line["bytes"] for line in lines)
    shown = windowshop("status", home / "a")
    assert "16 of 16 episodes are done" in shown.stdout
    assert "amazon rule" in shown.stdout
    assert json.loads(windowshop("status", home / "a", "--json").stdout)["done"] == 16


def test_what_is_left_is_counted(home: Path) -> None:
    status = status_of(home / "b")
    assert (status.planned, status.done) == (4, 2)
    assert status.outcomes == {"intercepted": 2, "budget:run:requests": 1}


@pytest.mark.parametrize(
    ("which", "number"),
    [
        (Which(site="ebay"), 8),
        (Which(agent="rule"), 8),
        (Which(site="ebay", agent="rule", task="2"), 1),
        (Which(episode="amazon-1-"), 2),
        (Which(outcome="nonsense"), 0),
    ],
)
def test_filters_choose(home: Path, which: Which, number: int) -> None:
    assert sum(status_of(home / "a", which).outcomes.values()) == number
    flags = [part for name, value in which if value for part in (f"--{name}", value)]
    shown = json.loads(windowshop("status", home / "a", *flags, "--json").stdout)
    assert sum(shown["outcomes"].values()) == number
    listed = windowshop("show", home / "a", *flags, "--json")
    assert listed.exit_code == (0 if number else 2)
    assert not number or len(json.loads(listed.stdout)["episodes"]) == number


def test_runs_are_listed_and_filtered(home: Path) -> None:
    assert [path.name for path in find_runs(home)] == ["a", "b"]
    assert find_runs(home / "a") == [home / "a"]
    shown = windowshop("runs", home).stdout.splitlines()
    assert ["16/16" in shown[0], "2/4" in shown[1]] == [True, True]
    spent = [
        json.loads(line)
        for line in windowshop("runs", home, "--outcome", "budget", "--json").stdout.splitlines()
    ]
    assert [Path(one["path"]).name for one in spent] == ["b"]
    assert windowshop("runs", home, "--since", "2999-01-01").stdout == ""
    assert windowshop("runs", home / "nowhere").exit_code == 2
    assert windowshop("status", home).exit_code == 2


def test_a_run_that_goes_on_can_be_asked(tmp_path: Path) -> None:
    with GatedShop(word="/dp/") as shop:
        thread = threading.Thread(target=lambda: run(plan_of(workers=2), tmp_path / "run", shop))
        thread.start()
        assert shop.await_waiting(2)
        status = status_of(tmp_path / "run")
        assert (status.is_running, status.done) == (True, 0)
        assert set(status.in_flight) == {"amazon-0-rule-0", "amazon-1-rule-0"}
        shop.open()
        thread.join(60)
    assert status_of(tmp_path / "run").in_flight == ()


def test_a_torn_line_is_passed_over_and_stays(tmp_path: Path) -> None:
    with GatedShop() as shop:
        run(plan_of(), tmp_path / "run", shop)
    with (tmp_path / "run/episodes.jsonl").open("ab") as file:
        file.write(b'{"format":1,"epis')
    assert status_of(tmp_path / "run").done == 4
    assert (tmp_path / "run/episodes.jsonl").read_bytes().endswith(b'"epis')
