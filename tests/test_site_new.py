"""`windowshop site new`: what it writes is a package that works, and its tests can fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner, Result
from loopback import Answer, Site, Visit

from windowshop.cli import group
from windowshop.journal import read_journal

ITEM = """<!doctype html><html><head><title>%s</title><meta property="og:title" content="%s"></head>
<body><h1>%s</h1><p class="price">$%s</p><div class="description">A %s for every day.</div></body></html>"""
TEAS = {"green-tea": ("Green tea", "4.50"), "black-tea": ("Black tea", "3.20")}


def windowshop(*args: str | Path) -> Result:
    return CliRunner().invoke(group, [*map(str, args)])


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as `site new` wrote it, installed as `pip install -e` would."""
    folder = tmp_path / "windowshop-teashop"
    made = windowshop("site", "new", "teashop", "--out", folder)
    assert made.exit_code == 0, made.output
    installed = folder / "windowshop_teashop-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: windowshop-teashop\nVersion: 0.1.0\n")
    (installed / "entry_points.txt").write_text(
        "[windowshop.sites]\nteashop = windowshop_teashop:site\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(folder))
    return folder


def found(visit: Visit) -> Answer:
    words = parse_qs(visit.query)["q"][0].split()
    tiles = "".join(
        f'<div class="product"><h2><a href="/product/{slug}/">{title}</a></h2>'
        f'<b class="price">${price}</b></div>'
        for slug, (title, price) in TEAS.items()
        if any(word in title.lower() for word in words)
    )
    return Answer(f"<!doctype html><title>found</title><main>{tiles}</main>".encode())


def teashop() -> Site:
    items = {
        f"/product/{slug}/": Answer((ITEM % (title, title, title, price, title)).encode())
        for slug, (title, price) in TEAS.items()
    }
    return Site({"/search/": found, **items}, tls=False)


def test_an_agent_shops_with_a_new_adapter_as_it_was_written(package: Path, tmp_path: Path) -> None:
    script, run = tmp_path / "script.txt", tmp_path / "run"
    script.write_text("search[black]\nclick[black-tea]\nclick[buy now]\n")
    with teashop() as shop:
        base_url = f"http://127.0.0.1:{shop.port}"
        result = windowshop(
            *("run", "tea", "--site", "teashop", "--base-url", base_url),
            *("--agent", f"scripted:{script}", "--out", run),
        )
    assert result.exit_code == 0, result.output
    (intent,) = read_journal(run / "purchases.jsonl")
    assert (intent["title"], intent["unit_price"]["amount"]) == ("Black tea", 3.2)
    assert set(shop.hits) == {"/search/", "/product/black-tea/"}


def test_a_captured_case_is_held_by_the_tests_that_were_written(package: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(ITEM % (("Green tea",) * 3 + ("4.50", "Green tea")))
    kept = windowshop(
        *("site", "capture", page, "--site", "teashop", "--url", "http://127.0.0.1:8000/product/green-tea/"),
        *("--out", package / "cases" / "item"),
    )
    assert kept.exit_code == 0, kept.output
    assert '"amount": 4.5' in (package / "cases" / "item" / "expected.json").read_text("utf-8")
    assert checked(package) == 0
    module = package / "windowshop_teashop.py"
    module.write_text(module.read_text("utf-8").replace('words(".price")', 'words(".cost")'), "utf-8")
    assert checked(package) == 1


def checked(package: Path) -> int:
    """Run the tests of the package by themselves; return pytest's exit code."""
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
    command = [sys.executable, "-m", "pytest", *options, str(package)]
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=package, env=bare, capture_output=True, timeout=120).returncode


@pytest.mark.parametrize("name", ["Tea", "t", "tea-shop", "../tea", "amazon", "webshop"])
def test_a_name_that_is_none_or_taken_is_said(name: str, tmp_path: Path) -> None:
    result = windowshop("site", "new", name, "--out", tmp_path / "new")
    assert result.exit_code == 2 and repr(name) in result.output
    assert not (tmp_path / "new").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("mine")
    result = windowshop("site", "new", "teashop", "--out", tmp_path)
    assert result.exit_code == 2 and "not empty" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
