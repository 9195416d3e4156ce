"""`windowshop label` in a real Chromium: by keyboard, blind, with others, and through a dying server."""

from __future__ import annotations

import html
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner, Result
from made_runs import MadeRun, deepshop, kettle
from playwright.sync_api import Browser, Page, expect, sync_playwright

from windowshop.cli import group
from windowshop.journal import read_journal
from windowshop.transports.chromium import find_browser, may_use_sandbox


def windowshop(*args: str | Path) -> Result:
    return CliRunner().invoke(group, [*map(str, args)])


@contextmanager
def serving(*args: str | Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a verb that serves pages; yield its address and its process."""
    command = [sys.executable, "-m", "windowshop", *map(str, args), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, line + process.stderr.read()
            yield found[0], process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = find_browser()
    assert found is not None, "these tests need a Chromium"
    flags = [] if may_use_sandbox() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found[0], args=flags)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None
    )
    yield opened
    context.close()
    assert problems == []


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "secret-agent-run"
    with MadeRun(path) as made:
        for number in range(3):
            made.episode(kettle(number), agent="clever-agent")
        made.episode(deepshop(9, filter="rated 4+"), agent="clever-agent")
    windowshop("score", path)
    return path


def labels(run: Path) -> list[dict[str, Any]]:
    return list(read_journal(run / "labels.jsonl"))


@pytest.mark.browser
def test_an_episode_is_answered_by_keyboard_alone(page: Page, run: Path) -> None:
    with serving("label", run) as (address, _):
        page.goto(address)
        page.keyboard.type("ana")
        page.keyboard.press("Enter")
        page.wait_for_url("**/as/ana/")
        page.get_by_role("link", name="Begin").click()
        expect(page.get_by_text("Red ceramic kettle, dishwasher safe").first).to_be_visible()
        expect(page.locator("fieldset.current")).to_be_visible()
        first = page.url
        for key in ("1", "y", "n", "u", "y", "y"):
            page.keyboard.press(key)
        page.keyboard.press("k")
        page.keyboard.press("n")
        page.keyboard.press("n")
        expect(page.locator("#state")).to_have_text("Saved")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: url != first)
        page.keyboard.press("p")
        page.wait_for_url(first)
        checked = {
            box.get_attribute("name"): box.get_attribute("value")
            for box in page.locator("input:checked").all()
        }
    assert checked == {
        "type": "1",
        "attribute:0": "yes",
        "attribute:1": "no",
        "option:0": "unknown",
        "price": "yes",
        "aspect:attribute": "no",
        "aspect:filter": "no",
    }
    last = {label["question"]: label["value"] for label in labels(run)}
    assert last == checked
    assert {(label["annotator"], label["episode"], label["blind"]) for label in labels(run)} == {
        ("ana", "amazon-clever-agent-0-0", False)
    }


@pytest.mark.browser
def test_nothing_is_lost_when_the_server_dies_and_comes_back(page: Page, run: Path) -> None:
    with serving("label", run, "--annotator", "ana") as (address, process):
        port = int(address.rsplit(":", 1)[1].strip("/"))
        page.goto(address)
        page.get_by_role("link", name="Begin").click()
        expect(page.locator("fieldset.current")).to_be_visible()
        page.keyboard.press("1")
        page.keyboard.press("y")
        expect(page.locator("#state")).to_have_text("Saved")
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.keyboard.press("n")
        page.keyboard.press("y")
        expect(page.locator("#state")).to_contain_text("2 answers are kept here")
    assert len(labels(run)) == 2
    with serving("label", run, "--annotator", "ana", port=port):
        expect(page.locator("#state")).to_have_text("Saved", timeout=15_000)
        assert [label["value"] for label in labels(run)] == ["1", "yes", "no", "yes"]


@pytest.mark.browser
def test_nothing_is_lost_when_the_browser_dies(browser: Browser, run: Path) -> None:
    with serving("label", run, "--annotator", "ana") as (address, _):
        for place, key in enumerate("1yn"):
            context = browser.new_context()
            opened = context.new_page()
            opened.goto(address)
            opened.get_by_role("link", name="Begin" if place == 0 else re.compile("Begin|Go on")).click()
            expect(opened.locator("fieldset.current")).to_have_attribute(
                "data-question", ("type", "attribute:0", "attribute:1")[place]
            )
            opened.keyboard.press(key)
            expect(opened.locator("#state")).to_have_text("Saved")
            context.close()
    assert [label["value"] for label in labels(run)] == ["1", "yes", "no"]


@pytest.mark.browser
def test_blind_hides_the_agent_and_mixes_the_order(page: Page, run: Path) -> None:
    with serving("label", run, "--blind") as (address, _):
        orders = []
        for who in ("ana", "ben", "cleo", "dan"):
            page.goto(f"{address}as/{who}/")
            orders.append([link.get_attribute("href") for link in page.locator(".todo a").all()])
            assert "clever-agent" not in page.content()
        page.goto(f"{address}as/ana/{orders[0][0]}")
        assert "clever-agent" not in page.content() and "secret-agent" not in page.content()
        assert "not offered" not in page.content() and "Eq. 1" not in page.content()
    assert len({tuple(order) for order in orders}) > 1
    assert len({frozenset(order) for order in orders}) == 1
    with serving("label", run) as (address, _):
        page.goto(f"{address}as/ana/{orders[0][0]}")
        assert "clever-agent" in page.content()
        assert page.locator("table.parts").count() == 0, "the scores would sway the annotator"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_the_pages_are_accessible(browser: Browser, run: Path, width: int, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    opened = context.new_page()
    with serving("label", run) as (address, _):
        for path in ("", "as/ana/"):
            opened.goto(address + path)
            assert grave(opened) == []
        opened.get_by_role("link", name="Begin").click()
        assert grave(opened) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def grave(page: Page) -> list[str]:
    """Name what axe finds serious or critical."""
    options = {"resultTypes": ["violations"], "preload": False}  # axe is not to fetch what the page would not
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_without_scripts_the_form_works_as_well(run: Path) -> None:
    with serving("label", run) as (address, _), httpx.Client(base_url=address) as client:
        listed = client.get("/as/ana/").text
        key = re.search(r'class="go" href="(\w+)"', listed)[1]  # type: ignore[index]
        origin = {"origin": address.rstrip("/")}
        sent = client.post(f"/as/ana/{key}", data={"type": "1", "price": "no"}, headers=origin)
        assert (sent.status_code, sent.headers["location"].startswith("./")) == (303, True)
        assert 'value="no" checked' in client.get(f"/as/ana/{key}").text
    assert [(label["question"], label["value"]) for label in labels(run)] == [("type", "1"), ("price", "no")]


def test_only_this_machine_and_our_own_pages_are_listened_to(run: Path) -> None:
    with serving("label", run) as (address, _), httpx.Client(base_url=address) as client:
        key = re.search(r'href="(\w{12})"', client.get("/as/ana/").text)[1]  # type: ignore[index]
        path, answer = f"/as/ana/{key}", {"type": "1"}
        assert client.get("/", headers={"host": "evil.test"}).status_code == 403
        assert client.post(path, json=answer).status_code == 403
        assert client.post(path, json=answer, headers={"origin": "https://evil.test"}).status_code == 403
        own = {"origin": address.rstrip("/")}
        assert client.post(path, json=[1], headers=own).status_code == 422
        assert (
            client.post(path, content=b"{", headers={**own, "content-type": "application/json"}).status_code
            == 422
        )
        refused = client.post(path, json={"type": "7", "nothing": "yes", "price": "yes"}, headers=own)
        assert (refused.status_code, sorted(refused.json()["refused"])) == (422, ["nothing", "type"])
        assert client.get("/screenshot/0/..%2F..%2Frun.json").status_code == 404
        assert client.get("/as/ana/000000000000").status_code == 404
        assert client.get("/?name=%3Cscript%3E").status_code == 422
        assert "script-src 'sha256-" in html.unescape(client.get(path).text)
    assert [(label["question"], label["value"]) for label in labels(run)] == [("price", "yes")]


def test_several_annotators_at_the_same_time_lose_nothing(run: Path) -> None:
    with serving("label", run) as (address, _):
        listed = httpx.get(f"{address}as/x/").text
        keys = list(dict.fromkeys(re.findall(r'href="(\w{12})"', listed)))

        def work(who: str) -> None:
            with httpx.Client(base_url=address, headers={"origin": address.rstrip("/")}) as client:
                for key in keys:
                    for value in ("yes", "no"):
                        assert (
                            client.post(f"/as/{who}/{key}", json={"aspect:attribute": value}).status_code
                            == 200
                        )

        threads = [threading.Thread(target=work, args=(f"p{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(labels(run)) == 4 * len(keys) * 2
    assert {label["annotator"] for label in labels(run)} == {"p0", "p1", "p2", "p3"}


def test_labels_go_out_and_come_in_as_csv_and_json_lines(run: Path, tmp_path: Path) -> None:
    with serving("label", run) as (address, _):
        key = re.search(r'href="(\w{12})"', httpx.get(f"{address}as/ana/").text)[1]  # type: ignore[index]
        origin = {"origin": address.rstrip("/")}
        httpx.post(f"{address}as/ana/{key}", json={"type": "0.5", "price": "unknown"}, headers=origin)
    before = labels(run)
    for name in ("out.csv", "out.jsonl"):
        assert windowshop("label", run, "--export", tmp_path / name).exit_code == 0
        (run / "labels.jsonl").unlink()
        assert "2 labels added, 0 were" in windowshop("label", run, "--import", tmp_path / name).stdout
        assert labels(run) == before
        assert "0 labels added, 2 were" in windowshop("label", run, "--import", tmp_path / name).stdout
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "episode,annotator,question,value,blind,at"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.csv", "episode,annotator\n1,2\n", "no column at, question, value"),
        ("x.jsonl", "{", "x.jsonl:1 is not JSON"),
        ("x.jsonl", json.dumps({"episode": "e"}), "x.jsonl:1 is no label"),
        (
            "x.csv",
            "episode,annotator,question,value,at\nnope,a,price,yes,2026-01-01T00:00:00Z\n",
            "labels episodes that",
        ),
    ],
)
def test_a_bad_file_of_labels_is_named(run: Path, tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    result = windowshop("label", run, "--import", tmp_path / name)
    assert (result.exit_code, says in result.stderr) == (2, True), result.stderr
    assert not (run / "labels.jsonl").exists()


def test_a_port_that_is_taken_is_said(run: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = windowshop("label", run, "--port", str(taken.getsockname()[1]))
    assert (result.exit_code, "choose another with --port" in result.stderr) == (2, True)
