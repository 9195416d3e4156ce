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
    """Read a results page of the demo shop through the guard, ask for a purchase, and say what happened."""
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
            return (
                True,
                f"a page was read by {transport_name}; a purchase was refused ({refused.decision.rule})",
            )
        except WindowshopError as error:
            return False, str(error)
    return False, "a purchase address was let out"
