"""One policy through every way in: the same actions, the same observations."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from env_policy import PLAN, choose
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from windowshop.cli import group
from windowshop.demo import goals
from windowshop.env import LiveShopEnv, WebAgentTextEnv
from windowshop.runs.folder import read_steps

SITES = ("amazon", "ebay")
PYTHON = Path(sys.executable)
INSTRUCTION = goals()[0]["instruction_text"]


class Seen(NamedTuple):
    action: str | None
    text: str
    clickables: list[str]
    has_search_bar: bool


def of(action: str | None, text: str, available: dict[str, Any]) -> Seen:
    return Seen(action, text, list(available["clickables"]), available["has_search_bar"])


def through_the_cli(site: str, folder: Path) -> list[Seen]:
    options = ("--site", site, "--transport", "http", "--max-steps", str(len(PLAN)), "--out", str(folder))
    task = ("--tasks", "demo", "--limit", "1", "--agent", "env_policy:Policy")
    with pytest.raises(SystemExit) as ended:
        group.main(["-q", "run", *task, *options])
    assert ended.value.code == 0
    (steps,) = read_steps(folder).values()
    return [
        of(step.action, step.observation, step.available_actions.model_dump(mode="json")) for step in steps
    ]


def through_gymnasium(site: str, folder: Path) -> list[Seen]:
    env = LiveShopEnv(site=site, out=folder, scored=False)
    text, info = env.reset(options={"task": 0})
    seen = [of(None, text, info["available_actions"])]
    ended = False
    while not ended:
        action = choose(len(seen) - 1, seen[-1].clickables)
        text, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
        seen.append(of(action, text, info["available_actions"]))
    assert info["outcome"] == "intercepted"
    env.close()
    return seen


def through_the_simulators_own(site: str, folder: Path) -> list[Seen]:
    env = WebAgentTextEnv("text_rich", site=site, out=folder, scored=False)
    text, _ = env.reset(session=0)
    seen = [of(None, text, env.get_available_actions())]
    done = False
    while not done:
        action = choose(len(seen) - 1, seen[-1].clickables)
        text, _, done, _ = env.step(action)
        seen.append(of(action, text, env.get_available_actions()))
    env.close()
    return seen


@contextmanager
def served(site: str, folder: Path) -> Iterator[str]:
    command = ("-m", "windowshop", "env", "serve", "--port", "0", "--site", site, "--mode", "text_rich")
    with subprocess.Popen(
        [PYTHON, *command, "--out", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", said)
            assert address is not None, said + process.stderr.read()
            yield address[0]
        finally:
            process.terminate()


def through_http(site: str, folder: Path) -> list[Seen]:
    with (
        served(site, folder) as address,
        httpx.Client(base_url=address, trust_env=False, timeout=60) as client,
    ):
        number = client.post("/create", json={"instruction": INSTRUCTION}).raise_for_status().json()

        def look(path: str) -> Any:
            return client.get(path, params={"env_idx": number}).raise_for_status().json()

        seen = [of(None, look("/observation"), look("/available_actions"))]
        done = False
        while not done:
            action = choose(len(seen) - 1, seen[-1].clickables)
            answer = (
                client.post("/step", json={"env_idx": number, "action": action}).raise_for_status().json()
            )
            assert answer["state"] == look("/observation")
            done = answer["done"]
            seen.append(of(action, answer["state"], look("/available_actions")))
        assert client.post("/close", json={"env_idx": number}).json() == {"closed": True}
        return seen


TOOLS = {
    "click[next >]": "next_page",
    "click[< prev]": "previous_page",
    "click[back to search]": "back_to_search",
    "click[buy now]": "finish",
}


def tool_of(action: str, before: Seen) -> tuple[str, dict[str, str]]:
    if action in TOOLS:
        return TOOLS[action], {}
    name, argument = action.removesuffix("]").split("[", 1)
    if name == "search":
        return "search", {"words": argument}
    if argument in ("description", "features", "reviews"):
        return "read_tab", {"tab": argument}
    if "buy now" in before.clickables:
        return "choose_option", {"value": argument}
    return "open", {"item_id": argument}


def through_mcp(site: str, folder: Path) -> list[Seen]:
    async def shop() -> list[Seen]:
        command = ["-m", "windowshop", "-q", "mcp", INSTRUCTION, "--site", site, "--out", str(folder)]
        server = StdioServerParameters(command=str(PYTHON), args=command, env=dict(os.environ))
        seen: list[Seen] = []
        with (folder.parent / "mcp.log").open("w") as log:
            async with stdio_client(server, errlog=log) as streams, ClientSession(*streams) as client:
                await client.initialize()

                async def call(action: str | None, tool: str, arguments: dict[str, str]) -> None:
                    answer = await client.call_tool(tool, arguments)
                    assert answer.isError is (action == "click[no such thing]"), answer
                    assert answer.structuredContent is not None
                    told = answer.structuredContent
                    assert answer.content[0].text == told["observation"]  # type: ignore[union-attr]
                    seen.append(of(action, told["observation"], told["available_actions"]))

                await call(None, "look", {})
                for step in range(len(PLAN)):
                    action = choose(step, seen[-1].clickables)
                    await call(action, *tool_of(action, seen[-1]))
        return seen

    return asyncio.run(shop())


WAYS: dict[str, Callable[[str, Path], list[Seen]]] = {
    "gymnasium": through_gymnasium,
    "simulator": through_the_simulators_own,
    "http": through_http,
    "mcp": through_mcp,
}


@pytest.fixture(scope="module", params=SITES)
def site(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def by_the_cli(site: str, tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    return through_the_cli(site, tmp_path_factory.mktemp(site) / "cli")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_shows_the_same(site: str, way: str, by_the_cli: list[Seen], tmp_path: Path) -> None:
    seen = WAYS[way](site, tmp_path / "run")
    assert len(by_the_cli) == len(PLAN) + 1
    assert by_the_cli[-1].text.startswith("Thank you for shopping with us!")
    assert seen == by_the_cli
    (kept,) = read_steps(tmp_path / "run").values() if way in ("gymnasium", "mcp") else [None]
    if kept is not None:
        assert [(step.action, step.observation) for step in kept] == [one[:2] for one in by_the_cli]
