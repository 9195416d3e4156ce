"""An agent that a chat model speaks for, in the published setting: temperature 0, long answers."""

from __future__ import annotations

from typing import Final

from windowshop.llm import ChatModel

MAX_TOKENS: Final = 8192


class ModelToolAgent:
    """Ask a chat model for each turn, with nothing but the system text and the history."""

    def __init__(self, model: ChatModel, temperature: float = 0.0) -> None:
        self._model = model
        self._temperature = temperature

    def turn(self, system: str, history: str) -> str:
        """Return the model's text; the errors of `windowshop.llm` pass through."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": history}]
        reply = self._model.complete(messages, temperature=self._temperature, max_tokens=MAX_TOKENS)
        return reply.text or ""
