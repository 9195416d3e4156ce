"""One JSON document to an agent's own server, and its answer."""

from __future__ import annotations

import time
from typing import Any

from windowshop.errors import AgentError

MAX_BYTES = 1_000_000


def post_json(url: str, document: dict[str, Any], timeout: float) -> bytes:
    """Return the body of the answer, within `timeout` seconds in all; no redirect is followed, no retry made.

    Raises `AgentError` where the server is not there, is late, answers an error or without end.
    """
    import httpx

    whose = f"the agent at {url}"
    body = bytearray()
    until = time.monotonic() + timeout
    try:
        with httpx.stream("POST", url, json=document, timeout=timeout) as response:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MAX_BYTES:
                    raise AgentError(f"{whose} sent more than {MAX_BYTES} bytes")
                if time.monotonic() > until:
                    raise AgentError(f"{whose} did not finish its answer within {timeout:g} s")
            if response.status_code != httpx.codes.OK:
                text = " ".join(body[:200].decode("utf-8", "replace").split())
                raise AgentError(f"{whose} answered {response.status_code}: {text}")
    except httpx.TimeoutException:
        raise AgentError(f"{whose} did not answer within {timeout:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise AgentError(f"{whose} cannot be asked: {error}") from None
    return bytes(body)
