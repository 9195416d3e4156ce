"""`windowshop observe`: a saved page as the agent reads it."""

from __future__ import annotations

from typing import Any

import click

from windowshop.cli.page_options import page_options, read_page


@click.command(name="observe")
@page_options
@click.option(
    "--mode", type=click.Choice(["text", "text_rich", "url"]), default="text_rich", show_default=True
)
@click.option("--instruction", default="", help="The instruction that stands above the page.")
@click.option("--json", is_flag=True, expose_value=False, help="Print JSON (as it does anyway).")
@click.option("--text", "plain", is_flag=True, help="Print the observation's text alone, not JSON.")
def command(
    file: str, site: str, url: str | None, locale: str, mode: Any, instruction: str, plain: bool
) -> None:
    """Print a saved page of SITE as the agent would read it: the simulator's text and its valid actions.

    FILE is HTML, plain or gzipped; - reads standard input. Dry: nothing is fetched.

    Example: windowshop observe item.html --site amazon --text
    """
    from windowshop.api import observe_page

    seen = observe_page(*read_page(file, site, url, locale), mode=mode, instruction=instruction)
    click.echo(seen.text if plain else seen.model_dump_json(indent=1), nl=not plain)
