"""Vocabulary: what a secret is called and looks like, and text without any."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

_NAMES = r"[\w-]*(?:api[-_]?key|token|secret|password|passwd|session[-_]?id|\bsid|auth)"
_VALUE = re.compile(rf"(?i)(\b{_NAMES}=)[^&;#\s\"']+")
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/?#@\s]*@", re.IGNORECASE)
_HEADER = re.compile(
    r"(?i)(?:set-)?cookie2?|(?:proxy-)?(?:authorization|authenticate|authentication-info)|www-authenticate"
    r"|.*(?:api[-_]?key|token|secret|session).*"
)
_VARIABLE = re.compile(r"(?i).*(?:api_?key|token|secret|passw(?:or)?d|credential).*")
_SHAPE = re.compile(
    r"\bsk-[\w-]{16,}|\beyJ[\w-]{10,}\.[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bxox[abpr]-[\w-]{10,}"
    r"|\bhf_\w{20,}|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_SHORTEST = 8


def redact(text: str) -> str:
    """Return text (an address, a message) without users in addresses, the values of secrets, and keys."""
    return without_own_secrets(_SHAPE.sub("redacted", _VALUE.sub(r"\1redacted", _USER.sub(r"\1", text))))


def is_secret_header(name: str) -> bool:
    """Say whether a header of this name may hold a secret."""
    return _HEADER.fullmatch(name) is not None


def own_secrets(environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the values of the variables whose names say that they are secrets; short ones are words."""
    variables = os.environ if environment is None else environment
    # asked with every line that is written: what the environment was read as is kept until it changes
    raw = getattr(variables, "_data", None)
    return _secrets(tuple(variables.items())) if raw is None else _decoded(tuple(raw.items()))


@lru_cache(maxsize=2)
def _decoded(raw: tuple[tuple[Any, Any], ...]) -> frozenset[str]:
    return _secrets(tuple((os.fsdecode(name), os.fsdecode(value)) for name, value in raw))


def _secrets(variables: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(
        value for name, value in variables if len(value) >= _SHORTEST and _VARIABLE.fullmatch(name)
    )


def without_own_secrets(text: str) -> str:
    """Return text without the secrets of this process's environment, as they are or encoded."""
    for secret in own_secrets():
        for form in (secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]):
            if form in text:
                text = text.replace(form, "redacted")
    return text


def holds_secret(text: str) -> bool:
    """Say whether text has the shape of a key, or holds a secret of this process's environment."""
    return _SHAPE.search(text) is not None or without_own_secrets(text) != text
