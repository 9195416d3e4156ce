"""The demo shop: an invented catalogue served on loopback in Amazon's and eBay's own markup.

Nothing is loaded before it is asked for: `Shop` brings a TLS library, a template engine and a search index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windowshop.demo.goal import goals
    from windowshop.demo.shop import Shop
    from windowshop.demo.wares import catalogue

__all__ = ["Shop", "catalogue", "goals"]

_HOMES = {"Shop": "shop", "catalogue": "wares", "goals": "goal"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
