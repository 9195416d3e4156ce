"""ShoppingBench's score: how well what was recommended fits, field by field; ASR and CAR.

ASR is the share of queries that fully succeed, CAR the mean of the rule scores. Both are given over the
queries that were run, as the published script counts, and over all that were asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from windowshop.frozen import Frozen
from windowshop.goals.shoppingbench import Document, Intent, ShoppingGoal, Wanted
from windowshop.scoring.similarity import TitleSimilarity

TITLE_THRESHOLD: Final = 0.5
KNOWLEDGE_THRESHOLD: Final = 0.8


class Fit(Frozen):
    """How well one product fits one that was asked for: shares from 0 to 1, 1 for what was not asked."""

    rule: float = 0.0
    title: float = 0.0
    price: float = 0.0
    service: float = 0.0
    features: float = 0.0
    is_gold: bool = False


class ShoppingScore(Frozen):
    """The score of one query. `shop` and `budget` are None where the intent does not ask for them."""

    query: str
    intent: Intent
    recommended: tuple[str, ...]
    fits: tuple[Fit, ...]
    rule: float
    success: bool
    gold: float
    shop: bool | None = None
    budget: bool | None = None
    paid: float | None = None


class ShoppingSummary(Frozen):
    """ASR and CAR (shares) over the queries that ran, and over all that were asked."""

    asked: int
    ran: int
    asr: float | None
    car: float | None
    asr_of_asked: float
    car_of_asked: float
    gold: float | None


def fit(
    product: Document, wanted: Wanted, titles: TitleSimilarity, threshold: float = TITLE_THRESHOLD
) -> Fit:
    """Return the share of what was asked that the product has; 1 for the very product (section 3.4)."""
    if product.product_id == wanted.product_id:
        return Fit(rule=1.0, title=1.0, price=1.0, service=1.0, features=1.0, is_gold=True)
    title = [titles.similarity(product.title, text) >= threshold for text in wanted.title]
    price = [_within(product.price, bounds) for ranges in wanted.price for bounds in ranges.items()]
    service = [name in product.service for name in wanted.service]
    pairs = [pair for group in wanted.sku_options for pair in _pairs(group)]
    pairs += [(name, value) for group in wanted.attributes for name, value in _listed(group)]
    features = _features(product, pairs)
    counted = [*title, *price, *service]
    total = len(counted) + len(pairs)
    return Fit(
        rule=(sum(counted) + features) / total if total else 1.0,
        title=_share(title),
        price=_share(price),
        service=_share(service),
        features=features / len(pairs) if pairs else 1.0,
    )


def score(
    goal: ShoppingGoal,
    recommended: Sequence[str],
    catalogue: Mapping[str, Document],
    titles: TitleSimilarity,
    threshold: float = TITLE_THRESHOLD,
) -> ShoppingScore:
    """Return the score of the recommended ids, in their order (section 3.4).

    For a single product the first id counts; several are compared place by place. An id that the catalogue
    does not hold fits nothing.
    """
    if goal.intent == "web":
        return _score_knowledge(goal, recommended, catalogue, titles)
    wanted = goal.wanted[:1] if goal.intent == "product" else goal.wanted
    products = [catalogue.get(product_id) for product_id in recommended[: len(wanted)]]
    products += [None] * (len(wanted) - len(products))
    fits = tuple(
        Fit() if product is None else fit(product, one, titles, threshold)
        for product, one in zip(products, wanted, strict=True)
    )
    rule = sum(each.rule for each in fits) / len(wanted)
    found = [product for product in products if product is not None]
    same_shop = len(found) == len(wanted) and len({product.shop_id for product in found}) == 1
    shop = same_shop if goal.intent == "shop" else None
    budget, paid = None, None
    if goal.intent == "voucher" and goal.voucher is not None:
        prices = [product.price for product in found if product.price is not None]
        budget = False
        if len(prices) == len(wanted):
            total = sum(prices)
            paid = goal.voucher.price(total, same_shop)
            budget = min(total, paid) <= goal.voucher.budget
    return ShoppingScore(
        query=goal.query,
        intent=goal.intent,
        recommended=tuple(recommended),
        fits=fits,
        rule=rule,
        success=rule >= 1 and shop is not False and budget is not False,
        gold=fmean(each.is_gold for each in fits),
        shop=shop,
        budget=budget,
        paid=paid,
    )


def summarise(scores: Iterable[ShoppingScore], asked: int) -> ShoppingSummary:
    """Return ASR and CAR; a query that was asked but not run counts as failed in the second pair."""
    scores = list(scores)
    success = sum(each.success for each in scores)
    rule = sum(each.rule for each in scores)
    return ShoppingSummary(
        asked=asked,
        ran=len(scores),
        asr=success / len(scores) if scores else None,
        car=rule / len(scores) if scores else None,
        asr_of_asked=success / asked if asked else 0.0,
        car_of_asked=rule / asked if asked else 0.0,
        gold=fmean(each.gold for each in scores) if scores else None,
    )


def recommended_ids(product_ids: str, trim: bool = False) -> tuple[str, ...]:
    """Split the argument of `recommend_product`; the published script leaves blanks on the ids."""
    ids = product_ids.split(",")
    return tuple(each.strip() for each in ids) if trim else tuple(ids)


def _score_knowledge(
    goal: ShoppingGoal, recommended: Sequence[str], catalogue: Mapping[str, Document], titles: TitleSimilarity
) -> ShoppingScore:
    """Score a knowledge query: the hidden word in title or description, and the title's likeness."""
    first = recommended[0] if recommended else ""
    product, gold = catalogue.get(first), goal.wanted[0]
    each = Fit()
    if first == gold.product_id:
        each = Fit(rule=1.0, title=1.0, price=1.0, service=1.0, features=1.0, is_gold=True)
    elif product is not None:
        word = (goal.knowledge or "").lower()
        knows = word in product.title.lower() or word in product.description.lower()
        alike = titles.similarity(product.title, gold.title[0]) >= KNOWLEDGE_THRESHOLD
        rule = (knows + alike) / 2
        each = Fit(rule=rule, title=float(alike), price=1.0, service=1.0, features=float(knows))
    return ShoppingScore(
        query=goal.query,
        intent="web",
        recommended=tuple(recommended),
        fits=(each,),
        rule=each.rule,
        success=each.rule >= 1,
        gold=float(gold.product_id in first),
    )


def _within(price: float | None, bounds: tuple[str, tuple[float | None, float | None]]) -> bool:
    _, (low, high) = bounds
    return price is not None and (low is None or price >= low) and (high is None or price <= high)


def _features(product: Document, pairs: Sequence[tuple[str, str]]) -> int:
    """Count the pairs that the product has, in its attributes or in the one variant that has most of them."""
    own = {(name.lower(), value.lower()) for name, value in _listed(product.attributes)}
    variants = [set(_pairs(variant)) for variant in product.sku_options.values()] or [set()]
    return max(sum(pair in own or pair in variant for pair in map(_lower, pairs)) for variant in variants)


def _pairs(group: Mapping[str, str]) -> list[tuple[str, str]]:
    return [_lower(pair) for pair in group.items()]


def _listed(group: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, values in group.items() for value in values]


def _lower(pair: tuple[str, str]) -> tuple[str, str]:
    return pair[0].lower(), pair[1].lower()


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 1.0
