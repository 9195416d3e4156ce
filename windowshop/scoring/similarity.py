"""How alike two titles are: a sentence-embedding model, or plain words where no model is at hand."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import sqrt
from typing import Any, Protocol

from windowshop.errors import ConfigError

PAPER_MODEL = "Qwen/Qwen3-Embedding-0.6B"
_WORD = re.compile(r"\w+")


class TitleSimilarity(Protocol):
    """Compare titles; `name` labels every score that was made with it."""

    name: str

    def similarity(self, left: str, right: str) -> float:
        """Return the cosine of two titles, from -1 to 1."""


class WordSimilarity:
    """Compare titles by the words they share: the cosine of their word counts. Needs no model."""

    name = "words"

    def similarity(self, left: str, right: str) -> float:
        """Return the cosine of two titles, from 0 to 1."""
        one, other = _words(left), _words(right)
        shared = sum(count * other[word] for word, count in one.items())
        return shared / (_length(one) * _length(other)) if shared else 0.0


class EmbeddingSimilarity:
    """Compare titles by a sentence-transformers model, by name or folder; each title is embedded once."""

    def __init__(self, model: str = PAPER_MODEL) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigError(
                "a title model needs the extra `embed`: pip install 'windowshop[embed]'; or take `words`"
            ) from error
        try:
            self._model: Any = SentenceTransformer(model)
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot load the title model {model!r}: {error}") from error
        self.name = model
        self._embed = lru_cache(maxsize=65536)(self._encode)

    def similarity(self, left: str, right: str) -> float:
        """Return the cosine of two titles, from -1 to 1."""
        return float(sum(a * b for a, b in zip(self._embed(left), self._embed(right), strict=True)))

    def _encode(self, title: str) -> tuple[float, ...]:
        return tuple(self._model.encode(title, normalize_embeddings=True).tolist())


def load_similarity(name: str) -> TitleSimilarity:
    """Return the similarity named `words`, or the sentence-transformers model of that name or folder."""
    return WordSimilarity() if name == WordSimilarity.name else EmbeddingSimilarity(name)


@lru_cache(maxsize=65536)
def _words(title: str) -> Counter[str]:
    return Counter(_WORD.findall(title.lower()))


def _length(words: Counter[str]) -> float:
    return sqrt(sum(count * count for count in words.values()))
