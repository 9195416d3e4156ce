"""`windowshop view`: the report's pages follow a run that is going on."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from made_runs import MadeRun, kettle
from playwright.sync_api import Page, expect
from test_label import browser, grave, page, serving

__all__ = ["browser", "page"]


@pytest.mark.browser
def test_the_page_follows_the_run(page: Page, tmp_path: Path) -> None:
    with MadeRun(tmp_path) as run:
        run.episode(kettle(0))
        run.episode(kettle(1), ends=False)
        with serving("view", tmp_path) as (address, _):
            page.goto(address)
            expect(page.locator("table.episodes tbody tr")).to_have_count(2)
            expect(page.get_by_text("going on")).to_be_visible()
            assert grave(page) == []
            run.episode(kettle(2), refused=1)
            expect(page.locator("table.episodes tbody tr")).to_have_count(3, timeout=15_000)
            page.get_by_role("link", name="kettle number 2").click()
            expect(page.get_by_text("1 refused by the guard")).to_be_visible()
            expect(page.locator("img").first).to_be_visible()
            shown = "async image => { await image.decode(); return image.naturalWidth }"
            assert page.locator("img").first.evaluate(shown) > 0
            page.get_by_role("link", name="All episodes").click()
            page.get_by_placeholder("goal, product, name").fill("number 2")
            expect(page.locator("table.episodes tbody tr:visible")).to_have_count(1)


def test_what_is_served_is_the_run_alone(tmp_path: Path) -> None:
    with MadeRun(tmp_path / "run") as run:
        run.episode(kettle(0))
    (tmp_path / "run/screenshots/other.png").write_bytes(b"x")
    with serving("view", tmp_path / "run") as (address, _), httpx.Client(base_url=address) as client:
        assert client.get("/").status_code == 200
        key = re.search(r'href="/episode/(\w+)"', client.get("/").text)[1]  # type: ignore[index]
        shot = re.search(r'src="(/screenshot/0/\w+\.png)"', client.get(f"/episode/{key}").text)[1]  # type: ignore[index]
        assert client.get(shot).headers["content-type"] == "image/png"
        for strange in ("/screenshot/0/other.png", "/screenshot/1/x.png", "/episode/x", "/run.json"):
            assert client.get(strange).status_code == 404
        assert client.get("/", headers={"host": "evil.test"}).status_code == 403
        assert client.post("/").status_code == 403
