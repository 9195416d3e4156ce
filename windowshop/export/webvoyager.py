"""WebVoyager's result folders, which DeepShop's scorer reads: messages, screenshots and a log a task."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from windowshop.export.record import Played
from windowshop.scoring.case import answer_of

_SYSTEM: Final = (
    "The agent shops on one site by search[words] and click[name]. It never buys: its answer is what it "
    "would have bought."
)
_BRACKETS: Final = str.maketrans("[]", "()")
"""The scorer takes an answer up to the first closing bracket."""


def write(episodes: Iterator[Played], run: Path, out: Path) -> int:
    """Write `RUN/task<id>/interact_messages.json`, `screenshot<N>.png` (from 1) and `agent.log` an episode.

    RUN is named after site, agent and repeat. The last message ends in `Action: ANSWER; [...]` where the
    agent chose a product; without one it has no answer, which the scorer counts as failed.
    """
    count = 0
    for episode in episodes:
        result = episode.result
        name = f"{result.site}-{result.agent}-{result.repeat}"
        folder = out / _plain(name) / f"task{_plain(result.task.id)}"
        folder.mkdir(parents=True)
        messages = _messages(episode)
        text = json.dumps(messages, ensure_ascii=False, indent=1)
        (folder / "interact_messages.json").write_text(text + "\n", encoding="utf-8")
        for number, step in enumerate(episode.steps, 1):
            if step.screenshot is not None and (run / step.screenshot).is_file():
                shutil.copyfile(run / step.screenshot, folder / f"screenshot{number}.png")
        log = (f"{step.at.isoformat()} {step.action} {step.decision}\n" for step in episode.steps[1:])
        (folder / "agent.log").write_text("".join(log), encoding="utf-8")
        count += 1
    return count


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


def _messages(episode: Played) -> list[dict[str, Any]]:
    task = episode.result.task
    web = (task.goal or {}).get("web") or f"the {episode.result.site} site"
    first = f"Now given a task: {task.instruction}  Please interact with {web} and get the answer.\n"
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": first + _seen(episode.steps[0].observation)},
    ]
    for step in episode.steps[1:]:
        last = step is episode.steps[-1] and episode.result.intent is not None
        said = f"Action: ANSWER; [{_answer(episode)}]" if last else f"Action: {step.action}"
        messages.append({"role": "assistant", "content": f"Thought: \n{said}"})
        if not last:
            messages.append({"role": "user", "content": _seen(step.observation)})
    return messages


def _seen(observation: str) -> str:
    return f"Observation: {observation}"


def _answer(episode: Played) -> str:
    return (answer_of(episode.result.intent) or "").translate(_BRACKETS).replace("\n", "; ")
