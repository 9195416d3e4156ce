"""The options that `parse` and `observe` share."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add FILE, --site, --url and --locale to a verb."""

    @click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
    @click.option("--site", required=True, help="The shop that the page is from, e.g. amazon.")
    @click.option("--url", help="The page's address; its host settles the marketplace.")
    @click.option(
        "--locale", default="us", show_default=True, help="The marketplace, where no --url says it."
    )
    @functools.wraps(function)
    def wrapped(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    return wrapped


def read_page(file: str, site: str, url: str | None, locale: str) -> tuple[bytes, str, str]:
    """Return (bytes, address, site) for the translation; raise `ConfigError` for an unknown site."""
    from windowshop.locales import LOCALES, locale_of

    if url is None:
        url = f"https://{locale_of(site, locale).host}/" if site in LOCALES else ""
    body = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    return body, url, site
