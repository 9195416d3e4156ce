"""What a storefront is asked and what it says: plain values, so that every storefront is a pure function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pydantic import Field

from windowshop.frozen import Frozen


class Visit(Frozen):
    """One request. `params` keeps the last value of each name."""

    method: str
    host: str
    path: str
    params: Mapping[str, str] = Field(default_factory=dict)


class Answer(Frozen):
    """One reply, counted under `kind`; a `harmful` one would have changed something on a real shop."""

    kind: str
    status: int = 200
    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = Field(default_factory=dict)
    harmful: bool = False


class Door(Frozen):
    """An address behind which a real shop would sell, book or change something."""

    kind: str
    path: str
    host: str = ".*"


def door_of(doors: Iterable[Door], visit: Visit) -> Door | None:
    """Return the door that `visit` knocks at, if any; whatever is not a GET or HEAD always does."""
    for door in doors:
        if re.fullmatch(door.host, visit.host) and re.fullmatch(door.path, visit.path):
            return door
    return None if visit.method in ("GET", "HEAD") else Door(kind="write", path=".*")


def redirect(kind: str, url: str) -> Answer:
    """Send the visitor on to another address."""
    return Answer(kind=kind, status=302, headers={"location": url})


def text(kind: str, body: str, status: int = 200) -> Answer:
    """Answer in plain text."""
    return Answer(kind=kind, status=status, body=body.encode(), type="text/plain; charset=utf-8")


def number_of(visit: Visit, name: str) -> int:
    """Read a page number from the address; what is no number is 1."""
    value = visit.params.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 6 else 1
