"""The report's pages, served while the run goes on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windowshop.report.entries import Entry, entries_of
from windowshop.report.figures import figures_of
from windowshop.report.page import Shown, episode_page, moments_of, report_page
from windowshop.report.reading import Run, read_run
from windowshop.report.server import guarded, import_starlette, screenshot_file

_WATCHED = (
    "run.json",
    "steps.jsonl",
    "episodes.jsonl",
    "audit.jsonl",
    "labels.jsonl",
    "scores",
    "judge/calls.jsonl",
)


class Watched:
    """Runs as they stand: read again whenever a file of theirs has changed, and not more often."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._state = ""
        self._entries: list[Entry] = []
        self._runs: list[Run] = []
        self._page: tuple[str, str] = ("", "")

    def state(self) -> str:
        """Return what changes with every change on disk."""
        stats = []
        for path in self._paths:
            for name in _WATCHED:
                file = path / name
                if file.exists():
                    stat = file.stat()
                    stats.append(f"{stat.st_size}.{stat.st_mtime_ns}")
        return "-".join(stats)

    def entries(self) -> list[Entry]:
        """Return the episodes so far."""
        with self._lock:
            state = self.state()
            if state != self._state:
                self._runs = [read_run(path) for path in self._paths]
                self._entries, self._state = entries_of(self._runs), state
            return self._entries

    def page(self) -> str:
        """Return the report so far."""
        entries = self.entries()
        with self._lock:
            if self._page[0] != self._state:
                shown = [Shown(entry, f"/episode/{entry.key}", []) for entry in entries]
                page = report_page(figures_of(self._runs, entries), shown, inline=False, live=True)
                self._page = (self._state, page)
            return self._page[1]


class Served:
    """Pictures that the server gives from the run folder."""

    def __init__(self, number: int) -> None:
        self._number = number

    def address(self, path: Path) -> str:
        """Return the picture's address on this server."""
        return f"/screenshot/{self._number}/{path.name}"


def live_app(paths: Sequence[Path]) -> Any:
    """Return the application that serves the report of `paths`, and each of its episodes."""
    import_starlette()
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    watched = Watched(paths)

    def report(request: Request) -> Response:
        return HTMLResponse(watched.page())

    def state(request: Request) -> Response:
        return JSONResponse({"state": watched.state()})

    def episode(request: Request) -> Response:
        entries = watched.entries()
        place = next((n for n, one in enumerate(entries) if one.key == request.path_params["key"]), None)
        if place is None:
            return PlainTextResponse("no such episode", 404)
        entry = entries[place]
        pictures = Served(next(n for n, path in enumerate(paths) if path == entry.run.path))
        near = [
            f"/episode/{entries[other].key}" if 0 <= other < len(entries) else None
            for other in (place - 1, place + 1)
        ]
        shown = Shown(entry, f"/episode/{entry.key}", moments_of(entry, pictures))
        return HTMLResponse(episode_page(shown, "/#episodes", near, live=True))

    def screenshot(request: Request) -> Response:
        number, name = request.path_params["run"], request.path_params["name"]
        known = [
            step.screenshot
            for entry in watched.entries()
            for step in entry.steps
            if step.screenshot is not None
        ]
        file = screenshot_file(paths[number], name, known) if number < len(paths) else None
        return PlainTextResponse("no such screenshot", 404) if file is None else FileResponse(file)

    return guarded(
        Starlette(
            routes=[
                Route("/", report),
                Route("/state", state),
                Route("/episode/{key}", episode),
                Route("/screenshot/{run:int}/{name}", screenshot),
            ]
        )
    )
