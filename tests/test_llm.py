"""A model's endpoint that answers, streams, limits, fails, lies: what we make of each."""

from __future__ import annotations

import json
import pickle
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from model_server import DRIPS, HANGS_UP, SILENT, ModelServer, Turn, calls, fails, limited, says, sends

from windowshop.errors import BudgetSpent, ConfigError, ModelError
from windowshop.llm import Budget, ChatModel, PriceTable, picture
from windowshop.llm.endpoint import find_endpoint

KEY = "sk-very-secret-1234567890"
HELLO = [{"role": "user", "content": "Hello, what is the cheapest lamp that you know of?"}]


@pytest.fixture(autouse=True)
def _own_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "WINDOWSHOP_LLM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WINDOWSHOP_LLM_API_KEY", KEY)
    yield


def ask(server: ModelServer, settings: dict[str, Any] | None = None, **asked: Any) -> Any:
    return ChatModel("m", base_url=server.url, **(settings or {})).complete(HELLO, **asked)


def test_a_plain_answer_with_what_it_took() -> None:
    with ModelServer([says("A small one.", usage=(21, 4))]) as server:
        reply = ask(server, temperature=0.5, seed=7, max_tokens=50)
    assert (reply.text, reply.tool_calls, reply.finish) == ("A small one.", (), "stop")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (21, 4, None)
    assert reply.raw["choices"][0]["message"]["content"] == "A small one."
    sent = server.asked[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    wanted = {"model": "m", "messages": HELLO, "temperature": 0.5, "seed": 7, "max_tokens": 50}
    assert sent.body == wanted


@pytest.mark.parametrize("stream", [False, True])
def test_words_and_tool_calls_come_whole_or_in_a_stream(stream: bool) -> None:
    tool = {"type": "function", "function": {"name": "click", "parameters": {"type": "object"}}}
    with ModelServer([says("one two  three", usage=(9, 3)), calls("click", {"target": "é b01"})]) as server:
        model = ChatModel("m", base_url=server.url, stream=stream)
        words, call = model.complete(HELLO), model.complete(HELLO, tools=[tool])
    assert (words.text, words.finish, words.tokens) == ("one two  three", "stop", 12)
    assert [(c.name, c.arguments) for c in call.tool_calls] == [("click", {"target": "é b01"})]
    assert (call.text, call.finish) == ("", "tool_calls")
    assert server.asked[1].body["tools"] == [tool]
    assert server.asked[0].body.get("stream", False) is stream


def test_arguments_that_are_no_json_object_are_kept_as_text() -> None:
    with ModelServer([calls("click", "{broken"), calls("click", "[1]")]) as server:
        model = ChatModel("m", base_url=server.url)
        broken, array = (model.complete(HELLO).tool_calls[0] for _ in range(2))
    assert (broken.arguments, broken.text, array.arguments) == (None, "{broken", None)


def test_a_picture_goes_as_a_data_address() -> None:
    with ModelServer([says("a lamp")]) as server:
        content = [{"type": "text", "text": "what is it?"}, picture(b"\x89PNG")]
        ChatModel("m", base_url=server.url).complete([{"role": "user", "content": content}])
    sent = server.asked[0].body["messages"][0]["content"][1]
    assert sent == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}


@pytest.mark.parametrize("trouble", [limited(0.01), fails(503, retry_after_ms="5"), HANGS_UP])
def test_what_passes_is_tried_again(trouble: Turn) -> None:
    with ModelServer([trouble, says("now")]) as server:
        assert ask(server).text == "now"
    assert len(server.asked) == 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("trouble", "kind", "text"),
    [
        (limited(0.01), ModelError, "answered 429: .*slow down"),
        (fails(500, retry_after_ms="1"), ModelError, "answered 500: .*it failed"),
        (fails(400, "context too long"), ModelError, "answered 400: .*context too long"),
        (fails(401), ConfigError, "refuses the key: .*set WINDOWSHOP_LLM_API_KEY"),
        (fails(404), ConfigError, "has no model 'm'"),
        (sends(b'{"choices": [{"mess'), ModelError, "sent no"),
        (sends(b"<html>gateway</html>", type="text/html"), ModelError, "sent no"),
        (sends(b"[]"), ModelError, "chat completion"),
        (sends(b'{"choices": []}'), ModelError, "no choices"),
        (sends(b"[" * 100_000), ModelError, "sent no"),
        (sends(b'{"error": {"message": "overloaded"}}'), ModelError, "overloaded"),
        (sends(b'data: {"choices": [\n\n', type="text/event-stream"), ModelError, "sent no"),
        (
            sends(b'data: {"error": {"message": "lost"}}\n\n', type="text/event-stream"),
            ModelError,
            "lost|no JSON",
        ),
        (sends(b'data: {"a": 1}\n\ndata: [DONE]\n\n', type="text/event-stream"), ModelError, "sent no"),
        (sends(b"", 302), ModelError, "answered 302"),
        (HANGS_UP, ModelError, "cannot reach"),
        (SILENT, ModelError, "did not answer within 0.2 s"),
        (DRIPS, ModelError, "did not finish its answer within 0.2 s"),
    ],
)
def test_what_does_not_pass_is_an_error_with_a_reason(
    trouble: Turn, kind: type[Exception], text: str, stream: bool
) -> None:
    timeout = 0.2 if trouble in (SILENT, DRIPS) else 30.0
    with ModelServer(lambda _: trouble) as server, pytest.raises(kind, match=text):
        ask(server, {"timeout": timeout, "retries": 0, "stream": stream})


def test_nobody_there_is_an_error_with_a_reason() -> None:
    with ModelServer([]) as server:
        pass
    with pytest.raises(ModelError, match=r"cannot reach http://127.0.0.1:\d+/v1: "):
        ask(server, {"retries": 0})


@pytest.mark.parametrize(
    "usage", [None, "none", {"prompt_tokens": -5, "completion_tokens": True}, {"prompt_tokens": 0}, []]
)
def test_usage_that_cannot_be_is_unknown(usage: Any) -> None:
    with ModelServer([says("words", usage=usage)]) as server:
        reply = ask(server)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.tokens, reply.cost) == (
        None,
        None,
        None,
        None,
    )


def test_a_newer_model_knows_the_length_by_another_name() -> None:
    refusal = {
        "error": {"message": "use max_completion_tokens", "param": "max_tokens", "code": "unsupported"}
    }

    def answer(body: dict[str, Any]) -> Turn:
        return sends(json.dumps(refusal).encode(), 400) if "max_tokens" in body else says("short")

    with ModelServer(answer) as server:
        model = ChatModel("m", base_url=server.url)
        assert [model.complete(HELLO, max_tokens=5).text for _ in range(2)] == ["short", "short"]
    assert [asked.body.get("max_completion_tokens") for asked in server.asked] == [None, 5, 5]


@pytest.mark.parametrize("stream", [False, True])
def test_the_key_is_nowhere(stream: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    told = [fails(401, f"wrong key {KEY}"), says(f"you are {KEY}"), fails(500, KEY, retry_after_ms="1")]
    with ModelServer(told) as server:
        model = ChatModel("m", base_url=server.url, retries=0, stream=stream)
        seen = [repr(vars(model)), repr(find_endpoint(server.url))]
        for _ in told:
            try:
                reply = model.complete(HELLO)
                seen += [repr(reply), reply.model_dump_json(), str(reply.raw)]
            except (ConfigError, ModelError) as error:
                seen += [str(error), "".join(traceback.format_exception(error)), repr(pickle.dumps(error))]
    assert len(seen) == 2 + 3 + 3 + 3
    assert "you are ***" in seen[5]
    assert not [text for text in [*seen, caplog.text] if KEY in text]


def test_a_key_goes_only_where_it_was_given_for() -> None:
    both = {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "http://theirs/v1"}
    found = find_endpoint(environ={**both, "WINDOWSHOP_LLM_BASE_URL": "http://own/v1"})
    assert (found.base_url, found.key) == ("http://own/v1", "")
    found = find_endpoint(environ=both)
    assert (found.base_url, found.key) == ("http://theirs/v1", "theirs")
    with pytest.raises(ConfigError, match="set WINDOWSHOP_LLM_BASE_URL"):
        find_endpoint(environ={})
    with pytest.raises(ConfigError, match="begins with http"):
        find_endpoint(environ={"WINDOWSHOP_LLM_BASE_URL": "localhost:8000"})


@pytest.fixture
def prices(tmp_path: Path) -> PriceTable:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[m]\nprompt = 2.0\ncompletion = 10.0\ncached = 0.5\n["x-1.5"]\nprompt = 0\ncompletion = 0\n'
    )
    return PriceTable.load(path)


def test_costs_come_from_the_users_prices_alone(prices: PriceTable) -> None:
    cached = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    with ModelServer([says("a", (1000, 100)), says("a", cached), says("a")]) as server:
        model = ChatModel("m", base_url=server.url, prices=prices)
        assert model.complete(HELLO).cost == pytest.approx(0.003)
        assert model.complete(HELLO).cost == pytest.approx((600 * 2 + 400 * 0.5 + 100 * 10) / 1e6)
        assert ChatModel("other", base_url=server.url, prices=prices).complete(HELLO).cost is None
        assert (model.budget.tokens, model.budget.cost) == (2200, pytest.approx(0.0054))
    assert prices.of("x-1.5") is not None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[m]\nprompt = 1", "m.completion: Field required"),
        ("m = 1", "m: Input should be"),
        ("[m]\nprompt = -1\ncompletion = 1", "m.prompt: Input should be greater"),
        ("[m]\nprompt = nan\ncompletion = 1", "m.prompt"),
        ("[m", "is not TOML"),
    ],
)
def test_a_bad_price_file_says_where(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=says):
        PriceTable.load(path)
    with pytest.raises(ConfigError, match="No such file"):
        PriceTable.load(tmp_path / "none.toml")


def test_a_budget_of_tokens_stops_before_the_call_that_would_pass_it() -> None:
    budget = Budget(max_tokens=350)
    with ModelServer(lambda _: says("a", (100, 10))) as server:
        model = ChatModel("m", base_url=server.url, budget=budget)
        for _ in range(2):
            model.complete(HELLO, max_tokens=50)
        with pytest.raises(BudgetSpent, match="--max-tokens 350: 220 are spent, and it may take 150"):
            model.complete(HELLO, max_tokens=50)
        model.complete(HELLO, max_tokens=20)
    assert (len(server.asked), budget.tokens) == (3, 330)


def test_the_first_call_is_not_made_where_it_could_pass_the_limit() -> None:
    with ModelServer([says("a", (100, 10))]) as server:
        model = ChatModel("m", base_url=server.url, budget=Budget(max_tokens=60))
        with pytest.raises(BudgetSpent, match="0 are spent") as stopped:
            model.complete(HELLO, max_tokens=50)
    assert (server.asked, stopped.value.limit) == ([], "run:tokens")


def test_a_budget_of_money_stops_before_the_call_that_would_pass_it(prices: PriceTable) -> None:
    budget = Budget(max_cost=0.001)
    with ModelServer(lambda _: says("a", (200, 5))) as server:
        model = ChatModel("m", base_url=server.url, budget=budget, prices=prices)
        for _ in range(2):
            model.complete(HELLO, max_tokens=5)
        with pytest.raises(BudgetSpent, match=r"--max-cost 0\.001: 0.0009 are spent"):
            model.complete(HELLO, max_tokens=5)
        with pytest.raises(ConfigError, match="--max-cost needs the price of 'x'"):
            ChatModel("x", base_url=server.url, budget=budget, prices=prices)
    assert len(server.asked) == 2


def test_a_budget_cannot_be_kept_by_an_endpoint_that_does_not_count() -> None:
    with ModelServer(lambda _: says("a", None)) as server:
        model = ChatModel("m", base_url=server.url, budget=Budget(max_tokens=1000))
        assert model.complete(HELLO).tokens is None
        with pytest.raises(BudgetSpent, match="did not tell how many tokens"):
            model.complete(HELLO)
    assert len(server.asked) == 1


def test_a_failed_call_gives_back_what_was_held_and_a_held_part_is_not_spent_twice() -> None:
    budget = Budget(max_tokens=100)
    with ModelServer(lambda _: fails(400)) as server:
        model = ChatModel("m", base_url=server.url, budget=budget)
        for _ in range(3):
            with pytest.raises(ModelError):
                model.complete(HELLO, max_tokens=40)
    budget.hold(0, 60, None)
    with pytest.raises(BudgetSpent):
        budget.hold(0, 60, None)
    assert budget.tokens == 0


def test_many_threads_together_keep_under_a_limit() -> None:
    budget = Budget(max_tokens=2000)
    size = len(HELLO[0]["content"])

    def talk(model: ChatModel) -> int:
        for number in range(100):
            try:
                model.complete(HELLO, max_tokens=10)
            except BudgetSpent:
                return number
        return 100

    with ModelServer(lambda _: says("a", (size, 10))) as server, ThreadPoolExecutor(8) as threads:
        models = [ChatModel("m", base_url=server.url, budget=budget) for _ in range(8)]
        answered = sum(threads.map(talk, models))
    assert answered == len(server.asked)
    assert 1900 < budget.tokens == answered * (size + 10) <= 2000
