"""What models cost, as the user says: no price is known to windowshop itself."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen

_MILLION = 1_000_000


class Price(Frozen):
    """The price of a million tokens, in the user's currency; `cached` is for prompt tokens from a cache."""

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return what a call costs."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = prompt_tokens - cached_tokens
        return (fresh * self.prompt + cached_tokens * cached + completion_tokens * self.completion) / _MILLION


class PriceTable(Frozen):
    """Prices by model name, exactly as the endpoint is asked for it."""

    models: dict[str, Price] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file with a table a model: `["gpt-4o"]`, `prompt = 2.5`, `completion = 10`.

        Raises `ConfigError` naming the line or the model.
        """
        try:
            return cls(models=tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ConfigError(f"cannot read prices from {path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"][1:])
            raise ConfigError(
                f"{path}: {where}: {first['msg']}; a price is a table "
                '["MODEL"] with prompt = and completion = (for a million tokens)'
            ) from None
        except ValueError as error:
            raise ConfigError(f"{path} is not TOML: {error}") from error

    def of(self, model: str) -> Price | None:
        """Return a model's price, or None where the user gave none."""
        return self.models.get(model)
