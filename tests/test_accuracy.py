"""`windowshop accuracy`: what the command says of a folder of pages, and how well the adapters read them."""

from __future__ import annotations

import gc
import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from selectolax.lexbor import LexborHTMLParser

from windowshop.adapters import load_site
from windowshop.cli.accuracy import command, entries
from windowshop.errors import PageError
from windowshop.scoring.truth import PAGE_KINDS

FLOOR = {"amazon": 0.999, "ebay": 0.999}
"""The least share of values that each site's adapter must read right on the recorded pages."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lay out two pages of Amazon, one of them with no price to read, and one of a shop without adapter."""
    pages = tmp_path / "pages"
    (pages / "amazon" / "truth").mkdir(parents=True)
    lines = [
        {"site": "amazon", "id": "gone", "kind": "notfound", "domain": "www.amazon.de", "year": 2024},
        {"site": "amazon", "id": "bare", "kind": "item", "domain": "www.amazon.com", "year": "2025"},
        {"site": "amazon", "id": "odd", "kind": "item", "domain": "www.amazon.com", "skip_accuracy": True},
        {"site": "cornershop", "id": "x", "kind": "item", "domain": "corner.test", "year": 2024},
    ]
    (pages / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    nothing = b"<!doctype html><html><head><title>x</title></head><body><p>nothing here</p></body></html>"
    (pages / "amazon" / "gone.html").write_bytes(nothing)
    (pages / "amazon" / "bare.html.gz").write_bytes(gzip.compress(nothing))
    truth = {"kind": "item", "item_id": "B000000001", "title": "Lamp", "price": 5.0, "currency": "USD"}
    (pages / "amazon" / "truth" / "bare.json").write_text(json.dumps(truth))
    return pages


def report(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def test_the_command_reads_both_layouts_and_names_what_it_left_out(folder: Path) -> None:
    whole = report(str(folder))
    assert whole["pages"] == 2
    assert whole["left_out"] == ["amazon/odd", "cornershop/x"]
    assert report(str(folder / "amazon"))["pages"] == 2
    assert report(str(folder), "--kind", "item")["pages"] == 1
    assert report(str(folder), "--page", "gone")["pages"] == 1


def test_the_command_groups_by_site_locale_and_year(folder: Path) -> None:
    groups = {
        by: {row["group"] for row in report(str(folder), "--by", by)["rows"]} for by in ("locale", "year")
    }
    assert groups == {"locale": {"amazon de", "amazon us"}, "year": {"amazon 2024", "amazon 2025"}}


def test_the_command_lists_each_disagreement(folder: Path) -> None:
    (title,) = report(str(folder), "--show", "title")["differences"]
    assert title["page"] == "amazon/bare"
    assert (title["verdict"], title["expected"], title["got"]) == ("missing", "Lamp", None)
    fields = {line["field"] for line in report(str(folder), "--wrong")["differences"]}
    assert {"item_id", "title", "price"} <= fields
    shown = CliRunner().invoke(command, [str(folder), "--show", "title"])
    assert "amazon/bare  title  missing" in shown.output
    assert "cornershop" in shown.output


def test_a_floor_that_is_missed_exits_1(folder: Path) -> None:
    missed = CliRunner().invoke(command, [str(folder), "--floor", "0.99"])
    assert missed.exit_code == 1
    assert "99.00%" in missed.output
    assert CliRunner().invoke(command, [str(folder), "--floor", "0", "--no-invented-prices"]).exit_code == 0


def test_a_folder_without_manifest_is_a_usage_error(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert done.exit_code == 2
    assert "manifest.jsonl" in done.output


@pytest.fixture(scope="module")
def measured(shared: Path) -> dict[str, Any]:
    return report(str(shared / "pages"))


def test_the_recorded_pages_are_all_compared_or_left_out(shared: Path, measured: dict[str, Any]) -> None:
    listed = entries(shared / "pages")
    assert measured["pages"] + len(measured["left_out"]) == len(listed)
    kinds = [row for row in measured["rows"] if row["field"] == "kind"]
    assert {row["kind"] for row in kinds} == set(PAGE_KINDS.values())
    assert sum(row["pages"] for row in kinds) == measured["pages"]
    tiles = [row for row in measured["rows"] if row["field"] == "tile"]
    assert sum(row["right"] + row["missing"] for row in tiles) > 1000


@pytest.mark.parametrize("site", FLOOR)
def test_each_site_keeps_its_floor(site: str, measured: dict[str, Any]) -> None:
    rows = [row for row in measured["rows"] if row["group"] == site]
    right = sum(row["right"] for row in rows)
    values = right + sum(row[outcome] for row in rows for outcome in ("wrong", "missing", "invented"))
    assert values > 0
    assert right / values >= FLOOR[site]


def test_a_page_that_was_read_leaves_no_tree_in_memory(shared: Path) -> None:
    def trees() -> int:
        return sum(type(kept) is LexborHTMLParser for kept in gc.get_objects())

    pages = [page for page in entries(shared / "pages") if page.site in ("amazon", "ebay", "woo")]
    gc.collect()
    gc.disable()
    try:
        before = trees()
        for page in pages[::6]:
            with suppress(PageError):
                load_site(page.site, page.locale).parse(page.response())
        assert trees() == before
    finally:
        gc.enable()
