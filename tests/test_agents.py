"""The baselines, who is loaded by what name, and what a missing extra says."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from windowshop.agents import AgentSettings, load_agent
from windowshop.agents.random_choice import RandomAgent
from windowshop.agents.rule import RuleAgent
from windowshop.agents.wanted import wanted
from windowshop.errors import ConfigError
from windowshop.views import AvailableActions, Observation


def seeing(*clickables: str, search: bool = False, instruction: str = "a red lamp") -> Observation:
    actions = AvailableActions(has_search_bar=search, clickables=clickables)
    return Observation(text="", available_actions=actions, instruction=instruction, url="", mode="text_rich")


@pytest.mark.parametrize(
    ("options", "instruction", "named"),
    [
        (("red", "blue"), "a red lamp", ["red"]),
        (("red", "blue"), "a bored lamp, infrared", []),
        (("blue", "navy blue", "navy"), "a Navy Blue shirt", ["navy blue"]),
        (("black | white", "black"), "shoes in black/white", ["black | white"]),
        (("30", "x-large", "large"), "an x large shirt, and price lower than 30.00 dollars", ["x-large"]),
        (("8", "8.5"), "shoes, size 8.5", ["8.5"]),
        (("9.5 | narrow", "rot", "groß"), "ein rotes Kleid in GROSS", ["groß"]),
        (("赤", "青い"), "青い ランプ", ["青い"]),
        (("青い", "赤い"), "青いランプが欲しい", ["青い"]),
        (("s", "m", "l"), "i'm looking for a men's l’oreal shirt in l", ["l"]),
        (("20 cm", "1.5m"), "a 20cm cable of 1.5 m", ["20 cm", "1.5m"]),
        (("", " ", "*"), "a lamp", []),
        (("red", "cotton"), "red cotton shirt", ["red", "cotton"]),
    ],
)
def test_options_are_wanted_by_whole_words(
    options: tuple[str, ...], instruction: str, named: list[str]
) -> None:
    assert wanted(options, instruction) == named


def test_the_rule_with_options_chooses_each_named_option_once_and_buys() -> None:
    agent = load_agent("rule+options")
    assert isinstance(agent, RuleAgent)
    agent.reset("a red cotton shirt in large")
    item = seeing("< prev", "features", "buy now", "red", "blue", "large", instruction="a red shirt in large")
    results = seeing("back to search", "next >", "b01")
    assert [agent.act(page) for page in (results, item, item, item)] == [
        "click[b01]",
        "click[red]",
        "click[large]",
        "click[buy now]",
    ]
    assert [agent.act(page) for page in (results, item)] == ["click[b01]", "click[red]"]
    agent.reset("again")
    agent.recall(item, "click[red]")
    assert agent.act(item) == "click[large]"


def test_random_lots_are_fair_seeded_and_by_episode() -> None:
    page = seeing("back to search", "next >", "b01", "b02")
    agent = load_agent("random", seed=5)
    assert isinstance(agent, RandomAgent)
    assert agent.act(seeing("search", search=True)) == "search[a red lamp]"
    agent.reset("first")
    drawn = [agent.act(page) for _ in range(400)]
    assert all(60 < count < 140 for count in Counter(drawn).values())
    assert set(drawn) == {f"click[{name}]" for name in page.available_actions.clickables}
    again = RandomAgent(seed=5)
    again.reset("second")
    assert [again.act(page) for _ in range(400)] != drawn
    again.reset("first")
    for action in drawn[:9]:
        again.recall(page, action)
    assert [again.act(page) for _ in range(391)] == drawn[9:]
    again.reseed(6)
    again.reset("first")
    assert [again.act(page) for _ in range(400)] != drawn


def test_a_factory_is_given_what_it_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_here.py").write_text(
        "class Agent:\n"
        "    def __init__(self, settings, seed=1):\n        self.known = (settings.model, seed)\n"
        "    def act(self, observation):\n        return str(self.known)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    agent = load_agent("made_here:Agent", 9, AgentSettings(model="m"))
    assert agent.act(seeing()) == "('m', 9)"


BLOCKED = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Nothing())
from windowshop.cli import main
main({args})
"""


@pytest.mark.parametrize(
    ("blocked", "args", "says"),
    [
        ({"openai"}, ["--agent", "llm", "--model", "m"], "pip install 'windowshop[llm]'"),
        ({"openai"}, ["--agent", "llm-tools", "--model", "m"], "pip install 'windowshop[llm]'"),
        ({"torch"}, ["--agent", "webshop-il", "--checkpoint", "."], "pip install 'windowshop[webshop]'"),
        (
            {"transformers"},
            ["--agent", "webshop-rl", "--checkpoint", "."],
            "pip install 'windowshop[webshop]'",
        ),
    ],
)
def test_a_missing_extra_is_one_line_with_its_pip_line(
    tmp_path: Path, blocked: set[str], args: list[str], says: str
) -> None:
    source = BLOCKED.format(blocked=blocked, args=["run", "a lamp", *args])
    ran = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1), ran.stderr
    assert says in ran.stderr
    assert not list(tmp_path.iterdir())


def test_every_other_agent_does_without_the_extras(tmp_path: Path) -> None:
    source = BLOCKED.format(
        blocked={"openai", "torch", "transformers"},
        args=["run", "a kettle", "--agent", "rule+options", "--transport", "http"],
    )
    ran = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_an_unknown_agent_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown agent 'ruel'; known: random, rule, rule\+options"):
        load_agent("ruel")
