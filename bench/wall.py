"""What the wall costs: the median page of the demo shop through it, and past it, page by page in turn.

    python bench/wall.py [PAGES]          # 200 unless told otherwise

Exits with 1 where the wall adds more than 60 ms to the median page.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from windowshop.adapters import load_site
from windowshop.demo import Shop, catalogue
from windowshop.safety.policy import judge, policy_for
from windowshop.transports.chromium import QUIET, direct_flags, find_browser, flags, may_use_sandbox
from windowshop.transports.last_hop import LastHop
from windowshop.transports.profile import lay_out
from windowshop.transports.wall import Wall

MOST = 60.0


def main(pages: int) -> int:
    policy = policy_for("amazon", "us", tuple(load_site("amazon").readable))
    with ExitStack() as stack:
        shop = stack.enter_context(Shop())
        host, port = shop.address
        last_hop = LastHop(host=host, port=port, ca_pem=shop.ca_pem)
        hosts = policy.hosts | policy.assets
        wall = stack.enter_context(Wall(lambda *asked: judge(policy, *asked), hosts, last_hop))
        playwright = stack.enter_context(sync_playwright())
        ways = {
            "direct": stack.enter_context(opened(playwright, [*QUIET, *direct_flags(last_hop)])),
            "wall": stack.enter_context(opened(playwright, flags(wall))),
        }
        took: dict[str, list[float]] = {name: [] for name in ways}
        for number, product in zip(range(pages + 5), endless(), strict=False):
            for name, browser in ways.items():
                seconds = visit(browser, f"https://www.amazon.com/dp/{product}")
                if number >= 5:
                    took[name].append(seconds * 1000)
    for name, all_of_them in took.items():
        quantiles = statistics.quantiles(all_of_them, n=10)
        print(
            f"{name:<7} median {statistics.median(all_of_them):6.1f} ms   p90 {quantiles[-1]:6.1f} ms"
            f"   {len(all_of_them)} pages"
        )
    added = statistics.median(took["wall"]) - statistics.median(took["direct"])
    print(f"added   median {added:6.1f} ms   (at most {MOST:.0f})")
    return 0 if added <= MOST else 1


def endless() -> Iterator[str]:
    while True:
        yield from (product.asin for product in catalogue())


@contextmanager
def opened(playwright: Any, arguments: list[str]) -> Iterator[Browser]:
    found = find_browser()
    assert found is not None, "no Chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = playwright.chromium.launch_persistent_context(
            lay_out(Path(folder)),
            executable_path=found.path,
            args=arguments,
            chromium_sandbox=may_use_sandbox(),
            headless=True,
        )
        yield home.browser
        home.close()


def visit(browser: Browser, url: str) -> float:
    """Return the seconds until the page is there, in a context of its own as the transport has it."""
    context = browser.new_context(java_script_enabled=False, service_workers="block")
    page = context.new_page()
    since = time.perf_counter()
    page.goto(url, wait_until="domcontentloaded")
    took = time.perf_counter() - since
    context.close()
    return took


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
