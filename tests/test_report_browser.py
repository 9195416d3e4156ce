"""The report in a real Chromium: no request, accessible, browsable, on a screen and on a phone.

With WINDOWSHOP_PICTURES=DIR the pictures in docs/images are taken anew, of runs that are kept in DIR.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from test_label import browser, grave, page, serving, windowshop
from test_report import mixed

__all__ = ["browser", "page"]

WIDTH = "async image => { await image.decode(); return image.naturalWidth }"
IMAGES = Path(__file__).parents[1] / "docs/images"
pytestmark = pytest.mark.browser

CAREFUL = '''
"""Shop with a little care: search the first words, open what shares most words, choose what was asked for."""

import re


class Careful:
    def reset(self, instruction):
        self.wanted = re.split(r", and |, ", instruction)
        self.words = set(re.findall(r"[a-z-]+", self.wanted[0])) - set("i need a that is and".split())
        self.read = self.opened = False

    def act(self, seen):
        names = seen.available_actions.clickables
        if seen.available_actions.has_search_bar:
            return f"search[{' '.join(sorted(self.words))}]"
        if "buy now" in names:
            if not self.read and "description" in names:
                self.read = True
                return "click[description]"
            for wish in self.wanted[1:]:
                value = wish.partition(": ")[2]
                if value in names and f"[clicked button] {value} " not in seen.text:
                    return f"click[{value}]"
            return "click[buy now]"
        if "next >" in names:
            mark = r"\\[(?:clicked )?button_?\\]"
            blocks = re.findall(mark + r" (\\w+) " + mark + r"\\n(.+)\\n", seen.text)
            shared = [len(self.words & set(re.findall("[a-z-]+", title.lower()))) for _, title in blocks]
            return f"click[{blocks[shared.index(max(shared))][0].lower()}]"
        return "click[< prev]"
'''


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Let two agents shop in the demo shop with a browser, score both, and write one report of them."""
    folder = Path(os.environ.get("WINDOWSHOP_PICTURES") or tmp_path_factory.mktemp("demo"))
    (folder / "careful_agent.py").write_text(CAREFUL)
    sites = ("--site", "amazon", "--site", "ebay")
    goals = "6" if os.environ.get("WINDOWSHOP_PICTURES") else "1"
    here = Path.cwd()
    os.chdir(folder)
    try:
        for name, agent in (("rule", "rule"), ("careful", "careful_agent:Careful")):
            ran = windowshop(
                "run", "--tasks", "demo", "--limit", goals, *sites, "--agent", agent, "--out", folder / name
            )
            assert ran.exit_code == 0, ran.output
        told = windowshop(
            "report", folder / "rule", folder / "careful", "--score", "--out", folder / "report.html"
        )
        assert told.exit_code == 0, told.output
    finally:
        os.chdir(here)
    return folder


@pytest.fixture
def asked(page: Page) -> Iterator[list[str]]:
    """Collect what the page asks for."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    yield found


def test_it_opens_without_a_request_and_every_episode_can_be_read(
    page: Page, asked: list[str], demo: Path
) -> None:
    page.goto((demo / "report.html").as_uri())
    rows = page.locator("table.episodes tbody tr")
    expect(rows).to_have_count(4)
    page.locator("select[name=site]").select_option("ebay")
    expect(page.locator("table.episodes tbody tr:visible")).to_have_count(2)
    page.locator("table.episodes tbody tr:visible a").first.click()
    shown = page.locator("article.episode:target")
    expect(shown.get_by_text("nothing was")).to_be_visible()
    assert shown.locator("li.step").count() >= 4
    assert shown.locator("img").first.evaluate(WIDTH) > 300
    before = page.url
    page.keyboard.press("j")
    assert page.url != before
    page.keyboard.press("Escape")
    expect(page.locator("main")).to_be_visible()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert len({url.partition("#")[0] for url in asked if url.startswith("file:")}) == 1


def test_it_can_be_read_without_scripts(browser: Browser, demo: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto((demo / "report.html").as_uri())
    expect(opened.locator("form.filter")).to_be_hidden()
    opened.locator("table.episodes a").first.click()
    expect(opened.locator("article.episode:target")).to_be_visible()
    expect(opened.locator("main")).to_be_hidden()
    context.close()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_axe_finds_nothing_grave(browser: Browser, demo: Path, width: int, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    opened = context.new_page()
    opened.goto((demo / "report.html").as_uri())
    assert grave(opened) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.locator("table.episodes a").first.click()
    assert grave(opened) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_episodes_beside_the_page_open_and_show_their_pictures(page: Page, tmp_path: Path) -> None:
    run = mixed(tmp_path / "run", goals=12)
    assert windowshop("report", run).exit_code == 0
    page.goto((run / "report.html").as_uri())
    page.locator("table.episodes a").first.click()
    expect(page.locator("li.step").first).to_be_visible()
    assert page.locator("img").first.evaluate(WIDTH) > 0
    assert grave(page) == []
    page.get_by_role("link", name="All episodes").click()
    expect(page.locator("table.episodes")).to_be_visible()


def keep(name: str, data: bytes) -> None:
    """Check that a picture shows something, and put it in the docs where that is asked for."""
    with Image.open(io.BytesIO(data)) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 50
        if os.environ.get("WINDOWSHOP_PICTURES"):
            IMAGES.mkdir(parents=True, exist_ok=True)
            picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def test_pictures_of_the_pages_are_taken(browser: Browser, demo: Path) -> None:
    views: list[tuple[str, int, int, Any]] = [
        ("report.png", 1200, 1500, "light"),
        ("report-dark.png", 1200, 800, "dark"),
        ("report-phone.png", 390, 1100, "light"),
    ]
    for name, width, height, scheme in views:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        opened = context.new_page()
        opened.goto((demo / "report.html").as_uri())
        keep(name, opened.screenshot())
        if name == "report.png":
            opened.locator("table.episodes a").last.click()
            keep("episode.png", opened.screenshot())
        context.close()
    with serving("label", demo / "careful", "--annotator", "cleo", "--blind") as (address, _):
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        opened = context.new_page()
        opened.goto(address)
        opened.locator(".todo a").first.click()
        expect(opened.locator("fieldset.current")).to_be_visible()
        for key in "1yy":
            opened.keyboard.press(key)
        expect(opened.locator("#state")).to_have_text("Saved")
        keep("label.png", opened.screenshot())
        context.close()
