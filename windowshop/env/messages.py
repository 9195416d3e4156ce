"""What the environment says and understands over HTTP: AgentGym's messages."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _whole(value: object) -> object:
    """Return 3.0 as 3: JSON knows no difference."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_whole)]
_Session = Annotated[
    int, Field(ge=0, le=2**53 - 1, description="The number that /create answered."), BeforeValidator(_whole)
]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CreateQuery(_Message):
    """What a new session is for; without it, a goal is drawn."""

    session_id: _Whole | None = Field(default=None, description="The goal's place among the tasks.")
    instruction: str | None = Field(
        default=None, max_length=4096, description="Any instruction instead; no goal is known then."
    )


class StepQuery(_Message):
    """One action in one session."""

    env_idx: _Session
    action: str = Field(max_length=1 << 16, description="search[words] or click[name]")


class ResetQuery(CreateQuery):
    """Begin again: the goal at `session_id`, or one that is drawn."""

    env_idx: _Session


class CloseQuery(_Message):
    """End one session."""

    env_idx: _Session


class StepResponse(_Message):
    """What came of an action. `info` says how the episode ended, once it has."""

    state: str
    reward: float
    done: bool
    info: dict[str, Any] | None


class AvailableActionsResponse(_Message):
    """The simulator's available actions."""

    has_search_bar: bool
    clickables: list[str]


class StateResponse(_Message):
    """The simulator's state."""

    url: str
    html: str
    instruction_text: str


class CloseResponse(_Message):
    """Whether there was anything to close."""

    closed: bool


class Problem(_Message):
    """What went wrong, in words."""

    detail: str
