"""Record, replay, diff, merge, import: the pages of one run under any agent, and nothing guessed."""

from __future__ import annotations

import base64
import gzip
import json
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gated import GatedShop
from test_batch import TASKS, plan_of, run
from test_run import demo, windowshop

from windowshop.cli import group
from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.journal import read_journal
from windowshop.runs.recordings import Recording, captures, read_about, save, save_run
from windowshop.transports.har import read_har
from windowshop.transports.recording import PAGES
from windowshop.transports.replay import Replay
from windowshop.wire import Request, Response

TIMES = ("at", "seconds", "agent_seconds")
GRID = ("--tasks", "demo", "--limit", "3", "--site", "amazon", "--site", "ebay", "--agent", "rule")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, where `runs/` and `recordings/` will lie."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fine(*args: str | Path) -> Result:
    result = windowshop(*args)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result


def timeless(path: Path) -> bytes:
    """Return the steps as they stand, without the values of the times."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return b"\n".join(json.dumps({**line, **dict.fromkeys(TIMES)}).encode() for line in lines)


def refuse_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


def test_two_replays_of_a_run_are_the_same_bytes_but_for_the_times(monkeypatch: pytest.MonkeyPatch) -> None:
    demo(Path("runs/first"), *GRID, "--agent", "random", "--repeats", "2", "--workers", "4")
    refuse_sockets(monkeypatch)
    for name in ("one", "two"):
        fine("replay", "runs/first", "--out", f"runs/{name}")
    one, two = (Path(f"runs/{name}/steps.jsonl") for name in ("one", "two"))
    assert timeless(one) == timeless(two)
    assert one.read_bytes().count(b"\n") > 30
    keys = [list(json.loads(line)) for line in one.read_text().splitlines()]
    assert keys == [list(json.loads(line)) for line in two.read_text().splitlines()]
    assert fine("diff", "runs/first", "runs/one").stdout == "24 the same\n"


def test_a_recording_is_kept_without_its_run_and_replayed_by_another_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demo(Path("runs/first"), *GRID)
    assert "12 pages, 3 tasks" in fine("record", "runs/first", "shirts").stdout
    for path in sorted(Path("runs").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    refuse_sockets(monkeypatch)
    fine("replay", "shirts", "--out", "runs/again")
    Path("back.txt").write_text("search[nothing that was recorded]\n")
    result = windowshop("replay", "shirts", "--agent", "scripted:back.txt", "--out", "runs/other", "--json")
    assert result.exit_code == 6
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert {line["outcome"] for line in told} == {"replay_miss"}
    assert all("nearest: https://www." in line["reason"] for line in told)
    listed = [json.loads(line) for line in fine("recordings", "--json").stdout.splitlines()]
    assert [(one["name"], one["pages"], one["sites"]) for one in listed] == [
        ("shirts", 12, ["amazon", "ebay"])
    ]
    assert fine("recordings", "--site", "walmart").stdout == ""
    taken = windowshop("record", "runs/again", "shirts")
    assert (taken.exit_code, "is there already" in taken.stderr) == (2, True)


def page(url: str, body: bytes, day: int = 1, status: int = 200) -> tuple[Request, Response]:
    at = datetime(2026, 1, day, tzinfo=UTC)
    return Request(url=url), Response(url=url, status=status, body=body, transport="http", at=at)


def recording(name: str, *pages: tuple[Request, Response]) -> Recording:
    return save(Recording(name=name, created=datetime.now(UTC)), lambda: pages)


def test_secrets_and_failures_are_not_kept(here: Path) -> None:
    url = "https://www.amazon.com/dp/B000000001?sid=canary0451"
    body = b'<html><script>var x={"csrfToken":"canary0451xyz"}</script>mail canary0451@example.org</html>'
    kept = recording(
        "one",
        page(url, body),
        page("https://www.amazon.com/dp/B000000002", b"busy", status=503),
        page("https://www.amazon.com/dp/B000000003", b"gone", status=404),
    )
    assert (kept.pages, kept.left_out) == (2, 1)
    everything = gzip.decompress((here / "recordings/one" / PAGES).read_bytes())
    assert b"canary0451" not in everything
    assert b"B000000003" in everything


def test_a_robot_check_is_not_kept() -> None:
    with GatedShop(challenge_word="robot") as shop:
        tasks = (Task(id="0", instruction="kettle"), Task(id="1", instruction="robot"))
        run(plan_of(*tasks), Path("runs/first"), shop)
    assert len(list(captures(Path("runs/first")))) == 3
    kept = save_run(Path("runs/first"), "kettles")
    assert (kept.pages, kept.left_out) == (2, 1)


def test_merging_takes_the_page_that_was_fetched_last(here: Path) -> None:
    first, second = "https://www.amazon.com/dp/B000000001", "https://www.amazon.com/dp/B000000002"
    recording("old", page(first, b"old", 1), page(second, b"only", 1))
    recording("new", page(first, b"new", 2))
    for order in (("old", "new"), ("new", "old")):
        name = "-".join(order)
        fine("recordings", "merge", *order, "--name", name)
        merged = Replay(here / "recordings" / name)
        assert merged.fetch(Request(url=first)).body == b"new"
        assert merged.fetch(Request(url=second)).body == b"only"
    assert windowshop("recordings", "merge", "old", "nobody", "--name", "x").exit_code == 2
    assert windowshop("recordings", "merge", "old", "--name", "../x").exit_code == 2
    assert not list((here / "recordings").glob(".*"))


def har(*entries: dict[str, Any]) -> Path:
    path = Path("saved.har")
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8")
    return path


def entry(url: str, text: str, method: str = "GET", status: int = 200, **content: str) -> dict[str, Any]:
    return {
        "startedDateTime": "2026-01-02T03:04:05.678Z",
        "time": 250,
        "request": {"method": method, "url": url, "headers": [{"name": "Cookie", "value": "sid=canary0451"}]},
        "response": {
            "status": status,
            "headers": [
                {"name": "Content-Type", "value": "text/html; charset=utf-8"},
                {"name": "Content-Encoding", "value": "br"},
                {"name": "Set-Cookie", "value": "sid=canary0451"},
            ],
            "content": {"mimeType": "text/html; charset=utf-8", "text": text, **content},
        },
    }


def test_a_har_file_is_a_recording() -> None:
    url = "https://www.ebay.com/itm/123456789012"
    packed = base64.b64encode("<p>Käse".encode()).decode()
    path = har(
        entry(url, "<p>a kettle"),
        entry(f"{url}?2", packed, encoding="base64"),
        entry(f"{url}?posted", "<p>no", method="POST"),
        entry(f"{url}?failed", "", status=0),
        entry(f"{url}?picture", "GIF", mimeType="image/gif"),
    )
    pages = list(read_har(path))
    assert [response.body for _, response in pages] == [b"<p>a kettle", "<p>Käse".encode()]
    assert pages[0][1].headers == {"content-type": "text/html; charset=utf-8"}
    assert pages[0][1].seconds == 0.25
    fine("recordings", "import", path, "--name", "mine", "--site", "ebay")
    assert read_about(Path("recordings/mine")).pages == 2
    assert Replay(Path("recordings/mine")).fetch(Request(url=url)).body == b"<p>a kettle"
    assert b"canary0451" not in gzip.decompress(Path("recordings/mine", PAGES).read_bytes())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no json", "is not a HAR file"),
        ('{"log": {}}', "is not a HAR file"),
        ('{"log": {"entries": [{"request": {}}]}}', "entry 0: startedDateTime"),
    ],
)
def test_what_is_no_har_file_is_named(text: str, says: str) -> None:
    path = Path("saved.har")
    path.write_text(text)
    with pytest.raises(ConfigError, match=says):
        list(read_har(path))


def test_without_a_word_about_the_mode_nothing_is_fetched() -> None:
    both = windowshop("run", "x", "--live", "--recording", "new", "--record-mode", "none")
    assert both.exit_code == 2
    alone = windowshop("run", "x", "--record-mode", "all")
    assert (alone.exit_code, "--record-mode goes with" in alone.stderr) == (2, True)
    assert "[default: none]" in " ".join(fine("run", "--help").stdout.split())


@pytest.mark.parametrize(("mode", "fetched"), [("new_episodes", 0), ("all", 1)])
def test_a_recording_grows_by_what_it_lacks_or_is_made_anew(mode: str, fetched: int) -> None:
    with GatedShop() as shop:
        run(plan_of(TASKS[0]), Path("runs/first"), shop)
        save_run(Path("runs/first"), "mine")
        shop.visits.clear()
        plan = plan_of(*TASKS[:2], recording=Path("recordings/mine"), record_mode=mode)
        run(plan, Path("runs/second"), shop)
        kettles = sum(number for address, number in shop.visits.items() if "kettle" in address)
        assert kettles == fetched
        assert sum(shop.visits.values()) == 2 + 2 * fetched
        add = mode == "new_episodes"
        assert save_run(Path("runs/second"), "mine", add=add, replace=True).pages == 4


def test_where_two_runs_part_is_said_with_the_page(here: Path) -> None:
    demo(Path("runs/first"), *GRID)
    Path("two.txt").write_text("search[kettle]\nclick[next >]\nclick[buy now]\n")
    demo(Path("runs/second"), *GRID[:-1], "scripted:two.txt", "--max-steps", "3")
    result = fine("diff", "runs/first", "runs/second", "--site", "amazon", "--task", "1")
    assert "amazon task 1: the actions part at step 1" in result.stdout
    assert "> amazon-1-scripted_two.txt" in result.stdout
    lines = [
        json.loads(line) for line in fine("diff", "runs/first", "runs/second", "--json").stdout.splitlines()
    ]
    assert [line["verdict"] for line in lines] == ["agent"] * 6
    assert lines[0]["second"]["action"] == "search[kettle]"
    assert windowshop("diff", "runs/first", "runs/second", "--exit-code").exit_code == 1


def test_what_differed_in_the_page_is_said(here: Path) -> None:
    demo(Path("runs/first"), "kettle")
    pages = [
        (request, response.model_copy(update={"body": response.body.replace(b"Kettle", b"Teapot")}))
        for request, response in captures(Path("runs/first"))
    ]
    about = Recording(name="teapots", created=datetime.now(UTC))
    save(about, lambda: pages)
    fine("run", "kettle", "--recording", "teapots", "--out", "runs/second")
    [line] = [
        json.loads(line) for line in fine("diff", "runs/first", "runs/second", "--json").stdout.splitlines()
    ]
    assert (line["verdict"], line["step"]) == ("page", 1)
    assert any(one.startswith("-") and "Kettle" in one for one in line["lines"])
    assert any(one.startswith("+") and "Teapot" in one for one in line["lines"])
    digests = [side["page_digest"] for side in (line["first"], line["second"])]
    steps = list(read_journal(Path("runs/first/steps.jsonl")))
    assert digests[0] == steps[1]["page_digest"] != digests[1]


def test_every_verb_has_help_with_an_example() -> None:
    for verb in ("run", "replay", "record", "recordings", "status", "diff", "runs", "show"):
        result = CliRunner().invoke(group, [verb, "--help"])
        assert result.exit_code == 0
        assert "Example" in result.stdout, verb
