"""A group of verbs whose modules are loaded when they are asked for; the help page needs none of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class Verbs(click.Group):
    """Hold verbs by name, each with its line of help; `module` names where one is, with `{}` for its name."""

    def __init__(self, *args: Any, verbs: Mapping[str, str], module: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.verbs = verbs
        self._module = module

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(self.verbs.items()))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs in the order in which a newcomer wants them."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a verb, or None where there is none of that name."""
        if name not in self.verbs:
            return None
        command: click.Command = import_module(self._module.format(name)).command
        return command
