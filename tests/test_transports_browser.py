"""A real Chromium against a shop that tries everything to be visited where it must not be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from loopback import ASSETS, OTHER, SHOP, Answer, HangUp, Site, Visit

from windowshop.errors import ConfigError, FetchError, HostilePage, Refused, Timeout
from windowshop.transports import chromium
from windowshop.transports.browser import BrowserTransport, find_browser
from windowshop.wire import Decision, Request, Resource

pytestmark = pytest.mark.browser

CSS = b"body { background: rgb(10, 200, 30) }"
PAGE = b"<!doctype html><title>a kettle</title><link rel=stylesheet href=https://img.shop.test/s.css><p>caf\xc3\xa9"


def judge(url: str, method: str, resource: Resource) -> Decision:
    """Allow documents of the shop and its assets; nothing under /t/, and nothing on another host."""
    shop = url.startswith(f"https://{SHOP}/") and "/t/" not in url and resource == "document"
    asset = url.startswith(f"https://{ASSETS}/") and resource in ("image", "stylesheet")
    if method == "GET" and (shop or asset):
        return Decision(verdict="allow", rule="test", reason="may be read")
    return Decision(verdict="refuse", rule="test", reason="may not be read")


def lenient(url: str, method: str, resource: Resource) -> Decision:
    """Allow everything but /t/: even so, nothing there may be visited."""
    refused = "/t/" in url
    return Decision(verdict="refuse" if refused else "allow", rule="lenient", reason="-")


class Audited:
    """A judge that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.judge = judge

    def __call__(self, url: str, method: str, resource: Resource) -> Decision:
        self.asked.append((url, method, resource))
        return self.judge(url, method, resource)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site({}) as running:
        yield running


@pytest.fixture(scope="module")
def audited() -> Audited:
    return Audited()


@pytest.fixture(scope="module")
def opened(site: Site, audited: Audited) -> Iterator[BrowserTransport]:
    with BrowserTransport(
        audited,
        {SHOP, ASSETS, OTHER},
        "windowshop/0 (+test)",
        "de-DE",
        site.last_hop,
        timeout=20,
        max_bytes=500_000,
    ) as transport:
        yield transport


@pytest.fixture
def browser(opened: BrowserTransport, site: Site, audited: Audited) -> BrowserTransport:
    """Return the one browser of this file, with a shop and an audit that begin anew."""
    site.pages = {"/page": Answer(PAGE), "/s.css": Answer(CSS, type="text/css")}
    site.hits.clear()
    site.visits.clear()
    audited.asked.clear()
    audited.judge = judge
    return opened


def get(path: str, host: str = SHOP) -> Request:
    return Request(url=f"https://{host}{path}")


def forbidden(site: Site) -> list[str]:
    return [path for path in site.hits if path.startswith("/t/")]


def test_a_page_comes_as_the_bytes_of_the_server_and_a_picture(browser: BrowserTransport) -> None:
    response = browser.fetch(get("/page?k=tea+kettle"))
    assert (response.url, response.status, response.body) == (f"https://{SHOP}/page?k=tea+kettle", 200, PAGE)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.transport == "browser"
    assert response.seconds > 0
    picture = response.screenshot
    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (1280, 1024)


def test_the_real_names_reach_the_server(browser: BrowserTransport, site: Site) -> None:
    browser.fetch(get("/page"))
    assert {visit.host for visit in site.visits} >= {SHOP, ASSETS}


def test_the_walls_own_page_is_never_taken_for_the_shops(
    browser: BrowserTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(type(browser._passage), "land", broken)
    with pytest.raises(FetchError, match="could not be judged"):
        browser.fetch(get("/page"))


def test_says_who_it_is_and_in_which_language_it_reads(browser: BrowserTransport, site: Site) -> None:
    browser.fetch(get("/page"))
    sent = site.visits[0].headers
    assert sent["user-agent"].endswith("windowshop/0 (+test)")
    assert "Chrome/" in sent["user-agent"]
    assert sent["accept-language"].startswith("de-DE")


def test_every_request_is_asked_about_once(browser: BrowserTransport, audited: Audited) -> None:
    browser.fetch(get("/page"))
    assert (f"https://{SHOP}/page", "GET", "document") in audited.asked
    assert (f"https://{ASSETS}/s.css", "GET", "stylesheet") in audited.asked
    assert len(audited.asked) == len(set(audited.asked))


VECTORS = {
    "img": b"<img src=/t/x>",
    "img elsewhere": b"<img src=https://pay.other.test/t/x>",
    "stylesheet": b"<link rel=stylesheet href=/t/x>",
    "font": b"<style>@font-face{font-family:f;src:url(/t/x)}p{font-family:f}</style><p>text",
    "css import": b"<style>@import '/t/x';</style>",
    "iframe": b"<iframe src=/t/x></iframe>",
    "iframe elsewhere": b"<iframe src=https://pay.other.test/t/x></iframe>",
    "iframe srcdoc": b"<iframe srcdoc='<img src=/t/x><form action=/t/y></form>'></iframe>",
    "object": b"<object data=/t/x></object><embed src=/t/y>",
    "video": b"<video src=/t/x autoplay poster=/t/y></video><audio src=/t/z autoplay></audio>",
    "meta refresh": b"<meta http-equiv=refresh content='0;url=/t/x'>",
    "meta refresh elsewhere": b"<meta http-equiv=refresh content='0;url=https://pay.other.test/t/x'>",
    "prefetch": b"<link rel=prefetch href=/t/x>",
    "prerender": b"<link rel=prerender href=/t/x>",
    "preload": b"<link rel=preload as=image href=/t/x><link rel=modulepreload href=/t/y>",
    "manifest": b"<link rel=manifest href=/t/x>",
    "icon": b"<link rel=icon href=/t/x>",
    "prefetch rules": (
        b'<script type=speculationrules>{"prefetch":[{"urls":["/t/x"],"eagerness":"immediate"}]}</script>'
    ),
    "prerender rules": (
        b'<script type=speculationrules>{"prerender":[{"urls":["/t/x"],"eagerness":"immediate"}]}</script>'
    ),
    "form": b"<form method=post action=/t/x autofocus><button autofocus formaction=/t/y>buy</button></form>",
    "script": b"<script src=/t/x></script><script>fetch('/t/y',{method:'POST'})</script>",
    "script form": b"<form id=f method=post action=/t/x></form><script>f.submit()</script>",
    "script open": b"<script>window.open('/t/x');location='/t/y'</script>",
    "image script": b"<img src=https://img.shop.test/none onerror=\"location='/t/x'\">",
    "javascript address": b"<iframe src=\"javascript:top.location='/t/x'\"></iframe>",
    "svg": b"<svg><image href=/t/x /><use href=/t/y#a /></svg>",
    "background": b"<body background=/t/x><table background=/t/y>",
    "ping": b"<a href=/page ping=/t/x download=/t/y>a</a>",
    "srcset": b"<img srcset='/t/x 1x, /t/y 2x'><picture><source srcset=/t/z><img></picture>",
    "report": (
        b"<meta http-equiv=content-security-policy content=\"img-src 'none'; report-uri /t/x\"><img src=/a>"
    ),
    "service worker": b"<script>navigator.serviceWorker.register('/t/x')</script>",
    "worker": b"<script>new Worker('/t/x');new SharedWorker('/t/y')</script>",
    "dns": b"<link rel=dns-prefetch href=//pay.other.test><link rel=preconnect href=https://pay.other.test>",
}


@pytest.mark.parametrize("judge_of_page", [judge, lenient])
@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_on_a_page_reaches_where_it_must_not(
    browser: BrowserTransport, site: Site, audited: Audited, vector: str, judge_of_page: object
) -> None:
    audited.judge = judge_of_page  # type: ignore[assignment]
    site.pages["/page"] = Answer(b"<!doctype html><title>x</title>" + VECTORS[vector] + b"<p>end")
    response = browser.fetch(get("/page"))
    assert response.status == 200
    assert response.url == f"https://{SHOP}/page"
    assert forbidden(site) == []
    assert {visit.method for visit in site.visits} == {"GET"}


REDIRECTED = {
    "img": b"<img src=https://img.shop.test/moved>",
    "stylesheet": b"<link rel=stylesheet href=https://img.shop.test/moved>",
    "iframe": b"<iframe src=/moved></iframe>",
    "iframe elsewhere": b"<iframe src=https://pay.other.test/moved></iframe>",
    "image in a frame": b"<iframe src=/framed></iframe>",
    "image in a frame elsewhere": b"<iframe src=https://pay.other.test/framed></iframe>",
    "prefetch": b"<link rel=prefetch href=/moved>",
    "preload": b"<link rel=preload as=image href=/moved>",
    "meta refresh": b"<meta http-equiv=refresh content='0;url=/moved'>",
    "video": b"<video src=/moved autoplay></video>",
    "font": b"<style>@font-face{font-family:f;src:url(/moved)}p{font-family:f}</style><p>text",
    "icon": b"<link rel=icon href=/moved>",
}


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("vector", REDIRECTED)
def test_no_second_hop_reaches_where_it_must_not_even_if_all_else_may_be_visited(
    browser: BrowserTransport, site: Site, audited: Audited, vector: str, status: int
) -> None:
    audited.judge = lenient
    site.pages |= {
        "/page": Answer(b"<!doctype html><title>x</title>" + REDIRECTED[vector] + b"<p>end"),
        "/moved": Answer(status=status, headers={"Location": "/t/x", "Access-Control-Allow-Origin": "*"}),
        "/framed": Answer(b"<img src=https://img.shop.test/moved>"),
    }
    browser.fetch(get("/page"))
    assert forbidden(site) == []


def test_the_vectors_do_reach_the_server_where_they_may(
    browser: BrowserTransport, site: Site, audited: Audited
) -> None:
    """Without this the tests above could pass because the pages are wrong."""
    audited.judge = lambda url, method, resource: Decision(verdict="allow", rule="all", reason="-")
    fired = set()
    for name in ("img", "stylesheet", "video", "srcset", "svg", "report"):
        site.hits.clear()
        site.pages["/page"] = Answer(b"<!doctype html><title>x</title>" + VECTORS[name] + b"<p>end")
        browser.fetch(get("/page"))
        if forbidden(site):
            fired.add(name)
    assert fired == {"img", "stylesheet", "video", "srcset", "svg"}


@pytest.mark.parametrize("header", ["Refresh: 0;url=/t/x", "Link: </t/x>; rel=preload; as=image"])
def test_headers_lead_nowhere_either(browser: BrowserTransport, site: Site, header: str) -> None:
    name, _, value = header.partition(": ")
    site.pages["/page"] = Answer(PAGE, headers={name: value})
    assert browser.fetch(get("/page")).body == PAGE
    assert forbidden(site) == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_allowed_redirect_of_the_page_lands(browser: BrowserTransport, site: Site, status: int) -> None:
    site.pages["/old"] = Answer(status=status, headers={"Location": "/page?landed=1"})
    response = browser.fetch(get("/old"))
    assert (response.url, response.status, response.body) == (f"https://{SHOP}/page?landed=1", 200, PAGE)


@pytest.mark.parametrize("target", ["/t/buy", f"https://{OTHER}/buy", f"http://{SHOP}/page"])
def test_a_refused_hop_of_the_page_is_refused_by_name_and_never_visited(
    browser: BrowserTransport, site: Site, target: str
) -> None:
    site.pages |= {
        "/old": Answer(status=302, headers={"Location": "/older"}),
        "/older": Answer(status=307, headers={"Location": target}),
    }
    with pytest.raises(Refused) as raised:
        browser.fetch(get("/old"))
    assert raised.value.url.endswith(target)
    assert raised.value.decision.rule == "test"
    assert set(site.hits) <= {"/old", "/older"}


def test_an_address_that_is_refused_never_leaves(browser: BrowserTransport, site: Site) -> None:
    with pytest.raises(Refused):
        browser.fetch(get("/t/buy"))
    assert not site.visits


def test_a_judge_that_fails_lets_nothing_out_and_is_heard(
    browser: BrowserTransport, site: Site, audited: Audited
) -> None:
    def full_disk(url: str, method: str, resource: Resource) -> Decision:
        raise OSError("the audit cannot be written")

    audited.judge = full_disk
    with pytest.raises(OSError, match="audit"):
        browser.fetch(get("/page"))
    assert not site.visits


def test_a_page_that_goes_on_by_itself_stays_the_page_that_was_asked_for(
    browser: BrowserTransport, site: Site
) -> None:
    body = b"<meta http-equiv=refresh content='0;url=/another'><p>one"
    site.pages |= {"/one": Answer(body), "/another": Answer(b"<p>two")}
    response = browser.fetch(get("/one"))
    assert (response.url, response.body) == (f"https://{SHOP}/one", body)
    assert site.hits["/another"] == 0


def test_a_script_does_not_run(browser: BrowserTransport, site: Site) -> None:
    body = b"<noscript><img src=https://img.shop.test/quiet></noscript><script>document.title='ran'</script>"
    site.pages["/page"] = Answer(body)
    browser.fetch(get("/page"))
    assert site.hits["/quiet"] == 1


def test_nothing_is_remembered_from_page_to_page(browser: BrowserTransport, site: Site) -> None:
    site.pages["/page"] = Answer(
        PAGE, headers={"Set-Cookie": "sid=canary; Path=/", "Cache-Control": "max-age=900"}
    )
    for _ in range(2):
        assert "set-cookie" not in browser.fetch(get("/page")).headers
    assert site.hits["/page"] == 2
    assert all("cookie" not in visit.headers for visit in site.visits)


@pytest.mark.parametrize("status", [404, 429, 503])
@pytest.mark.parametrize("body", [b"<p>sorry", b""])
def test_an_error_page_is_a_response(browser: BrowserTransport, site: Site, status: int, body: bytes) -> None:
    site.pages["/page"] = Answer(body, status, {"Retry-After": "7"})
    response = browser.fetch(get("/page"))
    assert (response.status, response.body, response.headers["retry-after"]) == (status, body, "7")


def test_a_text_is_a_page_too(browser: BrowserTransport, site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /cart\n", type="text/plain")
    assert browser.fetch(get("/robots.txt")).body == b"User-agent: *\nDisallow: /cart\n"


def test_a_download_is_not_a_page(browser: BrowserTransport, site: Site) -> None:
    attached = {"Content-Disposition": "attachment; filename=x.exe"}
    site.pages["/page"] = Answer(b"MZ", headers=attached, type="application/octet-stream")
    with pytest.raises(FetchError):
        browser.fetch(get("/page"))


def test_too_large_a_page_is_hostile(browser: BrowserTransport, site: Site) -> None:
    site.pages["/page"] = Answer(b"<p>" + b"x" * 600_000)
    with pytest.raises(HostilePage):
        browser.fetch(get("/page"))


def test_a_broken_connection_is_a_fetch_error(browser: BrowserTransport, site: Site) -> None:
    def hang_up(visit: Visit) -> Answer:
        raise HangUp

    site.pages["/page"] = hang_up
    with pytest.raises(FetchError):
        browser.fetch(get("/page"))


def test_a_host_that_is_not_named_is_not_reached(
    browser: BrowserTransport, site: Site, audited: Audited
) -> None:
    audited.judge = lenient
    for host in ("www.elsewhere.test", "127.0.0.1", "localhost", f"127.0.0.1:{site.port}"):
        for scheme in ("https", "http"):
            with pytest.raises((FetchError, Refused)):
                browser.fetch(Request(url=f"{scheme}://{host}/page"))
    assert not site.visits


def test_it_works_on_after_all_that(browser: BrowserTransport) -> None:
    for request in (get("/t/buy"), get("/page", "www.elsewhere.test")):
        with pytest.raises((Refused, FetchError)):
            browser.fetch(request)
    assert browser.fetch(get("/page")).body == PAGE


def test_a_page_that_does_not_come_is_a_timeout(site: Site) -> None:
    site.pages["/silent"] = lambda visit: Answer(b"late" if site.closing.wait(20) else b"too late")
    with (
        BrowserTransport(judge, {SHOP}, last_hop=site.last_hop, timeout=2) as browser,
        pytest.raises(Timeout),
    ):
        browser.fetch(get("/silent"))


def test_a_shop_with_a_key_of_another_authority_is_not_trusted(site: Site) -> None:
    site.visits.clear()
    with Site({"/page": Answer(PAGE)}) as other:
        wrong = site.last_hop.model_copy(update={"ca_pem": other.ca_pem})
        with (
            BrowserTransport(judge, {SHOP}, last_hop=wrong, timeout=10) as browser,
            pytest.raises(FetchError, match="ertificate"),
        ):
            browser.fetch(get("/page"))
    assert not site.visits


def test_without_a_last_hop_the_certificate_counts(site: Site) -> None:
    with (
        BrowserTransport(lenient, {f"localhost:{site.port}"}, timeout=10) as browser,
        pytest.raises(FetchError, match="ertificate"),
    ):
        browser.fetch(Request(url=f"https://localhost:{site.port}/page"))


def test_a_browser_that_was_killed_is_a_fetch_error(site: Site) -> None:
    before = _browsers()
    with BrowserTransport(judge, {SHOP}, last_hop=site.last_hop, timeout=5) as browser:
        ours = _browsers() - before
        assert ours
        for process in ours:
            os.kill(process, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(FetchError):
                browser.fetch(get("/page"))
    with pytest.raises(FetchError, match="not open"):
        browser.fetch(get("/page"))


def _browsers() -> set[int]:
    """Return the main processes of the browsers that this process has started."""
    shown = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args=", "ww"], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in shown.stdout.splitlines()]
    parents = {int(pid): int(parent) for pid, parent, _ in rows}

    def is_ours(process: int) -> bool:
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return {
        int(pid)
        for pid, _, args in rows
        if "--proxy-server" in args and "--type=" not in args and is_ours(int(pid))
    }


def test_two_browsers_may_be_open_at_once_and_any_thread_may_fetch(
    browser: BrowserTransport, site: Site
) -> None:
    with (
        BrowserTransport(judge, {SHOP}, last_hop=site.last_hop, timeout=10) as other,
        ThreadPoolExecutor(3) as pool,
    ):
        pages = list(pool.map(lambda one: one.fetch(get("/page")).body, [browser, other, browser, other]))
    assert pages == [PAGE] * 4


def test_the_browser_is_found_with_its_version() -> None:
    found = find_browser()
    assert found is not None
    assert Path(found.path).is_file()
    assert found.version is not None
    assert any(name in found.version for name in ("Chrom", "Edge"))


def test_a_browser_may_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = find_browser()
    assert found is not None
    linked = tmp_path / "mine"
    linked.symlink_to(found.path)
    monkeypatch.setenv(chromium.BROWSER, str(linked))
    named = find_browser()
    assert named is not None
    assert named.path == str(linked)
    for wrong in (str(tmp_path / "none"), str(tmp_path), "/bin/false"):
        monkeypatch.setenv(chromium.BROWSER, wrong)
        with pytest.raises(ConfigError, match=chromium.BROWSER):
            find_browser()


def test_no_browser_is_none_and_says_so_when_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, site: Site
) -> None:
    monkeypatch.delenv(chromium.BROWSER, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "_USUAL", {})
    assert find_browser() is None
    with pytest.raises(ConfigError, match="doctor"), BrowserTransport(judge, {SHOP}):
        raise AssertionError("it opened")


def test_playwrights_own_browser_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = tmp_path / "chromium-1234" / "chrome-linux64" / "chrome"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\necho Chromium 1.2.3\n")
    own.chmod(0o755)
    monkeypatch.delenv(chromium.BROWSER, raising=False)
    monkeypatch.setattr(chromium, "_NAMES", ())
    monkeypatch.setattr(chromium, "_USUAL", {})
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert find_browser() == (str(own), "Chromium 1.2.3")


def test_importing_brings_no_heavy_library() -> None:
    program = (
        "import sys, windowshop.transports, windowshop.transports.browser, windowshop.transports.last_hop;"
        "heavy = {'playwright', 'httpx', 'requests', 'tenacity', 'cryptography', 'warcio'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
