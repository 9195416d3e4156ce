"""How much CPU time a page costs, from bytes to Page and to what the agent reads: bench/translate.py DIR.

Every step stands beside a bare parse of the same bytes by lexbor, the fastest way to have a tree at all;
so does BeautifulSoup's html.parser where it is installed, with which most extractors begin.
"""

from __future__ import annotations

import gc
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles

import click
from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser

from windowshop import observe_page
from windowshop.adapters import load_site, site_names
from windowshop.cli.accuracy import Entry, entries
from windowshop.errors import WindowshopError

Times = Mapping[str, float]


def steps(page: Entry) -> dict[str, Callable[[], object]]:
    """Name what is timed for one page, the bare parse first."""
    response = page.response()
    body = response.body
    site = load_site(page.site, page.locale)
    return {
        "lexbor": lambda: LexborHTMLParser(body),
        "parse": lambda: site.parse(response),
        "observe": lambda: observe_page(body, response.url, page.site),
    }


def rivals(page: Entry) -> dict[str, Callable[[], object]]:
    """Name what others begin with, where it is installed; its many objects stay out of our memory's way."""
    if find_spec("bs4") is None:
        return {}
    from bs4 import BeautifulSoup

    body = page.response().body
    return {"bs4": lambda: BeautifulSoup(body, "html.parser")}


def best(timed: Mapping[str, Callable[[], object]], repeat: int) -> Times:
    """Return the least CPU seconds of several rounds, each of which runs every step once.

    In turns, so that a slow moment of the machine falls on all of them; a page that raises costs what it
    costs to say so.
    """
    took = dict.fromkeys(timed, float("inf"))
    for _ in range(repeat):
        for name, step in timed.items():
            gc.collect()
            gc.disable()
            start = time.process_time()
            with suppress(WindowshopError):
                step()
            took[name] = min(took[name], time.process_time() - start)
            gc.enable()
    return took


def p95(values: list[float]) -> float:
    return values[0] if len(values) == 1 else quantiles(values, n=20, method="inclusive")[-1]


def summary(times: list[Times]) -> dict[str, dict[str, float]]:
    """Sum up the pages of one group: step -> milliseconds and ratio to the bare parse, median and p95."""
    rows = {}
    for name in times[0]:
        cost = [page[name] * 1000 for page in times]
        ratio = [page[name] / page["lexbor"] for page in times]
        rows[name] = {
            "ms": median(cost),
            "ms_p95": p95(cost),
            "ratio": median(ratio),
            "ratio_p95": p95(ratio),
        }
    return rows


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--site", help="Only the pages of one site.")
@click.option("--repeat", type=click.IntRange(1), default=9, show_default=True, help="Rounds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(folder: Path, site: str | None, repeat: int, as_json: bool) -> None:
    """Time every recorded page of FOLDER (the layout that `windowshop accuracy` reads)."""
    known = site_names()
    groups: dict[tuple[str, str], list[Times]] = defaultdict(list)
    pages = [page for page in entries(folder) if page.site in known and site in (None, page.site)]
    for page in pages:  # what is loaded at first use stays out of later collections, as in a run's workers
        best(steps(page), 1)
    gc.freeze()
    ours = [best(steps(page), repeat) for page in pages]
    for page, mine in zip(pages, ours, strict=True):
        both = {**mine, **best(rivals(page), 1)}
        for group in ((page.site, page.kind), (page.site, "all"), ("all", "all")):
            groups[group].append(both)
    if as_json:
        report = [
            {"site": name, "kind": kind, "pages": len(times), "steps": summary(times)}
            for (name, kind), times in sorted(groups.items())
        ]
        click.echo(json.dumps(report, indent=1))
        return
    table = Table("site", "kind", "pages", "step", "ms", "ms p95", "x lexbor", "x p95")
    for (name, kind), times in sorted(groups.items()):
        for step, row in summary(times).items():
            cells = (row["ms"], row["ms_p95"], row["ratio"], row["ratio_p95"])
            table.add_row(name, kind, str(len(times)), step, *(f"{value:.2f}" for value in cells))
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
