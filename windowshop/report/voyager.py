"""Anyone's WebVoyager-style results as cases for a judge: what DeepShop's scorer reads (section 2.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windowshop.episodes import Task
from windowshop.errors import ConfigError
from windowshop.scoring.aspects import Absent, aspects_of
from windowshop.scoring.case import Case
from windowshop.scoring.judge import screenshot_at

_ANSWER = re.compile(r"ANSWER[; ]+\[?(.[^\]]*)\]?")
_ACTION = re.compile(r"Action:\s*(.+)")
_SHOT = re.compile(r"screenshot(\d+)\.png")


def is_results(folder: Path) -> bool:
    """Say whether a folder holds WebVoyager's results: `task<id>/interact_messages.json`."""
    return any(folder.glob("task*/interact_messages.json"))


def cases_of_results(folder: Path, tasks: Sequence[Task], absent: Absent = "repository") -> list[Case]:
    """Return the tasks for which there are results, in the order of the tasks, as a judge sees them.

    By the repository's rule a task is answered only if its last message is a text with exactly
    `Action: ANSWER`. Raises `ConfigError` naming a folder that no task has, or messages that are none.
    """
    places = {path.parent.name: path for path in folder.glob("task*/interact_messages.json")}
    known = {f"task{task.id}": task for task in tasks}
    strangers = sorted(set(places) - set(known))
    if strangers:
        raise ConfigError(f"{folder}: no task for {', '.join(strangers[:3])}; give the file it was run on")
    return [
        _case(path.parent, known[name], absent) for name in known if (path := places.get(name)) is not None
    ]


def _case(folder: Path, task: Task, absent: Absent) -> Case:
    messages = _messages(folder / "interact_messages.json")
    said = [text for message in messages if message["role"] == "assistant" and (text := _text(message))]
    shots = sorted(
        (int(match[1]), path)
        for path in folder.iterdir()
        if (match := _SHOT.fullmatch(path.name)) is not None
    )
    return Case(
        episode=folder.name,
        site="amazon",
        agent="webvoyager",
        task=task,
        aspects=aspects_of(task, absent),
        answer=_answer(messages),
        actions=tuple(match[1].strip() for text in said if (match := _ACTION.search(text)) is not None),
        screenshots=tuple(screenshot_at(folder.parent, f"{folder.name}/{path.name}") for _, path in shots),
    )


def _messages(path: Path) -> list[Mapping[str, Any]]:
    try:
        messages = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None
    if not isinstance(messages, list) or not all(
        isinstance(message, dict) and "role" in message for message in messages
    ):
        raise ConfigError(f"{path}: not a list of chat messages")
    return messages


def _answer(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the answer in the last message, by the scorer's own expression; None where it finds none."""
    last = messages[-1].get("content") if len(messages) > 1 else None
    if not isinstance(last, str) or "Action: ANSWER" not in last:
        return None
    found = _ANSWER.search(last)
    return found[1] if found else None


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return next((part["text"] for part in content if isinstance(part, dict) and "text" in part), "")
    return content if isinstance(content, str) else ""
