"""Replay episodes that the real simulator recorded, and compare every step with ours.

The recording holds what the simulator's search engine and loader gave; session, translators and grammar are
windowshop's own, the same that run on real pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from windowshop.actions import Buy, Navigation, ToItem, ToResults
from windowshop.errors import ActionError
from windowshop.frozen import Frozen
from windowshop.runs.session import advance
from windowshop.scoring.nouns import Nouns
from windowshop.scoring.webshop import Purchased, reward
from windowshop.translators.action import parse
from windowshop.translators.memory import Memory
from windowshop.translators.observation import render
from windowshop.translators.product import MAX_RESULTS
from windowshop.views import Listing, Product, Row, View

Record = Mapping[str, Any]
ASPECTS = ("observation", "available_actions", "url", "state", "done", "reward", "error")


class Difference(Frozen):
    """One aspect of one step in which we and the simulator differ."""

    episode: str
    step: int
    aspect: str
    expected: Any
    got: Any


class Crash(Exception):
    """The simulator itself fails here; `kind` is the exception that it raised."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Catalogue:
    """The simulator's products as ours, and what its reward needs to know of them.

    `prices` are those that the simulator drew for purchases, `nouns` the tagger of its reward; without them
    the recorded reward is taken as given.
    """

    def __init__(
        self, records: Sequence[Record], prices: Mapping[str, float] | None = None, nouns: Nouns | None = None
    ) -> None:
        self.products = {record["asin"]: _product(record) for record in records}
        self._records = {record["asin"]: record for record in records}
        self._prices = prices
        self._nouns = nouns

    def reward(self, view: View, goal: Record, step: Record) -> float:
        """Return the reward of buying what is on view; raise `Crash` where the simulator fails (rule b.3)."""
        record = self._records[view.item_id or ""]
        if None in record["BulletPoints"]:
            raise Crash("TypeError")
        if self._prices is None or self._nouns is None:
            return float(step.get("reward") or 0.0)
        purchased = Purchased(
            name=record["name"],
            title=record["Title"],
            bullets=tuple(record["BulletPoints"]),
            description=record["Description"] or "",
            attributes=tuple(record["Attributes"]),
            query=record["query"],
            category=record["product_category"],
        )
        names = (self._nouns(purchased.name), self._nouns(goal["name"]))
        found = reward(purchased, goal, self._prices[record["asin"]], view.options, *names)
        if found.reward is None:
            raise Crash("TypeError")
        return found.reward


def replay(episode: Record, catalogue: Catalogue) -> Iterator[list[Difference]]:
    """Yield the differences of each recorded step, an empty list where there are none."""
    memory = Memory(episode["num_prev_obs"], episode["num_prev_actions"])
    view = View(
        instruction=episode["assigned_instruction_text"] or episode["goal"]["instruction_text"],
        session=str(episode["session"]),
        show_attributes=episode["show_attrs"],
    )
    for number, step in enumerate(episode["steps"]):
        got: dict[str, Any] = {}
        try:
            if step["action"] is not None:
                before, view = view, _step(view, step, catalogue, episode["goal"])
                bought = view.counts.get("purchase", 0) > before.counts.get("purchase", 0)
                got = {"done": bought, "reward": (view.reward or 0.0) if bought else 0.0}
        except Crash as crash:
            got = {"error": crash.kind}
        else:
            got |= _record(view, step, episode["mode"], memory)
        yield [
            Difference(
                episode=episode["name"],
                step=number,
                aspect=aspect,
                expected=step[aspect],
                got=got.get(aspect),
            )
            for aspect in ASPECTS
            if aspect in step and step[aspect] is not None and step[aspect] != got.get(aspect)
        ]


def _record(view: View, step: Record, mode: str, memory: Memory) -> dict[str, Any]:
    seen = render(view, mode)  # type: ignore[arg-type]
    begin = step["action"] is None
    text = memory.begin(seen.text) if begin else memory.add(step["action"], seen.text)
    return {
        "observation": text,
        "available_actions": {
            "has_search_bar": seen.available_actions.has_search_bar,
            "clickables": list(seen.available_actions.clickables),
        },
        "url": seen.url,
        "state": {
            "page": view.page,
            "keywords": None if view.keywords is None else list(view.keywords),
            "asin": view.item_id,
            "asins": sorted(view.visited),
            "options": view.options,
            "actions": view.counts,
            "done": view.done,
        },
    }


def _step(view: View, step: Record, catalogue: Catalogue, goal: Record) -> View:
    try:
        action = parse(step["action"], view)
    except ActionError:
        return view
    if isinstance(action, Buy):
        view = view.model_copy(update={"reward": catalogue.reward(view, goal, step)})
    # The simulator searches anew for every page of results; so does its recording.
    after = advance(view.model_copy(update={"listing": None}), action)
    if not isinstance(after, View):
        after = advance(_visit(view, after, step, catalogue), action, arrived=True)
    if not isinstance(after, View):
        raise TypeError(f"a second navigation: {after!r}")
    return after


def _visit(view: View, navigation: Navigation, step: Record, catalogue: Catalogue) -> View:
    if isinstance(navigation, ToResults):
        products = catalogue.products
        found = [asin for asin in _searched(step, navigation.query, len(products)) if asin in products]
        rows = tuple(
            Row(item_id=asin, title=products[asin].title, price=products[asin].price) for asin in found
        )
        listing = Listing(query=navigation.query, rows=rows, total=len(rows))
        return view.model_copy(update={"listing": listing})
    if isinstance(navigation, ToItem):
        product = catalogue.products.get(navigation.item_id.upper())
        if product is None:
            raise Crash("KeyError")
        return view.model_copy(update={"product": product})
    raise TypeError(f"the simulator has no {navigation!r}")


def _searched(step: Record, query: str, size: int) -> Sequence[str]:
    """Return what the recorded engine found; magic first words fail where the simulator's do (rule b.3)."""
    first, *rest = query.split(" ")
    if first == "<r>" and size < MAX_RESULTS:
        raise Crash("ValueError")
    if first == "<c>" and not rest:
        raise Crash("IndexError")
    if first == "<a>":
        raise Crash("TypeError")
    top: Sequence[str] = step["searches"][-1]["top_n"]
    return top


def _product(record: Record) -> Product:
    bullets = record["BulletPoints"]
    category = (record["category"], record["query"], record["product_category"])
    return Product(
        item_id=record["asin"],
        title=str(record["Title"]),
        price=record["Price"],
        rating=record["Rating"],
        options=tuple((name, tuple(values)) for name, values in record["options"].items()),
        description=str(record["Description"]),
        bullets=tuple(str(bullet) for bullet in ([bullets] if isinstance(bullets, str) else bullets)),
        attributes=(*(f" {attribute}" for attribute in record["Attributes"]), *category),
    )
