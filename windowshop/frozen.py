"""The base of every word in the vocabulary: a value that nobody can change after it was made."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Hold validated, immutable data; an unknown field is an error, never silently dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid")
