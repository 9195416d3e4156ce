"""What a model answered, read from what the endpoint sent; nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from windowshop.errors import ModelError
from windowshop.frozen import Frozen


class ToolCall(Frozen):
    """A function the model wants called; `arguments` is None where `text` is not a JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    text: str


class Reply(Frozen):
    """One answer. Tokens are None where the endpoint did not tell, or told what cannot be.

    `cost` is None without tokens or without a price; `seconds` counts from the first try. `raw` is the
    endpoint's own answer, of a stream the chunks put together.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    raw: Mapping[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def tokens(self) -> int | None:
        """Return how many tokens the call took in all."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens


def read_reply(raw: object) -> Reply:
    """Read a chat completion; raise `ModelError` for what is none."""
    if not isinstance(raw, dict):
        raise ModelError(f"the model's answer is a JSON {type(raw).__name__}, not a chat completion")
    if raw.get("error"):
        raise ModelError(f"the endpoint answered with an error: {_short(raw['error'])}")
    choices = raw.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError(f"the model's answer has no choices[0].message: {_short(raw)}")
    text, calls = _text(message.get("content")), _calls(message.get("tool_calls"))
    finish = choice.get("finish_reason")
    told = raw.get("usage")
    usage = told if isinstance(told, dict) else {}
    prompt = _count(usage.get("prompt_tokens"), 1)
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens"), 0) if isinstance(details, dict) else None
    return Reply(
        text=text,
        tool_calls=calls,
        finish=finish if isinstance(finish, str) else None,
        prompt_tokens=prompt,
        completion_tokens=_count(usage.get("completion_tokens"), 1 if text or calls else 0),
        cached_tokens=min(cached or 0, prompt or 0),
        raw=raw,
    )


def _text(content: object) -> str:
    """Return a message's text; some endpoints send it in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _calls(calls: object) -> tuple[ToolCall, ...]:
    read = []
    for number, call in enumerate(calls if isinstance(calls, list) else []):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            given = function.get("arguments")
            text = given if isinstance(given, str) else json.dumps(given)
            name, identity = function["name"], str(call.get("id") or f"call_{number}")
            read.append(ToolCall(id=identity, name=name, arguments=_object(text), text=text))
    return tuple(read)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _count(value: object, least: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 300 else text[:300] + " ..."
