"""Open a policy file: find out where its shops are, and keep them to it."""

from __future__ import annotations

from pathlib import Path

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.safety.policy import own_origin
from windowshop.safety.sandbox_file import SandboxEntry, SandboxShop, admit, is_private, parse_sandbox
from windowshop.transports.sandbox import SandboxTransport, addresses_of


class Sandbox(Frozen):
    """The shops of the user's own that one policy file names."""

    path: Path
    shops: tuple[SandboxShop, ...]

    def shop(self, base_url: str) -> SandboxShop:
        """Return the shop at an address; raise `ConfigError` where the file names none there."""
        _, origin = own_origin(base_url)
        found = next((shop for shop in self.shops if shop.origin == origin), None)
        if found is None:
            named = ", ".join(shop.origin for shop in self.shops)
            raise ConfigError(f"{self.path} does not name {origin}; it names: {named}")
        return found


def load_sandbox(path: Path) -> Sandbox:
    """Read a policy file and admit each of its shops, pinned to the address that it has now.

    Raises `ConfigError` for a file that is not one, a real shop, and a shop in public without its token.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the policy file {path}: {error}") from error
    return Sandbox(path=path, shops=tuple(_admitted(entry) for entry in parse_sandbox(text, str(path))))


def _admitted(entry: SandboxEntry) -> SandboxShop:
    addresses = addresses_of(entry.host)
    if is_private(addresses) or entry.token is None:
        return admit(entry, addresses)
    with SandboxTransport(entry.origin, addresses[0]) as session:
        return admit(entry, addresses, session.token())
