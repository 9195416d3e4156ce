"""Gymnasium's text space, for any text: a shop writes in every script there is."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Never

import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.spaces.utils import flatten, unflatten
from gymnasium.vector.utils import create_shared_memory
from numpy.typing import NDArray

_END = 0x110000
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_SAMPLE = 64


class AnyText(Text):
    """Texts of up to `max_length` characters of any kind; samples are short and of printable ASCII.

    Flattened it is an array of code points, filled up with a number that is none.
    """

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_PRINTABLE, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a short text; a mask would have to name every character there is, and is refused."""
        if mask is not None or probability is not None:
            raise ValueError("a text of any characters is drawn without mask and probability")
        length = int(self.np_random.integers(0, min(_SAMPLE, self.max_length) + 1))
        return "".join(self.np_random.choice(list(_PRINTABLE), size=length))

    def contains(self, x: Any) -> bool:
        """Say whether `x` is a text that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    __hash__ = None  # type: ignore[assignment]


@flatten.register(AnyText)
def _flatten(space: AnyText, x: str) -> NDArray[np.int32]:  # type: ignore[misc]
    flat = np.full(space.max_length, _END, dtype=np.int32)
    flat[: len(x)] = np.frombuffer(x.encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    return flat


@unflatten.register(AnyText)
def _unflatten(space: AnyText, x: NDArray[np.int32]) -> str:  # type: ignore[misc]
    return "".join(chr(point) for point in x if point < _END)


@create_shared_memory.register(AnyText)
def _refuse(space: AnyText, n: int = 1, ctx: ModuleType | None = None) -> Never:
    """Refuse what Gymnasium would get wrong: it reads texts from shared memory once, and never again."""
    raise CustomSpaceError("texts do not go through shared memory: AsyncVectorEnv(..., shared_memory=False)")
