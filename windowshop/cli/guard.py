"""`windowshop guard`: ask the guard, put it to the test, and lend its wall to anyone's agent."""

from __future__ import annotations

from importlib import import_module

import click

VERBS = {
    "check": "Say what the guard makes of an address, and by which rule.",
    "test": "Let a hostile shop on this machine try every way out of the browser. Exit 4 on any leak.",
    "serve": "Let anyone's agent browse behind the same wall.",
}


class _Guards(click.Group):
    """Load a verb's module when it is asked for; the help page needs none of them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = import_module(f"windowshop.cli.guard_{name}").command
        return command


@click.command(cls=_Guards, name="guard")
def command() -> None:
    """Look at what keeps the agent from buying. There is no verb that opens it."""
