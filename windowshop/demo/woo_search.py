"""Which of a shop's products a search finds, best first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from windowshop.demo.woo_goods import Goods

_TAG = re.compile(r"<[^>]*>")


class Search:
    """Rank products by BM25 over name, categories, brand and descriptions; a name counts three times."""

    def __init__(self, goods: Sequence[Goods]) -> None:
        import bm25s

        self._goods = tuple(goods)
        self._bm25s: Any = bm25s
        self._index = bm25s.BM25()
        if self._goods:
            self._index.index(self._tokens([_words(one) for one in self._goods]), show_progress=False)

    def find(self, query: str) -> list[Goods]:
        """Return every product that shares a word with `query`."""
        words = self._tokens([query])[0] if self._goods and query.strip() else []
        known = [word for word in words if word in self._index.vocab_dict]
        if not known:
            return []
        scores = [round(float(score), 4) for score in self._index.get_scores(known)]
        ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return [self._goods[index] for index in ranked if scores[index] > 0]

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        tokens: list[list[str]] = self._bm25s.tokenize(
            texts, token_pattern=r"(?u)\b\w+\b", stopwords="en", return_ids=False, show_progress=False
        )
        return tokens


def _words(goods: Goods) -> str:
    told = (*[goods.name] * 3, *goods.path, goods.brand or "", _TAG.sub(" ", goods.short))
    return " ".join((*told, _TAG.sub(" ", goods.description)))
