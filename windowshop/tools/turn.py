"""What a model writes in one turn, in ShoppingBench's tags, and what stands in the rollout for it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from windowshop.frozen import Frozen

_TAGS: Final = ("think", "tool_call", "response")
_BETWEEN = {tag: re.compile(rf"<{tag}>(.*?)</{tag}>", re.DOTALL) for tag in _TAGS}


class Call(Frozen):
    """One tool call."""

    name: str
    parameters: dict[str, Any]

    @property
    def id(self) -> str:
        """Return the id that ties the call to its result: of its name and parameters (section 3.3)."""
        text = f"{self.name}\n{json.dumps(self.parameters, ensure_ascii=False)}"
        return base64.urlsafe_b64encode(hashlib.md5(text.encode()).digest()).decode()[:8]


class Turn(Frozen):
    """What a turn said; None or empty for a tag that it did not use."""

    think: str | None = None
    calls: tuple[Call, ...] = ()
    response: str | None = None

    @property
    def text(self) -> str:
        """Return the turn as a model would have written it."""
        calls = json.dumps([call.model_dump() for call in self.calls], ensure_ascii=False)
        parts = [
            f"<think>{self.think}</think>" if self.think is not None else "",
            f"<tool_call>{calls}</tool_call>" if self.calls else "",
            f"<response>{self.response}</response>" if self.response is not None else "",
        ]
        return "\n".join(part for part in parts if part)


def parse_turn(text: str) -> Turn:
    """Return what a model's text says; calls that are no list of names and parameters are left out."""
    found = {
        tag: match.group(1).strip() for tag, pattern in _BETWEEN.items() if (match := pattern.search(text))
    }
    return Turn(
        think=found.get("think"),
        calls=tuple(_calls(found.get("tool_call", ""))),
        response=found.get("response"),
    )


def format_reward(text: str, thinks: bool = True) -> int:
    """Return 1 for a turn that keeps the format, else 0 (section 3.4).

    One ordered, unnested pair of each tag that is used, `think` among them (unless the model does not think
    aloud), a call or a response, and the calls a JSON list of names and parameters.
    """
    used = [tag for tag in _TAGS if f"<{tag}>" in text or f"</{tag}>" in text]
    wanted = "think" in used if thinks else True
    if not wanted or not {"tool_call", "response"} & set(used):
        return 0
    marks = re.findall(r"</?(?:think|tool_call|response)>", text)
    if marks != [mark for tag in used for mark in (f"<{tag}>", f"</{tag}>")]:
        return 0
    if "tool_call" not in used:
        return 1
    inner = _BETWEEN["tool_call"].search(text)
    return int(inner is not None and _is_calls(_json(inner.group(1))))


def message(turn: Turn, results: Sequence[Any]) -> dict[str, Any]:
    """Return the rollout's message for a turn and what its calls gave back; unused keys are left out."""
    said: dict[str, Any] = {}
    if turn.think is not None:
        said["think"] = turn.think
    if turn.calls:
        said["tool_call"] = [{**call.model_dump(), "tool_call_id": call.id} for call in turn.calls]
        said["obs"] = [
            {"tool_call_id": call.id, "results": result}
            for call, result in zip(turn.calls, results, strict=True)
        ]
    if turn.response is not None:
        said["response"] = turn.response
    return said


def _calls(text: str) -> list[Call]:
    found = _json(text)
    if not _is_calls(found):
        return []
    return [Call(name=call["name"], parameters=call["parameters"]) for call in found]


def _is_calls(found: Any) -> bool:
    return isinstance(found, list) and all(
        isinstance(call, dict)
        and isinstance(call.get("name"), str)
        and isinstance(call.get("parameters"), dict)
        for call in found
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
