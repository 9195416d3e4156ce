"""Keep secrets out of everything that is written down."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(?i)((?:api_?key|apikey|token|secret|password|session-?id|sid|auth)=)[^&\s\"']+",
)


def redact(text: str) -> str:
    """Return text whose `name=value` secrets have lost their values."""
    return _SECRET.sub(r"\1[redacted]", text)
