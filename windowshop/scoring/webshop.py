"""The reward of the WebShop simulator (Yao et al. 2022, Eq. 1 and 6), component by component.

Where code and paper differ, the code counts: it is what agents were trained on (simulator rule d).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windowshop.frozen import Frozen
from windowshop.scoring.color import COLORS, normalize_color
from windowshop.scoring.token_set import token_set_ratio

MATCH = 85
"""Two texts match when their token-set ratio is above this."""


class Purchased(Frozen):
    """What scoring needs to know of the product that was chosen; None where a shop does not say."""

    name: str
    title: str
    bullets: tuple[str, ...] = ()
    description: str = ""
    attributes: tuple[str, ...] = ()
    query: str | None = None
    category: str | None = None


class TypeMatch(Frozen):
    """How well the kind of product fits: the factor `r_type` of Eq. 1 and what it rests on."""

    r_type: float
    query_match: bool
    category_match: bool
    title_score: float


class Reward(Frozen):
    """The reward and its parts. A part that cannot be known is None, and then so is `reward`.

    `r_att`, `r_option` and `r_price` are shares matched; `w_*` their weights, which sum to one.
    """

    reward: float | None
    r_type: float
    r_att: float
    w_att: float
    r_option: float | None = None
    w_option: float | None = None
    r_price: bool | None
    w_price: float
    type_match: TypeMatch
    matched_attributes: tuple[str, ...] = ()
    matched_options: tuple[str, ...] = ()


def reward(
    purchased: Purchased,
    goal: Mapping[str, Any],
    price: float | None,
    options: Mapping[str, str],
    purchased_nouns: Sequence[str],
    goal_nouns: Sequence[str],
) -> Reward:
    """Return the simulator's reward for buying `purchased` with `options` at `price`.

    The nouns are those of the two names, lower-cased, in order and with duplicates, as a tagger gives them.
    """
    wanted: Sequence[str] = goal["attributes"]
    attributes = [attribute for attribute in wanted if find_attribute(purchased, attribute)]
    wanted_options = compared_options(goal.get("goal_options") or ())
    matched = [text for value, text in wanted_options if find_option(options, value)]
    upper = goal["price_upper"]
    r_price = None if price is None or upper <= 0 else price <= upper
    kind = type_match(purchased, goal, purchased_nouns, goal_nouns)
    parts = len(wanted) + len(wanted_options) + 1
    total = None if r_price is None else (len(attributes) + len(matched) + r_price) / parts * kind.r_type
    return Reward(
        reward=total,
        r_type=kind.r_type,
        r_att=len(attributes) / len(wanted) if wanted else 0.0,
        w_att=len(wanted) / parts,
        r_option=len(matched) / len(wanted_options) if wanted_options else None,
        w_option=len(wanted_options) / parts if wanted_options else None,
        r_price=r_price,
        w_price=1 / parts,
        type_match=kind,
        matched_attributes=tuple(attributes),
        matched_options=tuple(matched),
    )


def type_match(
    purchased: Purchased, goal: Mapping[str, Any], purchased_nouns: Sequence[str], goal_nouns: Sequence[str]
) -> TypeMatch:
    """Return the type factor: the names' shared nouns, the query, two shared category parts (Eq. 6)."""
    query_match = purchased.query is not None and purchased.query == goal.get("query")
    category_match = len(_parts(purchased.category) & _parts(goal.get("product_category"))) >= 2
    shared = set(purchased_nouns) & set(goal_nouns)
    score = len(shared) / len(goal_nouns) if goal_nouns else 0.2
    factor = 1.0 if query_match or category_match or score > 0.2 else 0.5
    if score < 0.1:
        factor = 0.1
    if score == 0.0:
        factor = 0.0
    return TypeMatch(r_type=factor, query_match=query_match, category_match=category_match, title_score=score)


def _parts(category: str | None) -> set[str]:
    return set() if category is None else {part.strip() for part in category.split("›")}


def find_attribute(purchased: Purchased, attribute: str) -> tuple[str, str] | None:
    """Return where a goal's attribute was found (the part of the page, its text), or None."""
    for has in purchased.attributes:
        if token_set_ratio(has, attribute) > MATCH:
            return "attributes", has
    bullets = " ".join(purchased.bullets)
    texts = (("title", purchased.title), ("features", bullets), ("description", purchased.description))
    return next(((part, text) for part, text in texts if attribute in text.lower()), None)


def find_option(options: Mapping[str, str], wanted: str) -> tuple[str, str] | None:
    """Return the chosen option (group, value) that fits what is compared; group names do not count."""
    return next(
        (
            (group, value)
            for group, value in options.items()
            if token_set_ratio(normalize_color(value), wanted) > MATCH
        ),
        None,
    )


def compared_options(options: Mapping[str, str] | Sequence[str]) -> list[tuple[str, str]]:
    """Return (what is compared, what was asked) for each.

    A dict's items are compared as tuples, as the simulator does: a colour must equal the name or the value.
    """
    if not isinstance(options, Mapping):
        return [(normalize_color(value), value) for value in options]
    return [
        (next((color for color in COLORS if color in item), str(item)), str(item)) for item in options.items()
    ]
