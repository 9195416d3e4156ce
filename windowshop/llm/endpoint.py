"""Where models are asked, and with which key: from the environment alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windowshop.errors import ConfigError
from windowshop.redaction import redact
from windowshop.terminal import printable

BASE_URL = "WINDOWSHOP_LLM_BASE_URL"
API_KEY = "WINDOWSHOP_LLM_API_KEY"
_HIDDEN = "***"
_SHORTEST = 8
"""A key that is shorter is none, but a word such as `EMPTY` that stands in an answer by right."""


@dataclass(frozen=True)
class Endpoint:
    """An address with its key, which no repr shows; `base_url` None is the library's own default."""

    base_url: str | None
    key: str = field(repr=False)

    def hide(self, value: Any) -> Any:
        """Return text, or JSON, in which the key does not stand, whoever wrote it there."""
        if isinstance(value, str):
            return value.replace(self.key, _HIDDEN) if len(self.key) >= _SHORTEST else value
        if isinstance(value, list):
            return [self.hide(part) for part in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide(part) for name, part in value.items()}
        return value

    def told(self, text: str) -> str:
        """Return an error's text as it may be shown: one line, short, without secrets."""
        return printable(redact(self.hide(" ".join(text.split()))))[:500]


def find_endpoint(base_url: str | None = None, environ: Mapping[str, str] = os.environ) -> Endpoint:
    """Return the endpoint that the environment names (or `base_url`, in its place) with its own key.

    A key goes only where it was given for: `OPENAI_API_KEY` is not sent to `WINDOWSHOP_LLM_BASE_URL`. An
    endpoint of one's own may need no key. Raises `ConfigError` where nothing is named.
    """
    own_url, own_key = base_url or environ.get(BASE_URL), environ.get(API_KEY)
    if own_url:
        if not own_url.startswith(("http://", "https://")):
            raise ConfigError(
                f"{BASE_URL} is no address: {redact(own_url)!r}; it begins with http:// or https://"
            )
        return Endpoint(own_url, own_key or "")
    key = own_key or environ.get("OPENAI_API_KEY")
    if not key:
        raise ConfigError(
            f"no model endpoint: set {BASE_URL} (and {API_KEY} where it asks for a key), or OPENAI_API_KEY"
        )
    return Endpoint(environ.get("OPENAI_BASE_URL") or None, key)
