"""Who we say we are."""

from __future__ import annotations

from windowshop.errors import ConfigError
from windowshop.version import __version__

ROBOT = "windowshop"
"""The name by which a site's robots.txt can address us."""


def user_agent(contact: str | None = None) -> str:
    """Return the honest user agent: name, version, purpose, and how to reach whoever runs it.

    Raises `ConfigError` for a contact that cannot stand in a header.
    """
    if contact is None:
        return f"{ROBOT}/{__version__} (+research)"
    if not contact.isascii() or not contact.isprintable():
        raise ConfigError("the contact must be plain ASCII text on one line, for example you@example.org")
    return f"{ROBOT}/{__version__} (+research; contact: {contact})"
