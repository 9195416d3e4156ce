"""Vocabulary: what a secret is called, and text without any."""

from __future__ import annotations

import re

_NAMES = r"[\w-]*(?:api[-_]?key|token|secret|password|passwd|session[-_]?id|\bsid|auth)"
_VALUE = re.compile(rf"(?i)(\b{_NAMES}=)[^&;#\s\"']+")
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/?#@\s]*@", re.IGNORECASE)
_HEADER = re.compile(
    r"(?i)(?:set-)?cookie2?|(?:proxy-)?(?:authorization|authenticate|authentication-info)|www-authenticate"
    r"|.*(?:api[-_]?key|token|secret|session).*"
)


def redact(text: str) -> str:
    """Return text (an address, a message) without users in addresses and without the values of secrets."""
    return _VALUE.sub(r"\1redacted", _USER.sub(r"\1", text))


def is_secret_header(name: str) -> bool:
    """Say whether a header of this name may hold a secret."""
    return _HEADER.fullmatch(name) is not None
