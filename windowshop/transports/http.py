"""Plain HTTP, one request at a time: no redirects, no cookies, no surroundings."""

from __future__ import annotations

import ssl
import threading
import time
from datetime import UTC, datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
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
    """Fetch pages with httpx; a redirect comes back as it is, for the guard to judge.

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
        try:
            self._client = httpx.Client(
                headers={"user-agent": user_agent, "accept": _ACCEPT, "accept-language": language},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
                follow_redirects=False,
                timeout=timeout,
                trust_env=False,
                proxy=proxy,
                transport=None if last_hop is None else _Detour(last_hop),
                verify=_authorities() if last_hop is None else True,
            )
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
            with self._client.stream("GET", request.url) as answer:
                body = self._read(answer, start)
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

    def _read(self, answer: httpx.Response, start: float) -> bytes:
        asked = answer.request.headers["accept-encoding"].replace(" ", "").split(",")
        encoding = answer.headers.get("content-encoding", "")
        strange = {one.strip().lower() for one in encoding.split(",")} - {*asked, "identity", ""}
        if strange:
            raise FetchError(f"{answer.url} came back as {', '.join(strange)}, which was not asked for")
        parts: list[bytes] = []
        size = 0
        for part in answer.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > self._max_bytes:
                raise HostilePage(f"more than {self._max_bytes} bytes from {answer.url}")
            if time.monotonic() - start > self._max_seconds:
                raise Timeout(f"not finished after {self._max_seconds} s: {answer.url}")
        return b"".join(parts)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

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


class _Detour(httpx.BaseTransport):
    """Send every request to the last hop, under the name that its address has.

    Each name has connections of its own: one that was verified for a host must not serve another.
    """

    def __init__(self, last_hop: LastHop) -> None:
        self._last_hop = last_hop
        self._trust = last_hop.trust()
        self._inner: dict[str, httpx.HTTPTransport] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.raw_host.decode("ascii")
        with self._lock:
            if name not in self._inner:
                self._inner[name] = httpx.HTTPTransport(verify=self._trust, trust_env=False, limits=_LIMITS)
        return self._inner[name].handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=self._last_hop.host, port=self._last_hop.port),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
        )

    def close(self) -> None:
        for inner in self._inner.values():
            inner.close()
