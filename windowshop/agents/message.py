"""What an agent in another program is told, and how its answer is read."""

from __future__ import annotations

import json
from typing import Any

from windowshop.errors import AgentError
from windowshop.views import Observation


def describe(observation: Observation, step: int) -> dict[str, Any]:
    """Return one question; `step` counts from 0 in each episode, and `decision` is on the action before."""
    return {
        "step": step,
        "instruction": observation.instruction,
        "observation": observation.text,
        "available_actions": observation.available_actions.model_dump(mode="json"),
        "titles": observation.titles,
        "url": observation.url,
        "decision": observation.decision,
        "note": observation.note,
    }


def read_action(answer: bytes, whose: str) -> str:
    """Return what `{"action": "click[buy now]"}` says; raise `AgentError` for any other answer."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        raise AgentError(f'{whose} answered {_shown(answer)}, not JSON such as {{"action": "..."}}') from None
    action = value.get("action") if isinstance(value, dict) else None
    if not isinstance(action, str):
        raise AgentError(f'{whose} answered {_shown(answer)}, which has no text under "action"')
    return action


def _shown(answer: bytes) -> str:
    text = answer[:200].decode("utf-8", "replace").strip()
    return f"{text!r}{' ...' if len(answer) > 200 else ''}"
