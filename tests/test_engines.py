"""The grid by threads, processes and a real Ray cluster: workers that hang, die, or lose their machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gated import GatedShop
from test_batch import TASKS, plan_of, run

from windowshop.agents import Agent, load_agent
from windowshop.agents.rule import RuleAgent
from windowshop.cli import group
from windowshop.episodes import EpisodeResult
from windowshop.errors import ConfigError, StorageError
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.engines.child import MOST_SEATS
from windowshop.runs.engines.crew import Crew
from windowshop.runs.folder import RunFolder, read_results, read_steps
from windowshop.runs.limits import Limits
from windowshop.runs.plan import Trial
from windowshop.transports.warc import members, target_of
from windowshop.views import Observation


class Dies(RuleAgent):
    """Kill the own process once, at kettles; hang for ever at rugs."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self._mark = mark

    def act(self, observation: Observation) -> str:
        if "kettle" in observation.instruction and not self._mark.exists():
            self._mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if "rug" in observation.instruction:
            threading.Event().wait()
        return super().act(observation)


def dies(mark: Path, spec: str, seed: int) -> Agent:
    return Dies(mark)


def notes_its_process(file: Path, spec: str, seed: int) -> Agent:
    with file.open("a") as open_file:
        open_file.write(f"{os.getpid()} ")
    return RuleAgent()


class AlwaysDies:
    def act(self, observation: Observation) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""


def always_dies(spec: str, seed: int) -> Agent:
    return AlwaysDies()


@pytest.fixture
def shop() -> Iterator[GatedShop]:
    with GatedShop() as running:
        yield running
        assert not running.harm


def check_whole(results: list[EpisodeResult], out: Path, shop: GatedShop) -> None:
    """Each episode once, each page fetched and recorded once, every step there."""
    steps = read_steps(out)
    for result in results:
        assert [step.step for step in steps[result.episode]] == list(range(result.steps + 1))
    assert max(shop.visits.values()) == 1
    recorded = [target_of(member) for member in members(out / "pages.warc.gz")]
    assert Counter(url for url in recorded if url).most_common(1)[0][1] == 1


def left_behind() -> list[BaseProcess]:
    """Return the workers that are still there; one that was told to go may take a moment to have gone."""
    for child in multiprocessing.active_children():
        child.join(20)
    return multiprocessing.active_children()


def test_processes_share_pages_and_purse(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(repeats=2, sites=("amazon", "ebay"), engine="processes", workers=2)
    results = run(plan, tmp_path / "run", shop)
    assert Counter(result.outcome for result in results) == {"intercepted": plan.size}
    check_whole(results, tmp_path / "run", shop)
    assert sum(result.spent.requests for result in results) == sum(shop.visits.values())
    assert not left_behind()


def test_a_process_that_dies_is_replaced_and_one_that_hangs_is_killed(
    shop: GatedShop, tmp_path: Path
) -> None:
    plan = plan_of(engine="processes", workers=2, limits=Limits(seconds=4.0))
    results = run(plan, tmp_path / "run", shop, partial(dies, tmp_path / "mark"))
    assert {result.task.id: result.outcome for result in results} == {
        "0": "intercepted",
        "1": "intercepted",
        "2": "budget:seconds",
        "3": "intercepted",
    }
    check_whole(results, tmp_path / "run", shop)
    assert not left_behind(), "who hangs is killed"


def test_an_agent_that_always_kills_its_process_is_given_up(shop: GatedShop, tmp_path: Path) -> None:
    [result] = run(plan_of(TASKS[0], engine="processes"), tmp_path / "run", shop, always_dies)
    assert (result.outcome, result.reason) == ("interrupted", "the worker process died (exit code -9)")
    begun = [step["step"] for step in read_journal(tmp_path / "run/steps.jsonl")]
    assert begun == [0, 0, 0]


def test_workers_share_processes(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(repeats=3, sites=("amazon", "ebay"), engine="processes", workers=7, processes=2)
    results = run(plan, tmp_path / "run", shop, partial(notes_its_process, tmp_path / "processes"))
    assert Counter(result.outcome for result in results) == {"intercepted": plan.size}
    check_whole(results, tmp_path / "run", shop)
    assert sum(result.spent.requests for result in results) == sum(shop.visits.values())
    processes = (tmp_path / "processes").read_text().split()
    assert len(set(processes)) == 2
    assert 2 < len(processes) <= 7, "each worker has an agent of its own"
    assert not left_behind()


def test_a_hand_that_is_let_go_before_its_worker_is_there_plays_nothing() -> None:
    is_open, played = threading.Event(), []

    class Slow:
        def __init__(self) -> None:
            assert is_open.wait(60)

        def play(self, trial: Trial, past: tuple[str, ...] = ()) -> EpisodeResult:
            played.append(trial)
            raise AssertionError(trial)

        def close(self) -> None:
            played.append("closed")

        def kill(self) -> None:
            raise AssertionError("there is nobody to kill")

    with Crew(Slow) as crew:
        crew.abandon(crew.submit(Trial(site="amazon", task=TASKS[0], agent="rule")))
        is_open.set()
        for thread in threading.enumerate():
            if thread.name == "windowshop-worker":
                thread.join(60)
    assert played == ["closed"]


def test_a_process_has_so_many_seats_and_no_more(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(TASKS[0], engine="processes", workers=MOST_SEATS, processes=1)
    [result] = run(plan, tmp_path / "run", shop)
    assert result.outcome == "intercepted"
    with pytest.raises(ConfigError, match=f"room for {MOST_SEATS} workers: raise --processes"):
        run(plan.model_copy(update={"workers": MOST_SEATS + 1}), tmp_path / "more", shop)


def test_processes_are_shared_by_no_other_engine() -> None:
    asked = CliRunner().invoke(group, ["run", "--tasks", "demo", "--processes", "2", "--plan"])
    assert asked.exit_code == 2
    assert "--processes goes with --engine processes" in asked.output


def test_a_shared_process_that_dies_is_replaced_and_who_hangs_in_one_hinders_nobody(
    shop: GatedShop, tmp_path: Path
) -> None:
    plan = plan_of(engine="processes", workers=4, processes=1, limits=Limits(seconds=4.0))
    results = run(plan, tmp_path / "run", shop, partial(dies, tmp_path / "mark"))
    outcomes = {result.task.id: result.outcome for result in results}
    assert outcomes == {"0": "intercepted", "1": "intercepted", "2": "budget:seconds", "3": "intercepted"}
    check_whole(results, tmp_path / "run", shop)
    assert not left_behind()


def test_a_page_that_a_process_could_not_keep_ends_the_run(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(repeats=6, engine="processes", workers=24, processes=1)
    out = tmp_path / "run"
    folder = RunFolder(out, plan.settings(), plan.tasks)
    (out / "pages.warc.gz").mkdir()
    with closing(folder), pytest.raises(StorageError, match="cannot record in"):
        list(run_batch(plan, folder, origin=shop.origin))
    seen = [step for steps in read_steps(out).values() for step in steps]
    assert seen
    assert all(step.page_digest is None for step in seen), "no step tells of a page that is not kept"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray")
    from windowshop.runs.engines.cluster import load_ray

    load_ray()
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # the machines must know the agents of these tests
    from ray.cluster_utils import Cluster

    quick = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": quick}
    running = Cluster(initialize_head=True, head_node_args=head)
    yield running
    running.shutdown()
    del os.environ["PYTHONPATH"]


@pytest.mark.filterwarnings("ignore")
def test_a_machine_that_is_lost_in_the_middle_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    other = cluster.add_node(num_cpus=3)
    with GatedShop(word="kettle") as shop:
        tasks = [task.model_copy(update={"instruction": "kettle " + task.instruction}) for task in TASKS]
        plan = plan_of(*tasks, sites=("amazon", "ebay"), engine="ray", workers=4, ray_address=cluster.address)
        results: list[EpisodeResult] = []
        thread = threading.Thread(target=lambda: results.extend(run(plan, tmp_path / "run", shop)))
        thread.start()
        assert shop.await_waiting(4), "four at once, three of them on the other machine"
        cluster.remove_node(other, allow_graceful=False)
        shop.open()
        thread.join(180)
    assert Counter(result.outcome for result in results) == {"intercepted": plan.size}
    assert {result.episode for result in read_results(tmp_path / "run")} == {t.name for t in plan.trials()}
    steps = read_steps(tmp_path / "run")
    for result in results:
        assert [step.step for step in steps[result.episode]] == list(range(result.steps + 1))
    begun = Counter(s["episode"] for s in read_journal(tmp_path / "run/steps.jsonl") if s["step"] == 0)
    assert sorted(begun.values()).count(2) == 3, "those on the lost machine were begun again, no others"


@pytest.mark.filterwarnings("ignore")
def test_what_hangs_on_a_cluster_is_killed(cluster: Any, shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(
        TASKS[0], TASKS[2], engine="ray", workers=1, ray_address=cluster.address, limits=Limits(seconds=4.0)
    )
    (tmp_path / "mark").touch()
    results = run(plan, tmp_path / "run", shop, partial(_hangs_at_rugs))
    assert {result.task.id: result.outcome for result in results} == {
        "0": "intercepted",
        "2": "budget:seconds",
    }


def _hangs_at_rugs(spec: str, seed: int) -> Agent:
    agent = load_agent("rule")
    act = agent.act

    def slow(observation: Observation) -> str:
        if "rug" in observation.instruction:
            threading.Event().wait()
        return act(observation)

    agent.act = slow  # type: ignore[method-assign]
    return agent
