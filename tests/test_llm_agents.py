"""A language model that shops: what it is told, how its answers are read, what is kept, where it stops."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Turn, calls, fails, says

from windowshop.agents import AgentSettings, Telling, load_agent
from windowshop.agents.llm import NO_ACTION, LlmAgent
from windowshop.cli import main
from windowshop.episodes import Exchange, Task
from windowshop.errors import BudgetSpent, ConfigError, ModelError
from windowshop.journal import read_journal
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder, read_results, read_spent, read_steps
from windowshop.runs.plan import Plan
from windowshop.views import AvailableActions, Observation

KEY = "sk-test-0123456789"
STYLES = ("llm", "llm-tools")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", KEY)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModelServer]]:
    """Return a function that starts a server with a script and makes it the endpoint."""
    running: list[ModelServer] = []

    def start(script: Any) -> ModelServer:
        running.append(ModelServer(script).__enter__())
        monkeypatch.setenv("WINDOWSHOP_LLM_BASE_URL", running[-1].url)
        return running[-1]

    yield start
    for server in running:
        server.__exit__(None, None, None)


def seeing(*clickables: str, text: str = "a page", search: bool = False, **more: Any) -> Observation:
    actions = AvailableActions(has_search_bar=search, clickables=clickables)
    return Observation(
        text=text, available_actions=actions, instruction="a red lamp", url="", mode="text_rich", **more
    )


RESULTS = seeing(
    *("back to search", "next >", "b01", "b02", "b03", "b04"),
    titles={"b01": "Lamp", "b02": "Red Lamp", "b03": "Lamp", "b04": "Tall] 2"},
)


def agent(style: str = "llm", **settings: Any) -> LlmAgent:
    loaded = load_agent(style, seed=3, settings=AgentSettings(model="m", **settings))
    assert isinstance(loaded, LlmAgent)
    loaded.reset("a red lamp")
    return loaded


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Thought: red.\nAction: click[b02]", "click[b02]"),
        ("**Thought:** red.\n**Action:** `click[b02]`", "click[b02]"),
        ("action : Click[B02].", "click[B02]"),
        ("click[b02]", "click[b02]"),
        ("<think>Action: click[b01]</think>\nAction: click[b02]", "click[b02]"),
        ("Action: click[b02]\nObservation: a page\nAction: click[buy now]", "click[b02]"),
        ("Action: search[red  lamp [new]]", "search[red lamp [new]]"),
        ("Action: search[red lamp] to begin, then click[b01]", "search[red lamp]"),
        ("Action: click[b02] and then click[buy now]", "click[b02]"),
        ("Action: click[item - Tall] 2] because", "click[b04]"),
        ("Action: click[Red Lamp]", "click[b02]"),
        ("Action: click[item - lamp]", "click[b01]"),
        ("Action: click[nothing here]", "click[nothing here]"),
    ],
)
def test_words_become_an_action(serve: Callable[..., ModelServer], text: str, action: str) -> None:
    serve([says(text)])
    assert agent().act(RESULTS) == action


@pytest.mark.parametrize(
    ("turn", "action"),
    [
        (calls("search", {"query": "red\nlamp"}), "search[red lamp]"),
        (calls("click", {"target": "b02"}), "click[b02]"),
        (calls("click", {"target": "red lamp", "why": "it is red"}), "click[b02]"),
    ],
)
def test_a_tool_call_becomes_an_action(serve: Callable[..., ModelServer], turn: Turn, action: str) -> None:
    server = serve([turn])
    assert agent("llm-tools").act(RESULTS) == action
    names = [tool["function"]["name"] for tool in server.asked[0].body["tools"]]
    assert names == ["search", "click"]


@pytest.mark.parametrize(
    ("style", "bad", "good"),
    [
        ("llm", says("I would look at the lamp, and perhaps click[b01] it."), says("Action: click[b01]")),
        ("llm", says(""), says("Action: click[b01]")),
        ("llm", says("Action: buy it"), says("Action: click[b01]")),
        ("llm-tools", says("Action: click[b01]"), calls("click", {"target": "b01"})),
        ("llm-tools", calls("buy", {"target": "b01"}), calls("click", {"target": "b01"})),
        ("llm-tools", calls("click", "{broken"), calls("click", {"target": "b01"})),
        ("llm-tools", calls("click", {"target": 7}), calls("click", {"target": "b01"})),
        ("llm-tools", calls("search", {"query": "  "}), calls("click", {"target": "b01"})),
    ],
)
def test_a_malformed_answer_is_put_right_once(
    serve: Callable[..., ModelServer], style: str, bad: Turn, good: Turn
) -> None:
    server = serve([bad, good, bad, bad, good])
    model = agent(style)
    assert [model.act(RESULTS) for _ in range(3)] == ["click[b01]", NO_ACTION, "click[b01]"]
    assert [len(asked.body["messages"]) for asked in server.asked] == [2, 4, 6, 8, 10]
    repair = server.asked[1].body["messages"][-1]
    assert repair["content"].startswith("That was no action: ")
    called = server.asked[1].body["messages"][-2].get("tool_calls")
    assert repair["role"] == ("tool" if called else "user")
    assert len(model.exchanges()) == 5
    assert model.exchanges() == []


@pytest.mark.parametrize("style", STYLES)
def test_the_model_reads_the_page_the_actions_and_what_became_of_its_last(
    serve: Callable[..., ModelServer], style: str
) -> None:
    server = serve(lambda body: calls("click", {"target": "x"}) if body.get("tools") else says("click[x]"))
    model = agent(style, temperature=0.3, reply_tokens=77)
    for number in range(6):
        model.act(seeing("x", text=f"page {number} " + "word " * 100, decision="no-op", note="not here"))
    body = server.asked[-1].body
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.3, 3, 77)
    assert body["messages"][0]["role"] == "system"
    told = [message["content"] for message in body["messages"] if message["role"] in ("user", "tool")]
    assert told[-1].startswith("Your last action changed nothing: not here\n\nPage:\npage 5 word")
    assert told[-1].endswith("Available actions:\nclick[x]")
    assert [len(text) < 400 for text in told] == [True, True, True, False, False, False]
    model.reset("another")
    model.act(RESULTS)
    assert len(server.asked[-1].body["messages"]) == 2


def _shopper(body: dict[str, Any]) -> Turn:
    """Shop by the actions that are listed last: search, open the first product, buy."""
    page = body["messages"][-1]["content"]
    listed = page.partition("Available actions:\n")[2].split("\n")
    if "search[<words>]" in listed:
        name, argument = "search", "kettle"
    elif "click[buy now]" in listed:
        name, argument = "click", "buy now"
    else:
        name, argument = "click", listed[listed.index("click[next >]") + 1].removeprefix("click[")[:-1]
    if not body.get("tools"):
        return says(f"Thought: go on.\nAction: {name}[{argument}]", usage=(1000, 20))
    return calls(name, {"query" if name == "search" else "target": argument}, usage=(1000, 20))


def _run(path: Path, loaded: Any, count: int = 1, max_steps: int = 6) -> None:
    tasks = tuple(Task(id=str(number), instruction="a ceramic kettle") for number in range(count))
    plan = Plan(tasks=tasks, sites=("amazon",), agents=("llm",), max_steps=max_steps)
    folder = RunFolder(path, plan.settings())
    try:
        list(run_batch(plan, folder, lambda spec, seed: loaded))
    finally:
        folder.close()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("stream", [False, True])
def test_a_run_keeps_every_prompt_and_every_raw_answer(
    serve: Callable[..., ModelServer], tmp_path: Path, style: str, stream: bool
) -> None:
    server = serve(_shopper)
    prices = tmp_path / "prices.toml"
    prices.write_text("[m]\nprompt = 1\ncompletion = 10\n")
    model = agent(style, prices=prices, stream=stream)
    assert isinstance(model, Telling)
    _run(tmp_path / "run", model)
    assert [result.outcome for result in read_results(tmp_path / "run")] == ["intercepted"]
    lines = [Exchange.model_validate(line) for line in read_journal(tmp_path / "run/exchanges.jsonl")]
    ((name, steps),) = read_steps(tmp_path / "run").items()
    assert [(line.episode, line.step) for line in lines] == [(name, n) for n in range(len(steps) - 1)]
    assert [line.request["messages"] for line in lines] == [asked.body["messages"] for asked in server.asked]
    assert all(line.answer and line.answer["choices"] for line in lines)
    assert [line.cost for line in lines] == [pytest.approx(0.0012)] * len(lines)
    assert (model.budget.tokens, model.budget.cost) == (1020 * len(lines), pytest.approx(0.0012 * len(lines)))
    kept = "".join(file.read_text() for file in (tmp_path / "run").glob("*.json*"))
    assert KEY not in kept


def test_an_answer_without_an_action_is_a_no_op_step(
    serve: Callable[..., ModelServer], tmp_path: Path
) -> None:
    serve(lambda _: says("I do not know."))
    _run(tmp_path / "run", agent(), max_steps=2)
    (steps,) = read_steps(tmp_path / "run").values()
    assert [step.decision for step in steps] == [None, "no-op", "no-op"]
    assert len(list(read_journal(tmp_path / "run/exchanges.jsonl"))) == 4


def test_an_endpoint_that_fails_ends_the_episode_which_is_run_again(
    serve: Callable[..., ModelServer], tmp_path: Path
) -> None:
    down = [True]
    serve(lambda body: fails(500, x_should_retry="false") if down[0] else _shopper(body))
    _run(tmp_path / "run", agent())
    assert [result.outcome for result in read_results(tmp_path / "run")] == ["model_error"]
    (line,) = read_journal(tmp_path / "run/exchanges.jsonl")
    assert (line["answer"], "answered 500" in line["error"]) == (None, True)
    down[0] = False
    _run(tmp_path / "run", agent())
    assert [result.outcome for result in read_results(tmp_path / "run")] == ["intercepted"]


def test_a_budget_ends_the_episode_before_the_call(serve: Callable[..., ModelServer], tmp_path: Path) -> None:
    server = serve(_shopper)
    _run(tmp_path / "run", agent(max_tokens=3500, reply_tokens=20), count=2)
    (cut,) = read_results(tmp_path / "run")
    assert (cut.outcome, cut.spent.tokens, len(server.asked)) == ("budget:run:tokens", 2040, 2)
    _run(tmp_path / "run", agent(), count=2)
    assert {result.outcome for result in read_results(tmp_path / "run")} == {"intercepted"}


def test_a_run_that_goes_on_has_spent_what_it_spent(
    serve: Callable[..., ModelServer], tmp_path: Path
) -> None:
    """Each time the endpoint breaks down after the first words of an answer that were paid for."""
    server = serve(lambda body: says("hm", (500, 3)) if len(body["messages"]) == 2 else fails(400))
    arguments = ["-q", "run", "a lamp", "--agent", "llm", "--model", "m", "--transport", "http"]
    arguments += ["--max-tokens", "1900", "--reply-tokens", "20", "--out", str(tmp_path / "run")]
    for count, outcome in ((2, "model_error"), (4, "model_error"), (4, "budget:run:tokens")):
        with pytest.raises(SystemExit):
            main(arguments)
        assert [result.outcome for result in read_results(tmp_path / "run")] == [outcome]
        assert len(server.asked) == count
    assert read_spent(tmp_path / "run").tokens == 1006


@pytest.mark.parametrize("temperature", [None, 0.0, 0.7])
def test_a_temperature_that_nobody_gave_is_the_endpoints(
    serve: Callable[..., ModelServer], temperature: float | None
) -> None:
    server = serve([says("Action: click[b02]")])
    agent(temperature=temperature).act(RESULTS)
    assert server.asked[0].body.get("temperature") == temperature


def test_a_wrong_key_ends_the_run(serve: Callable[..., ModelServer], tmp_path: Path) -> None:
    serve(lambda _: fails(401, "wrong key"))
    with pytest.raises(ConfigError, match="refuses the key"):
        _run(tmp_path / "run", agent(), count=2)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "--agent llm needs --model NAME"),
        ({"model": "m", "max_cost": 1.0}, "--max-cost needs the price of 'm'"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load_agent("llm", settings=AgentSettings(**settings))


def test_errors_of_the_model_come_through_the_agent_as_they_are(serve: Callable[..., ModelServer]) -> None:
    serve([fails(500, x_should_retry="false"), says("click[b01]", usage=(1000, 1))])
    model = agent(max_tokens=1500, reply_tokens=20)
    with pytest.raises(ModelError):
        model.act(RESULTS)
    assert model.act(RESULTS) == "click[b01]"
    with pytest.raises(BudgetSpent):
        model.act(RESULTS)
    assert json.dumps([line.error for line in model.exchanges()]).count("null") == 1


def test_a_run_is_another_with_another_model(serve: Callable[..., ModelServer], tmp_path: Path) -> None:
    serve(_shopper)
    told = ["run", "a kettle", "--transport", "http", "--out", str(tmp_path / "run"), "--agent", "llm"]
    codes = []
    for more in (["--model", "m"], ["--model", "m", "--max-tokens", "9999"], ["--model", "other"]):
        with pytest.raises(SystemExit) as ended:
            main([*told, *more])
        codes.append(ended.value.code)
    assert codes == [0, 0, 2]
    described = json.loads((tmp_path / "run/run.json").read_text())["settings"]["agent_settings"]
    assert described == {"model": "m"}


@pytest.mark.parametrize("style", STYLES)
def test_an_episode_that_goes_on_remembers_what_was_done(
    serve: Callable[..., ModelServer], style: str
) -> None:
    server = serve(_shopper)
    model = agent(style)
    model.reseed(77)
    model.recall(seeing("search", search=True, text="the first page"), "search[lamp]")
    assert model.act(RESULTS) == "click[b01]"
    messages = server.asked[0].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert "the first page" in messages[1]["content"]
    assert messages[2]["content"] == "Action: search[lamp]"
    assert server.asked[0].body["seed"] == 77
