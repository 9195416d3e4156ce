"""Nothing that the adapters ask for is refused: not on a real page, not in the demo shop."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from windowshop.actions import Navigation, ToItem, ToResults, ToSubPage
from windowshop.adapters import load_site
from windowshop.api import parse_page
from windowshop.demo import Shop
from windowshop.errors import ConfigError, PageError
from windowshop.journal import Journal, read_journal
from windowshop.locales import LOCALES
from windowshop.pages import ItemPage, Page, ResultsPage
from windowshop.safety.guard import Guard
from windowshop.safety.policy import Policy, judge, own_policy, policy_for
from windowshop.transports.http import HttpTransport
from windowshop.transports.last_hop import LastHop
from windowshop.wire import Request

WORDS = (
    "red kettle", "café & thé", "100% cotton", "men's shirt (large)", "日本 茶", "a/b?c=d&e#f", "gp/buy now",
    "add to cart", "checkout counter", "one-click pen", "7\" tablet, 64gb", "x" * 600,
    "basket bag cart trolley", "sign-in sheet", "coupon organizer", "make offer sign", "wishlist journal",
)  # fmt: skip


def navigations(page: Page) -> Iterator[Navigation]:
    """Yield everything that an agent can make an adapter ask for on a page."""
    match page:
        case ResultsPage():
            yield from (ToItem(item_id=tile.item_id) for tile in page.tiles if tile.item_id)
            yield ToResults(query=page.query or "kettle", page=(page.page or 1) + 1)
        case ItemPage():
            yield ToItem(item_id=page.item_id)
            variants = [variant.item_id for variant in page.variants if variant.item_id]
            yield from (ToItem(item_id=page.item_id, variant=variant) for variant in variants)
            for tab, url in page.tabs.items():
                yield ToSubPage(item_id=page.item_id, tab=tab, url=url)


def readable_page(body: bytes, url: str, site: str) -> Page | None:
    try:
        return parse_page(body, url, site)
    except (PageError, ConfigError):
        return None


def test_every_navigation_on_every_real_page_is_allowed(shared: Path) -> None:
    asked = 0
    for line in (shared / "pages/manifest.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        site, name = entry["site"], entry["id"]
        if site not in LOCALES:
            continue
        body = gzip.decompress((shared / "pages" / site / f"{name}.html.gz").read_bytes())
        page = readable_page(body, f"https://{entry['domain']}/", site)
        if page is None:
            continue
        locale = getattr(page, "locale", None) or "us"
        adapter = load_site(site, locale)
        policy = policy_for(site, locale, tuple(adapter.readable))
        for navigation in navigations(page):
            url = adapter.request(navigation).url
            assert judge(policy, url).allowed, (name, url, judge(policy, url))
            asked += 1
    assert asked > 2000


def every_policy() -> Iterator[tuple[str, str, Policy]]:
    for site, table in LOCALES.items():
        for locale in table:
            yield site, locale, policy_for(site, locale, tuple(load_site(site, locale).readable))


def test_every_search_is_allowed_in_every_marketplace() -> None:
    for site, locale, policy in every_policy():
        adapter = load_site(site, locale)
        for words in WORDS:
            for page in (1, 2, 17):
                url = adapter.request(ToResults(query=words, page=page)).url
                assert judge(policy, url).allowed, url
        robots = f"https://{adapter.locale.host}/robots.txt"
        assert judge(policy, robots).rule == "robots"


def test_a_simulator_of_ones_own_is_read() -> None:
    adapter = load_site("webshop", base_url="http://127.0.0.1:3000")
    policy = own_policy("webshop", "http://127.0.0.1:3000", tuple(adapter.readable))
    for words in WORDS:
        url = adapter.request(ToResults(query=words)).url
        if judge(policy, url).rule != "url.length":
            assert judge(policy, url).rule == "read.results", url


def test_nothing_in_the_demo_shop_is_refused(tmp_path: Path) -> None:
    """Walk from search to every item and its frame, by the adapters' own navigations, through the guard."""
    with Shop() as shop, Journal(tmp_path / "audit.jsonl") as audit:
        host, port = shop.address
        with HttpTransport(
            "windowshop (+test)", last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem)
        ) as http:
            for site in ("amazon", "ebay"):
                adapter = load_site(site)
                guard = Guard(policy_for(site, "us", tuple(adapter.readable)), audit)
                waiting: list[Navigation] = [ToResults(query=words) for words in ("kettle", "shirt", "rug")]
                seen: set[str] = set()
                while waiting and len(seen) < 60:
                    request: Request = adapter.request(waiting.pop(0))
                    if request.url not in seen:
                        seen.add(request.url)
                        waiting += navigations(adapter.parse(guard.fetch(request, http)))
    verdicts = [record["verdict"] for record in read_journal(tmp_path / "audit.jsonl")]
    assert len(verdicts) >= 100
    assert set(verdicts) == {"allow"}
