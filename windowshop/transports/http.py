"""Plain HTTP, one request at a time: no redirects, no cookies, no surroundings."""

from __future__ import annotations

import ssl
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from types import TracebackType
from typing import Self

import httpx

from windowshop.errors import ConfigError, FetchError, HostilePage, ServerError, Timeout
from windowshop.transports.headers import keep_headers
from windowshop.transports.last_hop import LastHop
from windowshop.wire import Request, Response

MAX_BYTES = 16_000_000
MAX_SECONDS = 60.0
_PATIENCE = httpx.Timeout(connect=10.0, read=30.0, write=10.0, pool=10.0)
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"


class HttpTransport:
    """Fetch pages with httpx's transport; a redirect comes back as it is, for the guard to judge.

    The environment (proxies, netrc) counts for nothing; a proxy must be given. May be shared by threads.
    """

    name = "http"

    def __init__(
        self,
        user_agent: str,
        language: str = "en-US",
        last_hop: LastHop | None = None,
        proxy: str | None = None,
        timeout: httpx.Timeout = _PATIENCE,
        max_seconds: float = MAX_SECONDS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if last_hop is not None and proxy is not None:
            raise ConfigError("a proxy cannot reach a last hop on this machine; give one or the other")
        self._max_seconds = max_seconds
        self._max_bytes = max_bytes
        self._extensions = {"timeout": timeout.as_dict()}
        self._headers = httpx.Headers(
            {
                "user-agent": user_agent,
                "accept": _ACCEPT,
                "accept-language": language,
                "accept-encoding": _encodings(),
                "connection": "keep-alive",
            }
        )
        try:
            self._transport = _Detour(last_hop) if last_hop is not None else _open(_authorities(), proxy)
        except ValueError as error:
            raise ConfigError(f"not a proxy address: {error}") from error

    def fetch(self, request: Request) -> Response:
        """Get one page.

        Raises `Timeout`, `ServerError` (the connection broke), `FetchError` (there was none) and
        `HostilePage` (more bytes than a page has).
        """
        at = datetime.now(UTC)
        start = time.monotonic()
        try:
            asked = httpx.Request("GET", request.url, headers=self._headers, extensions={**self._extensions})
            with closing(self._transport.handle_request(asked)) as answer:
                answer.request = asked
                body = self._read(answer, request.url, start)
        except httpx.TimeoutException as error:
            raise Timeout(f"no answer in time from {request.url}") from error
        except (httpx.ReadError, httpx.RemoteProtocolError) as error:
            raise ServerError(f"the connection broke: {error} ({request.url})") from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise FetchError(f"cannot fetch {request.url}: {error}") from error
        return Response(
            url=request.url,
            status=answer.status_code,
            headers=keep_headers(answer.headers.multi_items()),
            body=body,
            transport=self.name,
            at=at,
            seconds=time.monotonic() - start,
        )

    def _read(self, answer: httpx.Response, url: str, start: float) -> bytes:
        packed = {one.strip().lower() for one in answer.headers.get("content-encoding", "").split(",")}
        strange = packed - {*_encodings().replace(" ", "").split(","), "identity", ""}
        if strange:
            raise FetchError(f"{url} came back as {', '.join(strange)}, which was not asked for")
        parts: list[bytes] = []
        size = 0
        for part in answer.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > self._max_bytes:
                raise HostilePage(f"more than {self._max_bytes} bytes from {url}")
            if time.monotonic() - start > self._max_seconds:
                raise Timeout(f"not finished after {self._max_seconds} s: {url}")
        return b"".join(parts)

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _authorities() -> ssl.SSLContext:
    """Return the public authorities, read once: they take ten milliseconds and most of a megabyte."""
    return httpx.create_ssl_context(trust_env=False)


@cache
def _encodings() -> str:
    """Name the encodings that httpx can undo."""
    return httpx.Client(transport=httpx.BaseTransport()).headers["accept-encoding"]


def _open(trust: ssl.SSLContext, proxy: str | None = None) -> httpx.BaseTransport:
    return httpx.HTTPTransport(verify=trust, trust_env=False, limits=_LIMITS, proxy=proxy)


class _Detour(httpx.BaseTransport):
    """Send every request to the last hop, under the name that its address has.

    Each name has connections of its own: one that was verified for a host must not serve another.
    """

    def __init__(self, last_hop: LastHop) -> None:
        self._last_hop = last_hop
        self._trust = last_hop.trust()
        self._inner: dict[str, httpx.BaseTransport] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.raw_host.decode("ascii")
        with self._lock:
            if name not in self._inner:
                self._inner[name] = _open(self._trust)
        request.extensions["sni_hostname"] = name
        request.url = request.url.copy_with(host=self._last_hop.host, port=self._last_hop.port)
        return self._inner[name].handle_request(request)

    def close(self) -> None:
        for inner in self._inner.values():
            inner.close()
