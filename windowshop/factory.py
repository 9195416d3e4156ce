"""Vocabulary: the code of the user's own that a `module:factory` names."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from windowshop.errors import ConfigError


def load_factory(spec: str, role: str) -> Any:
    """Return what `module:factory` names; raise `ConfigError` saying why the `role` cannot be had of it."""
    module, _, name = spec.partition(":")
    if not module or not name:
        raise ConfigError(f"cannot load {role} {spec!r}: write it as module:factory")
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` does, so that a module in the current directory is found
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        where = "install it, or stand in its directory"
        raise ConfigError(f"cannot load {role} {spec!r}: {error}; {where}") from error
    except Exception as error:  # whatever somebody's module does on import
        raise ConfigError(f"cannot load {role} {spec!r}: {type(error).__name__}: {error}") from error
