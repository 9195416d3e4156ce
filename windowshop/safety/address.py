"""An address as a browser reads it, and whether it is spelled in the one way that is let through."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote, unquote_to_bytes

import ada_url

from windowshop.wire import Resource

_FREE_TEXT = frozenset({"k", "_nkw", "q", "s"})
_PLAIN = re.compile(r"[!-~]+")
_ENCODED_STRUCTURE = re.compile(r"%(2f|5c|00|25|3b|0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)
_ENCODED_PLAIN = re.compile(r"%(2d|2e|5f|7e|3[0-9]|[46][1-9a-f]|[57][0-9a])", re.IGNORECASE)
_PAIR = re.compile(r"[A-Za-z0-9_.-]+(?:=[^&]*)?")
_OWN: Final = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)
_METADATA: Final = ipaddress.ip_network("fd00:ec2::/32")
"""Where clouds answer questions about the machine, with its credentials; 169.254/16 is not in `_OWN`."""


class Asked(NamedTuple):
    """One request as it is judged. `parsed` is the WHATWG reading of `url`."""

    url: str
    parsed: ada_url.URL
    method: str
    resource: Resource


def is_plain(url: str) -> bool:
    """Say whether an address is printable ASCII that stands for UTF-8, without a backslash.

    Browsers read a backslash as a slash; what is no UTF-8 every server reads in its own way.
    """
    if _PLAIN.fullmatch(url) is None or "\\" in url:
        return False
    try:
        unquote_to_bytes(url).decode()
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(maxsize=512)
def parse(url: str) -> ada_url.URL | None:
    """Return the parts of an absolute address, or None where it is none."""
    try:
        return ada_url.URL(url)
    except ValueError:
        return None


def joined(base: str, reference: str) -> str | None:
    """Return the address that a reference on a page means, or None where it means none."""
    try:
        return str(ada_url.join_url(base, reference))
    except ValueError:
        return None


def is_canonical(url: str, parsed: ada_url.URL) -> bool:
    """Say whether an address stands as a browser would write it, without a second way to write its path."""
    path = parsed.pathname
    return (
        parsed.href == url
        and ";" not in url
        and "//" not in path
        and not _ENCODED_STRUCTURE.search(path)
        and not _ENCODED_PLAIN.search(path)
    )


def params_of(search: str) -> list[tuple[str, str]] | None:
    """Return the query's parameters; None for names that are encoded or empty, which servers read unalike."""
    if not search:
        return []
    if not all(_PAIR.fullmatch(pair) for pair in search[1:].split("&")):
        return None
    return list(ada_url.URLSearchParams(search).items())


def spelled_out(parsed: ada_url.URL) -> str:
    """Return host, path and query decoded twice, in lower case; what a shopper searches for is left out."""
    pairs = ada_url.URLSearchParams(parsed.search).items()
    query = "&".join(f"{name}={value}" for name, value in pairs if name not in _FREE_TEXT)
    return unquote(unquote(f"//{parsed.hostname}{parsed.pathname}?{query}")).lower()


def is_own(host: str) -> bool:
    """Say whether a host, as written in an address, is this machine or one on a private network."""
    return host == "localhost" or is_own_address(host.strip("[]"))


def is_own_address(address: str) -> bool:
    """Say whether an IP address is a loopback or private one, and not a cloud's metadata service."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in network for network in _OWN if network.version == found.version) and not (
        found.version == _METADATA.version and found in _METADATA
    )
