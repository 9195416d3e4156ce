"""Pages by way of the ScraperAPI service, whose machines visit the shop in our place."""

from __future__ import annotations

import logging
import os
import re
import time
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from types import SimpleNamespace
from urllib.parse import unquote_plus

import requests
import scraperapi_sdk._client as sdk
from scraperapi_sdk import ScraperAPIClient, ScraperAPIException

from windowshop.errors import (
    ConfigError,
    FetchError,
    HostilePage,
    RateLimited,
    ServerError,
    Timeout,
    WindowshopError,
)
from windowshop.transports.headers import keep_headers
from windowshop.wire import Request, Response

API_KEY = "SCRAPERAPI_API_KEY"
MAX_BYTES = 16_000_000
_PATIENCE = 70.0
_ENDPOINT = "https://api.scraperapi.com"
_KEY = re.compile(r"(?i)(api_?key['\"]?\s*[=:]\s*['\"]?)[^&\s'\"]+")


class ScraperApiTransport:
    """Fetch pages with ScraperAPI's client: GET only, rendering off, redirects off.

    The service is told not to follow redirects, and the client here is kept from following any; where the
    service says that it landed elsewhere all the same, that is the `Response`'s address, for the guard to
    judge. The key is in no log, message, repr or traceback; the environment's proxies apply, as the client
    gives no say. Raises `ConfigError` where there is no key. May be shared by threads.
    """

    name = "scraperapi"

    def __init__(
        self,
        api_key: str | None = None,
        country: str | None = None,
        api_endpoint: str = _ENDPOINT,
        timeout: float = _PATIENCE,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        key = api_key or os.environ.get(API_KEY)
        if not key:
            raise ConfigError(f"no ScraperAPI key: set the environment variable {API_KEY}")
        _follow_nothing()
        for logger in ("urllib3.connectionpool", "urllib3.util.retry", sdk.__name__):
            logging.getLogger(logger).addFilter(_redact)
        self._client = ScraperAPIClient(key, api_endpoint)
        self._params = {"follow_redirect": "false", "render": "false", "country_code": country}
        self._timeout = timeout
        self._max_bytes = max_bytes

    def fetch(self, request: Request) -> Response:
        """Get one page; what the shop itself answered (404, 3xx) is a `Response`.

        Raises `ConfigError` (key or plan), `HostilePage` and the `FetchError`s.
        """
        at = datetime.now(UTC)
        start = time.monotonic()
        answer = self._ask(request.url)
        if isinstance(answer, WindowshopError):
            raise answer
        if answer.history:
            raise FetchError("the client followed a redirect against its orders; the page is thrown away")
        if len(answer.content) > self._max_bytes:
            raise HostilePage(f"more than {self._max_bytes} bytes from {request.url}")
        return Response(
            url=_landed(request.url, answer.headers.get("sa-final-url")),
            status=answer.status_code,
            headers=keep_headers(answer.headers.items()),
            body=answer.content,
            transport=self.name,
            at=at,
            seconds=time.monotonic() - start,
            credits=_to_credits(answer.headers.get("sa-credit-cost")),
        )

    def _ask(self, url: str) -> requests.Response | WindowshopError:
        """Return the answer or the error to raise, which must have no context: that would hold the key."""
        try:
            answer: requests.Response = self._client.make_request(
                url=url, method="GET", params=self._params, timeout=self._timeout
            )
        except ScraperAPIException as error:
            cause = error.original_exception
            if isinstance(cause, requests.HTTPError) and cause.response is not None:
                return _judged(cause.response, url)
            if isinstance(cause, requests.Timeout):
                return Timeout(f"no answer from ScraperAPI in {self._timeout:.0f} s for {url}")
            return FetchError(f"ScraperAPI cannot be reached: {type(cause).__name__} ({url})")
        return answer


def _judged(answer: requests.Response, url: str) -> requests.Response | WindowshopError:
    """Tell the service's own failures from the shop's answers."""
    status = answer.status_code
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ConfigError(
            f"ScraperAPI answers {status}: the key in {API_KEY} is wrong, or its plan does not allow this"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        after = answer.headers.get("retry-after", "")
        return RateLimited(
            "ScraperAPI answers 429: too many at once", float(after) if after.isdecimal() else None
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerError(f"ScraperAPI answers {status} for {url}")
    if status == HTTPStatus.BAD_REQUEST:
        return FetchError(f"ScraperAPI does not understand the request for {url}")
    return answer


def _follow_nothing() -> None:
    """Keep the SDK's calls from following redirects from this machine to wherever a page says.

    `requests` follows them unless told not to, and the SDK has no word for telling it.
    """
    if getattr(sdk, "requests", None) is requests:
        sdk.requests = SimpleNamespace(request=partial(requests.request, allow_redirects=False))
    elif not isinstance(getattr(sdk, "requests", None), SimpleNamespace):
        raise ConfigError(
            "this version of scraperapi-sdk cannot be kept from following redirects; install 1.6"
        )


def _redact(record: logging.LogRecord) -> bool:
    """Take keys out of what the HTTP library logs about its requests; every line stays."""
    record.msg, record.args = _KEY.sub(r"\1[redacted]", record.getMessage()), ()
    return True


def _landed(asked: str, said: str | None) -> str:
    """Return where the service says it landed; the same address encoded otherwise is the one asked for."""
    return asked if said is None or unquote_plus(said) == unquote_plus(asked) else said


def _to_credits(cost: str | None) -> float | None:
    try:
        return None if cost is None else float(cost)
    except ValueError:
        return None
