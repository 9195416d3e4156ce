"""From what a language model said to an action."""

from __future__ import annotations

import re
from typing import Any

from windowshop.frozen import Frozen
from windowshop.llm import Reply
from windowshop.views import Observation

_THINKING = re.compile(r"(?s)<think>.*?(?:</think>|\Z)")
_LINE = re.compile(r"(?im)^[ \t>*#-]*action\b[*_ \t]*:[*_ \t]*(.*)$")
_ACTION = re.compile(r"(?i)\b(search|click|sort|filter|price|rating)\[(.+\])")
_ARGUMENT = {"search": "query", "click": "target"}


class Said(Frozen):
    """An answer: its action, or None and the problem; `message` is what of it stays in the conversation."""

    action: str | None = None
    problem: str = ""
    message: dict[str, Any]


def read_words(reply: Reply, observation: Observation) -> Said:
    """Read the first `Action: ...` line; what a model imagines after it is dropped."""
    text = _THINKING.sub("", reply.text).strip()
    line = _LINE.search(text)
    kept = text[: line.end()] if line else text
    found = _ACTION.search(line[1]) if line else _ACTION.fullmatch(text.strip("`. \n"))
    message = {"role": "assistant", "content": kept or "(nothing)"}
    if found is None:
        missing = "no line 'Action: search[...]' or 'Action: click[...]'" if text else "the answer was empty"
        return Said(problem=missing, message=message)
    name = found[1].lower()
    if name not in _ARGUMENT:
        return _refined(name, _inside(found[2], name, observation), observation, message)
    return Said(action=_action(name, _inside(found[2], name, observation), observation), message=message)


def _refined(name: str, argument: str, observation: Observation, message: dict[str, Any]) -> Said:
    """Return one of the extended actions, where the page offers any of its kind."""
    if any(action.startswith(f"{name}[") for action in observation.valid_actions):
        return Said(action=f"{name}[{argument.strip()}]", message=message)
    return Said(problem=f"this page has no {name}[...]", message=message)


def _inside(text: str, name: str, observation: Observation) -> str:
    """Return what stands before the bracket that closes the action; more may follow (`] and then ...`)."""
    ends = [place for place, sign in enumerate(text) if sign == "]"]
    if name == "click":
        names = {*observation.available_actions.clickables, *map(str.lower, observation.titles.values())}
        for end in ends:
            if text[:end].lower().removeprefix("item - ") in names:
                return text[:end]
    return next((text[:end] for end in ends if text[:end].count("[") == text[:end].count("]")), text[:-1])


def read_call(reply: Reply, observation: Observation) -> Said:
    """Read the first call of a function; others beside it are dropped, as a page stands between."""
    message: dict[str, Any]
    if not reply.tool_calls:
        message = {"role": "assistant", "content": reply.text or "(nothing)"}
        return Said(problem="no function was called; call search or click", message=message)
    call = reply.tool_calls[0]
    said = {"name": call.name, "arguments": call.text if call.arguments is not None else "{}"}
    message = {
        "role": "assistant",
        "content": reply.text or None,
        "tool_calls": [{"id": call.id, "type": "function", "function": said}],
    }
    argument = _ARGUMENT.get(call.name)
    if argument is None:
        return Said(problem=f"there is no function {call.name!r}", message=message)
    if call.arguments is None:
        return Said(problem="the arguments are not a JSON object", message=message)
    value = call.arguments.get(argument)
    if not isinstance(value, str) or not value.strip():
        return Said(problem=f"{call.name} needs a text {argument!r}", message=message)
    return Said(action=_action(call.name, value, observation), message=message)


def _action(name: str, argument: str, observation: Observation) -> str:
    """Return the action as the simulator writes it; a product may be clicked by its title too."""
    if name == "search":
        return f"search[{' '.join(argument.split())}]"
    if argument.lower() not in observation.available_actions.clickables:
        by_title = {title.lower(): item_id for item_id, title in reversed(observation.titles.items())}
        argument = by_title.get(argument.strip().lower().removeprefix("item - "), argument.strip())
    return f"click[{argument}]"
