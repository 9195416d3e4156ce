"""The one place where a request is made again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import tenacity
from loguru import logger

from windowshop.errors import FetchError, RateLimited, ServerError, Timeout
from windowshop.transports.permits import Permits, require
from windowshop.wire import Request, Response, Transport

ATTEMPTS = 3
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
_TRANSIENT = (Timeout, RateLimited, ServerError)


def failure_of(response: Response) -> RateLimited | ServerError | None:
    """Return the error that a status stands for (429 and 503 with a Retry-After, any other 5xx), or None."""
    status = response.status
    after = _retry_after(response)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited(f"429: slow down ({response.url})", after)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and after is not None:
        return RateLimited(f"503: come back in {after:.0f} s ({response.url})", after)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerError(f"{status} ({response.url})")
    return None


class Retrying:
    """Fetch again what failed for a while: `Timeout`, `RateLimited`, `ServerError`, and their statuses.

    Waits double from `FIRST_WAIT`, with jitter, and are never shorter than a site's Retry-After; a site that
    asks for more than `longest_wait` is not asked again. A 5xx that is still there in the end is returned as
    a `Response` where its body is HTML, for shops say "robot check" and "sorry" with that status and the
    adapter can read them; everything else is raised.
    """

    def __init__(
        self,
        transport: Transport,
        attempts: int = ATTEMPTS,
        longest_wait: float = LONGEST_WAIT,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        permits: Permits | None = None,
    ) -> None:
        self.name = transport.name
        self._transport = transport
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._jitter = jitter
        self._permits = permits
        self._retrying = tenacity.Retrying(
            sleep=sleep,
            wait=self._wait,
            stop=self._is_over,
            retry=tenacity.retry_if_exception_type(_TRANSIENT) | tenacity.retry_if_result(_is_failure),
            before_sleep=_log,
            retry_error_callback=_outcome,
        )

    def fetch(self, request: Request) -> Response:
        """Fetch, at most `attempts` times; raise what the last attempt raised."""
        response: Response = self._retrying(self._attempt, request)
        failure = failure_of(response)
        if failure is None or (response.status >= HTTPStatus.INTERNAL_SERVER_ERROR and _is_html(response)):
            return response
        raise failure

    def _attempt(self, request: Request) -> Response:
        """Fetch once; a second attempt is a request of its own, and is put to `permits`."""
        if self._permits is not None and self._retrying.statistics.get("attempt_number", 1) > 1:
            require(self._permits, request.url)
        return self._transport.fetch(request)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Return half to all of the exponential wait, or a little more than the site asked for."""
        lot = self._jitter()
        longest = min(FIRST_WAIT * 2.0 ** (state.attempt_number - 1), self._longest_wait)
        return max(longest * (0.5 + lot / 2), _asked_wait(state) * (1 + lot / 10))

    def _is_over(self, state: tenacity.RetryCallState) -> bool:
        return state.attempt_number >= self._attempts or _asked_wait(state) > self._longest_wait


def _is_failure(response: Response) -> bool:
    return failure_of(response) is not None


def _is_html(response: Response) -> bool:
    return "html" in response.headers.get("content-type", "") and bool(response.body.strip())


def _failure(state: tenacity.RetryCallState) -> BaseException | None:
    outcome = state.outcome
    if outcome is None:
        return None
    return outcome.exception() or failure_of(outcome.result())


def _asked_wait(state: tenacity.RetryCallState) -> float:
    failure = _failure(state)
    return (failure.retry_after or 0.0) if isinstance(failure, RateLimited) else 0.0


def _log(state: tenacity.RetryCallState) -> None:
    wait = state.next_action.sleep if state.next_action else 0.0
    logger.info("attempt {} failed ({}); again in {:.1f} s", state.attempt_number, _failure(state), wait)


def _outcome(state: tenacity.RetryCallState) -> Response:
    if state.outcome is None:
        raise FetchError("nothing was attempted")
    response: Response = state.outcome.result()
    return response


def _retry_after(response: Response) -> float | None:
    """Read a Retry-After in seconds or as a date; None where it is absent or unreadable."""
    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
