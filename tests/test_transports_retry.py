"""Retry: what is asked again, after how long, and what is left when patience ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windowshop.errors import FetchError, RateLimited, Refused, ServerError, Timeout, WindowshopError
from windowshop.transports.retry import FIRST_WAIT, LONGEST_WAIT, Retrying, failure_of
from windowshop.wire import Decision, Request, Response

KETTLES = Request(url="https://www.shop.test/s?k=kettle")
REFUSED = Refused(Decision(verdict="refuse", rule="path", reason="no"), KETTLES.url)


def answer(status: int = 200, body: bytes = b"<p>a page", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(
        url=KETTLES.url,
        status=status,
        headers={"content-type": "text/html"} | named,
        body=body,
        transport="scripted",
        at=datetime.now(UTC),
    )


class Scripted:
    """Answers with what it was given, one after the other."""

    name = "scripted"

    def __init__(self, *answers: Response | WindowshopError) -> None:
        self.left = list(answers)

    def fetch(self, request: Request) -> Response:
        one = self.left.pop(0)
        if isinstance(one, Response):
            return one
        raise one


def patient(
    *answers: Response | WindowshopError, attempts: int = 3, jitter: Callable[[], float] = lambda: 0.0
) -> tuple[Retrying, Scripted, list[float]]:
    slept: list[float] = []
    live = Scripted(*answers)
    return Retrying(live, attempts, sleep=slept.append, jitter=jitter), live, slept


def test_a_page_is_asked_for_once() -> None:
    retrying, live, slept = patient(answer(), answer())
    assert retrying.fetch(KETTLES).status == 200
    assert (len(live.left), slept, retrying.name) == (1, [], "scripted")


@pytest.mark.parametrize(
    "passing",
    [Timeout("slow"), RateLimited("slow down"), ServerError("oh"), answer(500), answer(429), answer(503)],
)
def test_what_passes_is_asked_again(passing: Response | WindowshopError) -> None:
    retrying, live, slept = patient(passing, passing, answer())
    assert retrying.fetch(KETTLES).status == 200
    assert not live.left
    assert len(slept) == 2
    assert 0 < slept[0] < slept[1]


@pytest.mark.parametrize("lasting", [FetchError("no such host"), REFUSED])
def test_what_lasts_is_not_asked_again(lasting: WindowshopError) -> None:
    retrying, live, slept = patient(lasting, answer())
    with pytest.raises(type(lasting)) as raised:
        retrying.fetch(KETTLES)
    assert raised.value is lasting
    assert (len(live.left), slept) == (1, [])


@pytest.mark.parametrize("status", [200, 301, 302, 403, 404, 410])
def test_what_the_shop_says_otherwise_is_an_answer(status: int) -> None:
    retrying, live, _ = patient(answer(status), answer())
    assert retrying.fetch(KETTLES).status == status
    assert len(live.left) == 1


def test_the_last_error_is_raised() -> None:
    last = Timeout("the third")
    retrying, live, slept = patient(Timeout("1"), ServerError("2"), last, answer())
    with pytest.raises(Timeout) as raised:
        retrying.fetch(KETTLES)
    assert raised.value is last
    assert (len(live.left), len(slept)) == (1, 2)


def test_a_page_that_came_with_a_server_error_is_not_lost() -> None:
    dogs = answer(503, b"<html>Sorry! <img alt=Dogs></html>", retry_after="1")
    retrying, live, _ = patient(dogs, dogs, dogs)
    assert retrying.fetch(KETTLES) == dogs
    assert not live.left


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (answer(500, b""), ServerError),
        (answer(502, b"upstream", content_type="text/plain"), ServerError),
        (answer(503, b"", retry_after="2"), RateLimited),
        (answer(429), RateLimited),
    ],
)
def test_an_answer_without_a_page_is_an_error_in_the_end(last: Response, error: type[Exception]) -> None:
    retrying, _, _ = patient(last, last, last)
    with pytest.raises(error):
        retrying.fetch(KETTLES)


def test_the_sites_own_wait_is_honoured() -> None:
    retrying, _, slept = patient(answer(429, retry_after="17"), RateLimited("slow", 23.0), answer())
    retrying.fetch(KETTLES)
    assert slept == [17.0, 23.0]


def test_a_wait_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    retrying, _, slept = patient(answer(503, retry_after=date), answer())
    retrying.fetch(KETTLES)
    assert 35 < slept[0] <= 40


@pytest.mark.parametrize("unreadable", ["soon", "-5", "", "12.5.1", "Thu, 99 Foo"])
def test_an_unreadable_wait_is_none(unreadable: str) -> None:
    failure = failure_of(answer(429, retry_after=unreadable))
    assert isinstance(failure, RateLimited)
    assert failure.retry_after is None


def test_a_site_that_wants_a_long_pause_is_left_alone() -> None:
    retrying, live, slept = patient(answer(429, retry_after="3600"), answer())
    with pytest.raises(RateLimited) as raised:
        retrying.fetch(KETTLES)
    assert raised.value.retry_after == 3600
    assert (len(live.left), slept) == (1, [])


def test_one_attempt_is_one_attempt() -> None:
    retrying, live, slept = patient(Timeout("1"), answer(), attempts=1)
    with pytest.raises(Timeout):
        retrying.fetch(KETTLES)
    assert (len(live.left), slept) == (1, [])


@given(some.lists(some.floats(0, 1, exclude_max=True), min_size=7, max_size=7))
def test_waits_grow_to_a_limit_whatever_the_lot(lots: list[float]) -> None:
    drawn: Iterable[float] = iter(lots)
    retrying, _, slept = patient(
        *[Timeout("slow")] * 7,
        answer(),
        attempts=8,
        jitter=lambda: next(drawn),  # type: ignore[call-overload]
    )
    retrying.fetch(KETTLES)
    assert len(slept) == 7
    for number, wait in enumerate(slept):
        longest = min(FIRST_WAIT * 2**number, LONGEST_WAIT)
        assert longest / 2 <= wait <= longest
