"""An episode as a judge sees it, and what it is asked: prompts and verdicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from windowshop.episodes import Task
from windowshop.frozen import Frozen
from windowshop.pages import ItemPage
from windowshop.purchase import PurchaseIntent
from windowshop.scoring.aspects import Aspects

Seeing = Literal["screenshots", "text"]


class Screenshot(Frozen):
    """A picture of a page, by its file in the run folder and the SHA-256 of its bytes."""

    path: str
    sha256: str


class Case(Frozen):
    """What an agent did and ended with. `answer` is None where it bought nothing.

    `screenshots` and `observations` are in the order of the steps. `facts` are what the chosen product's page
    says, typed.
    """

    episode: str
    site: str
    agent: str
    repeat: int = 0
    task: Task
    aspects: Aspects
    answer: str | None
    actions: tuple[str, ...] = ()
    screenshots: tuple[Screenshot, ...] = ()
    observations: tuple[str, ...] = ()
    facts: dict[str, Any] | None = None


class Prompt(Frozen):
    """One call to a judge. A message's content is text, or parts: texts and screenshots by their digest."""

    stage: str
    messages: tuple[dict[str, Any], ...]
    max_tokens: int = 1000

    def key(self, model: str, settings: Mapping[str, Any]) -> str:
        """Return the digest under which the reply is kept: all that it depends on."""
        asked = {
            "model": model,
            "settings": dict(settings),
            "max_tokens": self.max_tokens,
            "messages": self.messages,
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class Ruling(Frozen):
    """One question's verdict: by the protocol's own rule, and by a strict one (None: not clear)."""

    repository: bool
    strict: bool | None


class Verdict(Frozen):
    """One line of `scores/judge-*.jsonl`. `rulings` holds what was asked alone.

    `overall` is the product of the rulings; `no_answer` says that the zeros were given without a call;
    `error` that no verdict could be had.
    """

    format: int = 1
    episode: str
    task: str
    site: str
    agent: str
    repeat: int = 0
    protocol: str
    model: str
    seeing: Seeing
    category: str | None = None
    difficulty: str | None = None
    rulings: dict[str, Ruling] = Field(default_factory=dict)
    overall: Ruling | None = None
    no_answer: bool = False
    error: str | None = None


Protocol = Generator[Prompt, str, dict[str, Ruling]]
"""A judge's procedure: it yields prompts, is sent the replies' texts, and returns its rulings."""


def part(text: str) -> dict[str, str]:
    """Return text as a part of a message."""
    return {"type": "text", "text": text}


def shown(screenshot: Screenshot) -> dict[str, str]:
    """Return a screenshot as a part of a message; its bytes are put in when the model is asked."""
    return {"type": "screenshot", "sha256": screenshot.sha256}


def product_of(rulings: Sequence[Ruling]) -> Ruling:
    """Return the holistic verdict; what was not asked counts as satisfied."""
    strict = [ruling.strict for ruling in rulings]
    return Ruling(
        repository=all(ruling.repository for ruling in rulings),
        strict=False if False in strict else None if None in strict else True,
    )


def answer_of(intent: PurchaseIntent | None) -> str | None:
    """Return a purchase intent as the answer that an agent would give."""
    if intent is None:
        return None
    options = ", ".join(f"{name}: {value}" for name, value in {**intent.options, **intent.chosen}.items())
    price = intent.unit_price.text or str(intent.unit_price.amount) if intent.unit_price else None
    said = (
        ("product", intent.title or intent.item_id),
        ("options", options or None),
        ("price", price),
        ("address", intent.url),
    )
    return "\n".join(f"{name}: {value}" for name, value in said if value)


def facts_of(intent: PurchaseIntent | None, page: ItemPage | None) -> dict[str, Any] | None:
    """Return what is known of the chosen product, typed; None where nothing was chosen."""
    if intent is None:
        return None
    facts: dict[str, Any] = intent.model_dump(
        mode="json",
        include={
            "site",
            "item_id",
            "variant_id",
            "title",
            "options",
            "chosen",
            "unit_price",
            "seller",
            "in_stock",
        },
    )
    if page is not None:
        facts |= page.model_dump(
            mode="json",
            include={
                "brand",
                "rating",
                "review_count",
                "bullets",
                "description",
                "specifics",
                "breadcrumbs",
                "condition",
                "list_price",
            },
        )
    return {name: value for name, value in facts.items() if value not in (None, [], {}, "")}
