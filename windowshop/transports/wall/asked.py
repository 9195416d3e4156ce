"""What a client asks at the wall, read from the bytes of its request. Pure."""

from __future__ import annotations

import re

from pydantic import Field

from windowshop.frozen import Frozen
from windowshop.transports.signed_in import is_signed_in_cookie
from windowshop.wire import Decision, Resource

Headers = list[tuple[str, str]]

_OVERRIDES = frozenset({"x-http-method-override", "x-http-method", "x-method-override"})
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_READERS = re.compile(
    r"accept(?:-encoding|-language)?|cache-control|cookie|device-memory|dnt|downlink|dpr|ect|host"
    r"|if-(?:match|modified-since|none-match|range|unmodified-since)|origin|pragma|priority|purpose|range"
    r"|referer|rtt|save-data|sec-[a-z0-9-]+|upgrade-insecure-requests|user-agent|viewport-width"
)
"""The headers of who only reads: none that frames a body, means another address or signs in."""
_KINDS: dict[str, Resource] = {
    "document": "document",
    "style": "stylesheet",
    "image": "image",
    "font": "font",
    "script": "script",
    "empty": "xhr",
}


class Asked(Frozen):
    """One request. `page` is the address of the page it came from, as far as the client says."""

    url: str
    method: str
    resource: Resource
    page: str | None = None
    type: str = ""
    body: bytes = Field(default=b"", repr=False)


def read_asked(url: str, method: str, headers: Headers, body: bytes, unnamed: Resource) -> Asked:
    """Return a request as it is judged; `unnamed` is its kind where the client does not say.

    A browser says it in headers that no script of a page can write. What it fetches before anybody went there
    is "other".
    """
    given = {name.lower(): value.strip() for name, value in headers}
    kind = unnamed
    if "sec-fetch-dest" in given:
        kind = _KINDS.get(given["sec-fetch-dest"].lower(), "other")
    if "prefetch" in f"{given.get('sec-purpose', '')} {given.get('purpose', '')}".lower():
        kind = "other"
    return Asked(
        url=url,
        method=method,
        resource=kind,
        page=given.get("referer"),
        type=given.get("content-type", ""),
        body=body,
    )


def smuggled(asked: Asked, place: tuple[str, int], target: str, headers: Headers) -> Decision | None:
    """Refuse what says one thing in its address and another beside it; None where all is of a piece.

    `place` is the host and port to which the request would go, `target` what its first line asks for there.
    """
    host, port = place
    spelled = {f"{host}:{port}"} | ({host} if port in (80, 443) else set())
    names = [name.lower() for name, _ in headers]
    hosts = {value.strip().lower() for name, value in headers if name.lower() == "host"}
    if not target.startswith("/"):
        return _refuse("wall.target", f"its first line asks for more than a path of {host}")
    if "upgrade" in names:
        return _refuse("wall.upgrade", "no other protocol is spoken through the wall")
    if names.count("host") != 1 or not hosts <= spelled:
        return _refuse("wall.host", f"the Host header is not {host}")
    if not _OVERRIDES.isdisjoint(names):
        return _refuse("wall.override", "a header that means another method")
    if "service-worker" in names:
        return _refuse("wall.worker", "a program that would outlive its page")
    if any(_CONTROL.search(value) for _, value in headers):
        return _refuse("wall.header", "a header with a line end or another control character in it")
    if any(name.lower() == "cookie" and is_signed_in_cookie(value) for name, value in headers):
        return _refuse("wall.signed-in", "a cookie of somebody who is signed in")
    if asked.body and asked.method in ("GET", "HEAD"):
        return _refuse("wall.body", f"a {asked.method} with a body")
    return None


def readers(headers: Headers) -> Headers:
    """Return the headers that leave."""
    return [
        (name, value) for name, value in headers if _READERS.fullmatch(name.lower()) or _ends(name, value)
    ]


def _ends(name: str, value: str) -> bool:
    """Say whether a header tells no more than if the connection is kept."""
    return name.lower() == "connection" and value.strip().lower() in ("close", "keep-alive")


def _refuse(rule: str, reason: str) -> Decision:
    return Decision(verdict="refuse", rule=rule, reason=reason)
