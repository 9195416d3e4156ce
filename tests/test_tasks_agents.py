"""What agents are asked, and who they are: good files, bad files, good answers, bad answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from windowshop.agents import load_agent
from windowshop.agents.rule import RuleAgent
from windowshop.errors import AgentError, ConfigError
from windowshop.tasks.load import load_tasks, pick
from windowshop.views import AvailableActions, Observation


def seeing(*clickables: str, search: bool = False, instruction: str = "a red lamp") -> Observation:
    return Observation(
        text="",
        available_actions=AvailableActions(has_search_bar=search, clickables=clickables),
        instruction=instruction,
        url="",
        mode="text_rich",
    )


def test_goals_lines_and_json_lines_are_tasks(tmp_path: Path) -> None:
    goal = {"instruction_text": "a lamp", "price_upper": 20.0}
    (tmp_path / "goals.json").write_text(json.dumps([goal, goal]))
    (tmp_path / "goals.jsonl").write_text(json.dumps(goal) + "\n")
    (tmp_path / "goals.txt").write_text("a lamp\n\na chair\n")
    tasks = load_tasks(tmp_path / "goals.json")
    assert [(task.id, task.instruction, task.goal) for task in tasks] == [
        ("0", "a lamp", goal),
        ("1", "a lamp", goal),
    ]
    assert load_tasks(tmp_path / "goals.jsonl")[0].goal == goal
    assert [task.instruction for task in load_tasks(tmp_path / "goals.txt")] == ["a lamp", "a chair"]


def test_the_papers_own_task_files_load(shared: Path) -> None:
    assert len(load_tasks(shared / "golden/goals.json")) == 56
    deepshop = load_tasks(shared / "benchmarks/deepshop/deepshop.jsonl")
    assert (len(deepshop), deepshop[0].id.startswith("Amazon--")) == (150, True)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("goals.json", "{", "not JSON"),
        ("goals.json", "[]", "expected a list of goals"),
        ("goals.json", "[1]", "record 0 is not an object"),
        ("goals.json", '[{"instruction_text": "x"}, {"goal": 1}]', "record 1 has no instruction_text"),
        ("goals.jsonl", '{"instruction_text": "x"}\n{', "goals.jsonl:2: not JSON"),
        ("goals.txt", "\n", "holds no instruction"),
        (
            "goals.jsonl",
            '{"id": 1, "task": "x"}\n{"id": 1, "task": "y"}',
            "records 0 and 1 have the same id '1'",
        ),
    ],
)
def test_a_bad_task_file_is_named_with_its_record(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=says):
        load_tasks(tmp_path / name)


def test_limits_pick_a_head_or_a_range(tmp_path: Path) -> None:
    (tmp_path / "goals.txt").write_text("\n".join("abcdef"))
    tasks = load_tasks(tmp_path / "goals.txt")
    assert [task.instruction for task in pick(tasks, "2")] == ["a", "b"]
    assert [task.instruction for task in pick(tasks, "2-4")] == ["c", "d"]
    for wrong in ("two", "4-2", "0", "100-200", "-5"):
        with pytest.raises(ConfigError, match="--limit"):
            pick(tasks, wrong)


def test_the_rule_searches_opens_the_first_product_and_buys() -> None:
    agent = RuleAgent()
    agent.reset("a red lamp")
    assert agent.act(seeing("search", search=True)) == "search[a red lamp]"
    assert agent.act(seeing("back to search", "< prev", "next >", "b01", "b02")) == "click[b01]"
    assert agent.act(seeing("back to search", "< prev", "buy now", "red")) == "click[buy now]"


def test_the_rule_searches_fewer_words_when_nothing_is_found() -> None:
    agent = RuleAgent()
    agent.reset("a very red lamp")
    nothing = seeing("back to search", "next >")
    assert [agent.act(nothing) for _ in range(3)] == ["search[a very]", "search[a]", "search[a]"]


def test_a_script_is_done_line_by_line_and_ends_with_an_agent_error(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("# look\nsearch[lamp]\n\nclick[next >]\n")
    agent = load_agent(f"scripted:{script}")
    assert [agent.act(seeing()) for _ in range(2)] == ["search[lamp]", "click[next >]"]
    with pytest.raises(AgentError, match="ended after 2 actions"):
        agent.act(seeing())


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nobody", "unknown agent 'nobody'"),
        ("nowhere.at.all:agent", "cannot load agent .* install it"),
        ("json:nothing", "cannot load agent .* no attribute 'nothing'"),
        ("collections:OrderedDict", "has no method act"),
        ("scripted:/does/not/exist", "cannot read the script"),
    ],
)
def test_an_agent_that_cannot_be_loaded_says_why(spec: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load_agent(spec)
