"""The guard for somebody else's agent: the wall, and in one folder all that passes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from windowshop.actions import ToResults
from windowshop.adapters import Site
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.journal import Journal
from windowshop.redaction import redact
from windowshop.runs.interception import Landings, interception
from windowshop.runs.stack import SourceName, doors, open_origin
from windowshop.safety.guard import Guard
from windowshop.safety.policy import Policy, own_policy, policy_for
from windowshop.safety.rebuild import rebuilt
from windowshop.transports.guarded import GuardedBrowser
from windowshop.transports.recording import PAGES, Recorder, without_secrets
from windowshop.transports.signed_in import require_signed_out
from windowshop.transports.wall import Asked, Wall, Witness
from windowshop.wire import Decision, Request, Response


class Post(Frozen):
    """What an agent is told: where to begin, the proxy, the authority to trust, the browser."""

    start: str
    proxy: str
    ca: Path
    browser: str | None
    records: Path


class Keeper(Witness):
    """Keep what passes the wall in a folder: pages, verdicts, and the purchases that were held back."""

    def __init__(self, site: Site, policy: Policy, folder: Path) -> None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"{folder} is there already; choose another --out")
        self.counts: Counter[str] = Counter()
        self._landings = Landings(site)
        self._name = folder.name
        with ExitStack() as opening:
            self._audit = opening.enter_context(Journal(folder / "audit.jsonl"))
            self._purchases = opening.enter_context(Journal(folder / "purchases.jsonl", durable=True))
            self._pages = opening.enter_context(Recorder(folder / PAGES))
            self._files = opening.pop_all()
        self._guard = Guard(policy, self._audit)
        self.permits = self._guard.permits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    def intercept(self, asked: Asked, decision: Decision) -> None:
        """Write a purchase down, durably, before its client is answered."""
        landed = self._landings.behind(asked)
        self._purchases.append(
            interception(asked, decision, landed, session=self._name, at=datetime.now(UTC))
        )
        self.counts["intercepted"] += 1

    def refuse(self, asked: Asked, decision: Decision) -> None:
        """Count a refusal; one that is the wall's own, and not the policy's, is written down here."""
        self.counts["refused"] += 1
        if decision.rule.startswith("wall."):
            self._note(asked, decision)

    def instead(self, asked: Asked) -> str | None:
        """Lead a shop's own link to the plain page that it means."""
        return rebuilt(self._guard.policy, asked.url)

    def land(self, asked: Asked, response: Response) -> None:
        """Record a page that was visited; refuse one that was made for somebody who is signed in."""
        if asked.resource != "document" or asked.method != "GET":
            return
        response = without_secrets(response)
        require_signed_out(response)
        self._pages.append(Request(url=asked.url), response)
        self._landings.add(response)
        self.counts["visited"] += 1

    def fail(self, url: str, reason: str) -> None:
        """Count a page that did not come."""
        self.counts["failed"] += 1

    def _note(self, asked: Asked, decision: Decision) -> None:
        self._audit.append(
            {
                "format": 1,
                "at": datetime.now(UTC).isoformat(),
                "what": "request",
                "name": redact(asked.url),
                "verdict": decision.verdict,
                "rule": decision.rule,
                "reason": decision.reason,
                "method": asked.method,
                "resource": asked.resource,
            }
        )


@contextmanager
def serve(
    site: Site,
    locale: str,
    folder: Path,
    *,
    live: bool = False,
    base_url: str | None = None,
    port: int = 0,
    browser: bool = False,
    scripts: bool = False,
    window: bool = False,
) -> Iterator[tuple[Post, Keeper]]:
    """Stand between an agent and a shop until the `with` block ends; yield where, and the keeper.

    The shop is the live one, the user's own at `base_url`, or else the demo shop; `Leak` is raised if its
    carts, checkouts or accounts were asked for anything.
    """
    policy = serving_policy(site, locale, base_url, scripts)
    source: SourceName = "own" if base_url is not None else "live" if live else "demo"
    with ExitStack() as stack:
        keeper = stack.enter_context(Keeper(site, policy, folder))
        origin = stack.enter_context(open_origin(source, None, folder))
        wall = stack.enter_context(
            Wall(keeper.permits, doors(policy), origin.last_hop, keeper, port, unnamed="document")
        )
        ca = folder / "ca.pem"
        ca.write_bytes(wall.ca_file.read_bytes())
        endpoint = None
        if browser:
            endpoint = stack.enter_context(GuardedBrowser(wall, scripts, window)).endpoint
        yield (
            Post(
                start=site.request(ToResults(query="kettle")).url,
                proxy=wall.address,
                ca=ca,
                browser=endpoint,
                records=folder,
            ),
            keeper,
        )


def serving_policy(site: Site, locale: str, base_url: str | None, scripts: bool) -> Policy:
    """Return the policy for a browser that runs a shop's pages, or one that only shows them."""
    readable = tuple(site.readable)
    if base_url is not None:
        return own_policy(site.name, base_url, readable)
    return policy_for(site.name, locale, readable, scripts)
