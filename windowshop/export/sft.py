"""Chat samples, a JSON line an episode: what is seen as the user, what is done as the assistant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from windowshop.export.record import Played

SYSTEM = (
    "You are shopping in a web shop. Each message shows the page and the actions that are possible. "
    "Answer with one action: search[words] or click[name]."
)


def write(episodes: Iterator[Played], run: Path, out: Path) -> int:
    """Write `messages` (role and content), and the episode's name, instruction and outcome beside them."""
    count = 0
    with out.open("x", encoding="utf-8") as file:
        for episode in episodes:
            messages = [{"role": "system", "content": SYSTEM}]
            for before, action, _ in episode.decisions():
                can = "\n".join(before.available_actions.valid)
                messages.append({"role": "user", "content": f"{before.observation}\n\nActions:\n{can}"})
                messages.append({"role": "assistant", "content": action})
            if len(messages) > 1:
                result = episode.result
                line = {
                    "messages": messages,
                    "episode": result.episode,
                    "instruction": result.task.instruction,
                    "outcome": result.outcome,
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                count += 1
    return count
