"""How many steps a second one core replays over pages of real size, and what the runner itself costs.

python bench/replay.py ../shared/pages

The pages are real ones of a search and of items, made up to 1.2 MB each by a comment, and recorded as a run
records them. Rule agents and scripted ones shop there; the clock is the CPU time of the process.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from windowshop.actions import ToItem, ToResults
from windowshop.adapters import load_site
from windowshop.agents import Agent, load_agent
from windowshop.cli.accuracy import Entry, entries
from windowshop.episodes import Task
from windowshop.errors import PageError
from windowshop.pages import ItemPage, Page, ResultsPage
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder
from windowshop.runs.plan import Plan
from windowshop.transports.recording import PAGES, Recorder
from windowshop.transports.replay import Replay
from windowshop.views import Observation
from windowshop.wire import Request, Response

SIZE = 1_200_000
AMAZON = load_site("amazon")


class Looks:
    """Search, open the first three items one after the other, read a tab of each, buy the last."""

    def reset(self, instruction: str) -> None:
        self.opened = 0
        self.read = False
        self.words = instruction

    def act(self, observation: Observation) -> str:
        names = observation.available_actions.clickables
        if observation.available_actions.has_search_bar:
            return f"search[{self.words}]"
        if "buy now" in names:
            if not self.read:
                self.read = True
                return "click[features]"
            return "click[buy now]" if self.opened == 3 else "click[< prev]"
        if "next >" not in names:
            return "click[< prev]"
        products = names[names.index("next >") + 1 :]
        self.read = False
        self.opened += 1
        return f"click[{products[min(self.opened, len(products)) - 1]}]"


def load(spec: str, seed: int) -> Agent:
    return Looks() if spec == "looks" else load_agent(spec, seed)


def padded(body: bytes) -> bytes:
    """Return a page of the size that is wanted; what is put in is the page's own bytes, as hard to pack."""
    lacking = SIZE - len(body)
    if lacking <= 0:
        return body
    more = (body * (lacking // len(body) + 1))[:lacking].replace(b"--", b"++")
    return body + b"<!--" + more + b"-->"


def read(page: Entry) -> Page | None:
    try:
        return AMAZON.parse(page.response())
    except PageError:
        return None


def pages(folder: Path, tasks: list[Task]) -> Iterator[tuple[str, bytes]]:
    """Yield address and bytes: a page of results for each task, and of items all that those lead to."""
    known = [page for page in entries(folder) if page.site == "amazon" and page.locale == "us"]
    found = [(read(page), page) for page in known]
    results = [page for said, page in found if isinstance(said, ResultsPage) and len(said.tiles) > 3]
    items = [page for said, page in found if isinstance(said, ItemPage) and said.title]
    wanted: set[str] = set()
    for number, task in enumerate(tasks):
        page = results[number % len(results)]
        said = read(page)
        assert isinstance(said, ResultsPage)
        wanted.update(tile.item_id for tile in said.tiles[:3])
        yield AMAZON.request(ToResults(query=task.instruction)).url, padded(page.response().body)
    for number, item_id in enumerate(sorted(wanted)):
        url = AMAZON.request(ToItem(item_id=item_id)).url
        yield url, padded(items[number % len(items)].response().body)


def record(folder: Path, path: Path, tasks: list[Task]) -> int:
    at = datetime.now(UTC)
    with Recorder(path / PAGES) as recorder:
        sizes = []
        for url, body in pages(folder, tasks):
            sizes.append(len(body))
            headers = {"content-type": "text/html"}
            recorder.append(
                Request(url=url),
                Response(url=url, status=200, headers=headers, body=body, transport="http", at=at),
            )
    return sum(sizes) // len(sizes)


def fetch_and_parse(recording: Path) -> float:
    """Return the CPU seconds that a page takes to be unpacked, hashed and parsed, without any runner."""
    replay = Replay(recording)
    urls = replay.addresses()
    began = time.process_time()
    for url in urls:
        response = replay.fetch(Request(url=url))
        hashlib.sha256(response.body).hexdigest()
        AMAZON.parse(response)
    return (time.process_time() - began) / len(urls)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--tasks", "number", default=40, show_default=True)
@click.option("--repeat", default=3, show_default=True, help="Of several measurements the best counts.")
@click.option("--json", "as_json", is_flag=True)
def main(folder: Path, number: int, repeat: int, as_json: bool) -> None:
    """Replay rule and scripted agents over the real pages of FOLDER."""
    tasks = [Task(id=str(n), instruction=f"thing {n}") for n in range(number)]
    with tempfile.TemporaryDirectory() as home:
        recording = Path(home) / "recording"
        size = record(folder, recording, tasks)
        a_page = min(fetch_and_parse(recording) for _ in range(repeat))
        said: dict[str, object] = {"page_bytes": size, "fetch_and_parse_ms": round(1000 * a_page, 2)}
        for agent in ("rule", "looks"):
            said[agent] = max(
                (
                    measure(recording, Path(home) / f"{agent}-{n}", tasks, agent, a_page)
                    for n in range(repeat)
                ),
                key=lambda row: row["steps_a_cpu_second"],
            )
    click.echo(json.dumps(said, indent=None if as_json else 1))


def measure(recording: Path, out: Path, tasks: list[Task], agent: str, a_page: float) -> dict[str, float]:
    plan = Plan(
        tasks=tuple(tasks), sites=("amazon",), agents=(agent,), source="recording", recording=recording
    )
    parsed: Counter[str] = Counter()
    folder = RunFolder(out, plan.settings(), plan.tasks)
    began = time.process_time()
    results = list(run_batch(plan, folder, load))
    took = time.process_time() - began
    folder.close()
    lines = [json.loads(line) for line in (out / "steps.jsonl").read_bytes().splitlines()]
    parsed.update(line["url"] for line in lines if line["visits"])
    steps = sum(result.steps for result in results)
    visits = sum(line["visits"] for line in lines)
    return {
        "episodes": len(results),
        "steps": steps,
        "pages_read": visits,
        "most_often_parsed": max(parsed.values()),
        "steps_a_cpu_second": round(steps / took, 1),
        "runner_ms_a_step": round(1000 * (took - visits * a_page) / steps, 2),
    }


if __name__ == "__main__":
    main()
