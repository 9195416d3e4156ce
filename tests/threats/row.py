"""Every known way past a naive guard, and what shows that it does not get past this one.

A row is shown by addresses that are judged here, by tests that are named, or by both. An address is judged
by the adapter's own grammar; where its rule is a named one ("never. ..."), also by an adapter that claims to
read everything. `why` says what a row cannot be shown for.
"""

from __future__ import annotations

from typing import NamedTuple

AMAZON, EBAY = "https://www.amazon.com", "https://www.ebay.com"


class Case(NamedTuple):
    """An address, and the rule by which it must stay here ("read. ..." for one that must not)."""

    rule: str
    url: str
    method: str = "GET"
    resource: str = "document"
    site: str = "amazon"


class Row(NamedTuple):
    """One threat. `layer` is what stops it, outermost first."""

    id: str
    what: str
    layer: str
    cases: tuple[Case, ...] = ()
    tests: tuple[str, ...] = ()
    why: str | None = None


def amazon(rule: str, path: str, method: str = "GET", resource: str = "document") -> Case:
    return Case(rule, AMAZON + path if path.startswith("/") else path, method, resource)


def ebay(rule: str, path: str, method: str = "GET", resource: str = "document") -> Case:
    return Case(rule, EBAY + path if path.startswith("/") else path, method, resource, "ebay")


BROWSER = "tests/test_transports_browser.py::"
GUARD, POLICY, EPISODE = "tests/test_guard.py::", "tests/test_policy.py::", "tests/test_episode.py::"
HTTP, RUN = "tests/test_transports_http.py::", "tests/test_run.py::"
SECRETS, SANDBOX = "tests/test_secrets.py::", "tests/test_sandbox.py::"
INJECTION = "tests/test_injection.py::"
POLITE, SHAPE = "tests/test_transports_politeness.py::", "tests/threats/test_shape.py::"
DP = "/dp/B000000001"
