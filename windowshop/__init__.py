"""windowshop: shop on the real web with agents trained in WebShop, and never buy.

Everything public is here: the two translations of a page, and the words of the vocabulary by their modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windowshop.version import __version__

if TYPE_CHECKING:
    from windowshop.api import observe_page, parse_page

__all__ = ["__version__", "observe_page", "parse_page"]


def __getattr__(name: str) -> Any:
    """Load the translations on first use, so that importing windowshop costs nothing."""
    if name in ("observe_page", "parse_page"):
        from windowshop import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
