"""The simulator's own pages through the adapter of a running server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from windowshop import observe_page
from windowshop.actions import ToItem
from windowshop.adapters import load_site
from windowshop.cli import group
from windowshop.journal import read_journal
from windowshop.safety.policy import judge, own_policy


def test_every_recorded_page_renders_to_the_text_that_the_simulator_gave(shared: Path) -> None:
    texts = {
        (episode["id"], number): (episode["goal"]["instruction_text"], step)
        for episode in map(json.loads, (shared / "golden/text.jsonl").read_text("utf-8").splitlines())
        for number, step in enumerate(episode["steps"])
    }
    pages = 0
    for episode in map(json.loads, (shared / "golden/html.jsonl").read_text("utf-8").splitlines()):
        for number, step in enumerate(episode["steps"]):
            instruction, text = texts[episode["id"], number]
            page = step["observation"].encode()
            seen = observe_page(page, "http://127.0.0.1:3000/", "webshop", "text", instruction)
            assert seen.text == text["observation"], (episode["name"], number)
            assert list(seen.available_actions.clickables) == text["available_actions"]["clickables"]
            pages += 1
    assert pages > 50


class Server(BaseHTTPRequestHandler):
    """Answer with the simulator's recorded pages, under the addresses of its own server."""

    pages: ClassVar[dict[str, str]] = {}
    opened: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        parts = unquote(self.path).split("/")[1:]
        if len(parts) == 1:
            self.opened.append(parts[0])
            key = "index"
        elif parts[0] == "search_results":
            key = f"results {parts[2]} {parts[3]}"
        else:
            key = " ".join([parts[0], parts[2], *(parts[5:6] if parts[0] == "item_sub_page" else [])])
        page = self.pages.get(key) if self.opened else None
        body = (page or "no such page").encode()
        self.send_response(200 if page else 500)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_a_gzipped_page_reads_the_same(shared: Path) -> None:
    episode = json.loads((shared / "golden/html.jsonl").read_text("utf-8").splitlines()[3])
    for step in episode["steps"]:
        page = step["observation"].encode()
        bare, packed = (
            observe_page(body, "http://127.0.0.1:3000/", "webshop") for body in (page, gzip.compress(page))
        )
        assert bare == packed


def by_address(episode: dict[str, Any]) -> dict[str, str]:
    """Return the recorded pages by what their address names."""
    pages = {}
    for step in episode["steps"]:
        parts = step["url"].split("/")[3:]
        if parts[0] == "search_results":
            key = f"results {parts[2]} {parts[3]}"
        elif parts[0] in ("item_page", "item_sub_page"):
            key = " ".join([parts[0], parts[2], *(parts[5:6] if parts[0] == "item_sub_page" else [])])
        else:
            key = "index" if len(parts) == 1 else parts[0]
        pages.setdefault(key, step["observation"])
    return pages


@contextmanager
def simulator(pages: dict[str, str]) -> Iterator[str]:
    """Serve recorded pages as the simulator's server does."""
    Server.pages, Server.opened = pages, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_same_goal_in_the_simulator_and_in_a_shop_by_one_command(shared: Path, tmp_path: Path) -> None:
    episode = json.loads((shared / "golden/html.jsonl").read_text("utf-8").splitlines()[1])
    search = next(one["action"] for one in episode["steps"] if (one["action"] or "").startswith("search["))
    (tmp_path / "script.txt").write_text(f"{search}\nclick[back to search]\n", encoding="utf-8")
    options = ["--agent", f"scripted:{tmp_path / 'script.txt'}", "--transport", "http", "--max-steps", "2"]
    with simulator(by_address(episode)) as base_url:
        sites = ["--site", "webshop", "--site", "amazon", "--base-url", base_url]
        result = CliRunner().invoke(
            group, ["run", "a kettle", *sites, *options, "--out", str(tmp_path / "run")]
        )
        only = CliRunner().invoke(group, ["run", "x", "--site", "amazon", "--base-url", base_url])
    assert result.exit_code == 0, result.output
    assert Server.opened == ["windowshop"]
    steps = list(read_journal(tmp_path / "run/steps.jsonl"))
    seen = {step["url"].split("/")[2] for step in steps if step["step"] == 1}
    assert seen == {base_url.removeprefix("http://"), "www.amazon.com"}
    results = list(read_journal(tmp_path / "run/episodes.jsonl"))
    assert [(one["site"], one["outcome"]) for one in results] == [
        ("webshop", "step_limit"),
        ("amazon", "step_limit"),
    ]
    assert (only.exit_code, "name its --site too" in only.output) == (2, True)


def test_the_same_agent_shops_in_a_running_simulator(shared: Path, tmp_path: Path) -> None:
    text = (shared / "golden/html.jsonl").read_text("utf-8").splitlines()
    rich = (shared / "golden/text_rich.jsonl").read_text("utf-8").splitlines()
    episode = json.loads(text[1])
    wanted = next(e for e in map(json.loads, rich) if e["id"] == episode["id"])
    script = tmp_path / "script.txt"
    script.write_text("\n".join(step["action"] for step in wanted["steps"][1:]), encoding="utf-8")
    with simulator(by_address(episode)) as base_url:
        result = CliRunner().invoke(
            group,
            [
                *("run", wanted["goal"]["instruction_text"], "--site", "webshop", "--max-steps", "30"),
                *("--base-url", base_url),
                *("--agent", f"scripted:{script}", "--out", str(tmp_path / "run"), "--json"),
            ],
        )
    assert json.loads(result.stdout)["outcome"] == "intercepted", result.output
    assert Server.opened == ["windowshop"], "the session is opened once"
    steps = list(read_journal(tmp_path / "run/steps.jsonl"))
    seen = [step["observation"] for step in steps[:-1]]
    assert seen == [step["observation"] for step in wanted["steps"][: len(seen)]]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://www.amazon.com", "not a server of your own"),
        ("http://93.184.216.34:3000", "not a server of your own"),
        ("http://169.254.169.254", "not a server of your own"),
        ("ftp://127.0.0.1", "not an address of a server"),
        ("http://me@127.0.0.1:3000", "only scheme, host and port"),
        ("http://127.0.0.1:3000/search", "only scheme, host and port"),
    ],
)
def test_only_a_server_of_ones_own_can_be_named(url: str, says: str) -> None:
    result = CliRunner().invoke(group, ["run", "x", "--site", "webshop", "--base-url", url])
    assert (result.exit_code, says in result.stderr) == (2, True), result.output


def test_a_server_of_ones_own_opens_no_other_door() -> None:
    site = load_site("webshop", base_url="http://127.0.0.1:3000")
    policy = own_policy("webshop", "http://127.0.0.1:3000", tuple(site.readable))
    assert judge(policy, site.request(ToItem(item_id="B0AAAAAAA1")).url).allowed
    for url, rule in {
        "http://127.0.0.1:3001/windowshop": "origin",
        "https://127.0.0.1:3000/windowshop": "origin",
        "http://localhost:3000/windowshop": "origin",
        "https://www.amazon.com/dp/B000000001": "origin",
        "http://127.0.0.1:3000/done/windowshop/B0AAAAAAA1/%7B%7D": "path",
        "http://127.0.0.1:3000/x/../windowshop": "url.canonical",
    }.items():
        assert judge(policy, url).rule == rule
    assert judge(policy, "http://127.0.0.1:3000/windowshop", "POST").rule == "method"
