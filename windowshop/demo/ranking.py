"""Which products a query brings up, and in what order they stand on a page of results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from windowshop.demo.dice import Dice
from windowshop.demo.product import Product
from windowshop.demo.wares import catalogue
from windowshop.demo.wish import Wish
from windowshop.frozen import Frozen

PER_PAGE = 20
EVERYTHING = Wish()
_ADVERTS = 2
_ADVERT_EVERY = 7


class Place(Frozen):
    """One tile among the results."""

    product: Product
    sponsored: bool = False


class Listing(Frozen):
    """One page of results; `total` counts what was found, without the adverts.

    `found` is all of it before it was narrowed.
    """

    query: str
    page: int
    pages: int
    total: int
    places: tuple[Place, ...]
    others: tuple[Product, ...]
    found: tuple[Product, ...] = ()


class Ranking:
    """Rank products by BM25 over title, bullets, description, query, path and option values."""

    def __init__(self, products: Sequence[Product]) -> None:
        import bm25s

        self._products = products
        self._bm25s: Any = bm25s
        self._index = bm25s.BM25()
        self._index.index(self._tokens([_text(product) for product in products]), show_progress=False)

    def find(self, query: str) -> list[Product]:
        """Return every product that shares a word with `query`, best first."""
        words = self._tokens([query])[0]
        known = [word for word in words if word in self._index.vocab_dict]
        if not known:
            return []
        # rounded, so that the last bit of a float decides nothing on another machine
        scores = [round(float(score), 4) for score in self._index.get_scores(known)]
        ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return [self._products[index] for index in ranked if scores[index] > 0]

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        tokens: list[list[str]] = self._bm25s.tokenize(
            texts, token_pattern=r"(?u)\b\w+\b", stopwords="en", return_ids=False, show_progress=False
        )
        return tokens


@cache
def ranking() -> Ranking:
    """Return the index over the whole catalogue, built on first use."""
    return Ranking(catalogue())


def listing(query: str, page: int, wish: Wish = EVERYTHING) -> Listing:
    """Return one page of results with its adverts; a page past the end is answered with the last one.

    Adverts heed what the list is narrowed by; a list in an order of the customer's has none.
    """
    everything = ranking().find(query)
    found = wish.arranged(everything)
    pages = max(1, -(-len(found) // PER_PAGE))
    page = min(max(page, 1), pages)
    shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
    rest = [product for product in catalogue() if shown and product.category == shown[0].category]
    fitting = [product for product in wish.narrowed(rest) if product not in shown]
    adverts = Dice(f"adverts {query.lower()} {page}").some(fitting, 0 if wish.order else _ADVERTS)
    others = [product for product in rest if product not in shown and product not in adverts]
    return Listing(
        query=query,
        page=page,
        pages=pages,
        total=len(found),
        places=tuple(_mixed(shown, adverts)),
        others=Dice(f"others {query.lower()}").some(others, 4),
        found=tuple(everything),
    )


def _mixed(shown: list[Product], adverts: Sequence[Product]) -> list[Place]:
    places = [Place(product=product) for product in shown]
    for number, advert in enumerate(adverts):
        places.insert(number * _ADVERT_EVERY, Place(product=advert, sponsored=True))
    return places


def _text(product: Product) -> str:
    values = (value for choice in product.choices for value in choice.values)
    told = (product.title, product.query, *product.bullets, product.description or "")
    return " ".join((*told, *product.path, *values))
