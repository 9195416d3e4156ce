"""Chance that falls the same way on every machine and in every Python version."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

_T = TypeVar("_T")
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Dice:
    """Throw dice that `key` loads.

    Only `Random.random` is used: of the generator's methods it alone is promised to stay the same.
    """

    def __init__(self, key: str) -> None:
        self._random = random.Random(key)

    def below(self, size: int) -> int:
        """Return a whole number from 0 to `size` - 1."""
        return int(self._random.random() * size)

    def between(self, low: float, high: float) -> float:
        """Return a number from `low` up to `high`."""
        return low + (high - low) * self._random.random()

    def chance(self, share: float) -> bool:
        """Say yes in `share` of the throws."""
        return self._random.random() < share

    def pick(self, things: Sequence[_T]) -> _T:
        """Return one of `things`."""
        return things[self.below(len(things))]

    def some(self, things: Sequence[_T], count: int) -> tuple[_T, ...]:
        """Return up to `count` of `things`, each at most once, in their own order."""
        ranks = {index: self._random.random() for index in range(len(things))}
        kept = sorted(sorted(ranks, key=ranks.__getitem__)[:count])
        return tuple(things[index] for index in kept)


def asin_of(key: str) -> str:
    """Return the ten-character id that `key` always gets."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=8).digest())
    signs = []
    for _ in range(8):
        number, sign = divmod(number, len(_ALPHABET))
        signs.append(_ALPHABET[sign])
    return "B0" + "".join(signs)


def listing_of(key: str) -> str:
    """Return the twelve-digit id that `key` always gets."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=8, person=b"listing").digest())
    return str(10**11 + number % (4 * 10**11))
