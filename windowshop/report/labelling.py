"""Scoring by hand: episodes as pages with a form; an answer is on disk before it is acknowledged."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from windowshop.journal import Journal
from windowshop.report.entries import Entry, entries_of, key_of
from windowshop.report.figures import site_name
from windowshop.report.live import Served
from windowshop.report.page import Shown, moments_of
from windowshop.report.reading import LABELS, read_labels, read_run
from windowshop.report.render import render
from windowshop.report.server import guarded, import_starlette, screenshot_file
from windowshop.scoring.labels import Label, Question, latest, manual_reward, questions_for

_NAME = re.compile(r"[\w .@+-]{1,40}")
_MOST = 65_536


class Desk:
    """The episodes of a run that have ended, and what each annotator has said of them.

    In blind mode the agent is hidden, and each annotator goes through the episodes in an order of their own.
    May be shared by threads.
    """

    def __init__(self, run: Path, blind: bool) -> None:
        self.run = read_run(run)
        self.blind = blind
        self.entries = {entry.key: entry for entry in entries_of([self.run]) if entry.result is not None}
        self._keys = {entry.name: key for key, entry in self.entries.items()}
        self._lock = threading.Lock()
        self._answers = latest(read_labels(run))
        self._journal = Journal(run / LABELS, durable=True)

    def questions(self, key: str) -> list[Question]:
        """Return what is asked about an episode."""
        result = self.entries[key].result
        return questions_for(result.task) if result else []

    def answers(self, annotator: str, key: str) -> Mapping[str, str]:
        """Return what an annotator has said of an episode."""
        with self._lock:
            return dict(self._answers.get(annotator, {}).get(self.entries[key].name, {}))

    def order(self, annotator: str) -> list[str]:
        """Return the episodes in the order in which an annotator sees them."""
        if not self.blind:
            return list(self.entries)
        return sorted(self.entries, key=lambda key: hashlib.sha256(f"{annotator} {key}".encode()).hexdigest())

    def is_done(self, annotator: str, key: str) -> bool:
        """Say whether every question about an episode is answered."""
        return {question.name for question in self.questions(key)} <= self.answers(annotator, key).keys()

    def record(self, annotator: str, key: str, given: Mapping[str, str]) -> list[str]:
        """Write answers down, durably; return the names of those that were none of the questions'."""
        asked = {question.name: {value for value, _ in question.answers} for question in self.questions(key)}
        refused = [
            name for name, value in given.items() if name not in asked or value not in {*asked[name], ""}
        ]
        name = self.entries[key].name
        with self._lock:
            kept = self._answers.setdefault(annotator, {}).setdefault(name, {})
            for question, value in given.items():
                if question in refused or kept.get(question, "") == value:
                    continue
                self._journal.append(
                    Label(
                        episode=name,
                        annotator=annotator,
                        question=question,
                        value=value,
                        blind=self.blind,
                        at=datetime.now(UTC),
                    )
                )
                kept.pop(question, None)
                if value:
                    kept[question] = value
        return refused

    def close(self) -> None:
        """Close the file of answers; all of them are on disk."""
        self._journal.close()


def label_app(desk: Desk, annotator: str | None = None) -> Any:
    """Return the application. With `annotator` the front page leads to that person's list at once."""
    import_starlette()
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import (
        FileResponse,
        HTMLResponse,
        JSONResponse,
        PlainTextResponse,
        RedirectResponse,
        Response,
    )
    from starlette.routing import Route

    pictures = [step.screenshot for entry in desk.entries.values() for step in entry.steps if step.screenshot]

    def front(request: Request) -> Response:
        name = (request.query_params.get("name") or annotator or "").strip()
        if not name:
            return HTMLResponse(
                render("label_front.html", connects=True, title="Who is labelling?", problem=None)
            )
        if not _NAME.fullmatch(name):
            problem = "A name has up to 40 letters, digits, blanks and . @ + -"
            return HTMLResponse(
                render("label_front.html", connects=True, title="Who is labelling?", problem=problem), 422
            )
        return RedirectResponse(f"/as/{quote(name, safe='')}/", 303)

    def listing(request: Request) -> Response:
        who = request.path_params["name"]
        order = desk.order(who)
        done = {key for key in order if desk.is_done(who, key)}
        page = render(
            "label_list.html",
            connects=True,
            title=f"Labelling as {who}",
            who=who,
            blind=desk.blind,
            entries=[(desk.entries[key], key in done) for key in order],
            done=len(done),
            next=next((key for key in order if key not in done), None),
            site_name=site_name,
        )
        return HTMLResponse(page)

    def form(request: Request) -> Response:
        who, key = request.path_params["name"], request.path_params["key"]
        if key not in desk.entries:
            return PlainTextResponse("no such episode", 404)
        return HTMLResponse(label_page(desk, who, key))

    async def answer(request: Request) -> Response:
        who, key = request.path_params["name"], request.path_params["key"]
        body = await request.body()
        if key not in desk.entries or not _NAME.fullmatch(who) or len(body) > _MOST:
            return PlainTextResponse("no such episode, name or answer", 404)
        given, is_script = _given(request.headers.get("content-type", ""), body)
        if given is None:
            return PlainTextResponse("answers are an object of texts", 422)
        refused = await run_in_threadpool(desk.record, who, key, given)
        if is_script:
            return JSONResponse({"refused": refused}, 422 if refused else 200)
        order = desk.order(who)
        after = order[order.index(key) + 1 :]
        return RedirectResponse(f"./{after[0]}" if after else "./", 303)

    def screenshot(request: Request) -> Response:
        file = screenshot_file(desk.run.path, request.path_params["name"], pictures)
        return PlainTextResponse("no such screenshot", 404) if file is None else FileResponse(file)

    return guarded(
        Starlette(
            routes=[
                Route("/", front),
                Route("/as/{name}/", listing),
                Route("/as/{name}/{key}", form),
                Route("/as/{name}/{key}", answer, methods=["POST"]),
                Route("/screenshot/0/{name}", screenshot),
            ]
        )
    )


def label_page(desk: Desk, who: str, key: str) -> str:
    """Return an episode with its form."""
    order = desk.order(who)
    place = order.index(key)
    entry: Entry = desk.entries[key]
    answers = desk.answers(who, key)
    assert entry.result is not None
    return render(
        "label.html",
        scripts=("label.js",),
        connects=True,
        title=f"Episode {place + 1} of {len(order)}",
        one=Shown(entry, "", moments_of(entry, Served(0))),
        who=who,
        key=key,
        run_key=key_of(desk.run, ""),
        place=place,
        total=len(order),
        done=sum(desk.is_done(who, other) for other in order),
        before=order[place - 1] if place else None,
        after=order[place + 1] if place + 1 < len(order) else None,
        questions=desk.questions(key),
        answers=answers,
        reward=manual_reward(entry.result.task, answers),
        blind=desk.blind,
        site_name=site_name,
    )


def _given(kind: str, body: bytes) -> tuple[dict[str, str] | None, bool]:
    """Read answers as our script sends them (JSON), or as a browser without scripts does."""
    if not kind.startswith("application/json"):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)), False
    try:
        given = json.loads(body)
    except ValueError:
        return None, True
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        return None, True
    return given, True
