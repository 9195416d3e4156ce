"""The policy file: which shops are the user's own, and what their owner allows there."""

from __future__ import annotations

import hmac
import tomllib
from collections.abc import Collection, Sequence
from typing import Any, Final, get_args

from pydantic import Field

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.locales import ASSET_HOSTS, DESCRIPTION_HOSTS, LOCALES
from windowshop.safety.address import is_own_address
from windowshop.safety.policy import own_origin
from windowshop.sandbox import TOKEN_PATH, Permission

SHORTEST_TOKEN = 16
_KEYS = frozenset({"url", "allow", "token", "confirm"})
_BRANDS: Final = frozenset({"amazon", "ebay"})
_BRAND_DOMAINS: Final = frozenset(
    host.removeprefix("www.")
    for host in (
        *(locale.host for table in LOCALES.values() for locale in table.values()),
        *(
            ".".join(host.split(".")[-2:])
            for hosts in (*ASSET_HOSTS.values(), *DESCRIPTION_HOSTS.values())
            for host in hosts
        ),
    )
)


class SandboxEntry(Frozen):
    """One shop as the policy file names it, before anyone has asked where it is."""

    host: str
    origin: str
    allow: frozenset[Permission]
    token: str | None = Field(default=None, repr=False)
    confirm: bool = False


class SandboxShop(Frozen):
    """One shop of the user's own. `address` is the IP address that it had when it was admitted, for good.

    With `confirm`, a person is asked at the terminal before each form.
    """

    host: str
    origin: str
    address: str
    allow: frozenset[Permission]
    confirm: bool = False


def parse_sandbox(text: str, name: str) -> tuple[SandboxEntry, ...]:
    """Read a policy file: a table `[[shop]]` for each shop, with `url`, `allow` and, in public, `token`.

    `confirm = true` has a person asked before each form.
    Raises `ConfigError` for a real shop's host, an unknown key, and whatever else is not exactly that.
    """
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name} is not TOML: {error}") from error
    unknown = sorted(told.keys() - {"shop"})
    tables = told.get("shop")
    if unknown or not isinstance(tables, list) or not tables:
        what = f"an unknown key {unknown[0]!r}" if unknown else "no table [[shop]]"
        raise ConfigError(f"{name} has {what}; write [[shop]] with url and allow for each shop of your own")
    entries = tuple(_entry(table, f"{name}, shop {number}") for number, table in enumerate(tables, 1))
    if len({entry.origin for entry in entries}) != len(entries):
        raise ConfigError(f"{name} names a shop twice")
    return entries


def _entry(table: dict[str, Any], where: str) -> SandboxEntry:
    unknown = sorted(table.keys() - _KEYS)
    if unknown:
        raise ConfigError(f"{where}: unknown key {unknown[0]!r}; known keys: {', '.join(sorted(_KEYS))}")
    allowed, token = table.get("allow"), table.get("token")
    if (
        not isinstance(allowed, list)
        or not allowed
        or not all(one in get_args(Permission) for one in allowed)
    ):
        raise ConfigError(f"{where}: allow must list what may be used: {', '.join(get_args(Permission))}")
    if token is not None and (not isinstance(token, str) or len(token) < SHORTEST_TOKEN):
        raise ConfigError(f"{where}: token must be a text of at least {SHORTEST_TOKEN} characters")
    confirm = table.get("confirm", False)
    if not isinstance(confirm, bool):
        raise ConfigError(f"{where}: confirm must be true or false")
    host, origin = own_origin(str(table.get("url")))
    if is_real_shop(host):
        raise ConfigError(f"{where}: {host} is a real shop; carts and checkouts are for shops of your own")
    return SandboxEntry(host=host, origin=origin, allow=frozenset(allowed), token=token, confirm=confirm)


def is_real_shop(host: str) -> bool:
    """Say whether a host is one of Amazon's or eBay's, or bears their name anywhere between its dots."""
    name = host.lower().rstrip(".")
    return not _BRANDS.isdisjoint(name.split(".")) or any(
        name == domain or name.endswith(f".{domain}") for domain in _BRAND_DOMAINS
    )


def admit(entry: SandboxEntry, addresses: Sequence[str], said: bytes | None = None) -> SandboxShop:
    """Return a shop, pinned to the first of the addresses that its name has now.

    `said` is what the shop answered at `TOKEN_PATH`, where that was asked. Raises `ConfigError` for a shop in
    public that does not show the token.
    """
    if not addresses:
        raise ConfigError(f"{entry.host} has no address")
    if not is_private(addresses):
        where = f"{entry.origin}{TOKEN_PATH}"
        if entry.token is None:
            raise ConfigError(
                f"{entry.host} is at a public address: give it a token in the policy file, served at {where}"
            )
        if said is None or not hmac.compare_digest(said.strip(), entry.token.encode()):
            raise ConfigError(f"{where} does not show the token of the policy file: it is not your own shop")
    return SandboxShop(
        host=entry.host,
        origin=entry.origin,
        address=addresses[0],
        allow=entry.allow,
        confirm=entry.confirm,
    )


def is_private(addresses: Collection[str]) -> bool:
    """Say whether every address is this machine's or one of a private network."""
    return all(is_own_address(address) for address in addresses)
