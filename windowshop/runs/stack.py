"""Compose what a page passes through: guard > record > retry > politeness > live, or guard > replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from windowshop.adapters import Site
from windowshop.frozen import Frozen
from windowshop.safety.guard import Guard
from windowshop.transports.last_hop import LastHop
from windowshop.wire import Transport

TransportName = Literal["http", "browser", "scraperapi"]


class Origin(Frozen):
    """Where pages come from: a recording, the demo shop (`last_hop`), or, with neither, the live site."""

    recording: Path | None = None
    last_hop: LastHop | None = None


@contextmanager
def open_origin(source: Literal["demo", "recording", "live"], recording: Path | None) -> Iterator[Origin]:
    """Start the demo shop where it is wanted; raise an error if anything in it was ever bought."""
    if source != "demo":
        yield Origin(recording=recording)
        return
    from windowshop.demo import Shop

    with Shop() as shop:
        host, port = shop.address
        yield Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
        harm = Counter(shop.harm)
    if harm:
        raise AssertionError(f"the demo shop was asked to sell: {dict(harm)}")


@contextmanager
def open_transport(
    name: TransportName, origin: Origin, site: Site, guard: Guard, folder: Path, contact: str | None
) -> Iterator[Transport]:
    """Yield the transport stack that stands behind the guard for one site.

    Everything that is fetched, from the demo shop as well as live, is recorded to `pages.warc.gz`.
    """
    from windowshop.transports.http import HttpTransport
    from windowshop.transports.identity import user_agent

    with ExitStack() as stack:
        yield stack.enter_context(HttpTransport(user_agent(contact), site.locale.language, origin.last_hop))
