"""The ids under which Gymnasium knows the environment."""

from __future__ import annotations

from typing import Any

IDS: dict[str, dict[str, Any]] = {
    "windowshop/LiveShop-v0": {},
    "windowshop/Amazon-v0": {"site": "amazon"},
    "windowshop/Ebay-v0": {"site": "ebay"},
}


def register_envs() -> None:
    """Register every id that is not registered yet; Gymnasium must be installed, and may be half loaded."""
    from gymnasium.envs.registration import register, registry

    for name, options in IDS.items():
        if name not in registry:
            register(id=name, entry_point="windowshop.env.live:LiveShopEnv", kwargs=options)
