"""The environment in this process: Gymnasium's rules, the simulator's own, the dialects, how episodes end."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import windowshop.env
from windowshop.adapters.webshop import WebShop
from windowshop.demo import goals
from windowshop.env import LiveShopEnv, Place, Session, Shopfront, WebAgentTextEnv
from windowshop.env.dialect import titles, understand
from windowshop.env.html import page
from windowshop.env.registration import IDS
from windowshop.env.spaces import AnyText
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.journal import read_journal
from windowshop.runs.folder import read_results, read_steps
from windowshop.scoring.nouns import spacy_nouns
from windowshop.translators.layout import layout
from windowshop.translators.observation import render_text
from windowshop.views import Listing, Product, Row, View
from windowshop.wire import Response

windowshop.env.register_envs()
GOAL = goals()[0]


@pytest.fixture
def env() -> Iterator[LiveShopEnv]:
    env = LiveShopEnv(scored=False)
    yield env
    env.close()


def result_of(run: Path) -> list[tuple[str, str]]:
    return [(result.episode, result.outcome) for result in read_results(run)]


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_nothing_to_say_against_it(name: str) -> None:
    env = gymnasium.make(name, scored=False, render_mode="ansi")
    check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_many_environments_are_one(mode: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"vector_kwargs": {"shared_memory": False}} if mode == "async" else {}
    envs = gymnasium.make_vec(
        "windowshop/Ebay-v0",
        num_envs=2,
        vectorization_mode=mode,
        **options,
        tasks=["i need a kettle"],
        out=tmp_path / "run",
    )
    texts, infos = envs.reset(seed=1)
    assert texts[0] == texts[1] == "WebShop\nInstruction: \ni need a kettle\n[button] Search [button_]\n"
    texts, rewards, _, _, infos = envs.step(["search[kettle]", "click[nothing]"])
    assert "Total results" in texts[0] and infos["note"][0] is None
    assert "nothing" in infos["note"][1] and list(rewards) == [0.0, 0.0]
    first = infos["available_actions"]["clickables"][0][-1]
    envs.step([f"click[{first}]", "search[kettle]"])
    _, rewards, terminated, _, infos = envs.step(["click[buy now]", "click[next >]"])
    assert list(terminated) == [True, False] and infos["purchase"][0].item_id == first
    assert infos["purchase"][1] is None and infos["outcome"][1] is None
    envs.close()
    runs = sorted(tmp_path.iterdir())
    assert [run.name for run in runs] == (["run"] if mode == "sync" else ["run", "run-2"])
    assert sum(outcome == "intercepted" for run in runs for _, outcome in result_of(run)) == 1


def test_shared_memory_is_refused_and_not_wrong() -> None:
    with pytest.raises(ValueError, match="shared_memory=False"):
        gymnasium.make_vec("windowshop/Amazon-v0", num_envs=1, vectorization_mode="async")


def test_the_space_takes_any_text() -> None:
    space = AnyText(20)
    flat = gymnasium.spaces.flatten(space, "日本 é\ud800😀")
    assert gymnasium.spaces.unflatten(space, flat) == "日本 é\ud800😀"
    assert "x" * 20 in space and "x" * 21 not in space and 7 not in space
    assert space == AnyText(20) and space != AnyText(21) and space.sample() in space


def test_an_unfinished_import_is_light() -> None:
    heavy = (
        "print([name for name in ('gymnasium', 'spacy', 'starlette', 'mcp', 'numpy') if name in sys.modules])"
    )
    code = f"import sys, windowshop.env, windowshop.export; {heavy}"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("windowshop.env.live", "windowshop[gym]"),
        ("windowshop.env.http", "windowshop[serve]"),
        ("windowshop.env.mcp", "windowshop[mcp]"),
    ],
)
def test_a_missing_extra_is_named(module: str, words: str) -> None:
    missing = "for name in ('gymnasium', 'starlette', 'mcp'): sys.modules[name] = None"
    code = f"import sys\n{missing}\nimport {module}"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.stderr.strip().splitlines()[-1].endswith(f"pip install '{words}'")


def test_reset_draws_by_its_seed_and_takes_what_is_asked(env: LiveShopEnv) -> None:
    drawn = [env.reset(seed=seed)[1]["instruction"] for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1] and len(set(drawn)) > 1
    assert env.reset(options={"task": 3})[1]["instruction"] == goals()[3]["instruction_text"]
    assert env.reset(options={"task": "3"})[1]["instruction"] == goals()[3]["instruction_text"]
    text, _ = env.reset(options={"instruction": "a very red kettle"})
    assert "a very red kettle" in text and env.get_instruction_text() == "a very red kettle"
    for wrong in ({"task": 999}, {"tusk": 1}, {"task": 1, "instruction": "x"}):
        with pytest.raises(ConfigError):
            env.reset(options=wrong)


@pytest.mark.parametrize(
    "options",
    [
        {"site": "nowhere"},
        {"source": "recording"},
        {"base_url": "http://127.0.0.1:1"},
        {"clicks": "name"},
        {"mode": "html"},
        {"place": Place(), "site": "ebay"},
        {"tasks": "no such file.json"},
    ],
)
def test_what_does_not_hang_together_is_said_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        LiveShopEnv(**options)


def test_a_live_shop_is_not_visited_without_a_record() -> None:
    env = LiveShopEnv(source="live", tasks=["a kettle"])
    with pytest.raises(ConfigError, match="without a record"):
        env.reset()


def test_a_bought_goal_is_rewarded_as_in_the_simulator() -> None:
    nouns = spacy_nouns()[0]
    env = LiveShopEnv(tasks=[GOAL])
    env.reset()
    env.step(f"search[{GOAL['name']}]")
    env.step(f"click[{GOAL['asin'].lower()}]")
    for option in GOAL["goal_options"]:
        env.step(f"click[{option}]")
    _, reward, terminated, truncated, info = env.step("click[buy now]")
    assert nouns(GOAL["name"]) and (reward, terminated, truncated) == (1.0, True, False)
    assert info["reward"] == 1.0 and info["purchase"].item_id == GOAL["asin"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("search[more]")
    env.close()


def test_an_unknown_reward_is_zero_and_said_to_be_unknown(env: LiveShopEnv) -> None:
    env.reset(options={"instruction": "anything"})
    _, _, _, _, info = env.step("search[kettle]")
    env.step(f"click[{info['available_actions']['clickables'][-1]}]")
    _, reward, terminated, _, info = env.step("click[buy now]")
    assert terminated and reward == 0.0 and info["reward"] is None


def test_a_step_limit_truncates(tmp_path: Path) -> None:
    env = LiveShopEnv(max_steps=2, scored=False, out=tmp_path / "run")
    env.reset(options={"task": 0})
    assert env.step("search[kettle]")[2:4] == (False, False)
    assert env.step("click[next >]")[2:4] == (False, True)
    env.reset(options={"task": 0})
    env.close()
    assert result_of(tmp_path / "run") == [("amazon-0", "step_limit"), ("amazon-0.2", "interrupted")]
    assert {len(steps) for steps in read_steps(tmp_path / "run").values()} == {3, 1}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record one search, so that whatever else is asked for is missing."""
    out = tmp_path_factory.mktemp("recorded") / "run"
    env = LiveShopEnv(tasks=["a kettle"], out=out)
    env.reset()
    env.step("search[kettle]")
    env.close()
    return out


def test_a_visit_that_fails_truncates_with_its_outcome(recorded: Path, tmp_path: Path) -> None:
    env = LiveShopEnv(source="recording", recording=recorded, tasks=["a kettle"], out=tmp_path / "run")
    env.reset()
    shown, *_ = env.step("search[kettle]")
    after, reward, terminated, truncated, info = env.step("search[not recorded]")
    assert (after, reward, terminated, truncated) == (shown, 0.0, False, True)
    assert info["outcome"] == "replay_miss" and "not in the recording" in info["reason"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("search[kettle]")
    env.close()
    assert result_of(tmp_path / "run") == [("amazon-0", "replay_miss")]


def test_the_simulators_own_ends_where_a_visit_fails(recorded: Path) -> None:
    env = WebAgentTextEnv("text", source="recording", recording=recorded, tasks=["a kettle"])
    env.step("search[kettle]")
    state, reward, done, info = env.step("search[not recorded]")
    assert done and reward == 0.0 and info is not None and info["outcome"] == "replay_miss"
    assert env.step("search[kettle]")[0] == state, "nothing is visited after a block"
    env.close()


def test_an_environment_left_open_ends_with_its_process() -> None:
    code = (
        "from windowshop.env import LiveShopEnv; e = LiveShopEnv(tasks=['a']); e.reset(); e.step('search[a]')"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert said.stderr == ""


def twins() -> View:
    rows = [("B1", "Red [Big] Kettle"), ("B2", "Lamp"), ("B3", "red [big] kettle"), ("B4", "")]
    listing = Listing(
        query="kettle", rows=tuple(Row(item_id=one, title=title, price="$1.0") for one, title in rows)
    )
    return View(instruction="i", screen="results", keywords=("kettle",), page=1, listing=listing)


def test_products_with_the_same_title_can_all_be_clicked() -> None:
    view = twins()
    assert list(titles(view).values()) == [
        "item - red [big] kettle",
        "item - lamp",
        "item - red [big] kettle (b3)",
    ]
    for action, meant in {
        "click[item - red [big] kettle]": "click[b1]",
        "click[item - RED [Big] kettle (B3)]": "click[b3]",
        "click[item - lamp]": "click[b2]",
        "click[b3]": "click[b3]",
        "click[item - no such]": "click[item - no such]",
        "click[next >]": "click[next >]",
    }.items():
        assert understand(action, view, "title") == meant
    assert understand("click[item - lamp]", view, "id") == "click[item - lamp]"


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_one_shops_by_title_as_the_trained_baselines_do(site: str) -> None:
    env = WebAgentTextEnv("text_rich", site=site, clicks="title", tasks=["a kettle"])
    env.step("search[kettle]")
    named = [name for name in env.get_available_actions()["clickables"] if name.startswith("item - ")]
    assert len(named) == len(set(named)) == 10
    state, *_ = env.step(f"click[{named[3]}]")
    assert named[3].removeprefix("item - ") in state.lower() and "Buy Now" in state
    env.close()


class Texts(HTMLParser):
    """The simulator's rule for what is text (a.1), written a second time."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("input", "br", "img"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data: str) -> None:
        is_shown = bool(self.inside) and self.inside[-1] not in ("head", "style", "script", "title", "meta")
        if is_shown and (data.strip(" \t\n\r\f") or "\n" not in data):
            self.found.append(data)


def read(html: str) -> str:
    parser = Texts()
    parser.feed(html)
    parser.close()
    assert not parser.inside
    return " [SEP] ".join(text.strip() for text in parser.found)


TOUR = (
    *("search[shirt]", "click[next >]", "first", "click[description]", "click[< prev]", "click[features]"),
    *("click[< prev]", "click[reviews]", "click[< prev]", "last", "click[buy now]"),
)


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_the_page_as_html_reads_as_its_text(site: str) -> None:
    html = WebAgentTextEnv("html", site=site, tasks=['a shirt < 30 & "red"'])
    screens = set()
    for planned in (None, *TOUR):
        if planned is not None:
            names = html.get_available_actions()["clickables"]
            place = {"first": 3, "last": -1}.get(planned)
            html.step(planned if place is None else f"click[{names[place]}]")
        view = html._session.view
        screens.add(view.screen)
        assert read(html.observation) == render_text(view, layout(view), "text")
        assert html.state["html"] == html.observation
    assert screens == {"search", "results", "item", "sub", "done"}
    html.close()


def test_the_simulators_adapter_reads_the_html() -> None:
    site = WebShop("http://127.0.0.1:3000")
    product = Product(
        item_id="B000000001",
        title="A & B",
        price="$5.0",
        options=(("size", ("s", 'l "x"')), ("color", ("red",))),
        bullets=("one", "two"),
    )
    item = View(
        instruction="i", screen="item", keywords=("a",), page=1, item_id="B000000001", product=product
    )

    def parsed(view: View) -> Any:
        answer = {"status": 200, "transport": "file", "at": "2026-01-01T00:00:00Z"}
        return site.parse(Response.model_validate({"url": "http://x", "body": page(view).encode(), **answer}))

    assert [tile.title for tile in parsed(twins()).tiles] == [row.title for row in twins().listing.rows]  # type: ignore[union-attr]
    assert parsed(View(instruction="i")).kind == "search"
    assert parsed(item.model_copy(update={"screen": "sub", "tab": "features"})).texts == ("one", "two")
    done = parsed(item.model_copy(update={"screen": "done", "options": {"size": "s"}, "reward": 0.5}))
    assert (done.item_id, done.options, done.reward) == ("B000000001", {"size": "s"}, 0.5)


def test_memory_goes_before_what_is_seen() -> None:
    env = WebAgentTextEnv("text", tasks=["a kettle"], num_prev_obs=1, num_prev_actions=2)
    first = env.observation
    state, *_ = env.step("search[kettle]")
    assert state == f"{first} [SEP] search[kettle] [SEP] {env.observation}"
    second = env.observation
    state, *_ = env.step("nonsense")
    assert state == f"search[kettle] [SEP] {second} [SEP] nonsense [SEP] {second}"
    assert env.prev_actions == ["search[kettle]", "nonsense"] and env.prev_obs == [first, second, second]
    assert env.reset(session="x") == (env.observation, None)
    assert env.prev_obs == [env.observation] and env.prev_actions == []
    env.close()


def test_a_session_keeps_its_goal() -> None:
    env = WebAgentTextEnv(
        "url", session_prefix="p", filter_goals=lambda number, goal: number < 9, scored=False
    )
    instructions = [goal["instruction_text"] for goal in env.server.goals]
    assert len(instructions) == 9
    for number in (5, 0):
        assert env.reset(session=number) == (f"http://127.0.0.1:3000/p{number}", None)
        assert env.instruction_text == env.get_instruction_text() == f"Instruction: {instructions[number]}"
    env.reset(session="mine")
    drawn = env.instruction_text
    env.step("search[kettle]")
    assert env.get_instruction_text() == drawn.replace("Instruction: ", "Instruction:")
    assert env.observation == "http://127.0.0.1:3000/search_results/pmine/kettle/1"
    state = env.server.user_sessions["pmine"]
    assert (state["page"], state["keywords"], state["actions"]) == (1, ["kettle"], {"search": 1})
    assert {env.reset(session="mine")[0] for _ in range(5)} == {"http://127.0.0.1:3000/pmine"}
    assert env.instruction_text == drawn
    env.reset(session="mine", instruction_text="other words")
    assert env.instruction_text == "other words" and env.get_instruction_text() == drawn
    env.server.assigned_instruction_text = "assigned"
    env.reset()
    assert env.get_instruction_text() == "Instruction: assigned"
    with pytest.raises(ConfigError):
        env.reset(session=99)
    env.close()


def test_the_simulator_goes_on_after_a_purchase_and_so_do_we(tmp_path: Path) -> None:
    env = WebAgentTextEnv("text", tasks=["a kettle"], out=tmp_path / "run")
    rewards = []
    for _ in range(2):
        env.step("search[kettle]")
        env.step(f"click[{env.get_available_actions()['clickables'][-1]}]")
        _, reward, done, info = env.step("click[buy now]")
        rewards.append((reward, done, info is not None and info["reward"]))
        assert env.step("click[nothing]")[1:] == (0.0, False, None)
    assert rewards == [(0.0, True, None)] * 2
    assert env.server.user_sessions[env.session]["done"]
    env.close()
    assert len(list(read_journal(tmp_path / "run/purchases.jsonl"))) == 2
    assert result_of(tmp_path / "run") == [(read_results(tmp_path / "run")[0].episode, "intercepted")]


def test_an_unknown_mode_is_refused_as_in_the_simulator() -> None:
    with pytest.raises(ValueError, match="Observation mode pixels not supported"):
        WebAgentTextEnv("pixels", tasks=["a kettle"])


def test_environments_may_share_a_server() -> None:
    first = WebAgentTextEnv("text", tasks=["a kettle", "a shirt"])
    second = WebAgentTextEnv("text", server=first.server)
    first.reset(session=0)
    second.reset(session=1)
    first.step("search[kettle]")
    assert second.get_available_actions() == {"has_search_bar": True, "clickables": ["search"]}
    assert set(first.server.user_sessions) >= {"0", "1"}
    first.close()
    assert "Total results" in second.step("search[shirt]")[0], "the shop stays open for the other"
    second.close()


def test_each_session_is_audited_under_its_own_name(tmp_path: Path) -> None:
    with Shopfront(Place(), tmp_path / "run") as front:
        sessions = [Session(front, scored=False) for _ in range(2)]
        for number, session in enumerate(sessions):
            session.reset(Task(id=str(number), instruction="a kettle"))
        for session in sessions:
            session.step("search[kettle]")
    lines = read_journal(tmp_path / "run/audit.jsonl")
    acted = [line["episode"] for line in lines if line["what"] == "action"]
    assert acted == ["amazon-0", "amazon-1"]
    shop = json.loads((tmp_path / "run/demo-shop.json").read_text())
    assert shop["harm"] == {} and sum(shop["visits"].values()) == 1, "a page is read once for all"
    assert all(one != two for one, two in pairwise(acted))


@pytest.mark.parametrize("kind", [LiveShopEnv, WebAgentTextEnv])
@pytest.mark.parametrize(
    "options", [{"obsevation_mode": "text"}, {"source": "nowhere"}, {"clicks": "titel"}, {"locale": 3}]
)
def test_a_slip_in_an_option_is_named(kind: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        kind(**options)


def test_a_closed_environment_writes_nowhere(tmp_path: Path) -> None:
    """A closed file's number soon belongs to another file, which must not get our lines."""
    env = WebAgentTextEnv("text", tasks=["a kettle"])
    env.close()
    others = [(tmp_path / str(number)).open("wb") for number in range(64)]
    for use in (lambda: env.step("search[kettle]"), env.reset):
        with pytest.raises(ConfigError, match="closed"):
            use()
    for other in others:
        other.close()
    assert {path.stat().st_size for path in tmp_path.iterdir()} == {0}
    env.close()


def test_what_one_session_reads_the_others_know(tmp_path: Path) -> None:
    envs = [WebAgentTextEnv("text", tasks=["a kettle"], out=tmp_path / "run") for _ in range(8)]
    together = threading.Barrier(len(envs))

    def search(env: WebAgentTextEnv) -> str:
        together.wait()
        return env.step("search[kettle]")[0]

    with ThreadPoolExecutor(len(envs)) as threads:
        seen = set(threads.map(search, envs))
    for env in envs:
        env.close()
    steps = [step for steps in read_steps(tmp_path / "run").values() for step in steps]
    assert len(seen) == 1 and sum(step.visits for step in steps) == 1


def test_the_dialect_is_spoken_to_the_end(recorded: Path) -> None:
    env = LiveShopEnv(source="recording", recording=recorded, tasks=["a kettle"], clicks="title")
    env.reset()
    shown = env.step("search[kettle]")[-1]["available_actions"]
    *_, info = env.step("search[not recorded]")
    assert info["outcome"] == "replay_miss" and info["available_actions"] == shown
    env.close()
