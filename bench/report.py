"""How long a report of many episodes takes to write and to open, and how large it is.

python bench/report.py [EPISODES]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from made_runs import MadeRun, kettle, png

from windowshop.report.page import write_report
from windowshop.report.reading import read_run
from windowshop.report.scored import SCORES, score_run, write_records
from windowshop.transports.chromium import find_browser, may_use_sandbox

LISTING = "[button] Back to Search [button_]\n" + "\n".join(
    f"[button] B0000000{n:02d} [button_]\nA product with a title of the usual length, number {n}\n$19.99\n"
    for n in range(10)
)


def main(episodes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with MadeRun(path) as run:
            for number in range(episodes):
                agent = "rule" if number % 2 else "careful"
                run.episode(kettle(number // 2), agent=agent, steps=6, observation=LISTING, refused=2)
        for shot in (path / "screenshots").iterdir():
            shot.write_bytes(png(shot.stat().st_size % 255, 1280, 1024))
        write_records(path / SCORES, score_run(path, str.split))
        began = time.perf_counter()
        page = path / "report.html"
        write_report([read_run(path)], page)
        wrote = time.perf_counter() - began
        beside = sum(file.stat().st_size for file in (path / "report-episodes").rglob("*"))
        print(f"{episodes} episodes: written in {wrote:.1f} s; page {page.stat().st_size / 1e6:.2f} MB")
        print(f"folder beside it {beside / 1e6:.1f} MB")
        print(f"opened in {opened(page.as_uri()):.2f} s (median of 5, Chromium, to the load event)")
        one = next((path / "report-episodes").glob("*.html"))
        print(f"an episode opened in {opened(one.as_uri()):.2f} s")


def opened(address: str) -> float:
    """Return how long a page takes to load, in seconds."""
    found = find_browser()
    if found is None:
        raise SystemExit("no Chromium")
    flags = [] if may_use_sandbox() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found[0], args=flags)
        times = []
        for _ in range(5):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(address, wait_until="load")
            page.evaluate("document.body.offsetHeight")
            times.append(time.perf_counter() - began)
            page.close()
        browser.close()
    return statistics.median(times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
