"""A real browser that may ask for nothing but what the guard permits, request by request."""

from __future__ import annotations

import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Self

from loguru import logger

from windowshop.errors import ConfigError, FetchError, HostilePage, Refused, Timeout
from windowshop.transports.chromium import find_browser, flags, may_use_sandbox
from windowshop.transports.gate import Gate
from windowshop.transports.headers import keep_headers
from windowshop.transports.last_hop import LastHop
from windowshop.transports.profile import lay_out
from windowshop.transports.wall import Asked, Permits, Wall, Witness
from windowshop.transports.wall.answers import MARK
from windowshop.transports.wall.checkpoint import FAILED
from windowshop.wire import Decision, Request, Resource, Response

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Error, Page, Playwright
    from playwright.sync_api import Response as Answer

__all__ = ["BrowserTransport", "Permits", "find_browser", "is_usable"]

MAX_BYTES = 16_000_000
_PATIENCE = 45.0
_SETTLE = 5.0


def is_usable() -> bool:
    """Say whether a browser could be opened: there is a Chromium, and the library of the wall."""
    return find_spec("mitmproxy") is not None and find_browser() is not None


class BrowserTransport:
    """Fetch pages with headless Chromium, JavaScript off, behind a wall; use it as a context manager.

    Every page has a profile of its own, so nothing is remembered. `hosts` are all that the wall opens a
    tunnel to; each request, each hop of a redirect too, is put to `permits` there, and while no page is
    fetched nothing leaves at all. Allowed redirects of the page itself are followed. Playwright ties a
    browser to the thread that opened it, so it gets one of its own: any thread may fetch, one at a time.
    `permits` is called from that thread and from the wall's, one call at a time.
    """

    name = "browser"

    def __init__(
        self,
        permits: Permits,
        hosts: Collection[str],
        user_agent: str = "",
        language: str = "en-US",
        last_hop: LastHop | None = None,
        timeout: float = _PATIENCE,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._permits = permits
        self._user_agent = user_agent
        self._language = language
        self._passage = _Passage()
        self._wall = Wall(self._passage.permits, hosts, last_hop, self._passage)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def __enter__(self) -> Self:
        """Start the wall and Chromium; raise `ConfigError` where one is missing or does not start."""
        with ExitStack() as opening:
            opening.enter_context(self._wall)
            folder = opening.enter_context(
                TemporaryDirectory(prefix="windowshop-", ignore_cleanup_errors=True)
            )
            self._thread = opening.enter_context(ThreadPoolExecutor(1, "browser"))
            self._thread.submit(self._open, lay_out(Path(folder))).result()
            self._opened = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close Chromium and everything in it; a dead one is left to rest."""
        if self._browser is not None:
            self._thread.submit(self._close).result()
            self._opened.close()

    def fetch(self, request: Request) -> Response:
        """Visit one page; return its bytes as they came, and a picture of it.

        Raises `Refused` for a hop that is not permitted, `Timeout`, `HostilePage`, `FetchError` (a dead
        browser too), and whatever `permits` raises.
        """
        if self._browser is None:
            raise FetchError("the browser is not open")
        return self._thread.submit(self._fetch, self._browser, request).result()

    def _open(self, profile: Path) -> None:
        from playwright.sync_api import Error, sync_playwright

        found = find_browser()
        if found is None:
            raise ConfigError("no Chromium found; see: windowshop doctor")
        self._playwright = sync_playwright().start()
        try:
            home = self._playwright.chromium.launch_persistent_context(
                profile,
                executable_path=found.path,
                args=flags(self._wall),
                chromium_sandbox=may_use_sandbox(),
                headless=True,
                timeout=self._timeout * 1000,
            )
            self._browser = home.browser
            if self._browser is None:
                raise ConfigError("this Playwright is too old: pip install --upgrade playwright")
            version = self._browser.new_browser_cdp_session().send("Browser.getVersion")
        except Error as error:
            self._close()
            raise ConfigError(f"{found} does not start: {_first_line(error)}") from error
        self._agent = f"{version['userAgent']} {self._user_agent}".strip()

    def _close(self) -> None:
        from playwright.sync_api import Error

        playwright, browser = self._playwright, self._browser
        self._playwright = self._browser = None
        try:
            if browser is not None:
                browser.close()
        except Error:
            pass
        finally:
            if playwright is not None:
                playwright.stop()

    def _fetch(self, browser: Browser, request: Request) -> Response:
        from playwright.sync_api import Error, TimeoutError

        at = datetime.now(UTC)
        start = time.monotonic()
        gate = Gate(self._permits)
        self._passage.begin(gate)
        try:
            context = browser.new_context(
                accept_downloads=False,
                java_script_enabled=False,
                locale=self._language,
                service_workers="block",
                user_agent=self._agent,
                viewport={"width": 1280, "height": 1024},
            )
            try:
                page = gate.open(context)
                answer, body = _visit(page, request.url, self._timeout)
                picture = _picture(page) if body else None
            finally:
                self._passage.end()
                context.close()
        except TimeoutError as error:
            gate.raise_what_happened()
            raise Timeout(f"no page in {self._timeout:.0f} s from {request.url}") from error
        except Error as error:
            gate.raise_what_happened()
            raise FetchError(f"the browser could not fetch {request.url}: {_first_line(error)}") from error
        gate.raise_what_happened()
        self._passage.raise_for(answer.url)
        if MARK in answer.headers:
            raise FetchError(f"{answer.url} was answered by the wall: {FAILED.reason}")
        if len(body) > self._max_bytes:
            raise HostilePage(f"more than {self._max_bytes} bytes from {answer.url}")
        return Response(
            url=answer.url,
            status=answer.status,
            headers=keep_headers(answer.headers.items()),
            body=body,
            transport=self.name,
            at=at,
            seconds=time.monotonic() - start,
            screenshot=picture,
        )


class _Passage(Witness):
    """What goes through the wall while one page is fetched; at any other time, nothing."""

    def __init__(self) -> None:
        self._gate: Gate | None = None
        self._failed: dict[str, str] = {}
        self._refused: dict[str, Decision] = {}

    def begin(self, gate: Gate) -> None:
        self._failed.clear()
        self._refused.clear()
        self._gate = gate

    def end(self) -> None:
        self._gate = None

    def permits(self, url: str, method: str, kind: Resource) -> Decision:
        gate = self._gate
        if gate is None:
            return Decision(verdict="refuse", rule="browser.idle", reason="no page is being fetched")
        return gate.ask(url, method, kind)

    def refuse(self, asked: Asked, decision: Decision) -> None:
        self._refused[asked.url] = decision

    def fail(self, url: str, reason: str) -> None:
        self._failed[url] = reason

    def raise_for(self, url: str) -> None:
        """Raise where what the browser shows for `url` is the wall's own page."""
        if url in self._refused:
            raise Refused(self._refused[url], url)
        if url in self._failed:
            raise FetchError(f"no answer from {url}: {self._failed[url]}")


def _visit(page: Page, url: str, timeout: float) -> tuple[Answer, bytes]:
    """Go to an address; return the answer where it landed, with its bytes.

    An error status with no body is an error to the browser, and an answer to us.
    """
    from playwright.sync_api import Error

    answers: list[Answer] = []
    page.on("response", lambda one: answers.append(one) if one.request.is_navigation_request() else None)
    try:
        answer = page.goto(url, wait_until="domcontentloaded", timeout=timeout * 1000)
    except Error as error:
        if "ERR_HTTP_RESPONSE_CODE_FAILURE" not in error.message or not answers:
            raise
        return answers[-1], b""
    if answer is None:
        raise FetchError(f"no page at {url}")
    return answer, answer.body()


def _picture(page: Page) -> bytes | None:
    """Return a PNG of the page's top, its own pictures waited for, within reason.

    The page itself is there already, and is not lost where no picture can be had of it.
    """
    from playwright.sync_api import Error, TimeoutError

    try:
        with suppress(TimeoutError):
            page.wait_for_load_state("load", timeout=_SETTLE * 1000)
        return page.screenshot(timeout=2 * _SETTLE * 1000)
    except Error as error:
        logger.debug("no picture of {}: {}", page.url, _first_line(error))
        return None


def _first_line(error: Error) -> str:
    return error.message.partition("\n")[0]
