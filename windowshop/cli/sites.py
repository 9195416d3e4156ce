"""`windowshop sites`: the shops that can be read."""

from __future__ import annotations

import json

import click


@click.command(name="sites")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """List the sites, their marketplaces and hosts. On all of them dry-run is the only mode."""
    from windowshop.adapters import site_names
    from windowshop.locales import LOCALES

    rows: list[dict[str, str | None]] = [
        {"site": name, "locale": locale.code, "host": locale.host, "currency": locale.currency}
        for name in site_names()
        for locale in LOCALES.get(name, {}).values()
    ]
    own = [name for name in site_names() if name not in LOCALES]
    rows += [{"site": name, "locale": None, "host": None, "currency": None} for name in own]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        where = f"https://{row['host']}" if row["host"] else "a server of your own: --base-url URL"
        click.echo(f"{row['site']:11} {row['locale'] or '-':3} {row['currency'] or '-':3} {where}")
