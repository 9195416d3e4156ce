"""The whole grid in one folder: each cell once, on the same pages, whatever happens meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from gated import GatedShop

from windowshop.agents import Agent, load_agent
from windowshop.episodes import EpisodeResult, Spent, Task
from windowshop.errors import AgentError, StorageError
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.commons import Abandoned, Commons
from windowshop.runs.folder import RunFolder, read_results, read_steps
from windowshop.runs.limits import Limits
from windowshop.runs.plan import Plan, Trial, label
from windowshop.transports.replay import Replay
from windowshop.transports.warc import write_page
from windowshop.views import Observation
from windowshop.wire import Request, Response

THINGS = ("kettle", "shirt", "rug", "pillow")
TASKS = tuple(Task(id=str(number), instruction=f"a {thing}") for number, thing in enumerate(THINGS))


def plan_of(*tasks: Task, **more: Any) -> Plan:
    return Plan(**{"tasks": tasks or TASKS, "sites": ("amazon",), **more})


def run(
    plan: Plan, out: Path, shop: GatedShop, load: Callable[[str, int], Agent] = load_agent
) -> list[EpisodeResult]:
    folder = RunFolder(out, plan.settings(), plan.tasks)
    try:
        return list(run_batch(plan, folder, load, shop.origin))
    finally:
        folder.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[GatedShop]:
    with GatedShop() as running:
        yield running
        assert not running.harm


@pytest.mark.parametrize("workers", [1, 6])
def test_every_cell_of_the_grid_is_played_once(shop: GatedShop, tmp_path: Path, workers: int) -> None:
    plan = plan_of(sites=("amazon", "ebay"), agents=("rule", "random"), repeats=2, workers=workers)
    results = run(plan, tmp_path / "run", shop)
    assert Counter(result.episode for result in results) == Counter(trial.name for trial in plan.trials())
    assert len(results) == plan.size == 4 * 2 * 2 * 2
    assert {(r.site, r.task.id, r.agent, r.repeat) for r in results} == {
        (t.site, t.task.id, t.agent, t.repeat) for t in plan.trials()
    }
    steps = read_steps(tmp_path / "run")
    assert {name: len(lines) - 1 for name, lines in steps.items()} == {r.episode: r.steps for r in results}
    for lines in steps.values():
        assert [line.step for line in lines] == list(range(len(lines)))


def test_an_agent_that_draws_lots_does_the_same_with_any_number_of_workers(
    shop: GatedShop, tmp_path: Path
) -> None:
    acted = []
    for workers in (1, 5):
        plan = plan_of(agents=("random",), repeats=3, workers=workers)
        run(plan, tmp_path / str(workers), shop)
        steps = read_steps(tmp_path / str(workers))
        acted.append({name: [line.action for line in lines] for name, lines in steps.items()})
    assert acted[0] == acted[1]
    one, other = acted[0]["amazon-0-random-0"], acted[0]["amazon-0-random-1"]
    assert one != other, "a repeat is another draw"


def test_a_page_is_fetched_once_a_run_whoever_wants_it(tmp_path: Path) -> None:
    with GatedShop() as shop:
        plan = plan_of(*TASKS[:2], repeats=6, workers=8)
        results = run(plan, tmp_path / "run", shop)
        assert max(shop.visits.values()) == 1
        assert sum(result.spent.requests for result in results) == sum(shop.visits.values()) == 4
    for lines in read_steps(tmp_path / "run").values():
        seen = {line.url for line in lines if line.url}
        assert sum(line.visits for line in lines) <= len(seen)


def test_two_who_want_a_page_at_once_wait_for_the_one_who_fetches_it(tmp_path: Path) -> None:
    with GatedShop(word="kettle") as shop:
        plan = plan_of(TASKS[0], repeats=4, workers=4)
        results: list[EpisodeResult] = []
        thread = threading.Thread(target=lambda: results.extend(run(plan, tmp_path / "run", shop)))
        thread.start()
        assert shop.await_waiting(1)
        shop.open()
        thread.join(60)
        assert len(results) == 4
        assert max(shop.visits.values()) == 1


def test_a_page_is_fetched_again_when_its_time_is_over(tmp_path: Path) -> None:
    with GatedShop() as shop:
        run(plan_of(TASKS[0], repeats=3, page_seconds=0.0), tmp_path / "run", shop)
        assert set(shop.visits.values()) == {3}


def test_a_page_that_comes_too_late_is_kept_unless_somebody_else_has_asked_for_it(tmp_path: Path) -> None:
    plan = plan_of(TASKS[0])
    with (
        closing(RunFolder(tmp_path / "run", plan.settings(), plan.tasks)) as folder,
        closing(Commons(folder, Limits(), Spent(), Replay(None))) as commons,
    ):

        def ended(url: str) -> tuple[int, bytes]:
            token = commons.begin("ended")
            assert commons.claim(token, url) is False
            commons.end("ended")
            page = Response(url=url, status=200, body=b"<p>", transport="http", at=datetime.now(UTC))
            return token, write_page(Request(url=url), page)

        one, other = "https://www.shop.test/dp/1", "https://www.shop.test/dp/2"
        late, page = ended(one)
        commons.record(late, one, page)
        late, page = ended(other)
        waiting = commons.begin("waiting")
        assert (commons.claim(waiting, one), commons.claim(waiting, other)) == (True, False)
        with pytest.raises(Abandoned):
            commons.record(late, other, page)
        assert commons.recall(one) is not None
        assert commons.recall(other) is None


def test_a_resumed_run_fetches_no_page_again_and_plays_no_episode_twice(tmp_path: Path) -> None:
    with GatedShop() as shop:
        plan = plan_of(workers=2)
        folder = RunFolder(tmp_path / "run", plan.settings(), plan.tasks)
        batch = run_batch(plan, folder, origin=shop.origin)
        first = next(batch)
        batch.close()
        folder.close()
        outcomes = Counter(result.outcome for result in read_results(tmp_path / "run"))
        assert outcomes["intercepted"] >= 1
        assert set(outcomes) <= {"intercepted", "interrupted"}
        again = run(plan, tmp_path / "run", shop)
        assert first.episode not in {result.episode for result in again}
        assert max(shop.visits.values()) == 1
    assert {r.episode: r.outcome for r in read_results(tmp_path / "run")} == {
        trial.name: "intercepted" for trial in plan.trials()
    }


def test_a_site_that_blocks_us_is_left_alone_and_tried_again_later(tmp_path: Path) -> None:
    tasks = tuple(Task(id=str(number), instruction=f"robot {number}") for number in range(5))
    for out, limits, begun in (("one", Limits(), 1), ("three", Limits(blocks=3), 3)):
        with GatedShop(challenge_word="robot") as shop:
            plan = plan_of(*tasks, run_limits=limits)
            results = run(plan, tmp_path / out, shop)
            assert [result.outcome.partition(":")[0] for result in results] == ["blocked"] * begun
            assert sum(shop.visits.values()) == begun
    audit = list(read_journal(tmp_path / "one" / "audit.jsonl"))
    assert {line["episode"] for line in audit} == {"amazon-0-rule-0"}
    with GatedShop() as shop:
        again = run(plan_of(*tasks), tmp_path / "one", shop)
        assert len(again) == 5, "the environment failed, so what it stopped is begun again"


class Fails:
    """Raise on the first task, buy on the others."""

    def __init__(self) -> None:
        self.agent = load_agent("rule")

    def reset(self, instruction: str) -> None:
        self.instruction = instruction

    def act(self, observation: Observation) -> str:
        if "kettle" in self.instruction:
            raise AgentError("I cannot do kettles")
        return self.agent.act(observation)


def test_an_agents_failure_is_its_own_and_is_not_tried_again(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(workers=2)
    results = run(plan, tmp_path / "run", shop, lambda spec, seed: Fails())  # type: ignore[arg-type,return-value]
    assert Counter(r.outcome for r in results) == Counter(intercepted=3, agent_error=1)
    assert run(plan, tmp_path / "run", shop) == []


def test_a_disk_that_fills_up_ends_the_run_and_what_was_done_stays(shop: GatedShop, tmp_path: Path) -> None:
    plan = plan_of(workers=3)
    folder = RunFolder(tmp_path / "run", plan.settings(), plan.tasks)
    batch = run_batch(plan, folder, origin=shop.origin)
    first = next(batch)
    (tmp_path / "full").symlink_to("/dev/full")
    folder.steps = type(folder.steps)(tmp_path / "full")
    with pytest.raises(StorageError, match="No space left"):
        list(batch)
    folder.close()
    kept = {r.episode: r.outcome for r in read_results(tmp_path / "run")}
    assert kept[first.episode] == "intercepted"
    again = run(plan, tmp_path / "run", shop)
    assert {*kept, *(r.episode for r in again)} == {trial.name for trial in plan.trials()}


class Stops:
    """Say, then stop being asked: the run is ended at the third question."""

    def __init__(self) -> None:
        self.asked = 0
        self.told: list[tuple[str, str]] = []

    def recall(self, observation: Observation, action: str) -> None:
        self.told.append((observation.text, action))

    def act(self, observation: Observation) -> str:
        self.asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        return f"search[kettle {self.asked}]"


def test_an_episode_can_go_on_from_its_last_page(tmp_path: Path) -> None:
    with GatedShop() as shop:
        plan = plan_of(TASKS[0], resume_steps=True, max_steps=5)
        with pytest.raises(KeyboardInterrupt):
            run(plan, tmp_path / "run", shop, lambda spec, seed: Stops())
        [cut] = read_results(tmp_path / "run")
        assert (cut.outcome, cut.steps) == ("interrupted", 2)
        agent = Stops()
        agent.asked = 10
        [result] = run(plan, tmp_path / "run", shop, lambda spec, seed: agent)
        assert result.outcome == "step_limit"
        assert [action for _, action in agent.told] == ["search[kettle 1]", "search[kettle 2]"]
        [steps] = read_steps(tmp_path / "run").values()
        said = [f"search[kettle {number}]" for number in (1, 2, 11, 12, 13)]
        assert [step.action for step in steps] == [None, *said]
        assert max(shop.visits.values()) == 1, "what was read before is read from the run's own pages"


def test_names_say_which_cell_and_never_clash() -> None:
    task = Task(id="7", instruction="x")
    specs = ["rule", "scripted:a/b.txt", "scripted:a:b.txt", "my.agents:Careful", "http://127.0.0.1:1/"]
    names = [Trial(site="ebay", task=task, agent=spec, repeat=2).name for spec in specs]
    assert names[0] == "ebay-7-rule-2"
    assert len(set(names)) == len(specs)
    assert all(
        set(label(spec)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._")
        for spec in specs
    )
