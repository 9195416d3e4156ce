"""`windowshop guard`: ask the guard, put it to the test, and lend its wall to anyone's agent."""

from __future__ import annotations

import click

from windowshop.cli.verbs import Verbs

VERBS = {
    "check": "Say what the guard makes of an address, and by which rule.",
    "test": "Let a hostile shop on this machine try every way out of the browser. Exit 4 on any leak.",
    "serve": "Let anyone's agent browse behind the same wall.",
}


@click.command(cls=Verbs, name="guard", verbs=VERBS, module="windowshop.cli.guard_{}")
def command() -> None:
    """Look at what keeps the agent from buying. There is no verb that opens it."""
