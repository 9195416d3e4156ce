"""`windowshop parse`: what a saved page says, as JSON."""

from __future__ import annotations

import click

from windowshop.cli.page_options import page_options, read_page


@click.command(name="parse")
@page_options
def command(file: str, site: str, url: str | None, locale: str) -> None:
    """Read a saved page of SITE and print its facts as JSON.

    FILE is HTML, plain or gzipped; - reads standard input. Dry: nothing is fetched.

    Example: windowshop parse item.html --site amazon
    """
    from windowshop.api import parse_page

    page = parse_page(*read_page(file, site, url, locale))
    click.echo(page.model_dump_json(indent=1))
