"""`windowshop guard check`: what the guard makes of an address, and by which rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from windowshop.wire import Resource

if TYPE_CHECKING:
    from windowshop.wire import Decision


@click.command(name="check")
@click.argument("urls", nargs=-1)
@click.option("--site", help="Whose policy to ask [default: that of each address's host, else amazon].")
@click.option("--locale", help="The marketplace [default: that of each address's host, else us].")
@click.option("--method", default="GET", show_default=True)
@click.option("--resource", type=click.Choice(get_args(Resource)), default="document", show_default=True)
@click.option(
    "--base-url", help="Where a shop or a WebShop server of your own stands, for the adapter of --site."
)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of shops of your own; the one at --base-url is asked about.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
@click.pass_context
def command(
    ctx: click.Context,
    urls: tuple[str, ...],
    site: str | None,
    locale: str | None,
    method: str,
    resource: Resource,
    base_url: str | None,
    policy: Path | None,
    as_json: bool,
) -> None:
    """Say of each URL whether the guard would let it out, by which rule and why. Nothing is sent.

    Without URLs, or with -, addresses are read from standard input, one a line. Exits with 0 where every
    address is allowed, and with 4 where one is refused or intercepted.

    \b
    Examples:
      windowshop guard check https://www.amazon.com/dp/B000000001
      windowshop guard check --json - < addresses.txt
      windowshop guard check --site ebay --resource image https://i.ebayimg.com/x.jpg
    """
    ask = _asker(site, locale, method, resource, base_url, policy)
    is_well = True
    for url in _addresses(urls):
        decision = ask(url)
        is_well = is_well and decision.allowed
        _say(url, decision, as_json)
    ctx.exit(0 if is_well else 4)


def _addresses(urls: tuple[str, ...]) -> Iterator[str]:
    for url in urls or ("-",):
        if url != "-":
            yield url
            continue
        for line in sys.stdin:
            if line.strip():
                yield line.rstrip("\r\n")


def _asker(
    site: str | None,
    locale: str | None,
    method: str,
    resource: Resource,
    base_url: str | None,
    policy: Path | None,
) -> Callable[[str], Decision]:
    from windowshop.adapters import load_site
    from windowshop.errors import ConfigError
    from windowshop.safety.policy import judge, own_policy, policy_for

    if policy is not None:
        from windowshop.runs.sandbox import load_sandbox
        from windowshop.safety.sandbox import judge_sandbox, sandbox_policy

        if base_url is None or site is None:
            raise ConfigError("--policy goes with --site and the --base-url of one of its shops")
        adapter = load_site(site, locale or "us", base_url)
        shop = load_sandbox(policy).shop(base_url)
        sandbox = sandbox_policy(
            shop,
            site,
            (*adapter.readable, *getattr(adapter, "selling", ())),
            getattr(adapter, "writable", ()),
        )
        return lambda url: judge_sandbox(sandbox, url, method, resource)
    if base_url is not None:
        adapter = load_site(site or "webshop", locale or "us", base_url)
        own = own_policy(adapter.name, base_url, tuple(adapter.readable))
        return lambda url: judge(own, url, method, resource)

    def ask(url: str) -> Decision:
        name, code = _shop_of(url)
        name, code = site or name, locale or (code if site in (None, name) else "us")
        known = policy_for(name, code, tuple(load_site(name, code).readable))
        return judge(known, url, method, resource)

    return ask


def _shop_of(url: str) -> tuple[str, str]:
    """Return site and marketplace by the host of an address; Amazon's first where it is nobody's."""
    from windowshop.locales import LOCALES, locale_by_host
    from windowshop.safety.address import parse

    parsed = parse(url)
    host = parsed.hostname if parsed is not None else ""
    for site in LOCALES:
        locale = locale_by_host(site, host)
        if locale is not None:
            return site, locale.code
    return ("ebay", "us") if "ebay" in host.split(".") or "ebaydesc" in host else ("amazon", "us")


def _say(url: str, decision: Decision, as_json: bool) -> None:
    from windowshop.redaction import redact
    from windowshop.terminal import printable

    if as_json:
        record = {"format": 1, "url": redact(url), **decision.model_dump()}
        click.echo(json.dumps(record, ensure_ascii=True))
        return
    color = {"allow": "green", "refuse": "red", "intercept": "yellow"}[decision.verdict]
    verdict = click.style(f"{decision.verdict:9}", fg=color)
    click.echo(f"{verdict} {decision.rule:18} {printable(redact(url))}\n{'':9} {decision.reason}")
    sys.stdout.flush()
