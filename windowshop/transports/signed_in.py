"""Pages that were served to somebody who is signed in: they are not for keeping."""

from __future__ import annotations

import re

from windowshop.errors import Refused
from windowshop.redaction import redact
from windowshop.wire import Decision, Response

# Each begins with a plain word, which is found a hundred times faster than a pattern.
_MARKS = (
    # Amazon: a link that signs out is shown to nobody else, under any language
    re.compile(rb"nav-item-signout\b"),
    re.compile(rb"/gp/flex/sign-out"),
    re.compile(rb"customerI[dD][\"']?\s*[:=]\s*[\"']A[0-9A-Z]{11,20}[\"']"),
    re.compile(rb"isRecognizedCustomer[\"']?\s*[:=]\s*[\"']?(?:true|1)\b"),
    # eBay: its head says so; the address that signs out stands in every page
    re.compile(rb"isSignedIn[\"']?\s*:\s*[\"']?true\b"),
)
# Amazon gives these to nobody else; eBay's says so of itself
_COOKIE = re.compile(
    r"(?:^|[;,\s])(?:(?:(?:sess-)?at|sst|x)-(?:main|acb[a-z]{2})=|ebay=[^;]*sin(?:%3D|=)in\b)", re.I
)


def is_signed_in_cookie(cookies: str) -> bool:
    """Say whether a Cookie header belongs to somebody who is signed in to the shop."""
    return _COOKIE.search(cookies) is not None


def is_signed_in(body: bytes) -> bool:
    """Say whether a page was made for somebody who is signed in to the shop."""
    return any(mark.search(body) for mark in _MARKS)


def require_signed_out(response: Response) -> None:
    """Raise `Refused` for a page that was made for somebody who is signed in: it is not recorded."""
    if is_signed_in(response.body):
        reason = "the page was made for somebody who is signed in, and is not kept"
        decision = Decision(verdict="refuse", rule="record.signed-in", reason=reason)
        raise Refused(decision, redact(response.url))
