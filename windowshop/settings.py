"""Settings from a TOML file: a table a verb, a key an option. Command line > environment > file > default."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windowshop.errors import ConfigError


def load_settings(path: str, verbs: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Any]]:
    """Return defaults for each verb's parameters; an unknown table or key is an error, never passed over.

    `verbs` maps a verb's flags, as the user knows them, to its parameters. Raises `ConfigError`.
    """
    try:
        tables: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read settings from {path}: {error}") from error
    settings: dict[str, dict[str, Any]] = {}
    for verb, table in tables.items():
        flags = verbs.get(verb)
        if flags is None or not isinstance(table, dict):
            raise ConfigError(f"{path}: no verb [{verb}]; verbs: {', '.join(verbs)}")
        unknown = [key for key in table if key not in flags]
        if unknown:
            raise ConfigError(f"{path}: [{verb}] has no option {unknown[0]!r}; options: {', '.join(flags)}")
        settings[verb] = {flags[key]: value for key, value in table.items()}
    return settings
