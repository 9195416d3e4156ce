"""The paper's random baseline: any valid action, each as likely as the other."""

from __future__ import annotations

from random import Random

from windowshop.views import Observation


class RandomAgent:
    """Search the instruction, then click whatever the lot falls on.

    An episode's lots depend on the seed and on the instruction alone, not on what was run before.
    """

    def __init__(self, seed: int = 0) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Draw other lots from here on."""
        self._seed = seed
        self._lots = Random(seed)

    def reset(self, instruction: str) -> None:
        """Begin the lots of this episode."""
        self._lots = Random(f"{self._seed} {instruction}")

    def act(self, observation: Observation) -> str:
        """Return a valid action."""
        action = self._lots.choice(observation.valid_actions or ["search[<words>]"])
        return f"search[{observation.instruction}]" if action == "search[<words>]" else action

    def recall(self, observation: Observation, action: str) -> None:
        """Draw the lot that was drawn then."""
        self.act(observation)
