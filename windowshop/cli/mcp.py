"""`windowshop mcp`: the shop as tools for any MCP client, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from windowshop.cli.env import place_of, place_options


@click.command(name="mcp")
@click.argument("instruction", default="")
@place_options
@click.option("--mode", type=click.Choice(["text", "text_rich"]), default="text_rich", show_default=True)
@click.option("--max-steps", default=100, show_default=True, type=click.IntRange(1))
@click.pass_context
def command(
    ctx: click.Context, /, instruction: str, out: Path | None, mode: Any, max_steps: int, **options: Any
) -> None:
    """Give an MCP client read-only tools: search, open, choose_option, read_tab, next_page, finish ...

    One server is one visit. `finish` records what would be bought; nothing is. INSTRUCTION is told to the
    client.

    \b
    Example, in a client's settings:
      {"command": "windowshop", "args": ["mcp", "--site", "ebay"]}
    """
    from windowshop.cli import start_logging
    from windowshop.env.mcp import make_server
    from windowshop.env.session import Session
    from windowshop.env.shopfront import Shopfront
    from windowshop.episodes import Task

    start_logging(ctx)
    with Shopfront(place_of(options), out, "mcp", mode) as front:
        click.echo(f"windowshop: DRY-RUN; run folder {out or 'not kept'}", err=True)
        session = Session(front, max_steps=max_steps)
        try:
            make_server(session, Task(id="0", instruction=instruction)).run("stdio")
        finally:
            session.close()
