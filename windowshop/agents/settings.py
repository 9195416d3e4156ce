"""What a user may set of an agent; every kind takes what concerns it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from windowshop.frozen import Frozen


class AgentSettings(Frozen):
    """Settings for `load_agent`.

    `checkpoint` is the choice model of WebShop's agents (a state-dict file or a folder), `search_checkpoint`
    their search model's folder where it is not in the same place, `images` a file of image features by item
    id; `greedy` takes the best action where they would draw lots. `model` is what the endpoint calls the
    language model, `temperature` None leaves that to it, `reply_tokens` bounds each answer; `max_cost` and
    `max_tokens` are what may be spent in all, by the prices in the TOML file `prices`. `timeout` is in
    seconds, for each answer.
    """

    checkpoint: Path | None = None
    search_checkpoint: Path | None = None
    images: Path | None = None
    greedy: bool = False
    model: str | None = None
    temperature: float | None = Field(default=None, ge=0)
    reply_tokens: int | None = Field(default=1024, ge=1)
    stream: bool = False
    max_cost: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    prices: Path | None = None
    timeout: float = Field(default=60.0, gt=0)

    def described(self) -> dict[str, Any]:
        """Return, for the record, what an agent's choices depend on."""
        return self.model_dump(
            mode="json",
            exclude={"max_cost", "max_tokens", "prices", "timeout", "stream"},
            exclude_defaults=True,
        )
