"""ScraperAPI's client against a stub here: what is asked, what it costs, and where the key is not."""

from __future__ import annotations

import io
import logging
import traceback
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from loguru import logger
from loopback import OTHER, Answer, HangUp, Site, Visit

from windowshop.errors import (
    ConfigError,
    FetchError,
    HostilePage,
    RateLimited,
    ServerError,
    Timeout,
    WindowshopError,
)
from windowshop.transports.scraperapi import API_KEY, ScraperApiTransport
from windowshop.wire import Request

KEY = "canary+zebra/key="
KETTLES = Request(url="https://www.amazon.com/s?k=kettle&page=2")
PAGE = b"<html>a kettle</html>"


class Service:
    """What the stub answers next."""

    def __init__(self) -> None:
        self.answer = Answer(PAGE, headers={"sa-credit-cost": "5"})
        self.hangs_up = False

    def __call__(self, visit: Visit) -> Answer:
        if self.hangs_up:
            raise HangUp
        return self.answer


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def stub(service: Service) -> Iterator[Site]:
    with Site({"/": service}, tls=False) as running:
        yield running


@pytest.fixture
def transport(stub: Site) -> ScraperApiTransport:
    return ScraperApiTransport(KEY, country="us", api_endpoint=f"http://127.0.0.1:{stub.port}", timeout=5)


def test_one_get_with_redirects_and_rendering_off(stub: Site, transport: ScraperApiTransport) -> None:
    response = transport.fetch(KETTLES)
    assert (response.status, response.body, response.url) == (200, PAGE, KETTLES.url)
    assert (response.credits, response.transport) == (5.0, "scraperapi")
    assert [visit.method for visit in stub.visits] == ["GET"]
    assert parse_qs(stub.visits[0].query) == {
        "api_key": [KEY],
        "url": [KETTLES.url],
        "country_code": ["us"],
        "follow_redirect": ["false"],
        "render": ["false"],
    }


def test_the_key_comes_from_the_environment(stub: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY, KEY)
    ScraperApiTransport(api_endpoint=f"http://127.0.0.1:{stub.port}").fetch(KETTLES)
    sent = parse_qs(stub.visits[0].query)
    assert sent["api_key"] == [KEY]
    assert "country_code" not in sent
    monkeypatch.delenv(API_KEY)
    with pytest.raises(ConfigError, match=API_KEY):
        ScraperApiTransport()


def test_a_redirect_is_returned_and_nobody_follows_it(
    stub: Site, service: Service, transport: ScraperApiTransport
) -> None:
    with Site({"/gp/buy": Answer(PAGE)}, tls=False) as shop:
        target = f"http://127.0.0.1:{shop.port}/gp/buy"
        service.answer = Answer(status=302, headers={"Location": target})
        response = transport.fetch(KETTLES)
        assert (response.status, response.headers["location"]) == (302, target)
        assert not shop.hits
    assert stub.hits == {"/": 1}


def test_the_address_where_the_service_landed_is_told(
    service: Service, transport: ScraperApiTransport
) -> None:
    landed = f"https://{OTHER}/gp/buy"
    service.answer = Answer(PAGE, headers={"sa-final-url": landed, "sa-credit-cost": "odd"})
    response = transport.fetch(KETTLES)
    assert response.url == landed
    assert response.credits is None


def test_the_same_address_in_another_encoding_is_the_same(
    service: Service, transport: ScraperApiTransport
) -> None:
    service.answer = Answer(PAGE, headers={"sa-final-url": "https://www.amazon.com/s?k=tea%20kettle"})
    asked = Request(url="https://www.amazon.com/s?k=tea+kettle")
    assert transport.fetch(asked).url == asked.url


@pytest.mark.parametrize("status", [404, 410])
def test_what_the_shop_answers_is_a_response(
    service: Service, transport: ScraperApiTransport, status: int
) -> None:
    service.answer = Answer(b"<p>gone", status)
    response = transport.fetch(KETTLES)
    assert (response.status, response.body) == (status, b"<p>gone")


FAILURES = {
    400: FetchError,
    401: ConfigError,
    403: ConfigError,
    429: RateLimited,
    500: ServerError,
    503: ServerError,
}


@pytest.mark.parametrize(("status", "error"), FAILURES.items())
def test_the_services_own_failures_have_their_errors(
    service: Service, transport: ScraperApiTransport, status: int, error: type[WindowshopError]
) -> None:
    service.answer = Answer(b"<p>no", status, {"Retry-After": "9"})
    with pytest.raises(error) as raised:
        transport.fetch(KETTLES)
    assert type(raised.value) is error
    if isinstance(raised.value, RateLimited):
        assert raised.value.retry_after == 9
    if error is ConfigError:
        assert API_KEY in str(raised.value)


def test_a_silent_service_is_a_timeout(stub: Site) -> None:
    stub.pages["/"] = lambda visit: Answer(b"late" if stub.closing.wait(5) else b"too late")
    hasty = ScraperApiTransport(KEY, api_endpoint=f"http://127.0.0.1:{stub.port}", timeout=0.2)
    with pytest.raises(Timeout):
        hasty.fetch(KETTLES)


def test_too_large_a_page_is_hostile(stub: Site, service: Service) -> None:
    service.answer = Answer(bytes(2000))
    small = ScraperApiTransport(KEY, api_endpoint=f"http://127.0.0.1:{stub.port}", max_bytes=1000)
    with pytest.raises(HostilePage):
        small.fetch(KETTLES)


@pytest.mark.parametrize("case", ["page", "hangup", "gone", *FAILURES])
def test_the_key_is_in_no_log_message_repr_or_traceback(
    service: Service,
    transport: ScraperApiTransport,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    case: str | int,
) -> None:
    if isinstance(case, int):
        service.answer = Answer(f"bad api_key={KEY}".encode(), case)
    service.hangs_up = case == "hangup"
    if case == "gone":
        with Site({}, tls=False) as gone:
            transport = ScraperApiTransport(KEY, api_endpoint=f"http://127.0.0.1:{gone.port}")
    said = io.StringIO()
    sink = logger.add(said, level=0, diagnose=True, backtrace=True)
    try:
        with caplog.at_level(logging.DEBUG):
            try:
                said.write(repr(transport.fetch(KETTLES)))
            except WindowshopError as error:
                logger.exception("failed")
                said.writelines(traceback.format_exception(error, chain=True))
                said.write(f"{error!r} {error} {error.args} {error.__cause__!r} {error.__context__!r}")
                assert error.__context__ is None
    finally:
        logger.remove(sink)
    said.write(f"{transport!r} {transport}")
    assert caplog.records, "the HTTP library logged nothing, so this proves nothing"
    heard = said.getvalue() + caplog.text + "".join(capfd.readouterr())
    for spelling in (KEY, "canary", "zebra"):
        assert spelling not in heard
