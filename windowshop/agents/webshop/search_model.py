"""WebShop's search model: a BART that turns a goal into search words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from windowshop.errors import ConfigError

if TYPE_CHECKING:
    from transformers import BartForConditionalGeneration

_LONGEST, _BEAMS = 512, 5
_WORDS = ("tokenizer.json", "vocab.json")


class SearchModel:
    """Write search words by beam search, best first; load it from a folder as the library saves one.

    The tokenizer (that of bart-large) comes from the folder or from this machine's cache of the model hub.
    Raises `ConfigError` naming what is missing.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        self._model = _load_bart(folder)
        own = any((folder / name).exists() for name in _WORDS)
        try:
            name = str(folder) if own else "facebook/bart-large"
            self._tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)
        except (OSError, ValueError):
            raise ConfigError(
                f"no tokenizer: put the vocab.json and merges.txt of facebook/bart-large into {folder}"
            ) from None

    def queries(self, goal: str) -> list[str]:
        """Return search words for a goal, the likeliest first."""
        import torch

        ids = self._tokenizer(goal, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            written = self._model.generate(
                ids, max_length=_LONGEST, num_beams=_BEAMS, num_return_sequences=_BEAMS, do_sample=False
            )
        words: list[str] = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return words


@lru_cache(maxsize=2)
def _load_bart(folder: Path) -> BartForConditionalGeneration:
    """Return the model, once for all the agents of a process: it is only read."""
    from transformers import BartForConditionalGeneration
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        model = BartForConditionalGeneration.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:  # the library raises whatever the damage leads to
        raise ConfigError(f"cannot load the search model from {folder}: {str(error)[:200]}") from None
    finally:
        if shown:
            logging.enable_progress_bar()
    return model.eval()
