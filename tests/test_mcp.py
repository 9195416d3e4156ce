"""The shop as MCP tools, asked by the official client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

from windowshop.journal import read_journal
from windowshop.runs.folder import read_results

TOOLS = {
    "search",
    "open",
    "choose_option",
    "read_tab",
    "next_page",
    "previous_page",
    "back_to_search",
    "look",
}


def talk(
    tmp_path: Path, conversation: Callable[[ClientSession, Any], Awaitable[None]], *options: str
) -> Path:
    """Start a server, talk to it, and return its run folder."""
    out = tmp_path / "run"

    async def speak() -> None:
        command = ["-m", "windowshop", "mcp", "i need a kettle", "--out", str(out), *options]
        server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        with (tmp_path / "log").open("w") as log:
            async with stdio_client(server, errlog=log) as streams, ClientSession(*streams) as client:
                await conversation(client, await client.initialize())

    asyncio.run(speak())
    return out


def texts(answer: CallToolResult) -> list[str]:
    return [part.text for part in answer.content if part.type == "text"]


def test_the_tools_are_listed_with_what_they_do(tmp_path: Path) -> None:
    async def conversation(client: ClientSession, welcome: Any) -> None:
        assert welcome.serverInfo.name == "windowshop"
        assert "nothing is ever bought" in welcome.instructions and "i need a kettle" in welcome.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {*TOOLS, "finish"}
        assert all(tool.description for tool in tools.values())
        for name, tool in tools.items():
            assert tool.annotations is not None
            assert tool.annotations.readOnlyHint is (name != "finish")
            assert tool.annotations.destructiveHint is False

    talk(tmp_path, conversation)


def test_a_visit_ends_with_a_purchase_that_was_not_made(tmp_path: Path) -> None:
    async def conversation(client: ClientSession, welcome: Any) -> None:
        found = await client.call_tool("search", {"words": "kettle"})
        assert "Total results" in texts(found)[0] and texts(found)[1].startswith("You can click: ")
        can = found.structuredContent["available_actions"]["clickables"]  # type: ignore[index]
        slip = await client.call_tool("open", {"item_id": "no such id"})
        assert slip.isError and "nothing called 'no such id'" in texts(slip)[1]
        assert not (await client.call_tool("look", {})).isError
        await client.call_tool("open", {"item_id": can[-1]})
        for tool, name in (("open", "item_id"), ("choose_option", "value")):
            for button in ("Buy Now", "features", "back to search"):
                other = await client.call_tool(tool, {name: button})
                assert other.isError and "is not a" in texts(other)[1]
        assert (await client.call_tool("read_tab", {"tab": "buy now"})).isError
        read = await client.call_tool("read_tab", {"tab": "features"})
        assert "[button] < Prev [button_]" in texts(read)[0]
        await client.call_tool("previous_page", {})
        end = await client.call_tool("finish", {})
        assert texts(end)[1].startswith("Recorded, not bought: ")
        purchase = end.structuredContent["purchase"]  # type: ignore[index]
        assert purchase["item_id"].lower() == can[-1] and purchase["dry_run"] is True
        for tool, arguments in (("search", {"words": "more"}), ("finish", {})):
            after = await client.call_tool(tool, arguments)
            assert after.isError and "has ended" in texts(after)[1]

    run = talk(tmp_path, conversation, "--site", "ebay")
    (result,) = read_results(run)
    assert (result.agent, result.outcome, result.site) == ("mcp", "intercepted", "ebay")
    assert len(list(read_journal(run / "purchases.jsonl"))) == 1


def test_what_stands_on_a_page_of_results_cannot_finish(tmp_path: Path) -> None:
    async def conversation(client: ClientSession, welcome: Any) -> None:
        early = await client.call_tool("finish", {})
        assert early.isError and "nothing called 'buy now'" in texts(early)[1]
        refused = await client.call_tool("search", {"words": ""})
        assert refused.isError

    run = talk(tmp_path, conversation)
    assert [result.outcome for result in read_results(run)] == ["interrupted"]
    assert list(read_journal(run / "purchases.jsonl")) == []


@pytest.mark.parametrize("argument", ["x]\nsearch[y", "buy now", "b0] click[buy now"])
def test_an_argument_is_a_name_and_nothing_more(tmp_path: Path, argument: str) -> None:
    async def conversation(client: ClientSession, welcome: Any) -> None:
        for tool, name in (("open", "item_id"), ("choose_option", "value")):
            answer = await client.call_tool(tool, {name: argument})
            assert answer.structuredContent["purchase"] is None  # type: ignore[index]
            assert answer.structuredContent["available_actions"]["has_search_bar"]  # type: ignore[index]
        answer = await client.call_tool("search", {"words": argument})
        assert answer.structuredContent["purchase"] is None  # type: ignore[index]

    run = talk(tmp_path, conversation)
    assert list(read_journal(run / "purchases.jsonl")) == []
