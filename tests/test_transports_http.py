"""Plain HTTP against a real server: what is sent, what comes back, and what never leaves."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from loopback import OTHER, SHOP, Answer, Endless, HangUp, Site, Visit
from pydantic import ValidationError

from windowshop.errors import ConfigError, FetchError, HostilePage, ServerError, Timeout
from windowshop.transports.http import HttpTransport
from windowshop.transports.identity import user_agent
from windowshop.transports.last_hop import LastHop
from windowshop.wire import Request

PAGE = b"<html><body>a kettle</body></html>"


def hang_up(visit: Visit) -> Answer:
    raise HangUp


def endless(visit: Visit) -> Answer:
    raise Endless


@pytest.fixture
def site() -> Iterator[Site]:
    packed = zlib.compress(PAGE)
    pages = {
        "/page": Answer(PAGE, headers={"X-Shop": "one", "Set-Cookie": "sid=canary", "Vary": "Accept"}),
        "/moved": Answer(status=302, headers={"Location": f"https://{OTHER}/landed"}),
        "/landed": Answer(PAGE),
        "/gzip": Answer(gzip.compress(PAGE), headers={"Content-Encoding": "gzip"}),
        "/deflate": Answer(packed, headers={"Content-Encoding": "deflate"}),
        "/bomb": Answer(gzip.compress(bytes(300_000)), headers={"Content-Encoding": "gzip"}),
        "/strange": Answer(PAGE, headers={"Content-Encoding": "br-of-tomorrow"}),
        "/broken": Answer(b"not gzip", headers={"Content-Encoding": "gzip"}),
        "/large": Answer(bytes(300_000)),
        "/sorry": Answer(b"<p>sorry", 503, {"Retry-After": "7"}),
        "/endless": endless,
        "/hangup": hang_up,
    }
    with Site(pages) as running:
        yield running


@pytest.fixture
def http(site: Site) -> Iterator[HttpTransport]:
    with HttpTransport(user_agent("me@example.org"), "de-DE", site.last_hop, max_bytes=100_000) as transport:
        yield transport


def get(path: str, host: str = SHOP) -> Request:
    return Request(url=f"https://{host}{path}")


def test_a_page_comes_as_bytes_with_what_is_worth_keeping(site: Site, http: HttpTransport) -> None:
    response = http.fetch(get("/page?k=tea+kettle"))
    assert (response.status, response.body, response.transport) == (200, PAGE, "http")
    assert response.url == f"https://{SHOP}/page?k=tea+kettle"
    assert response.headers["x-shop"] == "one"
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert not {"set-cookie", "content-length", "connection"} & set(response.headers)
    assert response.seconds > 0
    assert response.at.utcoffset() is not None
    assert response.replayed is False


def test_the_real_name_is_in_host_header_and_tls_server_name(site: Site, http: HttpTransport) -> None:
    http.fetch(get("/page"))
    http.fetch(get("/page", OTHER))
    assert [visit.host for visit in site.visits] == [SHOP, OTHER]
    assert site.server_names == [SHOP, OTHER]


def test_says_who_it_is_and_in_which_language_it_reads(site: Site, http: HttpTransport) -> None:
    http.fetch(get("/page"))
    sent = site.visits[0].headers
    assert sent["user-agent"].startswith("windowshop/")
    assert "(+research; contact: me@example.org)" in sent["user-agent"]
    assert sent["accept-language"] == "de-DE"


def test_a_redirect_is_returned_and_not_followed(site: Site, http: HttpTransport) -> None:
    response = http.fetch(get("/moved"))
    assert (response.status, response.headers["location"]) == (302, f"https://{OTHER}/landed")
    assert site.hits == {"/moved": 1}


def test_no_cookie_is_ever_sent_back(site: Site, http: HttpTransport) -> None:
    http.fetch(get("/page"))
    http.fetch(get("/page"))
    assert all("cookie" not in visit.headers for visit in site.visits)


@pytest.mark.parametrize("path", ["/gzip", "/deflate"])
def test_packed_bodies_are_unpacked(http: HttpTransport, path: str) -> None:
    response = http.fetch(get(path))
    assert response.body == PAGE
    assert "content-encoding" not in response.headers


@pytest.mark.parametrize("path", ["/large", "/bomb"])
def test_too_large_a_page_is_hostile(http: HttpTransport, path: str) -> None:
    with pytest.raises(HostilePage, match="100000"):
        http.fetch(get(path))


@pytest.mark.parametrize("path", ["/strange", "/broken"])
def test_bytes_that_cannot_be_unpacked_are_no_page(http: HttpTransport, path: str) -> None:
    with pytest.raises(FetchError):
        http.fetch(get(path))


def test_a_server_error_is_a_response_for_retry_to_judge(http: HttpTransport) -> None:
    response = http.fetch(get("/sorry"))
    assert (response.status, response.headers["retry-after"]) == (503, "7")


def test_a_page_that_never_ends_is_a_timeout(site: Site) -> None:
    with HttpTransport("test", last_hop=site.last_hop, max_seconds=0.2) as http, pytest.raises(Timeout):
        http.fetch(get("/endless"))


def test_a_silent_server_is_a_timeout(site: Site) -> None:
    site.pages["/silent"] = lambda visit: Answer(b"late" if site.closing.wait(5) else b"too late")
    quick = httpx.Timeout(0.2)
    with HttpTransport("test", last_hop=site.last_hop, timeout=quick) as http, pytest.raises(Timeout):
        http.fetch(get("/silent"))


def test_a_broken_connection_is_the_servers_fault(http: HttpTransport) -> None:
    with pytest.raises(ServerError):
        http.fetch(get("/hangup"))


def test_nobody_there_is_not_worth_retrying(site: Site) -> None:
    with Site({}) as gone:
        hop = gone.last_hop
    with HttpTransport("test", last_hop=hop) as http, pytest.raises(FetchError) as raised:
        http.fetch(get("/page"))
    assert type(raised.value) is FetchError


def test_another_authority_is_not_trusted(site: Site) -> None:
    with Site({}) as stranger:
        hop = site.last_hop.model_copy(update={"ca_pem": stranger.ca_pem})
    with HttpTransport("test", last_hop=hop) as http, pytest.raises(FetchError, match=r"(?i)certificate"):
        http.fetch(get("/page"))
    assert not site.hits


def test_a_certificate_for_another_name_is_not_trusted(site: Site, http: HttpTransport) -> None:
    with pytest.raises(FetchError, match=r"(?i)mismatch"):
        http.fetch(get("/page", "www.elsewhere.test"))
    assert not site.hits


def test_proxies_of_the_environment_count_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with Site({"/page": Answer(PAGE)}, tls=False) as plain, HttpTransport("test") as http:
        assert http.fetch(Request(url=f"http://127.0.0.1:{plain.port}/page")).body == PAGE


def test_a_proxy_that_is_given_is_used_and_fails_closed(site: Site) -> None:
    with (
        Site({}, tls=False) as proxy,
        HttpTransport("test", proxy=f"http://127.0.0.1:{proxy.port}") as http,
        pytest.raises(FetchError),
    ):
        http.fetch(get("/page"))
    assert not site.hits


def test_a_proxy_and_a_last_hop_exclude_each_other(site: Site) -> None:
    with pytest.raises(ConfigError):
        HttpTransport("test", last_hop=site.last_hop, proxy="http://127.0.0.1:9")


def test_what_is_no_proxy_address_is_the_users_slip() -> None:
    with pytest.raises(ConfigError):
        HttpTransport("test", proxy="nonsense")


@pytest.mark.parametrize("url", ["https://", "nonsense", "https://bad host.test/", "ftp://www.shop.test/"])
def test_what_is_no_address_is_a_fetch_error(http: HttpTransport, url: str) -> None:
    with pytest.raises(FetchError):
        http.fetch(Request(url=url))


def test_threads_may_share_it(site: Site, http: HttpTransport) -> None:
    with ThreadPoolExecutor(4) as pool:
        bodies = list(pool.map(lambda _: http.fetch(get("/page")).body, range(12)))
    assert bodies == [PAGE] * 12


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.1", "www.shop.test"])
def test_a_last_hop_is_on_this_machine_only(host: str) -> None:
    with pytest.raises(ValidationError):
        LastHop(host=host, port=443, ca_pem=b"")


@pytest.mark.parametrize("contact", ["a\r\nCookie: x", "ä@example.org", "\x00"])
def test_a_contact_must_fit_a_header(contact: str) -> None:
    with pytest.raises(ConfigError):
        user_agent(contact)
