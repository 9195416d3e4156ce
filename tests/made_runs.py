"""Run folders written through the run's own journals, with whatever ending a test wants to see."""

from __future__ import annotations

import hashlib
import struct
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from windowshop.episodes import EpisodeResult, Step, Task
from windowshop.pages import Price
from windowshop.purchase import PurchaseIntent
from windowshop.runs.folder import RunFolder
from windowshop.views import AvailableActions

BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)
SETTINGS = {"source": "demo", "sites": ["amazon"], "agent": "rule", "transport": "browser", "seed": 0}
GOAL = {
    "name": "red ceramic kettle",
    "query": "kettle",
    "product_category": "Home › Kitchen › Kettles",
    "attributes": ["ceramic", "dishwasher safe"],
    "goal_options": ["red"],
    "price_upper": 40.0,
}

CHEAP = Price(amount=30.0, currency="USD", text="$30.00")


def png(shade: int, width: int = 64, height: int = 48) -> bytes:
    """Return a small grey picture."""
    rows = b"".join(b"\0" + bytes([shade]) * width for _ in range(height))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


class MadeRun:
    """A run folder that is written episode by episode; `close` it (or leave the `with`) before reading."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.path = path
        self.folder = RunFolder(path, {**SETTINGS, **settings})
        self._at = BEGAN

    def __enter__(self) -> MadeRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.close()

    def episode(
        self,
        task: Task,
        *,
        site: str = "amazon",
        agent: str = "rule",
        repeat: int = 0,
        outcome: str = "intercepted",
        steps: int = 3,
        title: str = "Red ceramic kettle, dishwasher safe",
        price: Price | None = CHEAP,
        chosen: dict[str, str] | None = None,
        screenshots: bool = True,
        refused: int = 0,
        observation: str = "a page",
        seller: str | None = None,
        ends: bool = True,
    ) -> str:
        """Write one episode and return its name."""
        name = f"{site}-{agent}-{task.id}-{repeat}"
        for number in range(steps + 1):
            self._at += timedelta(seconds=1)
            shot = self._screenshot(f"{name} {number}") if screenshots and number else None
            if number == steps:
                self._refuse(name, refused)
            self.folder.steps.append(_step(name, number, steps, self._at, shot, observation, outcome))
        intent = None
        if outcome == "intercepted":
            intent = PurchaseIntent(
                episode=name,
                site=site,
                item_id="B000000001",
                title=title,
                options={"Color": "red"},
                chosen={"color": "red"} if chosen is None else chosen,
                unit_price=price,
                currency=price.currency if price else None,
                url="https://www.amazon.com/dp/B000000001",
                seller=seller,
                at=self._at,
            )
        if ends:
            self.folder.episodes.append(
                EpisodeResult(
                    episode=name,
                    task=task,
                    site=site,
                    locale="us",
                    agent=agent,
                    repeat=repeat,
                    outcome=outcome,
                    steps=steps,
                    visits=steps - 1,
                    intent=intent,
                    seconds=float(steps),
                )
            )
        return name

    def _refuse(self, name: str, count: int) -> None:
        for number in range(count):
            self.folder.audit.append(
                {
                    "at": (self._at - timedelta(milliseconds=500)).isoformat(),
                    "episode": name,
                    "what": "request",
                    "name": f"https://www.amazon.com/gp/cart/{number}",
                    "verdict": "refuse",
                    "rule": "cart",
                    "reason": "a cart is not read",
                }
            )

    def _screenshot(self, text: str) -> str:
        data = png(hashlib.sha256(text.encode()).digest()[0])
        name = f"screenshots/{hashlib.sha256(data).hexdigest()[:16]}.png"
        (self.path / "screenshots").mkdir(exist_ok=True)
        (self.path / name).write_bytes(data)
        return name


def _step(
    name: str, number: int, steps: int, at: datetime, shot: str | None, observation: str, outcome: str
) -> Step:
    kinds = ["index", "search_results", "item_page", "done"]
    kind = kinds[min(number, 2)] if number < steps else kinds[3] if outcome == "intercepted" else "item_page"
    actions = [None, "search[red kettle]", "click[b000000001]"]
    last = "click[buy now]" if outcome == "intercepted" else "click[x]"
    action = last if number == steps else actions[number] if number < 3 else "click[features]"
    base = f"http://127.0.0.1:3000/{name}" if kind == "index" else f"http://127.0.0.1:3000/{kind}/{name}/x"
    return Step(
        episode=name,
        step=number,
        action=action if number else None,
        decision="allow" if number else None,
        observation=f"{observation} {number}",
        available_actions=AvailableActions(
            has_search_bar=number == 0,
            clickables=("search",) if number == 0 else ("back to search", "buy now"),
        ),
        state_url=base,
        url="https://www.amazon.com/" if number else None,
        screenshot=shot,
        done=number == steps,
        at=at,
        visits=1,
        bytes=1000,
        seconds=0.5,
    )


def kettle(number: int, **goal: Any) -> Task:
    """Return a task whose goal is a kettle."""
    return Task(
        id=str(number),
        instruction=f"i want a red ceramic kettle number {number}, and price lower than 40.00 dollars",
        goal={**GOAL, **goal},
    )


def deepshop(number: int, **fields: str) -> Task:
    """Return a task in DeepShop's format."""
    goal = {
        "id": f"Amazon--{number}",
        "ques": f"Find kettle {number}",
        "attribute": f"kettle {number}",
        "filter": "None",
        "sort": "None",
        "category": "Home",
        "difficulty": "easy",
        **fields,
    }
    return Task(id=goal["id"], instruction=goal["ques"], goal=goal)
