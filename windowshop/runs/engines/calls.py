"""The commons as seen from elsewhere: each call goes over a wire as plain values, and so does its answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

from windowshop.runs.commons import Commons

TOLD = frozenset({"spend", "release", "end_turn", "keep_rules", "note_answer"})
"""What is only told, and not waited for: nothing is promised on it, and the order of calls is kept."""
_OFFERED = TOLD | frozenset(
    {"begin", "append", "reached", "ask", "claim", "take_turn", "recall", "record", "keep", "rules", "blocks"}
)


class Call(NamedTuple):
    """One call of a method of the commons."""

    method: str
    arguments: tuple[Any, ...]


class Answer(NamedTuple):
    """What a call returned, or the error that it raised."""

    value: Any = None
    error: Exception | None = None


def answer(commons: Commons, call: Call) -> Answer:
    """Make a call that came over the wire; only what workers may ask of the commons is answered."""
    try:
        if call.method not in _OFFERED:
            raise AttributeError(f"workers may not call {call.method}")
        return Answer(value=getattr(commons, call.method)(*call.arguments))
    except Exception as error:  # raised again where the call came from
        return Answer(error=error)


def remote(carry: Callable[[Call], Answer]) -> Commons:
    """Return a stand-in for the commons at the other end of a wire; `carry` takes a call there and back."""
    return cast(Commons, _Remote(carry))


class _Remote:
    def __init__(self, carry: Callable[[Call], Answer]) -> None:
        self._carry = carry

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method not in _OFFERED:
            raise AttributeError(method)
        return partial(self._call, method)

    def _call(self, method: str, *arguments: Any) -> Any:
        answered = self._carry(Call(method, arguments))
        if answered.error is not None:
            raise answered.error
        return answered.value
