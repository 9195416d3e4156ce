"""Prove, on this machine and now, that a page comes in and a purchase does not go out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from windowshop.actions import ToResults
from windowshop.adapters import load_site
from windowshop.errors import Refused, WindowshopError
from windowshop.journal import Journal
from windowshop.runs.stack import TransportName, open_origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.safety.policy import policy_for
from windowshop.wire import Request

CANARY = "https://www.amazon.com/checkout/entry/buynow?asin=B000000001&quantity=1"


def selftest(transport_name: TransportName) -> tuple[bool, str]:
    """Read a results page of the demo shop through the guard, ask for a purchase, and say what happened.

    With a browser, the short form of `windowshop guard test` is part of it.
    """
    site = load_site("amazon")
    with tempfile.TemporaryDirectory() as name, Journal(Path(name, "audit.jsonl")) as audit:
        folder = Path(name)
        guard = Guard(policy_for("amazon", "us", tuple(site.readable)), audit)
        try:
            with (
                open_origin("demo", None, folder) as origin,
                open_transport(transport_name, origin, site, guard, folder, None) as transport,
            ):
                page = Visitor(site, guard, transport, folder).visit(ToResults(query="kettle")).page
                if page.kind != "results":
                    return False, f"the demo shop gave a page of kind {page.kind}"
                guard.fetch(Request(url=CANARY), transport)
        except Refused as refused:
            says = f"a page was read by {transport_name}; a purchase was refused ({refused.decision.rule})"
            return _tried(says) if transport_name == "browser" else (True, says)
        except WindowshopError as error:
            return False, str(error)
    return False, "a purchase address was let out"


def _tried(says: str) -> tuple[bool, str]:
    """Let the short list of vectors at the browser behind the wall, scripts running: the hardest way."""
    from windowshop.runs.hostile import leaks, run_vectors, short

    outcomes = run_vectors(short(), ["scripts"])
    leaked = leaks(outcomes)
    if leaked:
        return False, f"{leaked[0].vector} reached the shop ({leaked[0].way}): {leaked[0].reached}"
    if not any(outcome.layer == "wall" for outcome in outcomes):
        return False, "no vector came as far as the wall, so nothing is proven"
    return True, f"{says}; {len(outcomes)} ways out were tried, and none led out"
