"""Broken pages: an adapter reads them or raises a `PageError`, soon and in little memory, and nothing else.

A case is a number, from which page and damage follow. `WINDOWSHOP_FUZZ_CASE=NUMBER` runs that one alone.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mutations import MUTATIONS, splice

from windowshop.actions import Navigation
from windowshop.adapters import load_site
from windowshop.api import view_of
from windowshop.demo import catalogue
from windowshop.demo.amazon import failure as amazon_failure
from windowshop.demo.amazon import robot_check, visit_amazon
from windowshop.demo.answer import Visit
from windowshop.demo.ebay import failure as ebay_failure
from windowshop.demo.ebay import interruption, visit_ebay
from windowshop.errors import ActionError, PageError, WindowshopError
from windowshop.locales import locale_by_host
from windowshop.pages import ItemPage, Page, Price, ResultsPage
from windowshop.runs.session import advance, learn
from windowshop.translators.action import parse
from windowshop.translators.observation import render
from windowshop.views import View
from windowshop.wire import Response

NIGHTLY = bool(os.environ.get("WINDOWSHOP_NIGHTLY"))
CASES = {"demo": 50_000 if NIGHTLY else 1_000, "real": 50_000 if NIGHTLY else 1_000}
ALONE = os.environ.get("WINDOWSHOP_FUZZ_CASE")
PARTS = 4
MAX_SECONDS = 2.0
MAX_GROWTH_MIB = 400
URLS = {
    "amazon": "https://{host}/dp/B000000000",
    "ebay": "https://{host}/itm/123456789012",
}
OTHER = {"amazon": "ebay", "ebay": "amazon"}


class Sample(NamedTuple):
    """A page to break. `load` gives its bytes, `size` about how many they are."""

    site: str
    name: str
    host: str
    size: int
    load: Callable[[], bytes]


class Case(NamedTuple):
    """One broken page and what it is shown as."""

    number: int
    story: str
    site: str
    locale: str
    url: str
    status: int
    body: bytes


def demo_samples() -> list[Sample]:
    """Every kind of page that the demo shop has."""
    odd = [
        next(p for p in catalogue() if not p.choices),
        next(p for p in catalogue() if p.choices and p.only(p.chosen) is None),
        next(p for p in catalogue() if all(v.price is None for v in p.variants)),
        next(p for p in catalogue() if all(v.stock == 0 for v in p.variants)),
        *catalogue()[::60],
    ]
    pages: list[tuple[str, str, bytes]] = []
    for product in odd:
        pages.append(("amazon", f"/dp/{product.asin}", b""))
        pages.append(("ebay", f"/itm/{product.listing_id}", b""))
    for query in ("shirt", "kettle", "xyzzy"):
        pages.append(("amazon", f"/s?k={query}", b""))
        pages.append(("ebay", f"/sch/i.html?_nkw={query}", b""))
    knock = Visit(method="GET", host="", path="/")
    pages += [
        *(("amazon", "/", b""), ("amazon", "/none", b""), ("ebay", "/", b""), ("ebay", "/none", b"")),
        *(("amazon", "failure", amazon_failure().body), ("amazon", "check", robot_check(knock).body)),
        *(("ebay", "failure", ebay_failure().body), ("ebay", "check", interruption(knock).body)),
    ]
    return [_demo(site, name, body or _served(site, name)) for site, name, body in pages]


def _served(site: str, address: str) -> bytes:
    path, _, query = address.partition("?")
    params = dict(part.split("=") for part in query.split("&") if part)
    visit = Visit(method="GET", host=f"www.{site}.com", path=path, params=params)
    return (visit_amazon if site == "amazon" else visit_ebay)(visit).body


def _demo(site: str, name: str, body: bytes) -> Sample:
    return Sample(site, name, f"www.{site}.com", len(body), lambda: body)


def real_samples(shared: Path) -> list[Sample]:
    """The recorded pages of both sites."""
    lines = (shared / "pages/manifest.jsonl").read_text("utf-8").splitlines()
    hosts = {(line["site"], line["id"]): line.get("domain") or "" for line in map(json.loads, lines)}
    return [
        Sample(
            site,
            path.name,
            hosts.get((site, path.name.removesuffix(".html.gz"))) or f"www.{site}.com",
            5 * path.stat().st_size,
            lambda path=path: gzip.decompress(path.read_bytes()),
        )
        for site in URLS
        for path in sorted((shared / "pages" / site).glob("*.html.gz"))
    ]


def broken(number: int, samples: Sequence[Sample]) -> Case:
    """Return the case of that number: smaller pages more often, one to three kinds of damage."""
    dice = random.Random(number)
    weights = [1 / (200_000 + sample.size) for sample in samples]
    sample, other = dice.choices(samples, weights, k=2)
    mutations = dice.choices(MUTATIONS, k=dice.choice((1, 1, 2, 3)))
    body, second = sample.load(), other.load() if splice in mutations else b""
    for mutation in mutations:
        body = mutation(body, dice, second)
    site = OTHER[sample.site] if dice.random() < 0.05 else sample.site
    locale = locale_by_host(sample.site, sample.host) if site == sample.site else None
    host = locale.host if locale else f"www.{site}.com"
    return Case(
        number=number,
        story=f"{sample.name}, {' + '.join(m.__name__ for m in mutations)}, read as {site}",
        site=site,
        locale=locale.code if locale else "us",
        url=URLS[site].format(host=host),
        status=200 if dice.random() < 0.9 else dice.choice((404, 503)),
        body=body,
    )


def look(case: Case) -> str:
    """Read and show the page as an episode would, try each thing on it; return what became of it."""
    site = load_site(case.site, case.locale)
    response = Response(
        url=case.url, status=case.status, body=case.body, transport="file", at=datetime.now(UTC)
    )
    try:
        page = site.parse(response)
    except PageError as error:
        return type(error).__name__
    page.model_dump_json()
    assert all(math.isfinite(number) and number >= 0 for price in _prices(page) for number in price), page
    try:
        view = view_of(page, "a lamp")
    except WindowshopError:
        return page.kind
    for mode in ("text", "text_rich", "url"):
        render(view, mode).model_dump_json()
    for name in render(view).available_actions.clickables[:60]:
        _click(view, name, site.request, page)
    return page.kind


def _prices(page: Page) -> Iterator[tuple[float, ...]]:
    found: list[Price | None] = []
    if isinstance(page, ResultsPage):
        found = [tile.price for tile in page.tiles]
    if isinstance(page, ItemPage):
        found = [page.price, page.list_price, *(variant.price for variant in page.variants)]
        found += [value.price for group in page.options for value in group.values]
    for price in found:
        if price is not None:
            yield (price.amount,) if price.high is None else (price.amount, price.high)


def _click(view: View, name: str, request: Callable[[Navigation], Any], page: Page) -> None:
    """Click one thing; where that leads to a page, arrive at the very same page."""
    try:
        action = parse(f"click[{name}]", view)
    except ActionError:
        return
    after = advance(view, action)
    try:
        if not isinstance(after, View):
            request(after)
            after = advance(learn(view, after, page), action, arrived=True)
        assert isinstance(after, View), "one visit must be enough"
        render(after).model_dump_json()
    except WindowshopError:
        return


def run_part(corpus: str, part: int, samples: Sequence[Sample], kept: Path) -> None:
    numbers = [int(ALONE)] if ALONE else range(part, CASES[corpus], PARTS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    became: dict[str, int] = {}
    for number in numbers:
        case = broken(number, samples)
        began, worked = time.perf_counter(), time.process_time()
        try:
            outcome = look(case)
            became[outcome] = became.get(outcome, 0) + 1
            # a busy machine makes the clock run on, a parser's own thread the processor time
            seconds = min(time.perf_counter() - began, time.process_time() - worked)
            assert seconds <= MAX_SECONDS, f"took {seconds:.1f} s"
        except Exception as error:
            path = kept / f"{corpus}-{number}.html"
            path.write_bytes(case.body)
            error.add_note(
                f"case {number} of the {corpus} pages: {case.story}, {case.url}, status {case.status}\n"
                f"the page is kept as {path}; to see it again:\n"
                f"WINDOWSHOP_FUZZ_CASE={number} python -m pytest tests/test_fuzz_pages.py -k {corpus}"
            )
            raise
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert growth < MAX_GROWTH_MIB, f"memory grew by {growth:.0f} MiB"
    if not ALONE:
        assert {"results", "item"} <= set(became), f"the damage leaves nothing to read: {became}"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_broken_demo_page_is_read_or_refused(part: int, tmp_path: Path) -> None:
    run_part("demo", part, demo_samples(), tmp_path)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_broken_real_page_is_read_or_refused(part: int, shared: Path, tmp_path: Path) -> None:
    run_part("real", part, real_samples(shared), tmp_path)


def test_a_case_is_the_same_every_time() -> None:
    samples = demo_samples()
    assert [broken(number, samples) for number in range(20)] == [
        broken(number, samples) for number in range(20)
    ]
    assert len({broken(number, samples).body for number in range(20)}) == 20


class Careless:
    """A shop whose adapter takes every page for one that it knows."""

    name = "careless"

    def parse(self, response: Response) -> Page:
        return ItemPage(site="careless", item_id=str(response.body.index(b"B0")))


def test_an_adapter_that_fails_is_told_with_its_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_fuzz_pages.load_site", lambda name, locale: Careless())
    with pytest.raises(ValueError, match="not found") as caught:
        run_part("demo", 0, demo_samples(), tmp_path)
    [note] = caught.value.__notes__
    [kept] = tmp_path.iterdir()
    number = int(kept.stem.removeprefix("demo-"))
    assert f"WINDOWSHOP_FUZZ_CASE={number} " in note
    assert kept.read_bytes() == broken(number, demo_samples()).body
