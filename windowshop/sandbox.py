"""Vocabulary: what may be written in a shop of the user's own, and nowhere else.

A `SandboxPost` is no `Request`: the guard and the transports of real shops have no method that takes one, so
on the way to a real shop there is still no value that could mean "purchase".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from pydantic import Field

from windowshop.frozen import Frozen
from windowshop.wire import Response

Permission = Literal["cart", "checkout"]
"""What the owner of a shop can allow there: filling a cart, and going on to an order."""

TOKEN_PATH = "/.well-known/windowshop-sandbox.txt"
"""Where a shop at a public address says that it may be used so."""


class Writable(Frozen):
    """One form that a site's adapter may submit in a shop of the user's own.

    `path` is a regular expression that the whole canonical path must match; `params` names every query
    parameter and `fields` every field of the form that may be sent, with an expression that its whole value
    must match. `needs` is what the shop's owner must have allowed.
    """

    name: str
    needs: Permission
    path: str
    params: Mapping[str, str] = Field(default_factory=dict)
    fields: Mapping[str, str] = Field(default_factory=dict)


class SandboxPost(Frozen):
    """Submit the form `form` of a shop of the user's own; `fields` may hold several values of one name."""

    form: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()


class Submits(Protocol):
    """Send one form to the one shop that it was opened for; follow no redirect."""

    name: str

    def submit(self, post: SandboxPost) -> Response:
        """Return what the shop answered."""
