"""`parse` and `observe` on good pages and on whatever else a file may hold."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from windowshop import observe_page, parse_page
from windowshop.actions import ToItem, ToResults
from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.demo import Shop, catalogue
from windowshop.errors import ConfigError
from windowshop.runs.stack import Origin
from windowshop.transports.http import HttpTransport
from windowshop.transports.last_hop import LastHop


def windowshop(*args: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(group, [*map(str, args)], input=stdin)


@pytest.fixture(scope="module")
def item() -> Iterator[bytes]:
    """Return a page of the demo shop in Amazon's markup."""
    with Shop() as shop:
        host, port = shop.address
        hop = Origin(last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem)).last_hop
        with HttpTransport("test", last_hop=hop) as http:
            yield http.fetch(load_site("amazon").request(ToItem(item_id=catalogue()[0].asin))).body


BAD = {
    "empty": (b"", 7, "the page is empty"),
    "blank": (b" \n\t ", 7, "the page is empty"),
    "not-html": (b"just some words", 7, "not HTML"),
    "json": (b'{"asin": "B000000001"}', 7, "not HTML"),
    "binary": (bytes(range(256)) * 9, 7, ""),
    "20-megabytes": (b"<html>" + b"<p>x</p>" * 2_500_000, 7, "more than 16000000 bytes"),
    "100000-divs": (b"<html>" + b"<div>" * 100_000, 7, "deep"),
    "100000-attributes": (
        b"<title>Amazon.com</title><a " + b" ".join(b"a%d" % n for n in range(100_000)) + b">",
        7,
        "to parse",
    ),
    "broken-gzip": (b"\x1f\x8b\x08" + b"x" * 50, 7, "gzip"),
    "captcha": (
        b"<html><title>Amazon.com</title><form action='/errors/validateCaptcha'>"
        b"<h4>Enter the characters you see below</h4></form></html>",
        3,
        "challenge (captcha)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_bytes_are_named_with_an_exit_code(name: str, tmp_path: Path) -> None:
    body, code, says = BAD[name]
    path = tmp_path / name
    path.write_bytes(body)
    result = windowshop("observe", path, "--site", "amazon")
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert says in result.stderr
    assert result.stderr.count("\n") == 1, "one line says it"


def test_a_captcha_parses_to_a_challenge(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(BAD["captcha"][0])
    page = json.loads(windowshop("parse", path, "--site", "amazon").stdout)
    assert (page["kind"], page["reason"]) == ("challenge", "captcha")


def test_a_page_is_read_from_a_file_a_gzip_or_standard_input(item: bytes, tmp_path: Path) -> None:
    plain, packed = tmp_path / "page.html", tmp_path / "page.html.gz"
    plain.write_bytes(item)
    packed.write_bytes(gzip.compress(item))
    facts = [
        json.loads(result.stdout)
        for result in (
            windowshop("parse", plain, "--site", "amazon"),
            windowshop("parse", packed, "--site", "amazon"),
            windowshop("parse", "-", "--site", "amazon", stdin=item),
        )
    ]
    assert facts[0] == facts[1] == facts[2]
    assert facts[0]["item_id"] == catalogue()[0].asin


def test_an_observation_is_the_simulators_text(item: bytes, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(item)
    result = windowshop("observe", path, "--site", "amazon", "--instruction", "a lamp", "--text")
    assert result.stdout.startswith("Instruction:\na lamp\n[button] Back to Search [button_]\n")
    assert result.stdout.endswith("[button] Reviews [button_]\n[button] Buy Now [button_]\n")
    seen = json.loads(windowshop("observe", path, "--site", "amazon", "--mode", "text").stdout)
    assert " [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now" in seen["text"]
    assert seen["available_actions"]["clickables"][:2] == ["back to search", "< prev"]


def test_the_library_and_the_command_say_the_same(item: bytes, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(item)
    url = "https://www.amazon.com/dp/" + catalogue()[0].asin
    page = parse_page(item, url, "amazon")
    assert page.model_dump(mode="json") == json.loads(windowshop("parse", path, "--site", "amazon").stdout)
    assert observe_page(item, url, "amazon").text.count("[button]") > 6
    with pytest.raises(ConfigError, match=r"www\.ebay\.com is not a host of amazon"):
        parse_page(item, "https://www.ebay.com/itm/123456789012", "amazon")


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_real_pages_read_like_the_simulators_own(shared: Path, site: str) -> None:
    name = {"amazon": "us-results-mamun-sunscreen", "ebay": "tomwang-ebay"}[site]
    result = windowshop("observe", shared / f"pages/{site}/{name}.html.gz", "--site", site, "--text")
    lines = result.stdout.splitlines()
    assert lines[:4] == [
        "Instruction:",
        "[button] Back to Search [button_]",
        "Page 1 (Total results: 50)",
        "[button] Next > [button_]",
    ]
    blocks = result.stdout.split("\n\n")[1:]
    assert len(blocks) == 10
    assert all(len(block.strip().splitlines()) == 3 for block in blocks)


def test_an_unknown_site_is_a_usage_error(item: bytes, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(item)
    result = windowshop("parse", path, "--site", "shop")
    assert (result.exit_code, "known sites: amazon, ebay" in result.stderr) == (2, True)


def test_sites_and_their_requests_agree() -> None:
    rows = json.loads(windowshop("sites", "--json").stdout)
    assert {"amazon", "ebay", "webshop", "woocommerce"} <= {row["site"] for row in rows}
    for row in (row for row in rows if row["host"] is not None):
        request = load_site(row["site"], row["locale"]).request(ToResults(query="lamp"))
        assert request.url.startswith(f"https://{row['host']}/")
