"""Compose what a page passes through: guard > record > retry > politeness > live, or guard > replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from windowshop.adapters import Site
from windowshop.errors import ConfigError, Leak
from windowshop.frozen import Frozen
from windowshop.safety.guard import Guard
from windowshop.safety.policy import Policy
from windowshop.transports.last_hop import LastHop
from windowshop.wire import Request, Response, Transport

if TYPE_CHECKING:
    from windowshop.transports.hosts import Hosts
    from windowshop.transports.replay import Replay

SHOP_COUNTERS = "demo-shop.json"
SourceName = Literal["demo", "recording", "live", "own"]
TransportName = Literal["http", "browser", "scraperapi"]
RecordMode = Literal["none", "once", "new_episodes", "all"]


class Origin(Frozen):
    """Where pages come from: a recording, the demo shop (`last_hop`), one's own server, the live site.

    Only a live site has to be waited for.
    """

    is_live: bool = False
    recording: Path | None = None
    last_hop: LastHop | None = None


class Shared(Protocol):
    """What the workers of a run share behind their guards: the recording, and what is known of each host."""

    @property
    def hosts(self) -> Hosts:
        """Return what is known of each host."""

    def append(self, request: Request, response: Response) -> object:
        """Keep one page."""


@contextmanager
def open_origin(source: SourceName, recording: Path | None, folder: Path) -> Iterator[Origin]:
    """Start the demo shop where it is wanted, and keep its counters as `demo-shop.json` when it closes.

    Raises `Leak` if its carts, checkouts or accounts were asked for anything.
    """
    if source != "demo":
        yield Origin(is_live=source == "live", recording=recording)
        return
    from windowshop.demo import Shop

    with Shop() as shop:
        host, port = shop.address
        yield Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
    harm = dict(shop.harm)
    counters = {"format": 1, "visits": dict(shop.counters), "harm": harm}
    (folder / SHOP_COUNTERS).write_text(json.dumps(counters, indent=1) + "\n", encoding="utf-8")
    if harm:
        raise Leak(f"the demo shop was asked to sell: {harm}")


def open_recording(path: Path) -> Transport:
    """Return the pages that stand in a WARC file, or a folder with some; of one address the latest."""
    from windowshop.transports.replay import Replay

    return Replay(path, latest=True)


def open_own_pages(folder: Path, origin: Origin, known: Path | None = None) -> Replay:
    """Return the pages that need not be fetched: those of the recording `known`, and the run's own.

    None of them where the run only reads a recording.
    """
    from windowshop.transports.recording import PAGES
    from windowshop.transports.replay import Replay

    pages = Replay(None, latest=True)
    for place in (known, folder / PAGES):
        if origin.recording is None and place is not None and place.exists():
            for file in [place] if place.is_file() else sorted(place.rglob("*.warc.gz")):
                pages.index(file)
    return pages


@contextmanager
def open_transport(
    name: TransportName,
    origin: Origin,
    site: Site,
    guard: Guard,
    folder: Path,
    contact: str | None,
    shared: Shared | None = None,
) -> Iterator[Transport]:
    """Yield the transport stack that stands behind the guard for one site.

    Whatever is fetched is recorded to `pages.warc.gz`, from the demo shop as well as live. `shared` keeps
    the pages and what is known of the hosts instead, for all workers of a run.
    """
    if origin.recording is not None:
        yield open_recording(origin.recording)
        return
    if guard.policy.origin is not None:
        origin = Origin()  # one's own server is neither the demo shop nor the real one that others visit
    if name == "scraperapi" and not origin.is_live:
        raise ConfigError("scraperapi visits the web from its own machines: it goes with --live alone")
    from windowshop.transports.hosts import KnownHosts
    from windowshop.transports.politeness import Polite
    from windowshop.transports.recording import PAGES, Recorder, Recording
    from windowshop.transports.retry import Retrying

    with ExitStack() as stack:
        live = stack.enter_context(_open_live(name, origin, site, guard, contact))
        recorder = stack.enter_context(Recorder(folder / PAGES)) if shared is None else shared
        hosts = KnownHosts() if shared is None else shared.hosts
        polite = Polite(live, hosts, permits=guard.permits) if origin.is_live else live
        yield Recording(Retrying(polite, permits=guard.permits), recorder)


@contextmanager
def _open_live(
    name: TransportName, origin: Origin, site: Site, guard: Guard, contact: str | None
) -> Iterator[Transport]:
    from windowshop.transports.identity import user_agent

    language = site.locale.language
    if name == "http":
        from windowshop.transports.http import HttpTransport

        with HttpTransport(user_agent(contact), language, origin.last_hop) as plain:
            yield plain
    elif name == "browser":
        from windowshop.transports.browser import BrowserTransport

        policy = guard.policy
        with BrowserTransport(
            permits=guard.permits,
            hosts=doors(policy),
            user_agent=user_agent(contact),
            language=language,
            last_hop=origin.last_hop,
        ) as browser:
            yield browser
    else:
        from windowshop.transports.scraperapi import ScraperApiTransport

        yield ScraperApiTransport(country=site.locale.code)


def doors(policy: Policy) -> frozenset[str]:
    """Return the hosts, with their port where it is not 443, to which a wall may open a connection."""
    if policy.origin is None:
        return policy.hosts | policy.assets
    return frozenset(map(_door, (policy.origin, *policy.also)))


def _door(origin: str) -> str:
    scheme, _, authority = origin.partition("://")
    has_port = ":" in authority.rpartition("]")[2]
    return authority if has_port else f"{authority}:{80 if scheme == 'http' else 443}"
