"""WebVoyager's layout: written so that DeepShop's scorer reads it, and anyone's read as cases for a judge."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from env_policy import PLAN, choose
from model_server import ModelServer, says

from windowshop.cli import group
from windowshop.env import LiveShopEnv
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.export import export
from windowshop.report.voyager import cases_of_results, is_results

GOAL = {"web": "https://www.amazon.com/", "attribute": "a red shirt", "filter": "None", "sort": "cheapest"}
SCREENSHOT = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play one task to a purchase and one to no end."""
    out = tmp_path_factory.mktemp("voyager") / "run"
    env = LiveShopEnv(tasks=["i need a [red] shirt", "a kettle"], out=out, scored=False)
    for task, last in ((0, len(PLAN)), (1, 6)):
        _, info = env.reset(options={"task": task})
        for step in range(last):
            _, _, _, _, info = env.step(choose(step, info["available_actions"]["clickables"]))
    env.close()
    return out


def as_the_scorer_reads(folder: Path) -> tuple[str, str | None]:
    """Return task and answer by the published script's own steps (section 2.2)."""
    messages = json.loads((folder / "interact_messages.json").read_text())
    first = messages[1]["content"]
    task = first.split("Now given a task:")[1].split("Please interact with")[0].strip()
    last = messages[-1]["content"]
    if "Action: ANSWER" not in last:
        return task, None
    return task, re.search(r"ANSWER[; ]+\[?(.[^\]]*)\]?", last)[1]  # type: ignore[index]


def test_what_is_written_the_scorer_reads(run: Path, tmp_path: Path) -> None:
    assert export(run, "webvoyager", tmp_path / "results") == 2
    (results,) = (tmp_path / "results").iterdir()
    assert is_results(results) and not is_results(run)
    bought, unfinished = sorted(results.iterdir())
    task, answer = as_the_scorer_reads(bought)
    assert task == "i need a [red] shirt"
    assert answer is not None and answer.startswith("product: ") and "price: " in answer
    assert as_the_scorer_reads(unfinished)[1] is None
    roles = [message["role"] for message in json.loads((bought / "interact_messages.json").read_text())]
    assert roles[:3] == ["system", "user", "assistant"]
    assert all(one != other for one, other in pairwise(roles[1:]))
    tasks = [Task(id=one.name[4:], instruction="x", goal=GOAL) for one in (bought, unfinished)]
    cases = cases_of_results(results, tasks)
    assert [case.answer for case in cases] == [answer, None]
    assert cases[0].aspects.asked() == {"attribute": "a red shirt", "sort": "cheapest"}
    assert cases[0].actions[-1] == f"ANSWER; [{answer}]"


def results_of(tmp_path: Path, last: object) -> Path:
    folder = tmp_path / "taskAmazon--7"
    folder.mkdir()
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "Now given a task: x Please interact with y"}]},
        {"role": "assistant", "content": "Thought: t\nAction: Click [3]"},
        {"role": "assistant", "content": last},
    ]
    (folder / "interact_messages.json").write_text(json.dumps(messages))
    for number in (10, 2):
        (folder / f"screenshot{number}.png").write_bytes(SCREENSHOT + bytes([number]))
    return tmp_path


@pytest.mark.parametrize(
    ("last", "answer"),
    [
        ("Thought: t\nAction: ANSWER; [The lamp [blue] costs $9]", "The lamp [blue"),
        ("Action: ANSWER; It costs $9", "It costs $9"),
        ("**Action:**\nANSWER; [bold]", None),
        ("Action: ANSWER", None),
        ([{"type": "text", "text": "Action: ANSWER; [x]"}], None),
        ("Action: Click [4]", None),
    ],
)
def test_anyones_answer_is_read_as_the_scorer_does(tmp_path: Path, last: object, answer: str | None) -> None:
    (case,) = cases_of_results(results_of(tmp_path, last), [Task(id="Amazon--7", instruction="x", goal=GOAL)])
    assert case.answer == answer
    assert [shot.path for shot in case.screenshots] == [
        "taskAmazon--7/screenshot2.png",
        "taskAmazon--7/screenshot10.png",
    ]
    assert case.actions[0] == "Click [3]"


def test_a_result_without_a_task_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no task for taskAmazon--7"):
        cases_of_results(results_of(tmp_path, "x"), [Task(id="1", instruction="x")])
    (tmp_path / "taskAmazon--7" / "interact_messages.json").write_text("{}")
    with pytest.raises(ConfigError, match="not a list of chat messages"):
        cases_of_results(tmp_path, [Task(id="Amazon--7", instruction="x")])


def test_anyones_results_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = results_of(tmp_path, "Action: ANSWER; [a red shirt]")
    tasks = tmp_path / "deepshop.jsonl"
    record = {"id": "Amazon--7", "ques": "x", "web_name": "Amazon", **GOAL}
    tasks.write_text(json.dumps(record) + "\n")
    with ModelServer([says("It is red.\nSUCCESS"), says("It is not the cheapest.\nNOT SUCCESS")]) as server:
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", "sk-test")
        arguments = ["judge", str(results), "--model", "m", "--json"]
        assert "give the tasks that were run with --tasks" in CliRunner().invoke(group, arguments).output
        result = CliRunner().invoke(group, [*arguments, "--tasks", str(tasks)])
        assert result.exit_code == 0, result.output
    verdict = json.loads(result.stdout.splitlines()[-1])
    assert verdict["rulings"]["attribute"]["repository"] is True
    assert verdict["overall"]["repository"] is False
