"""The shop as MCP tools: whoever speaks the protocol can look and choose, and nobody can buy."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal

from windowshop.errors import ConfigError

try:
    from mcp.types import CallToolResult, ToolAnnotations

    try:
        from mcp.server.fastmcp import FastMCP as Server
    except ModuleNotFoundError:  # since version 2
        from mcp.server.mcpserver import MCPServer as Server  # type: ignore[import-not-found,no-redef]
except ImportError:
    raise ConfigError("the MCP server needs its library: pip install 'windowshop[mcp]'") from None

from pydantic import Field

from windowshop.env.session import Session, Turn
from windowshop.episodes import Task
from windowshop.translators.clickables import clickables
from windowshop.translators.layout import TABS

_HINTS = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True}
_READS = ToolAnnotations.model_validate(_HINTS)
_FINISHES = ToolAnnotations.model_validate({**_HINTS, "readOnlyHint": False, "openWorldHint": False})
_BUTTONS = frozenset({"buy now", "back to search", "< prev", *TABS})
_KINDS = {"link": "a product", "label": "an option"}
Tab = Literal["description", "features", "reviews", "attributes"]
_ABOUT = (
    "A shop to look around in. Search, open products by their id, choose options, read their tabs. "
    "finish() ends the visit and writes down what you would buy; nothing is ever bought, and no tool can."
)
_OVER = "This visit has ended: {reason}. Start the server again for another."


def make_server(session: Session, task: Task) -> Server[Any]:
    """Return the server of one session, which has one episode; it begins at the search page."""
    about = f"{_ABOUT} What to shop for: {task.instruction}" if task.instruction else _ABOUT
    server: Server[Any] = Server("windowshop", instructions=about)
    lock = threading.Lock()
    session.reset(task)

    def act(action: str) -> CallToolResult:
        with lock:
            before = session.turn
            if before.terminated or before.truncated:
                return _answer(before, _OVER.format(reason=before.reason or before.outcome))
            turn = session.step(action)
            return _answer(turn, turn.note if turn.observation.decision == "no-op" else None)

    def click(name: str, kind: str | None = None) -> CallToolResult:
        """Click what has a name; where it is of another kind than the tool is for, nothing is done."""
        there = clickables(session.view).get(name.lower())
        is_other = name.lower() in _BUTTONS or (there is not None and there.kind != kind)
        if kind is not None and there is not None and is_other:
            return _answer(session.turn, f"{name!r} is not {_KINDS[kind]} on this page")
        return act(f"click[{name}]")

    @server.tool(annotations=_READS)
    def search(words: Annotated[str, Field(min_length=1, description="What to look for.")]) -> CallToolResult:
        """Search the shop. The answer lists products, ten a page, by their ids."""
        return act(f"search[{words}]")

    @server.tool(annotations=_READS)
    def open(
        item_id: Annotated[str, Field(description="The id of a product on this page.")],
    ) -> CallToolResult:
        """Open a product of the page of results."""
        return click(item_id, "link")

    @server.tool(annotations=_READS)
    def choose_option(
        value: Annotated[str, Field(description="An option's value, as the page has it: a colour, a size.")],
    ) -> CallToolResult:
        """Choose an option of the open product; the price follows."""
        return click(value, "label")

    @server.tool(annotations=_READS)
    def read_tab(tab: Tab) -> CallToolResult:
        """Read more of the open product. previous_page() leads back to it."""
        return click(tab)

    @server.tool(annotations=_READS)
    def next_page() -> CallToolResult:
        """Turn to the next page of results."""
        return click("next >")

    @server.tool(annotations=_READS)
    def previous_page() -> CallToolResult:
        """Go back: from a tab to the product, from the product to the results, from those a page back."""
        return click("< prev")

    @server.tool(annotations=_READS)
    def back_to_search() -> CallToolResult:
        """Go back to the search page and forget the search."""
        return click("back to search")

    @server.tool(annotations=_READS)
    def look() -> CallToolResult:
        """Look at the page again."""
        return _answer(session.turn)

    @server.tool(annotations=_FINISHES)
    def finish() -> CallToolResult:
        """End the visit with the open product and its options. Nothing is bought: the choice is recorded."""
        return click("buy now")

    return server


def _answer(turn: Turn, problem: str | None = None) -> CallToolResult:
    """Return what is seen, first as the agent's text alone, then what can be done and what is to be said."""
    actions = turn.observation.available_actions
    can = (["search"] if actions.has_search_bar else []) + [
        f"[{name}]" for name in actions.clickables if name
    ]
    failed = problem or (turn.reason if turn.truncated else None)
    notes = [failed or turn.note, f"You can click: {', '.join(can)}" if can else None]
    if turn.purchase is not None and problem is None:
        bought = turn.purchase
        price = bought.unit_price.text if bought.unit_price else None
        notes.insert(0, f"Recorded, not bought: {bought.title or bought.item_id}, {price or 'price unknown'}")
    texts = [turn.observation.text, *(note for note in notes if note)]
    return CallToolResult.model_validate(
        {
            "content": [{"type": "text", "text": text} for text in texts],
            "structuredContent": {
                "observation": turn.observation.text,
                "available_actions": actions.model_dump(mode="json"),
                "note": turn.note,
                "outcome": turn.outcome,
                "purchase": turn.purchase.model_dump(mode="json") if turn.purchase else None,
            },
            "isError": failed is not None,
        }
    )
