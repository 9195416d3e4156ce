"""WebShop's imitation-learning trajectories: one JSON line an episode, as `train_choice_il.py` reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from windowshop.errors import ConfigError
from windowshop.export.record import Decision, Played, titles

SEARCH = -1
_KINDS = ("search[", "click[")


def write(episodes: Iterator[Played], run: Path, out: Path) -> int:
    """Write states, actions, available_actions, action_idxs, actions_translate and images.

    `actions` are as they were done, `available_actions` and `actions_translate` click products by title, as
    the trained models do; `action_idxs` is the place of one in the other, -1 for a search. Raises
    `ConfigError` for a run whose texts or actions are not of the kind that those models know.
    """
    count = 0
    with out.open("x", encoding="utf-8") as file:
        for episode in episodes:
            if episode.mode != "text_rich":
                raise ConfigError(f"{run} was run with --mode {episode.mode}; il-trajs are text_rich")
            decisions = list(episode.decisions())
            other = next((one.action for one in decisions if not one.action.startswith(_KINDS)), None)
            if other is not None:
                raise ConfigError(f"{run} was run with --actions extended; il-trajs know no {other}")
            file.write(json.dumps(_line(decisions)) + "\n")
            count += 1
    return count


def _line(decisions: list[Decision]) -> dict[str, object]:
    available = [_available(decision) for decision in decisions]
    translated = [_translate(decision.action, decision) for decision in decisions]
    return {
        "states": [decision.before.observation for decision in decisions],
        "actions": [decision.action for decision in decisions],
        "available_actions": available,
        "action_idxs": [
            SEARCH if decision.is_search else names.index(action)
            for decision, names, action in zip(decisions, available, translated, strict=True)
        ],
        "actions_translate": translated,
        "images": [0] * len(decisions),
    }


def _available(decision: Decision) -> list[str]:
    if decision.before.available_actions.has_search_bar:
        return [decision.action] if decision.is_search else []
    return [_translate(action, decision) for action in decision.before.available_actions.valid]


def _translate(action: str, decision: Decision) -> str:
    """Return a click on a product by its title, any other as the clickable itself reads."""
    if not action.startswith("click["):
        return action
    name = action[len("click[") : action.rindex("]")].lower()
    title = titles(decision.before).get(name)
    return f"click[{name}]" if title is None else f"click[item - {title.lower()}]"
