"""How close many episodes at once come to the ideal, against a shop that takes its time: bench/throughput.py.

A shop of its own process answers each page of the demo shop after a second. The ideal is what the waiting
alone would allow: every worker always has one page under way.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
import resource
import ssl
import tempfile
import time
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
from windowshop.runs.plan import Plan
from windowshop.runs.stack import Origin
from windowshop.transports.last_hop import LastHop

PAGES_AN_EPISODE = 2
HOST = "www.amazon.com"


def serve(pipe: Connection, seconds: float) -> None:
    """Answer the demo shop's pages, each `seconds` after it was asked for, until killed.

    One page of results and one of an item are made, and answered under every address with the item's id
    made new: the shop must not be what is measured, and no two episodes may want the same page.
    """
    results = _made("/s", {"k": "webcam"})
    known = sorted(set(re.findall(rb"\bB0\w{8}\b", results)))
    item, item_id = _made(f"/dp/{known[0].decode()}", {}), known[0]
    places = {name: b"B%03d" % number for number, name in enumerate(known)}

    def body_of(address: str) -> bytes:
        parts = urlsplit(address)
        if parts.path != "/s":
            return item.replace(item_id, parts.path.rpartition("/")[2].encode())
        number = b"%06d" % int(parse_qsl(parts.query)[0][1].rpartition(" ")[2])
        return re.sub(rb"\bB0\w{8}\b", lambda found: places[found.group()] + number, results)

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


def play(path: Path, tasks: tuple[Task, ...], workers: int, origin: Origin) -> list[str]:
    plan = Plan(tasks=tasks, sites=("amazon",), workers=workers)
    folder = RunFolder(path, plan.settings(), plan.tasks)
    outcomes = [result.outcome for result in run_batch(plan, folder, origin=origin)]
    folder.close()
    return outcomes


@click.command()
@click.option("--workers", default=256, show_default=True)
@click.option("--waves", default=4, show_default=True, help="Episodes, in multiples of the workers.")
@click.option("--seconds", default=1.0, show_default=True, help="How long the shop takes for a page.")
@click.option("--json", "as_json", is_flag=True)
def main(workers: int, waves: int, seconds: float, as_json: bool) -> None:
    """Play WAVES times WORKERS episodes of the rule agent, each of two pages that nobody else reads."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    shop = context.Process(target=serve, args=(theirs, seconds), daemon=True)
    shop.start()
    port, authority = ours.recv()
    origin = Origin(last_hop=LastHop(host="127.0.0.1", port=port, ca_pem=authority))
    tasks = tuple(Task(id=str(n), instruction=f"webcam number {n}") for n in range(workers * waves))
    with tempfile.TemporaryDirectory() as home:
        play(Path(home) / "warm", tasks[:4], 4, origin)  # what is imported at first use is not the run's cost
    with tempfile.TemporaryDirectory() as home:
        cpu, began = time.process_time(), time.perf_counter()
        outcomes = play(Path(home) / "run", tasks, workers, origin)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
    shop.kill()
    assert outcomes == ["intercepted"] * len(tasks), outcomes
    ideal = waves * PAGES_AN_EPISODE * seconds
    said = {
        "episodes": len(tasks),
        "at_once": workers,
        "seconds": round(took, 2),
        "ideal_seconds": ideal,
        "of_the_ideal": round(ideal / took, 3),
        "cpu_ms_a_page": round(1000 * cpu / (len(tasks) * PAGES_AN_EPISODE), 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    click.echo(
        json.dumps(said) if as_json else "\n".join(f"{name:15} {value}" for name, value in said.items())
    )


if __name__ == "__main__":
    main()
