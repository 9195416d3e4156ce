"""The paper's rule baseline: search the instruction, open the first result, buy."""

from __future__ import annotations

from windowshop.views import Observation


class RuleAgent:
    """Search, open the first product, buy. With nothing found it searches the first half of the words.

    The halving is ours: the simulator's engine always finds something, a real shop may not.
    """

    def __init__(self) -> None:
        self._words: list[str] = []

    def reset(self, instruction: str) -> None:
        """Forget the last episode."""
        self._words = instruction.split()

    def act(self, observation: Observation) -> str:
        """Return the next action of the rule."""
        clickables = observation.available_actions.clickables
        if observation.available_actions.has_search_bar:
            return self._search(observation.instruction.split())
        if "buy now" in clickables:
            return "click[buy now]"
        products = clickables[clickables.index("next >") + 1 :] if "next >" in clickables else ()
        if products:
            return f"click[{products[0]}]"
        return self._search(self._words[: max(1, len(self._words) // 2)])

    def _search(self, words: list[str]) -> str:
        self._words = words
        return f"search[{' '.join(words)}]"
