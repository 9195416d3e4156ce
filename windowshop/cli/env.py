"""`windowshop env serve`: the shop as an environment for training stacks that live elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.group(name="env", context_settings={"auto_envvar_prefix": "WINDOWSHOP_ENV"})
def command() -> None:
    """Lend the shop as an environment."""


def place_options(function: Any) -> Any:
    """Add the options that say where to shop."""
    for option in reversed(
        (
            click.option("--site", default="amazon", show_default=True),
            click.option("--locale", default="us", show_default=True, help="The marketplace."),
            click.option("--live", is_flag=True, help="Visit the real site. Without it, the demo shop."),
            click.option(
                "--recording",
                type=click.Path(exists=True, path_type=Path),
                help="Replay pages from a run folder or a WARC file; no socket to a shop is opened.",
            ),
            click.option("--base-url", help="Where a WebShop server of your own stands, for --site webshop."),
            click.option(
                "--transport",
                type=click.Choice(["auto", "http", "browser", "scraperapi"]),
                default="auto",
                show_default=True,
            ),
            click.option("--contact", help="How the site can reach you, in the user agent of live requests."),
            click.option("--out", type=click.Path(path_type=Path), help="The run folder; live needs one."),
        )
    ):
        function = option(function)
    return function


def place_of(options: dict[str, Any]) -> Any:
    """Take the options that say where to shop out of `options`, and return the place."""
    from windowshop.env.place import Place
    from windowshop.errors import ConfigError

    names = ("site", "locale", "recording", "base_url", "transport", "contact")
    where = {name: options.pop(name) for name in names}
    named = [
        name
        for name, given in (
            ("live", options.pop("live")),
            ("recording", where["recording"]),
            ("own", where["base_url"]),
        )
        if given
    ]
    if len(named) > 1:
        raise ConfigError("--live, --recording and --base-url exclude each other")
    place = Place(source=named[0] if named else "demo", **where)
    place.load()
    return place


@command.command()
@place_options
@click.option("--tasks", help="A file of goals or instructions [default: the demo shop's own].")
@click.option(
    "--mode", type=click.Choice(["text", "text_rich", "html", "url"]), default="text", show_default=True
)
@click.option("--clicks", type=click.Choice(["id", "title"]), default="id", show_default=True)
@click.option("--max-steps", type=click.IntRange(1), help="End an episode after so many steps.")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option("--port", default=36001, show_default=True, type=click.IntRange(0, 65535))
@click.option("--max-sessions", default=256, show_default=True, type=click.IntRange(1))
@click.option("--idle", default=1800.0, show_default=True, help="Close a session after so many idle seconds.")
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    host: str,
    port: int,
    max_sessions: int,
    idle: float,
    out: Path | None,
    tasks: str | None,
    mode: str,
    clicks: Any,
    max_steps: int | None,
    **options: Any,
) -> None:
    """Answer AgentGym's calls: /create, /step, /reset, /observation, /available_actions, /close.

    Only this machine is answered. What can be called is described at /docs and /openapi.json.
    """
    from windowshop.cli import start_logging
    from windowshop.env.serving import serve_forever

    start_logging(ctx.find_root())
    serve_forever(
        place_of(options),
        tasks=tasks,
        mode=mode,
        clicks=clicks,
        max_steps=max_steps,
        out=out,
        host=host,
        port=port,
        max_sessions=max_sessions,
        idle_seconds=idle,
        announce=lambda text: click.echo(f"windowshop: {text}", err=True),
    )
