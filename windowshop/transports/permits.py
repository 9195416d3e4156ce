"""How a transport asks the guard before it sends something by itself."""

from __future__ import annotations

from collections.abc import Callable

from windowshop.errors import Refused
from windowshop.wire import Decision

Permits = Callable[[str], Decision]
"""What is asked, by address, of a request that a transport makes of its own: a retry, a robots.txt."""


def require(permits: Permits, url: str) -> None:
    """Raise `Refused` unless a request may leave."""
    decision = permits(url)
    if not decision.allowed:
        raise Refused(decision, url)
