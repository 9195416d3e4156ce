"""Walk through a list of pages with a browser, carelessly: click what is there, wait, and leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple

from windowshop.errors import ConfigError
from windowshop.transports.chromium import direct_flags, find_browser, flags, may_use_sandbox
from windowshop.transports.gate import Gate
from windowshop.transports.last_hop import LastHop
from windowshop.transports.profile import lay_out
from windowshop.transports.wall import Permits, Wall

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

AT_ONCE = 20
_GLANCE = 100
_LINGER = 1000
_LEAVING = 500
_PATIENCE = 10_000
_EAGER = "--short-reporting-delay"
"""Reports that Chromium would send after a minute are sent at once."""


class Stop(NamedTuple):
    """One page, and what to do there."""

    url: str
    act: Literal["click", "enter"] | None = None


def tour(stops: Iterable[Stop], wall: Wall, permits: Permits | None = None) -> None:
    """Visit each page behind a wall, with scripts; with `permits`, as our own transport does, without.

    Raises `ConfigError` where there is no browser.
    """
    with _throw_away() as folder, _browser(lay_out(Path(folder)), flags(wall)) as browser:
        _walk(browser, list(stops), permits)


def tour_unguarded(stops: Iterable[Stop], last_hop: LastHop, permits: Permits | None = None) -> None:
    """Visit each page with no wall between the browser and this machine's own ports; nothing else is reached.

    With `permits` there are the browser's own routes, and no scripts; without, nothing at all.
    """
    with _throw_away() as folder, _browser(Path(folder), direct_flags(last_hop)) as browser:
        _walk(browser, list(stops), permits)


def _throw_away() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="windowshop-", ignore_cleanup_errors=True)


@contextmanager
def _browser(profile: Path, arguments: Sequence[str]) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    found = find_browser()
    if found is None:
        raise ConfigError("no Chromium found; see: windowshop doctor")
    with sync_playwright() as playwright:
        home = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=found.path,
            args=[*arguments, _EAGER],
            chromium_sandbox=may_use_sandbox(),
            headless=True,
        )
        if home.browser is None:
            raise ConfigError("this Playwright is too old: pip install --upgrade playwright")
        yield home.browser
        home.close()


def _walk(browser: Browser, stops: Sequence[Stop], permits: Permits | None) -> None:
    for start in range(0, len(stops), AT_ONCE):
        some = stops[start : start + AT_ONCE]
        if permits is None:
            contexts = [browser.new_context(accept_downloads=False)]
            pages = [contexts[0].new_page() for _ in some]
        else:
            contexts = [_closed(browser) for _ in some]
            pages = [Gate(permits).open(context) for context in contexts]
        for page, stop in zip(pages, some, strict=True):
            _visit(page, stop)
        pages[0].wait_for_timeout(_LINGER)
        for page in pages:
            _leave(page)
        pages[0].wait_for_timeout(_LEAVING)
        for context in contexts:
            context.close()


def _closed(browser: Browser) -> BrowserContext:
    return browser.new_context(accept_downloads=False, java_script_enabled=False, service_workers="block")


def _visit(page: Page, stop: Stop) -> None:
    from playwright.sync_api import Error

    with suppress(Error):
        page.goto(stop.url, wait_until="domcontentloaded", timeout=_PATIENCE)
        page.wait_for_timeout(_GLANCE)  # some things are done only by a page that is in front
    with suppress(Error):
        if stop.act == "click":
            page.click("#go", timeout=_PATIENCE / 3, no_wait_after=True)
        elif stop.act == "enter":
            page.press("#go", "Enter", timeout=_PATIENCE / 3, no_wait_after=True)


def _leave(page: Page) -> None:
    from playwright.sync_api import Error

    with suppress(Error):
        page.goto("about:blank", timeout=_PATIENCE)
