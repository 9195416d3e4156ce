"""Online-Mind2Web's second result format: a folder an episode, `result.json` and the screenshots."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windowshop.export.record import Played
from windowshop.purchase import PurchaseIntent

SCHEMA = "online-mind2web-v2"


def write(episodes: Iterator[Played], run: Path, out: Path) -> int:
    """Write `EPISODE/result.json` and `EPISODE/trajectory/N_screenshot.png`, N counted from 0.

    A screenshot is that of the page after the action, where the browser took one. The evaluator leaves the
    last action out, so the purchase stands last, and what was chosen in `agent_final_answer`.
    """
    count = 0
    for episode in episodes:
        folder = out / re.sub(r"[^\w.-]", "_", episode.result.episode)
        (folder / "trajectory").mkdir(parents=True)
        history: list[dict[str, Any]] = []
        for decision in episode.decisions():
            shot = _keep(run, decision.after.screenshot, folder, len(history))
            history.append({"action": decision.action, "thought": None, "screenshot": shot})
        result = {
            "schema_version": SCHEMA,
            "task_id": episode.result.episode,
            "task": episode.result.task.instruction,
            "action_history": history,
            "agent_final_answer": _answer(episode.result.intent),
            "input_image_paths": [entry["screenshot"] for entry in history if entry["screenshot"]],
        }
        text = json.dumps(result, ensure_ascii=False, indent=1)
        (folder / "result.json").write_text(text + "\n", encoding="utf-8")
        count += 1
    return count


def _keep(run: Path, shot: str | None, folder: Path, number: int) -> str | None:
    if shot is None or not (run / shot).is_file():
        return None
    name = f"trajectory/{number}_screenshot.png"
    shutil.copyfile(run / shot, folder / name)
    return name


def _answer(intent: PurchaseIntent | None) -> str | None:
    if intent is None:
        return None
    options = ", ".join(f"{name}: {value}" for name, value in {**intent.options, **intent.chosen}.items())
    price = intent.unit_price.text or str(intent.unit_price.amount) if intent.unit_price else None
    return "; ".join(part for part in (intent.title or intent.item_id, options, price, intent.url) if part)
