"""The wall, as a client meets it: what leaves, what stays, and what happens when it or its judge fails."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from loopback import ASSETS, OTHER, SHOP, Answer, HangUp, Site, Visit

from windowshop.errors import ConfigError
from windowshop.transports.wall import Asked, Wall, Witness
from windowshop.wire import Decision, Resource, Response

PAGE = b"<!doctype html><title>a kettle</title>"
ALLOW = Decision(verdict="allow", rule="test", reason="may be read")
REFUSE = Decision(verdict="refuse", rule="test", reason="may not be read")
BUY = Decision(verdict="intercept", rule="test.buy", reason="a purchase")


class Judge(Witness):
    """Allow reading, intercept /buy, refuse the rest; remember everything."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.refused: list[tuple[str, str]] = []
        self.bought: list[Asked] = []
        self.pages: list[Response] = []
        self.failures: list[str] = []
        self.broken: set[str] = set()
        self.onward: dict[str, str] = {}

    def permits(self, url: str, method: str, resource: Resource) -> Decision:
        self.asked.append((url, method, resource))
        if "judge" in self.broken:
            raise OSError("the audit cannot be written")
        if "/buy" in url:
            return BUY
        return ALLOW if method in ("GET", "HEAD") and "/no/" not in url else REFUSE

    def intercept(self, asked: Asked, decision: Decision) -> None:
        if "intercept" in self.broken:
            raise OSError("the disk is full")
        self.bought.append(asked)

    def refuse(self, asked: Asked, decision: Decision) -> None:
        self.refused.append((asked.url, decision.rule))

    def instead(self, asked: Asked) -> str | None:
        return self.onward.get(asked.url)

    def land(self, asked: Asked, response: Response) -> None:
        if "land" in self.broken:
            raise OSError("the disk is full")
        self.pages.append(response)

    def fail(self, url: str, reason: str) -> None:
        self.failures.append(url)


@pytest.fixture(scope="module")
def running() -> Iterator[Site]:
    with Site({}) as site:
        yield site


@pytest.fixture
def site(running: Site) -> Site:
    running.pages = {"/page": Answer(PAGE), "/moved": Answer(status=302, headers={"Location": "/buy"})}
    running.hits.clear()
    running.visits.clear()
    return running


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def wall(site: Site, judge: Judge) -> Iterator[Wall]:
    with Wall(judge.permits, {SHOP, ASSETS}, site.last_hop, judge, unnamed="document") as standing:
        yield standing


@pytest.fixture
def client(wall: Wall) -> Iterator[httpx.Client]:
    trust = ssl.create_default_context(cafile=wall.ca_file)
    with httpx.Client(proxy=wall.address, verify=trust, trust_env=False) as through:
        yield through


def url(path: str, host: str = SHOP) -> str:
    return f"https://{host}{path}"


def test_a_page_that_may_be_read_comes_as_it_is(client: httpx.Client, site: Site, judge: Judge) -> None:
    answer = client.get(url("/page?k=tea"))
    assert (answer.status_code, answer.content) == (200, PAGE)
    assert [(visit.host, visit.path, visit.query) for visit in site.visits] == [(SHOP, "/page", "k=tea")]
    assert site.server_names[-1] == SHOP
    assert [(page.url, page.status, page.body) for page in judge.pages] == [(url("/page?k=tea"), 200, PAGE)]


def test_a_redirect_comes_back_and_its_target_is_judged_anew(client: httpx.Client, site: Site) -> None:
    assert client.get(url("/moved")).headers["location"] == "/buy"
    followed = client.get(url("/moved"), follow_redirects=True)
    assert (followed.status_code, followed.headers["windowshop"]) == (200, "intercept")
    assert site.hits["/buy"] == 0


def test_a_purchase_is_recorded_and_answered_here(client: httpx.Client, site: Site, judge: Judge) -> None:
    answer = client.post(url("/buy"), data={"quantity": "2"}, headers={"referer": url("/page")})
    assert (answer.status_code, answer.headers["windowshop"]) == (200, "intercept")
    assert "Purchase intercepted" in answer.text and "script" not in answer.text
    (asked,) = judge.bought
    assert (asked.method, asked.url, asked.page, asked.body) == (
        "POST",
        url("/buy"),
        url("/page"),
        b"quantity=2",
    )
    assert not site.visits


def test_a_purchase_that_cannot_be_recorded_is_refused(
    client: httpx.Client, site: Site, judge: Judge
) -> None:
    judge.broken.add("intercept")
    assert client.post(url("/buy")).status_code == 403
    assert not site.visits


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_what_may_not_be_asked_stays_here(
    client: httpx.Client, site: Site, judge: Judge, method: str
) -> None:
    answer = client.request(method, url("/page"))
    assert (answer.status_code, answer.headers["windowshop"]) == (403, "refuse")
    assert judge.refused == [(url("/page"), "test")]
    assert not site.visits


def test_a_page_may_be_named_instead_and_is_judged_in_its_turn(
    client: httpx.Client, site: Site, judge: Judge
) -> None:
    judge.onward = {url("/no/slug?ref=1"): url("/page"), url("/no/other"): url("/buy")}
    assert client.get(url("/no/slug?ref=1"), follow_redirects=True).content == PAGE
    assert client.get(url("/no/other"), follow_redirects=True).headers["windowshop"] == "intercept"
    assert set(site.hits) == {"/page"}


@pytest.mark.parametrize("place", [OTHER, f"{SHOP}:444", "127.0.0.1", "localhost", f"{SHOP}.", f"x.{SHOP}"])
def test_no_tunnel_is_opened_to_where_none_is_listed(
    client: httpx.Client, site: Site, judge: Judge, place: str
) -> None:
    with pytest.raises(httpx.ProxyError, match="403"):
        client.get(f"https://{place}/page")
    assert judge.asked == [(f"https://{place}/", "CONNECT", "other")]
    assert not site.visits


def test_a_plain_request_goes_nowhere_that_is_not_listed(client: httpx.Client, site: Site) -> None:
    with Site({"/page": Answer(PAGE)}, tls=False) as bare:
        for place in (f"127.0.0.1:{bare.port}", f"localhost:{bare.port}", SHOP):
            assert client.get(f"http://{place}/page").status_code == 403
        assert not bare.visits
    assert not site.visits


def test_a_server_of_the_users_own_is_reached_at_its_port_alone(judge: Judge) -> None:
    with (
        Site({"/page": Answer(PAGE)}, tls=False) as own,
        Site({"/page": Answer(PAGE)}, tls=False) as other,
        Wall(judge.permits, {f"127.0.0.1:{own.port}"}) as wall,
        httpx.Client(proxy=wall.address, trust_env=False) as client,
    ):
        assert client.get(f"http://127.0.0.1:{own.port}/page").content == PAGE
        assert client.get(f"http://127.0.0.1:{other.port}/page").status_code == 403
        assert client.get(f"http://127.0.0.1:{own.port}/buy").headers["windowshop"] == "intercept"
        assert (len(own.visits), len(other.visits)) == (1, 0)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": OTHER},
        {"host": f"{SHOP}:444"},
        {"x-http-method-override": "POST"},
        {"X-Method-Override": "DELETE"},
        {"upgrade": "websocket", "connection": "upgrade"},
        {"upgrade": "h2c", "connection": "upgrade"},
        {"service-worker": "script"},
        {"cookie": "ubid-main=1; at-main=Atza|x"},
        {"cookie": "sess-at-acbde=x"},
    ],
)
def test_what_says_two_things_at_once_is_refused(
    client: httpx.Client, site: Site, judge: Judge, headers: dict[str, str]
) -> None:
    assert client.get(url("/page"), headers=headers).status_code == 403
    assert judge.refused[0][1].startswith("wall.")
    assert not site.visits


def test_a_get_with_a_body_is_refused(client: httpx.Client, site: Site) -> None:
    assert client.request("GET", url("/page"), content=b"buy=1").status_code == 403
    assert not site.visits


def spoken_in_tls(wall: Wall, said: str) -> bytes:
    """Speak in a tunnel to the shop, and return all that is answered; the last request must close."""
    trust = ssl.create_default_context(cafile=wall.ca_file)
    with closing(tunnel(wall, SHOP)) as plain, trust.wrap_socket(plain, server_hostname=SHOP) as secured:
        secured.sendall(said.encode())
        return b"".join(iter(lambda: secured.recv(4096), b""))


@pytest.mark.parametrize(
    "line",
    [
        f"GET https://{OTHER}/page",
        f"GET http://{OTHER}:8080/page",
        f"CONNECT {OTHER}:443",
        f"CONNECT {SHOP}:443",
        "GET *",
        "get /page",
    ],
)
def test_a_tunnel_leads_to_its_own_host_and_pages_alone(wall: Wall, site: Site, line: str) -> None:
    """A server heeds the host in the request line before the one in the header."""
    said = spoken_in_tls(wall, f"{line} HTTP/1.1\r\nHost: {SHOP}\r\nConnection: close\r\n\r\n")
    assert said.split()[1] in (b"400", b"403")
    assert not site.visits


@pytest.mark.parametrize("inside", ["a\r\rPOST /buy HTTP/1.1\rX: 1", "a\r\n POST /buy HTTP/1.1", "a\0b"])
def test_a_header_holds_no_second_request(wall: Wall, site: Site, inside: str) -> None:
    said = spoken_in_tls(
        wall, f"GET /page HTTP/1.1\r\nHost: {SHOP}\r\nAccept: {inside}\r\nConnection: close\r\n\r\n"
    )
    assert said.split()[1] == b"403"
    assert not site.visits


def test_each_of_several_requests_in_one_breath_is_judged(wall: Wall, site: Site, judge: Judge) -> None:
    lines = ("GET /page", "POST /buy", "GET /no/x", "GET /page")
    heads = [f"{line} HTTP/1.1\r\nHost: {SHOP}\r\nContent-Length: 0\r\n" for line in lines]
    said = spoken_in_tls(wall, "\r\n".join([*heads[:-1], f"{heads[-1]}Connection: close\r\n", ""]))
    assert said.count(b"HTTP/1.1 ") == len(lines)
    assert [visit.path for visit in site.visits] == ["/page", "/page"]
    assert [asked.method for asked in judge.bought] == ["POST"]


def test_only_the_headers_of_a_reader_leave(client: httpx.Client, site: Site) -> None:
    more = {"authorization": "Basic eDp5", "x-original-url": "/buy", "x-forwarded-host": OTHER, "te": "x"}
    framed = {"transfer-encoding": "chunked", "connection": "keep-alive, host", "http2-settings": "AAMA"}
    plain = {"accept-language": "de", "cookie": "ubid-main=1", "sec-fetch-dest": "document", "referer": "x"}
    answer = client.get(url("/page"), headers={**more, **framed, **plain})
    assert answer.status_code == 200
    assert plain.items() <= site.visits[0].headers.items()
    assert not {*more, *framed} & site.visits[0].headers.keys()


def test_a_refusal_of_how_a_page_is_asked_for_sends_nobody_round(client: httpx.Client, judge: Judge) -> None:
    judge.onward = {url("/page"): url("/page")}
    answer = client.get(url("/page"), headers={"upgrade": "websocket", "connection": "upgrade"})
    assert answer.status_code == 403


def test_no_shop_can_speak_for_the_wall(client: httpx.Client, site: Site) -> None:
    site.pages["/page"] = Answer(PAGE, headers={"windowshop": "intercept"})
    assert "windowshop" not in client.get(url("/page")).headers


def test_the_name_in_tls_counts_for_nothing(wall: Wall, site: Site) -> None:
    """The tunnel's host is what is judged and verified, whatever the client calls it."""
    with closing(tunnel(wall, SHOP)) as plain:
        trust = ssl.create_default_context(cafile=wall.ca_file)
        trust.check_hostname = False
        with trust.wrap_socket(plain, server_hostname=OTHER) as secured:
            secured.sendall(f"GET /page HTTP/1.1\r\nHost: {SHOP}\r\nConnection: close\r\n\r\n".encode())
            assert b" 200 " in secured.recv(4096)
    assert site.server_names[-1] == SHOP


@pytest.mark.parametrize(
    "spoken", [b"SSH-2.0-x\r\n\r\n", b"\x00\x01\x02\x03\x04\r\n\r\n", b"GET /page HTTP/1.1\r\n\r\n"]
)
def test_nothing_but_the_web_is_spoken_in_a_tunnel(wall: Wall, site: Site, spoken: bytes) -> None:
    with closing(tunnel(wall, SHOP)) as plain:
        plain.sendall(spoken)
        assert b" 200 " not in plain.recv(4096)
    assert not site.visits


def tunnel(wall: Wall, host: str) -> socket.socket:
    plain = socket.create_connection(("127.0.0.1", wall.port), 10)
    plain.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
    assert b" 200 " in plain.recv(4096)
    return plain


def test_a_judge_that_fails_lets_nothing_out(client: httpx.Client, site: Site, judge: Judge) -> None:
    judge.broken.add("judge")
    assert client.get(url("/page")).status_code == 403
    with pytest.raises(httpx.ProxyError):
        client.get(url("/page", OTHER))
    assert not site.visits


def test_a_page_that_cannot_be_recorded_is_not_shown(client: httpx.Client, judge: Judge) -> None:
    judge.broken.add("land")
    answer = client.get(url("/page"))
    assert (answer.status_code, PAGE in answer.content) == (403, False)


def test_a_wall_that_is_gone_lets_nobody_through(site: Site, judge: Judge) -> None:
    with Wall(judge.permits, {SHOP}, site.last_hop, judge) as wall:
        trust = ssl.create_default_context(cafile=wall.ca_file)
        client = httpx.Client(proxy=wall.address, verify=trust, trust_env=False)
        assert client.get(url("/page"), headers={"sec-fetch-dest": "document"}).status_code == 200
    with closing(client), pytest.raises(httpx.TransportError):
        client.get(url("/page"))
    assert len(site.visits) == 1
    assert not wall.ca_file.exists()


def test_a_shop_that_hangs_up_is_told_of(client: httpx.Client, site: Site, judge: Judge) -> None:
    def hang_up(visit: Visit) -> Answer:
        raise HangUp

    site.pages["/page"] = hang_up
    assert client.get(url("/page")).status_code == 502
    assert judge.failures == [url("/page")]


def test_a_shop_of_another_authority_is_not_believed(site: Site, judge: Judge) -> None:
    with Site({}) as other:
        wrong = site.last_hop.model_copy(update={"ca_pem": other.ca_pem})
        with Wall(judge.permits, {SHOP}, wrong, judge, unnamed="document") as wall:
            trust = ssl.create_default_context(cafile=wall.ca_file)
            with httpx.Client(proxy=wall.address, verify=trust, trust_env=False) as client:
                assert client.get(url("/page")).status_code == 502
    assert (judge.failures, site.visits) == ([url("/page")], [])


def test_each_wall_has_an_authority_of_its_own(wall: Wall, judge: Judge) -> None:
    with Wall(judge.permits, {SHOP}) as other:
        assert other.key_digest != wall.key_digest
        trust = ssl.create_default_context(cafile=other.ca_file)
        with (
            httpx.Client(proxy=wall.address, verify=trust, trust_env=False) as client,
            pytest.raises(httpx.ConnectError, match="CERT"),
        ):
            client.get(url("/page"))


def test_two_walls_judge_each_for_itself(site: Site) -> None:
    first, second = Judge(), Judge()
    second.broken.add("judge")
    with (
        Wall(first.permits, {SHOP}, site.last_hop, first, unnamed="document") as open_one,
        Wall(second.permits, {SHOP}, site.last_hop, second, unnamed="document") as closed_one,
    ):
        for wall, status in ((open_one, 200), (closed_one, 403), (open_one, 200)):
            trust = ssl.create_default_context(cafile=wall.ca_file)
            with httpx.Client(proxy=wall.address, verify=trust, trust_env=False) as client:
                assert client.get(url("/page")).status_code == status


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        ({}, "document"),
        ({"sec-fetch-dest": "document"}, "document"),
        ({"sec-fetch-dest": "style"}, "stylesheet"),
        ({"sec-fetch-dest": "image"}, "image"),
        ({"sec-fetch-dest": "script"}, "script"),
        ({"sec-fetch-dest": "empty"}, "xhr"),
        ({"sec-fetch-dest": "iframe"}, "other"),
        ({"sec-fetch-dest": "sharedworker"}, "other"),
        ({"sec-fetch-dest": "document", "sec-purpose": "prefetch;prerender"}, "other"),
        ({"purpose": "prefetch"}, "other"),
    ],
)
def test_a_browser_says_what_it_wants_a_thing_for(
    client: httpx.Client, judge: Judge, headers: dict[str, str], kind: str
) -> None:
    client.get(url("/page"), headers=headers)
    assert judge.asked == [(url("/page"), "GET", kind)]


def test_a_port_that_is_taken_is_the_users_slip(wall: Wall, judge: Judge) -> None:
    with pytest.raises(ConfigError, match=str(wall.port)), Wall(judge.permits, {SHOP}, port=wall.port):
        raise AssertionError("two walls at one port")


def test_without_mitmproxy_there_is_no_wall_and_no_way_round_it() -> None:
    program = (
        "import sys; sys.modules['mitmproxy'] = None\n"
        "from windowshop.transports.browser import BrowserTransport\n"
        "from windowshop.errors import ConfigError\n"
        "try:\n    BrowserTransport(print, {'www.shop.test'}).__enter__()\n"
        "except ConfigError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'windowshop[browser]'" in said.stdout
    assert len(said.stdout.splitlines()) == 1


def test_importing_the_wall_brings_no_heavy_library() -> None:
    program = (
        "import sys, windowshop.transports.wall, windowshop.transports.guarded, windowshop.transports.tour\n"
        "print(sorted({'mitmproxy', 'playwright', 'cryptography', 'OpenSSL'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
