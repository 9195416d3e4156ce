"""A search of the web for knowledge questions: which engine is the user's choice, and the user's to pay."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from windowshop.errors import ConfigError
from windowshop.factory import load_factory


@runtime_checkable
class WebSearch(Protocol):
    """Search the web."""

    def search(self, query: str, max_results: int) -> list[dict[str, str]]:
        """Return results with `url`, `title` and `content`."""


def load_web_search(spec: str) -> WebSearch:
    """Return what `module:factory` makes; raise `ConfigError` saying why it cannot be had."""
    factory = load_factory(spec, "the web search")
    try:
        engine = factory()
    except Exception as error:  # whatever somebody's factory does
        raise ConfigError(f"cannot load the web search {spec!r}: {error}") from error
    if not isinstance(engine, WebSearch):
        raise ConfigError(f"{spec!r} gave a {type(engine).__name__}, which has no search(query, max_results)")
    return engine
