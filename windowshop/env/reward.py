"""The simulator's reward for what an episode would have bought, where its goal is known."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from windowshop.purchase import PurchaseIntent
from windowshop.scoring.live import Chosen, Parts, is_goal, judge_purchase
from windowshop.scoring.nouns import Nouns, spacy_nouns
from windowshop.views import View

_tagging = threading.Lock()


def is_scorable(goal: Mapping[str, Any] | None) -> bool:
    """Say whether a goal holds what the simulator's reward needs."""
    return is_goal(goal)


def load_nouns() -> Nouns:
    """Return the tagger, for one thread at a time; raise `ConfigError` where there is none."""
    tag = spacy_nouns()[0]

    def nouns(text: str) -> list[str]:
        with _tagging:
            return tag(text)

    return nouns


def score(view: View, intent: PurchaseIntent, goal: Mapping[str, Any], nouns: Nouns) -> Parts:
    """Return the reward and its parts, as `windowshop score` does of the finished run."""
    product = view.product
    chosen = None
    if product is not None and product.page is not None:
        chosen = Chosen(page=product.page, description=product.description or None)
    return judge_purchase(intent, goal, chosen, nouns)


def verbose(parts: Parts) -> dict[str, float | None]:
    """Return the parts under the simulator's names; what is unknown is None."""
    count = len(parts.attributes) + len(parts.options) + 1
    return {
        "r_type": parts.type.factor,
        "title_score": parts.type.title_score,
        "r_att": parts.r_att,
        "w_att": len(parts.attributes) / count,
        "r_option": parts.r_option,
        "w_option": len(parts.options) / count,
        "r_price": parts.price.matched,
        "w_price": 1 / count,
    }
