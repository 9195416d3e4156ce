"""Decide over each connection and each request at the wall; whatever cannot be judged is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from loguru import logger

from windowshop.transports.wall.asked import Asked, Headers, read_asked, smuggled
from windowshop.transports.wall.witness import Witness
from windowshop.wire import Decision, Resource, Response

Permits = Callable[[str, str, Resource], Decision]
"""What is asked of every request before it leaves: address, method, kind of resource."""

Place = tuple[str, int]
FAILED = Decision(verdict="refuse", rule="wall.failed", reason="it could not be judged")


class Ruling(NamedTuple):
    """A verdict; and where a page is that a client may have instead of a refused one."""

    decision: Decision
    instead: str | None = None


class Checkpoint:
    """Judge what comes to the wall, and tell the witness.

    `doors` are the hosts, and ports, to which anything at all may go. `unnamed` is the kind of a request
    whose client does not say what it is for: "document" for clients that are no browsers.
    """

    def __init__(self, permits: Permits, doors: Iterable[Place], witness: Witness, unnamed: Resource) -> None:
        self._permits = permits
        self._doors = frozenset(doors)
        self._witness = witness
        self._unnamed: Resource = unnamed

    def admit(self, place: Place) -> Decision:
        """Return the verdict on a tunnel; one to a place that is not listed is judged for the record."""
        if place in self._doors:
            return Decision(verdict="allow", rule="wall.door", reason="each request in it is judged")
        host, port = place
        asked = Asked(
            url=f"https://{host}/" if port == 443 else f"https://{host}:{port}/",
            method="CONNECT",
            resource="other",
        )
        try:
            said = self._permits(asked.url, asked.method, asked.resource)
            if said.verdict != "refuse":
                said = _refuse("wall.door", f"{host}:{port} is not listed")
            self._tell(asked, said)
        except Exception as error:
            return _failed(error)
        return said

    def judge(
        self, url: str, place: Place, method: str, target: str, headers: Headers, body: bytes
    ) -> Ruling:
        """Return the ruling on a request to `place`; the witness was told of what is not let out."""
        asked = read_asked(url, method, headers, body, self._unnamed)
        try:
            said = self._permits(asked.url, asked.method, asked.resource)
            is_closed = said.verdict == "refuse"
            if said.allowed and place not in self._doors:
                said = _refuse("wall.door", f"{place[0]}:{place[1]} is not listed")
            if said.allowed:
                said = smuggled(asked, place, target, headers) or said
            self._tell(asked, said)
            is_page = asked.resource == "document" and asked.method == "GET"
            instead = self._witness.instead(asked) if is_closed and is_page else None
        except Exception as error:
            return Ruling(_failed(error))
        return Ruling(said, instead)

    def land(self, url: str, method: str, headers: Headers, response: Response) -> Decision | None:
        """Tell of an answer; return a refusal where that fails, for then the client must not have it."""
        try:
            self._witness.land(read_asked(url, method, headers, b"", self._unnamed), response)
        except Exception as error:
            return _failed(error)
        return None

    def _tell(self, asked: Asked, said: Decision) -> None:
        if said.verdict == "intercept":
            self._witness.intercept(asked, said)
        elif said.verdict == "refuse":
            self._witness.refuse(asked, said)

    def fail(self, url: str, reason: str) -> None:
        """Tell of a request that was let out and not answered."""
        try:
            self._witness.fail(url, reason)
        except Exception as error:
            _failed(error)


def _failed(error: Exception) -> Decision:
    logger.opt(exception=error).error("the wall refuses what it could not judge or record")
    return FAILED


def _refuse(rule: str, reason: str) -> Decision:
    return Decision(verdict="refuse", rule=rule, reason=reason)
