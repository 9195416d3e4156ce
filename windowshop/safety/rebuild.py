"""A shop's own link, rebuilt as the plain address of the page that it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from urllib.parse import urlencode

import ada_url

from windowshop.safety.address import Asked, joined
from windowshop.safety.policy import Policy, judge, read

_MOST_SEGMENTS = 8
_TARGETS = frozenset({"url", "u", "location"})
"""Parameters in which a shop's own redirector (an advertisement's link, say) carries its target."""


def rebuilt(policy: Policy, url: str) -> str | None:
    """Return the address in the adapter's grammar that a link on a page means, or None where it means none.

    A link of a real page carries a slug, trackers and session marks: they are left out, never sent. What
    comes back is allowed by the policy, so a link leads to a page that is only read, or nowhere; one that is
    a purchase leads nowhere. Used where someone else's agent clicks real links.
    """
    asked = read(url, "GET", "document")
    if not isinstance(asked, Asked) or judge(policy, url).verdict == "intercept":
        return None
    readings = (*_readings(policy, asked), *_targets(policy, asked))
    return next((address for address in readings if judge(policy, address).allowed), None)


def _readings(policy: Policy, asked: Asked) -> Iterator[str]:
    """Yield the addresses that are left of one when segments and parameters are taken out, fullest first."""
    parsed = asked.parsed
    pairs = dict(ada_url.URLSearchParams(parsed.search).items())
    segments = [segment for segment in parsed.pathname.split("/") if segment][:_MOST_SEGMENTS]
    for length in range(len(segments), 0, -1):
        for kept in combinations(segments, length):
            path = f"/{'/'.join(kept)}"
            for shape in policy.readable:
                if re.fullmatch(shape.path, path):
                    query = urlencode({name: value for name, value in pairs.items() if name in shape.params})
                    yield f"https://{parsed.hostname}{path}{'?' if query else ''}{query}"


def _targets(policy: Policy, asked: Asked) -> Iterator[str]:
    """Yield what the address means that a redirector of the shop carries."""
    for name, value in ada_url.URLSearchParams(asked.parsed.search).items():
        if name in _TARGETS:
            inner = read(joined(asked.parsed.origin, value) or "", "GET", "document")
            if isinstance(inner, Asked):
                yield from _readings(policy, inner)
