"""`windowshop doctor`: what is installed, and how to mend what is not."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import NamedTuple

import click


class Finding(NamedTuple):
    """One thing looked at. `mend` is the command that helps where it is not well."""

    name: str
    well: bool
    says: str
    mend: str | None = None
    needed: bool = True


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Check Python, packages, the browser and its guard, and shop once in the demo shop (dry-run).

    Exits with 1 where something that is needed is missing.
    """
    findings = [_python(), *_packages(), _browser(), _wall(), _guarded(), _key()]
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=1))
    else:
        for finding in findings:
            mark = "ok  " if finding.well else "MISS" if finding.needed else "none"
            click.echo(f"{mark} {finding.name}: {finding.says}")
            if not finding.well and finding.mend:
                click.echo(f"       mend: {finding.mend}")
    ctx.exit(0 if all(finding.well or not finding.needed for finding in findings) else 1)


def _python() -> Finding:
    version = sys.version.split()[0]
    return Finding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _packages() -> list[Finding]:
    from importlib.metadata import requires
    from re import match

    names = [match(r"[\w-]+", line) for line in requires("windowshop") or () if "extra ==" not in line]
    modules = {"ada-url": "ada_url", "scraperapi-sdk": "scraperapi_sdk"}
    missing = [
        name.group()
        for name in names
        if name and importlib.util.find_spec(modules.get(name.group(), name.group())) is None
    ]
    says = f"missing: {', '.join(missing)}" if missing else f"all {len(names)} there"
    return [Finding("packages", not missing, says, "pip install windowshop")]


def _browser() -> Finding:
    from windowshop.errors import ConfigError
    from windowshop.transports.chromium import find_browser

    try:
        browser = find_browser()
    except ConfigError as error:
        return Finding("browser", False, str(error), "unset WINDOWSHOP_BROWSER, or name a Chromium in it")
    return Finding(
        "browser",
        browser is not None,
        f"{browser}" if browser else "no Chromium or Chrome found; pages are fetched without a browser",
        "apt-get install chromium, or: python -m playwright install chromium",
        needed=False,
    )


def _wall() -> Finding:
    well = importlib.util.find_spec("mitmproxy") is not None
    says = "there" if well else "no mitmproxy; pages are fetched without a browser"
    return Finding("wall", well, says, "pip install 'windowshop[browser]'", needed=False)


def _guarded() -> Finding:
    """Fetch a page of the demo shop through the guard, and see that a cart address is refused."""
    from windowshop.runs.selftest import selftest

    works, says = selftest("browser" if _browser().well and _wall().well else "http")
    return Finding("guard", works, says, "run windowshop -v doctor and report what it says")


def _key() -> Finding:
    name = "SCRAPERAPI_API_KEY"
    says = "set" if os.environ.get(name) else f"{name} is not set; --transport scraperapi needs it"
    return Finding("scraperapi", name in os.environ, says, f"export {name}=...", needed=False)
