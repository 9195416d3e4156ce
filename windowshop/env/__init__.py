"""The live shop as an environment: Gymnasium's, the simulator's own, over HTTP, and as MCP tools.

Nothing heavy is loaded before it is asked for. The ids are registered at once where Gymnasium is loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windowshop.env.live import LiveShopEnv
    from windowshop.env.place import Place
    from windowshop.env.registration import register_envs
    from windowshop.env.session import Session, Turn
    from windowshop.env.shopfront import Shopfront
    from windowshop.env.text import WebAgentTextEnv

__all__ = [
    "LiveShopEnv",
    "Place",
    "Session",
    "Shopfront",
    "Turn",
    "WebAgentTextEnv",
    "register_envs",
]

_HOMES = {
    "LiveShopEnv": "live",
    "Place": "place",
    "Session": "session",
    "Shopfront": "shopfront",
    "Turn": "session",
    "WebAgentTextEnv": "text",
    "register_envs": "registration",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


if sys.modules.get("gymnasium") is not None:
    import_module(f"{__name__}.registration").register_envs()
