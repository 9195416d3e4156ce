"""A run in other people's formats, each read back by a reader that is not ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
from env_policy import PLAN, choose

from windowshop.cli import main
from windowshop.env import LiveShopEnv
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.export import FORMATS, export
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder, read_results, read_steps
from windowshop.runs.plan import Plan
from windowshop.transports.browser import find_browser
from windowshop.views import Observation

GOALS = ["i need a red shirt, and price lower than 30.00 dollars", 'i need a "big" kettle']


def shop(out: Path, **options: Any) -> Path:
    env = LiveShopEnv(tasks=GOALS, out=out, scored=False, **options)
    for task, last in ((0, len(PLAN)), (1, 6)):
        _, info = env.reset(options={"task": task})
        for step in range(last):
            _, _, _, _, info = env.step(choose(step, info["available_actions"]["clickables"]))
    env.close()
    return out


@pytest.fixture(scope="module", params=["amazon", "ebay"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp(request.param) / "run", site=request.param)


def process(text: str) -> str:
    """Prepare a text as the simulator's training script does (simulator rule f.2)."""
    return text.lower().replace('"', "").replace("'", "").strip().replace("[sep]", "[SEP]")


def process_goal(state: str) -> str:
    state = state.lower().replace('"', "").replace("'", "")
    state = state.replace("webshop\ninstruction:", "").replace("\n[button] search [button_]", "").strip()
    return state.split(", and price lower than")[0]


def as_the_training_script_reads(path: Path) -> Iterator[tuple[str, list[str], int]]:
    """Yield the choices that are trained on: state, actions, the one taken (simulator rule 4.2)."""
    for line in path.read_text("utf-8").splitlines():
        found = json.loads(line)
        assert process_goal(found["states"][0]) in [process_goal(goal) for goal in GOALS]
        columns = (found[name] for name in ("states", "available_actions", "action_idxs", "images"))
        for state, valid, place, image in zip(*columns, strict=True):
            assert image == 0
            if place != -1:
                yield process(state), [process(action) for action in valid], place


def test_il_trajs_train_the_choice_model(run: Path, tmp_path: Path) -> None:
    assert export(run, "il-trajs", tmp_path / "trajs.jsonl") == 2
    choices = list(as_the_training_script_reads(tmp_path / "trajs.jsonl"))
    steps = [step for steps in read_steps(run).values() for step in steps]
    taken = [step for step in steps if (step.action or "").startswith("click") and step.decision != "no-op"]
    assert len(choices) == len(taken) > 15
    for (state, valid, place), step in zip(choices, taken, strict=True):
        assert 0 <= place < len(valid) and len(set(valid)) == len(valid)
        assert step.action is not None
        if valid[place].startswith("click[item - "):
            title = valid[place].removeprefix("click[item - ").removesuffix("]")
            assert f"\n{title}\n" in state and title in process(step.observation)
            assert step.action[6:-1].upper() in step.state_url
        else:
            assert valid[place] == process(step.action)
    assert any(valid[place].startswith("click[item - ") for _, valid, place in choices)


def test_il_trajs_hold_every_key_and_every_search(run: Path, tmp_path: Path) -> None:
    export(run, "il-trajs", tmp_path / "trajs.jsonl")
    for line in (tmp_path / "trajs.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        keys = {"states", "actions", "available_actions", "action_idxs", "actions_translate", "images"}
        assert set(found) == keys and len({len(column) for column in found.values()}) == 1
        searches = [action for action in found["actions"] if action.startswith("search[")]
        assert found["action_idxs"].count(-1) == len(searches) > 0
        assert "click[no such thing]" not in found["actions"]


CHAT = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"


def test_sft_samples_go_through_a_chat_template(run: Path, tmp_path: Path) -> None:
    assert export(run, "sft", tmp_path / "sft.jsonl", frozenset({"intercepted"})) == 1
    (sample,) = map(json.loads, (tmp_path / "sft.jsonl").read_text("utf-8").splitlines())
    text = jinja2.Environment(autoescape=False).from_string(CHAT).render(messages=sample["messages"])
    turns = re.findall(r"<\|(\w+)\|>(.*?)<\|end\|>", text, re.DOTALL)
    roles = [role for role, _ in turns]
    assert roles[0] == "system" and set(pairwise(roles[1:])) == {("user", "assistant"), ("assistant", "user")}
    (bought,) = (result for result in read_results(run) if result.outcome == "intercepted")
    steps = [step for step in read_steps(run)[bought.episode] if step.decision != "no-op"]
    assert [said for role, said in turns if role == "assistant"] == [step.action for step in steps[1:]]
    for (_, seen), (_, said) in zip(turns[1::2], turns[2::2], strict=True):
        assert said in seen.rpartition("\n\nActions:\n")[2].split("\n") or said.startswith("search[")
    assert sample["outcome"] == "intercepted" and sample["instruction"] == GOALS[0]


def as_the_evaluator_reads(folder: Path) -> tuple[str, list[str], list[Path]]:
    """Return task, actions and screenshots as Online-Mind2Web's evaluator takes them from a task's folder."""
    result = json.loads((folder / "result.json").read_text("utf-8"))
    assert result["schema_version"] == "online-mind2web-v2" and result["task_id"] == folder.name
    shots = sorted((folder / "trajectory").glob("*.png"), key=lambda path: int(path.name.split("_")[0]))
    assert [str(path.relative_to(folder)) for path in shots] == result["input_image_paths"]
    actions = [entry["action"] for entry in result["action_history"]]
    assert all(set(entry) == {"action", "thought", "screenshot"} for entry in result["action_history"])
    return result["task"], actions[:-1], shots


def test_mind2web_folders_are_what_the_evaluator_takes(run: Path, tmp_path: Path) -> None:
    assert export(run, "mind2web", tmp_path / "out") == 2
    for result in read_results(run):
        task, actions, shots = as_the_evaluator_reads(tmp_path / "out" / result.episode)
        assert task == result.task.instruction and shots == []
        assert actions[0] == "search[shirt]" and "click[buy now]" not in actions
        answer = json.loads((tmp_path / "out" / result.episode / "result.json").read_text())[
            "agent_final_answer"
        ]
        assert (answer is None) == (result.intent is None)
        assert result.intent is None or (result.intent.title or "") in answer


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="needs a Chromium")
def test_mind2web_takes_the_browsers_screenshots(tmp_path: Path) -> None:
    run = shop(tmp_path / "run", transport="browser")
    export(run, "mind2web", tmp_path / "out")
    _, actions, shots = as_the_evaluator_reads(tmp_path / "out/amazon-0")
    assert len(shots) >= len(actions) - 2 > 5
    assert all(shot.read_bytes().startswith(b"\x89PNG") for shot in shots)


def rows(path: Path, columns: str) -> list[tuple[Any, ...]]:
    return duckdb.sql(f"select {columns} from '{path}'").fetchall()


def test_parquet_tables_hold_every_step_and_every_end(run: Path, tmp_path: Path) -> None:
    assert export(run, "parquet", tmp_path / "out") == 2
    steps = tmp_path / "out/steps.parquet"
    kept = list(read_journal(run / "steps.jsonl"))
    assert rows(steps, "episode, step, action, observation, clickables, done") == [
        (
            *(step[name] for name in ("episode", "step", "action", "observation")),
            step["available_actions"]["clickables"],
            step["done"],
        )
        for step in kept
    ]
    assert rows(steps, 'min(epoch_us("at")) > 0, count(credits), sum(visits)') == [
        (True, 0, sum(step["visits"] for step in kept))
    ]
    ends = rows(tmp_path / "out/episodes.parquet", "episode, outcome, item_id, price, goal, options")
    results = read_results(run)
    assert [end[:2] for end in ends] == [(result.episode, result.outcome) for result in results]
    intent = results[0].intent
    assert intent is not None and intent.unit_price is not None
    assert ends[0][2:5] == (intent.item_id, intent.unit_price.amount, None)
    assert json.loads(ends[0][5]) == {**intent.options, **intent.chosen}
    assert ends[1][2:] == (None, None, None, None)


@pytest.mark.parametrize("name", FORMATS)
def test_the_verb_says_where_it_wrote(run: Path, name: str, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "there" / "out"
    for code in (0, 2):
        with pytest.raises(SystemExit) as ended:
            main(["export", str(run), "--format", name, "--out", str(out)])
        assert ended.value.code == code
    said = capsys.readouterr()
    assert said.out == f"2 episodes are in {out}\n" and "there already" in said.err


def test_a_run_in_another_mode_is_no_il_traj(tmp_path: Path) -> None:
    run = shop(tmp_path / "run", mode="text")
    with pytest.raises(ConfigError, match="text_rich"):
        export(run, "il-trajs", tmp_path / "out.jsonl")
    with pytest.raises(ConfigError, match="ended so"):
        export(run, "sft", tmp_path / "out.jsonl", frozenset({"blocked"}))
    with pytest.raises(ConfigError, match="not a run"):
        export(tmp_path, "sft", tmp_path / "out.jsonl")


class Sorter:
    """Search, then sort the list by price."""

    def act(self, observation: Observation) -> str:
        by_price = (action for action in observation.valid_actions if action.startswith("sort[price"))
        return next(by_price, "search[kettle]")


def test_a_list_that_was_sorted_is_exported_as_the_agent_saw_it(tmp_path: Path) -> None:
    task = Task(id="0", instruction="a kettle")
    plan = Plan(tasks=(task,), sites=("amazon",), agents=("sorter",), actions="extended", max_steps=2)
    folder = RunFolder(tmp_path / "run", plan.settings(), plan.tasks)
    list(run_batch(plan, folder, lambda spec, seed: Sorter()))
    folder.close()
    export(folder.path, "sft", tmp_path / "sft.jsonl")
    (sample,) = map(json.loads, (tmp_path / "sft.jsonl").read_text("utf-8").splitlines())
    said = [message["content"] for message in sample["messages"]]
    assert said[-1].startswith("sort[price") and said[-1] in said[-2].splitlines()
    with pytest.raises(ConfigError, match="sort"):
        export(folder.path, "il-trajs", tmp_path / "out.jsonl")
