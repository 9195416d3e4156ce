"""The paper's rule baseline: search the instruction, open the first result, buy."""

from __future__ import annotations

from windowshop.agents.wanted import wanted
from windowshop.views import Observation


class RuleAgent:
    """Search, open the first product, buy. With nothing found it searches the first half of the words.

    With `options` it first chooses what the instruction asks for by name. The halving is ours: the
    simulator's engine always finds something, a real shop may not.
    """

    def __init__(self, options: bool = False) -> None:
        self._options = options
        self._words: list[str] = []
        self._chosen: set[str] = set()

    def reset(self, instruction: str) -> None:
        """Forget the last episode."""
        self._words = instruction.split()
        self._chosen = set()

    def act(self, observation: Observation) -> str:
        """Return the next action of the rule."""
        clickables = observation.available_actions.clickables
        if observation.available_actions.has_search_bar:
            return self._search(observation.instruction.split())
        if "buy now" in clickables:
            return self._finish(clickables[clickables.index("buy now") + 1 :], observation.instruction)
        listed = clickables[clickables.index("next >") + 1 :] if "next >" in clickables else ()
        products = [name for name in listed if "[" not in name]
        if products:
            self._chosen = set()
            return f"click[{products[0]}]"
        return self._search(self._words[: max(1, len(self._words) // 2)])

    def recall(self, observation: Observation, action: str) -> None:
        """Know again what was chosen."""
        self.act(observation)

    def _finish(self, options: tuple[str, ...], instruction: str) -> str:
        named = wanted(options, instruction) if self._options else []
        left = [option for option in named if option not in self._chosen]
        if not left:
            return "click[buy now]"
        self._chosen.add(left[0])
        return f"click[{left[0]}]"

    def _search(self, words: list[str]) -> str:
        self._words = words
        return f"search[{' '.join(words)}]"
