"""Settings from a TOML file: a table a verb, a key an option. Command line > environment > file > default."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from windowshop.errors import ConfigError


def load_settings(path: str, verbs: Mapping[str, click.Command | None]) -> dict[str, dict[str, Any]]:
    """Return defaults for each verb's options; an unknown table or key is an error, never passed over."""
    try:
        tables: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read settings from {path}: {error}") from error
    for verb, table in tables.items():
        command = verbs.get(verb)
        if command is None or not isinstance(table, dict):
            raise ConfigError(f"{path}: no verb [{verb}]; verbs: {', '.join(verbs)}")
        known = {parameter.name for parameter in command.params}
        for key in table:
            if key not in known:
                raise ConfigError(
                    f"{path}: [{verb}] has no option {key!r}; options: {', '.join(sorted(filter(None, known)))}"
                )
    return tables
