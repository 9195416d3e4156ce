"""A session with one shop of the user's own: reads and forms, to one pinned address."""

from __future__ import annotations

import socket
import ssl
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpx

from windowshop.errors import ConfigError, FetchError, HostilePage, Timeout
from windowshop.sandbox import TOKEN_PATH, SandboxPost
from windowshop.transports.headers import keep_headers
from windowshop.transports.http import MAX_BYTES
from windowshop.wire import Request, Response

_PATIENCE = httpx.Timeout(connect=10.0, read=30.0, write=10.0, pool=10.0)


def addresses_of(host: str) -> tuple[str, ...]:
    """Return the IP addresses that a host has now; raise `ConfigError` where it has none."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{host} has no address: {error}") from error
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class SandboxTransport:
    """Keep one session (with its cookies) at `origin`, connecting to `address` whatever DNS says later.

    It is opened for one shop and can reach no other. Redirects come back as they are, for the guard.
    """

    name = "sandbox"

    def __init__(self, origin: str, address: str, user_agent: str = "", ca_pem: bytes | None = None) -> None:
        self._origin = httpx.URL(origin)
        self._client = httpx.Client(
            headers={"user-agent": user_agent, "referer": f"{origin}/"},
            follow_redirects=False,
            timeout=_PATIENCE,
            trust_env=False,
            transport=_Pinned(address, ca_pem),
        )

    def fetch(self, request: Request) -> Response:
        """Get one page of the shop; raise `FetchError` for what did not come."""
        return self._send(self._client.build_request("GET", self._checked(request.url)))

    def submit(self, post: SandboxPost) -> Response:
        """Submit one form to the shop; raise `FetchError` for what did not come."""
        fields: dict[str, list[str]] = {}
        for name, value in post.fields:
            fields.setdefault(name, []).append(value)
        return self._send(self._client.build_request("POST", self._checked(post.url), data=fields))

    def token(self) -> bytes | None:
        """Return what the shop says at the place of the opt-in token; None where it says nothing."""
        response = self._send(self._client.build_request("GET", self._origin.join(TOKEN_PATH)))
        return response.body if response.status == httpx.codes.OK else None

    def _checked(self, url: str) -> httpx.URL:
        asked = httpx.URL(url)
        if (asked.scheme, asked.host, asked.port) != (
            self._origin.scheme,
            self._origin.host,
            self._origin.port,
        ):
            raise FetchError(f"{url} is not at {self._origin}, for which this session was opened")
        return asked

    def _send(self, request: httpx.Request) -> Response:
        at, start = datetime.now(UTC), time.monotonic()
        body = bytearray()
        try:
            answer = self._client.send(request, stream=True)
            try:
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > MAX_BYTES:
                        raise HostilePage(f"more than {MAX_BYTES} bytes from {request.url}")
            finally:
                answer.close()
        except httpx.TimeoutException as error:
            raise Timeout(f"no answer in time from {request.url}") from error
        except httpx.HTTPError as error:
            raise FetchError(f"cannot reach {request.url}: {error}") from error
        return Response(
            url=str(request.url),
            status=answer.status_code,
            headers=keep_headers(answer.headers.multi_items()),
            body=bytes(body),
            transport=self.name,
            at=at,
            seconds=time.monotonic() - start,
        )

    def close(self) -> None:
        """End the session."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Pinned(httpx.BaseTransport):
    """Connect to one IP address under the name that each request has."""

    def __init__(self, address: str, ca_pem: bytes | None) -> None:
        self._address = address
        trust = ssl.create_default_context(cadata=None if ca_pem is None else ca_pem.decode("ascii"))
        self._inner = httpx.HTTPTransport(verify=trust, trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.raw_host.decode("ascii")
        return self._inner.handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=self._address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
        )

    def close(self) -> None:
        self._inner.close()
