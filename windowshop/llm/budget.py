"""What may be spent on models, and what was."""

from __future__ import annotations

from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from windowshop.errors import BudgetSpent

if TYPE_CHECKING:
    from windowshop.llm.prices import Price


class Held(NamedTuple):
    """What is set aside for a call."""

    tokens: int
    cost: float


class Budget:
    """Keep all who share it under a limit of cost and of tokens, before they spend and not after.

    `tokens` and `cost` are what was spent so far (of what answers told), and may begin with what an earlier
    sitting spent. May be shared by threads: what one call may take at most is held until it has ended.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        cost: float = 0.0,
        tokens: int = 0,
    ) -> None:
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.cost = cost
        self.tokens = tokens
        self._held = Held(0, 0.0)
        self._density: float | None = None
        self._untold: str | None = None
        self._lock = Lock()

    def hold(self, size: int, length: int, price: Price | None) -> Held:
        """Set aside what a call may take; raise `BudgetSpent` if it is not there.

        A prompt of `size` bytes is reckoned by the densest seen so far, and before there was one at a token
        a byte, which no tokenizer passes. `length` bounds the answer (0 where nothing does).
        """
        with self._lock:
            prompt = ceil(size * (1.0 if self._density is None else self._density))
            held = Held(prompt + length, price.cost(prompt, length) if price else 0.0)
            self._check("tokens", self.tokens, self._held.tokens + held.tokens, self.max_tokens)
            self._check("cost", self.cost, self._held.cost + held.cost, self.max_cost)
            if self._untold is not None:
                raise BudgetSpent(self._untold, "run:tokens")
            self._held = Held(self._held.tokens + held.tokens, self._held.cost + held.cost)
            return held

    def settle(self, held: Held, tokens: int | None = 0, cost: float | None = 0.0) -> None:
        """Put what a call took in place of what was held; None where it was not told, 0 where it failed."""
        with self._lock:
            self._held = Held(self._held.tokens - held.tokens, self._held.cost - held.cost)
            self.tokens += tokens or 0
            self.cost += cost or 0.0
            if tokens is None and (self.max_tokens is not None or self.max_cost is not None):
                self._untold = (
                    "an answer did not tell how many tokens it took, so that the limit cannot be kept: "
                    "stopped here; an endpoint without usage goes without --max-tokens and --max-cost"
                )

    def learn(self, size: int, tokens: int) -> None:
        """Note how many tokens a prompt of `size` bytes had."""
        with self._lock:
            self._density = max(self._density or 0.0, tokens / max(1, size))

    def _check(self, what: str, spent: float, more: float, limit: float | None) -> None:
        if limit is None or (spent < limit and spent + more <= limit):
            return
        raise BudgetSpent(
            f"the next call to the model could pass --max-{what} {limit:g}: {spent:.6g} are spent, "
            f"and it may take {more:.6g}",
            f"run:{what}",
        )
