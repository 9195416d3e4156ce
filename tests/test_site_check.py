"""The alarm for a drifting layout, and the case that is kept of a page: without secrets, read the same."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from windowshop.adapters import load_site
from windowshop.adapters.markup import plain
from windowshop.cli import group
from windowshop.cli.accuracy import entries
from windowshop.demo import Shop
from windowshop.errors import PageError
from windowshop.runs.capture import capture
from windowshop.runs.drift import load_baseline
from windowshop.runs.stack import Origin
from windowshop.runs.survey import Survey, survey
from windowshop.transports.last_hop import LastHop
from windowshop.transports.pace import DELAY, Pace
from windowshop.transports.warc import write_info, write_page
from windowshop.wire import Request, Response

CANARIES = (
    "anna.smith@example.org", "Anna", "90210", "131-1234567-7654321", "133-7654321-1234567", "c5rf-abcdef",
    "a2z-tok-xyz", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl", "cust-A1B2C3", "sess-cookie-9",
)  # fmt: skip
PLANTED = """<div id="nav-link-accountList"><span class="nav-line-1">Hello, Anna</span></div>
<span id="glow-ingress-line2" aria-label="Anna, 90210">Beverly Hills 90210</span><p>Hello, Anna</p>
<a href="mailto:anna.smith@example.org">write</a><i data-name="Anna">Anna's lists</i>
<input type="hidden" name="session-id" value="131-1234567-7654321"><b data-csrf-token='c5rf-abcdef'></b>
<meta name="anti-csrftoken-a2z" content="a2z-tok-xyz">
<form action="/x?csrf=c5rf-abcdef&amp;ubid-main=133-7654321-1234567">
<input value='a2z-tok-xyz' type=hidden name=anti-csrftoken-a2z></form>
<script>var ue_sid='131-1234567-7654321';P.when('A').execute({"customerId":"cust-A1B2C3","zipCode":"90210"});
document.cookie="session-token=sess-cookie-9; ubid=133-7654321-1234567";
x={\\"csrfToken\\":\\"c5rf-abcdef\\"};y="eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl"</script>"""


def windowshop(*args: str | Path) -> Result:
    return CliRunner().invoke(group, [*map(str, args)])


def copy_items(shared: Path, folder: Path, change: Callable[[bytes], bytes], kind: str = "item") -> None:
    for page in entries(shared / "pages"):
        if page.site == "amazon" and page.kind == kind:
            folder.joinpath(f"{page.id}.html.gz").write_bytes(gzip.compress(change(page.response().body), 1))


def alarms(result: Result) -> set[str]:
    return {alarm["field"] for alarm in json.loads(result.stdout)["alarms"]}


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_the_pages_of_the_baseline_raise_no_alarm(shared: Path, site: str) -> None:
    result = windowshop("site", "check", site, shared / "pages")
    assert (result.exit_code, "no alarm" in result.stdout) == (0, True)
    now = json.loads(windowshop("site", "check", site, shared / "pages", "--json").stdout)["kinds"]
    assert now == {kind: figures.model_dump(mode="json") for kind, figures in load_baseline(site).items()}


def test_some_of_the_pages_raise_no_alarm(shared: Path, tmp_path: Path) -> None:
    whole = sorted((shared / "pages/ebay").glob("*.html.gz"))
    for part in range(3):
        folder = tmp_path / str(part)
        folder.mkdir()
        for path in whole[part::3]:
            shutil.copy(path, folder)
        result = windowshop("site", "check", "ebay", folder)
        assert result.exit_code == 0, result.stdout


def test_a_field_that_is_gone_from_the_pages_is_an_alarm(shared: Path, tmp_path: Path) -> None:
    copy_items(shared, tmp_path, lambda body: body.replace(b"acrCustomerReviewText", b"acrNew"))
    result = windowshop("site", "check", "amazon", tmp_path, "--json")
    assert result.exit_code == 1
    assert alarms(result) == {"review_count"}
    assert "ALARM  item review_count" in windowshop("site", "check", "amazon", tmp_path).stdout


def test_a_fall_within_the_tolerance_is_none(shared: Path, tmp_path: Path) -> None:
    copy_items(shared, tmp_path, lambda body: body.replace(b"landingImage", b"newImage"))
    assert alarms(windowshop("site", "check", "amazon", tmp_path, "--json")) == {"image"}
    assert windowshop("site", "check", "amazon", tmp_path, "--tolerance", "1").exit_code == 0


def test_a_field_that_comes_from_elsewhere_on_most_pages_is_an_alarm(shared: Path, tmp_path: Path) -> None:
    copy_items(shared, tmp_path, lambda body: body.replace(b'id="productTitle"', b'id="btAsinTitle"'))
    result = windowshop("site", "check", "amazon", tmp_path)
    assert result.exit_code == 1
    assert "item title: comes from '#btAsinTitle'" in result.stdout


def test_pages_that_are_no_longer_understood_are_an_alarm(shared: Path, tmp_path: Path) -> None:
    copy_items(shared, tmp_path, lambda body: b"<title>Amazon</title><div>" + body[-2000:])
    result = windowshop("site", "check", "amazon", tmp_path, "--json")
    assert result.exit_code == 1 and "understood" in alarms(result)


def test_one_odd_page_is_no_alarm(shared: Path, tmp_path: Path) -> None:
    copy_items(shared, tmp_path, lambda body: body.replace(b"acrCustomerReviewText", b"acrNew"))
    for path in sorted(tmp_path.iterdir())[1:]:
        path.unlink()
    assert windowshop("site", "check", "amazon", tmp_path).exit_code == 0


def test_the_recording_of_a_run_is_checked_too(shared: Path, tmp_path: Path) -> None:
    page = next(p for p in entries(shared / "pages") if p.site == "amazon" and p.kind == "item")
    response = page.response().model_copy(update={"url": "https://www.amazon.com.br/dp/B000000001"})
    records = write_info({}) + write_page(Request(url=response.url), response)
    (tmp_path / "pages.warc.gz").write_bytes(records)
    figures = json.loads(windowshop("site", "check", "amazon", tmp_path, "--json").stdout)["kinds"]
    assert figures["item"]["pages"] == 1
    assert windowshop("site", "check", "ebay", tmp_path).exit_code == 2, "nothing of eBay's is in it"


def test_a_folder_without_pages_is_a_usage_error(tmp_path: Path) -> None:
    result = windowshop("site", "check", "amazon", tmp_path)
    assert (result.exit_code, "no page of amazon" in result.stderr) == (2, True)


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_every_captured_page_is_read_as_before(shared: Path, tmp_path: Path, site: str) -> None:
    for page in entries(shared / "pages"):
        if page.site != site:
            continue
        adapter, response = load_site(site, page.locale), page.response()
        case = capture(adapter, response, tmp_path / page.id)
        kept = gzip.decompress((tmp_path / page.id / "page.html.gz").read_bytes())
        try:
            before = adapter.parse(response).model_dump_json()
            again = adapter.parse(response.model_copy(update={"body": kept})).model_dump_json()
        except PageError as error:
            assert case.error is not None and case.error["message"] == str(error)
            continue
        # a session number in the address of an older tile is a secret too
        assert again == re.sub(r"\d{3}-\d{7}-\d{7}", "000-0000000-0000000", before), page.id
        assert json.loads((tmp_path / page.id / "expected.json").read_text("utf-8")) == json.loads(again)
        assert abs(len(re.findall(rb"<\w", kept)) - len(re.findall(rb"<\w", plain(response.body)))) < 2000


def test_what_tells_of_a_person_is_gone(shared: Path, tmp_path: Path) -> None:
    page = next(p for p in entries(shared / "pages") if p.site == "amazon" and p.kind == "item")
    body = re.sub(
        rb"(<body[^>]*>)", rb"\1" + PLANTED.encode().replace(b"\\", b"\\\\"), page.response().body, count=1
    )
    assert all(canary.encode() in body for canary in CANARIES)
    (tmp_path / "page.html").write_bytes(body)
    result = windowshop(
        "site", "capture", tmp_path / "page.html", "--site", "amazon", "--out", tmp_path / "case"
    )
    assert result.exit_code == 0, result.stderr
    kept = gzip.decompress((tmp_path / "case/page.html.gz").read_bytes())
    assert [canary for canary in CANARIES if canary.encode() in kept] == []
    assert not re.search("|".join(map(re.escape, CANARIES)), (tmp_path / "case/meta.json").read_text("utf-8"))
    assert b'id="nav-link-accountList"' in kept and b'name="anti-csrftoken-a2z"' in kept


def test_a_page_that_cannot_be_read_is_kept_with_the_field_and_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    body = b'<title>Amazon.com</title><span id="productTitle">Kettle</span><p>to anna.smith@example.org</p>'
    (tmp_path / "page.html").write_bytes(body)
    out = tmp_path / "case"
    windowshop("site", "capture", tmp_path / "page.html", "--site", "amazon", "--out", out)
    meta = json.loads((out / "meta.json").read_text())
    assert meta["kind"] is None
    assert meta["error"]["type"] == "MissingField" and meta["error"]["field"] == "item_id"
    assert "#ASIN" in meta["error"]["selector"]
    assert b"anna" not in gzip.decompress((out / "page.html.gz").read_bytes())
    again = windowshop("site", "capture", tmp_path / "page.html", "--site", "amazon", "--out", out)
    assert (again.exit_code, "not empty" in again.stderr) == (2, True)


def test_a_captured_page_can_be_checked(tmp_path: Path) -> None:
    body = b'<title>Amazon</title><span id="productTitle">Kettle</span><input id="ASIN" value="B000000001">'
    url = "https://www.amazon.de/dp/B000000001/ref=x/131-1234567-7654321?session-id=1&th=1"
    response = Response(url=url, status=200, body=body, transport="test", at=datetime.now(UTC))
    case = capture(load_site("amazon", "de"), response, tmp_path / "case")
    bare = "https://www.amazon.de/dp/B000000001/ref=x/000-0000000-0000000?th=1"
    assert (case.url, case.locale, case.changed) == (bare, "de", ())
    figures = json.loads(windowshop("site", "check", "amazon", tmp_path, "--json").stdout)["kinds"]
    assert figures["item"]["pages"] == 1


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_a_survey_is_recorded_and_checked_the_same_again(tmp_path: Path, site: str) -> None:
    queries = ("--query", "kettle", "--query", "shoes", "--items", "2")
    first = windowshop("site", "check", site, "--demo", *queries, "--out", tmp_path / "day", "--json")
    kinds = json.loads(first.stdout)["kinds"]
    assert {kind: kinds[kind]["pages"] for kind in kinds} == {"results": 2, "item": 4, "page": 6}
    assert kinds["item"]["fields"]["price"]["pages"] == 4
    again = windowshop("site", "check", site, tmp_path / "day", "--json")
    assert (again.exit_code, json.loads(again.stdout)) == (first.exit_code, json.loads(first.stdout))
    written = (tmp_path / "day/audit.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["verdict"] for line in written] == ["allow"] * 6


@pytest.mark.parametrize("site", ["amazon", "ebay"])
def test_a_shop_that_blocks_a_survey_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    monkeypatch.setattr("windowshop.demo.Shop", partial(Shop, challenge_after=2))
    result = windowshop("site", "check", site, "--demo", "--query", "kettle", "--out", tmp_path)
    assert result.exit_code == 3
    assert "after 2 pages" in result.stderr
    assert (
        json.loads(windowshop("site", "check", site, tmp_path, "--json").stdout)["kinds"]["page"]["pages"]
        == 3
    )


def test_a_live_survey_asks_for_the_rules_first_and_keeps_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("windowshop.transports.hosts.SHARED_PACE", Pace(sleep=waits.append))
    site, wanted = load_site("ebay"), Survey(queries=("kettle",), items=1)
    with Shop() as shop:
        host, port = shop.address
        origin = Origin(is_live=True, last_hop=LastHop(host=host, port=port, ca_pem=shop.ca_pem))
        pages = list(survey(site, wanted, origin, tmp_path, "http", "you@example.org"))
    assert [urlsplit(page.url).path.split("/")[1] for page in pages] == ["sch", "itm"]
    assert shop.counters == {"ebay:robots": 1, "ebay:results": 1, "ebay:item": 1}
    assert len(waits) == 2
    assert min(waits) > DELAY - 1


@pytest.mark.parametrize("wrong", [("--live", "--demo"), ("--live", "."), ("--demo", "--update")])
def test_a_survey_takes_no_pages_from_elsewhere(wrong: tuple[str, ...]) -> None:
    assert windowshop("site", "check", "amazon", *wrong).exit_code == 2
