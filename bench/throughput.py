"""How close many episodes at once come to the ideal, against a shop that takes its time: bench/throughput.py.

A shop of its own process answers each page of the demo shop after a second. The ideal is what the waiting
alone would allow: every worker always has one page under way. "of_the_ideal" is the whole run's, in whose
beginning all workers want their first page at once; "under_way" leaves the first and the last eighth out.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import ssl
import tempfile
import threading
import time
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import click
import trustme

from windowshop.demo import amazon
from windowshop.demo.answer import Visit
from windowshop.episodes import Task
from windowshop.runs.batch import run_batch
from windowshop.runs.folder import RunFolder
from windowshop.runs.plan import EngineName, Plan
from windowshop.runs.stack import Origin
from windowshop.transports.last_hop import LastHop

PAGES_AN_EPISODE = 2
HOST = "www.amazon.com"


def serve(pipe: Connection, seconds: float) -> None:
    """Answer the demo shop's pages, each `seconds` after it was asked for, until killed.

    One page of results and one of an item are made, and answered under every address with the item's id
    made new: the shop must not be what is measured, and no two episodes may want the same page.
    """
    results = re.split(rb"\b(B0\w{8})\b", _made("/s", {"k": "webcam"}))  # every second piece is an id
    known = sorted(set(results[1::2]))
    places = {name: b"B%03d" % number for number, name in enumerate(known)}
    item = _made(f"/dp/{known[0].decode()}", {}).split(known[0])

    def body_of(address: str) -> bytes:
        parts = urlsplit(address)
        if parts.path != "/s":
            return parts.path.rpartition("/")[2].encode().join(item)
        number = b"%06d" % int(parse_qsl(parts.query)[0][1].rpartition(" ")[2])
        pieces = list(results)
        pieces[1::2] = [places[name] + number for name in results[1::2]]
        return b"".join(pieces)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                due = loop.time() + seconds
                body = body_of(head.split(" ")[1])
                await asyncio.sleep(due - loop.time())
                head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*sorted(amazon.HOSTS)).configure_cert(context)
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context, backlog=1024)
        pipe.send((server.sockets[0].getsockname()[1], authority.cert_pem.bytes()))
        await server.serve_forever()

    asyncio.run(main())


def _made(path: str, params: dict[str, str]) -> bytes:
    return amazon.visit_amazon(Visit(method="GET", host=HOST, path=path, params=params)).body


def play(path: Path, tasks: tuple[Task, ...], workers: int, processes: int, origin: Origin) -> list[float]:
    """Play an episode a task; return when each ended, in seconds from the beginning."""
    shared = min(processes, workers)
    how: EngineName = "processes" if shared else "threads"
    plan = Plan(tasks=tasks, sites=("amazon",), workers=workers, engine=how, processes=shared or None)
    began = time.perf_counter()
    ends = []
    with closing(RunFolder(path, plan.settings(), plan.tasks)) as folder:
        for result in run_batch(plan, folder, origin=origin):
            assert result.outcome == "intercepted", result
            ends.append(time.perf_counter() - began)
    return ends


class Scales(threading.Thread):
    """Weigh this process and those that come of it, but for the shop, and remember the most.

    A page of memory that several share is shared out among them (Linux's PSS).
    """

    def __init__(self, shop: int) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._shop = shop

    def run(self) -> None:
        while True:
            self.most = max(self.most, sum(map(_weight, _family(os.getpid()) - {self._shop})))
            time.sleep(0.5)


def _family(top: int) -> set[int]:
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    family = {top}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _weight(process: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return 0


@click.command()
@click.option("--workers", default=256, show_default=True)
@click.option("--processes", default=2, show_default=True, help="That share the workers; 0: threads alone.")
@click.option("--waves", default=24, show_default=True, help="Episodes, in multiples of the workers.")
@click.option("--seconds", default=1.0, show_default=True, help="How long the shop takes for a page.")
@click.option("--json", "as_json", is_flag=True)
def main(workers: int, processes: int, waves: int, seconds: float, as_json: bool) -> None:
    """Play WAVES times WORKERS episodes of the rule agent, each of two pages that nobody else reads."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    shop = context.Process(target=serve, args=(theirs, seconds), daemon=True)
    shop.start()
    port, authority = ours.recv()
    origin = Origin(last_hop=LastHop(host="127.0.0.1", port=port, ca_pem=authority))
    tasks = tuple(Task(id=str(n), instruction=f"webcam number {n}") for n in range(workers * waves))
    with tempfile.TemporaryDirectory() as home:  # what is imported at first use is not the run's cost
        play(Path(home) / "warm", tasks[:4], 4, processes, origin)
    scales = Scales(shop.pid or 0)
    scales.start()
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        ends = play(Path(home) / "run", tasks, workers, processes, origin)
        took = time.perf_counter() - began
    shop.kill()
    ideal = waves * PAGES_AN_EPISODE * seconds
    first, last = ends[len(ends) // 8], ends[-len(ends) // 8]
    said = {
        "episodes": len(tasks),
        "at_once": workers,
        "processes": processes,
        "seconds": round(took, 2),
        "ideal_seconds": ideal,
        "of_the_ideal": round(ideal / took, 3),
        "under_way": round(0.75 * ideal / (last - first), 3),
        "peak_mb": scales.most // 1024,
    }
    click.echo(
        json.dumps(said) if as_json else "\n".join(f"{name:15} {value}" for name, value in said.items())
    )


if __name__ == "__main__":
    main()
