"""`windowshop guard serve`: the wall for anyone's agent."""

from __future__ import annotations

import json
import signal
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import click


@click.command(name="serve")
@click.option("--site", default="amazon", show_default=True, help="The shop: amazon, ebay, or a plug-in's.")
@click.option("--locale", default="us", show_default=True, help="Its marketplace.")
@click.option("--live", is_flag=True, help="The real shop. Without it, the embedded demo shop answers.")
@click.option("--base-url", help="A server of your own, at a loopback or private address.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The proxy's; 0 is any.")
@click.option("--browser", is_flag=True, help="Start a guarded Chromium too, with a DevTools endpoint.")
@click.option("--window", is_flag=True, help="Show its window.")
@click.option("--scripts/--no-scripts", default=False, show_default=True, help="Let pages run JavaScript.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="A new folder for the records.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def command(site: str, locale: str, live: bool, base_url: str | None, as_json: bool, **how: Any) -> None:
    """Let an agent of any make look at a shop, and buy nothing, until it is interrupted.

    Prints the proxy's address, the file of the authority that its client must trust, and with --browser the
    endpoint to connect to. A purchase is answered here with a plain page and written to purchases.jsonl;
    every verdict goes to audit.jsonl, every page visited to pages.warc.gz.

    Example: windowshop guard serve --browser
    """
    from windowshop.adapters import load_site
    from windowshop.errors import ConfigError
    from windowshop.runs.serve import serve

    if live and base_url is not None:
        raise ConfigError("--live and --base-url exclude each other")
    out: Path = how.pop("out") or Path("runs", f"guard-{datetime.now():%Y%m%d-%H%M%S}")
    shop = load_site(site, locale, base_url)
    if live:
        _prove()
    over = threading.Event()
    before = {one: signal.signal(one, lambda *_: over.set()) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        with serve(shop, locale, out, live=live, base_url=base_url, **how) as (post, keeper):
            told = post.model_dump(mode="json", exclude_none=True)
            if as_json:
                click.echo(json.dumps(told))
            else:
                click.echo("".join(f"{name:<8} {value}\n" for name, value in told.items()), nl=False)
            click.echo("windowshop: DRY-RUN; nothing can be bought through here. Ctrl+C ends it.", err=True)
            over.wait()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    names = ("visited", "intercepted", "refused", "failed")
    click.echo(", ".join(f"{keeper.counts[name]} {name}" for name in names), err=True)


def _prove() -> None:
    """See, before a live site is visited, that nothing gets out on this machine."""
    from windowshop.errors import Leak
    from windowshop.runs.selftest import selftest

    holds, says = selftest("browser")
    click.echo(f"windowshop: {says}", err=True)
    if not holds:
        raise Leak(f"the guard's own test failed, so the live site is not visited: {says}")
