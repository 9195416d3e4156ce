"""WebShop's goals: from its item files as the simulator makes them, or from a list of goal texts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product as combinations
from typing import Any, Final

from windowshop.episodes import Task
from windowshop.errors import ConfigError

SEED: Final = 233
"""The simulator shuffles its goals with this seed, so that a goal's place is its session id."""

SPLITS: Final = {"test": (0, 500), "eval": (500, 1500), "train": (1500, None)}
_LIMITS = range(10, 1000, 10)
_NO_LIMIT = 1_000_000
_DEFAULT_PRICE = 100.0


def webshop_goals(
    items: Sequence[Mapping[str, Any]],
    human: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = SEED,
) -> list[dict[str, Any]]:
    """Return the goals in the simulator's session order (rule e): human ones, else one per combination.

    `items` are the raw products, `human` their annotated instructions, `attributes` the side file of the
    synthetic ones. The order is the simulator's own; it draws price limits and the price of a product with
    a price range without a seed, so that those differ from run to run there, and here come from `seed`.
    Raises `ConfigError` naming the product and the field that is wrong.
    """
    dice = random.Random(seed)
    if human is None and attributes is None:
        raise ConfigError("goals need the human instructions or the attributes file beside the items")
    priced = [(item, _price(item, dice)) for item in _products(items)]
    if human is not None:
        goals = [goal for item, price in priced for goal in _human(item, price, human, dice)]
    else:
        goals = [goal for item, price in priced for goal in _synthetic(item, price, attributes or {}, dice)]
        _weigh(goals)
    random.Random(seed).shuffle(goals)
    return goals


def goal_texts(texts: Sequence[str]) -> list[Task]:
    """Return tasks for a list of goal texts in session order (`human_goals.json`)."""
    return [Task(id=str(place), instruction=text, benchmark="webshop") for place, text in enumerate(texts)]


def split(tasks: Sequence[Task], name: str) -> list[Task]:
    """Return the baselines' split `test`, `eval` or `train` of tasks in session order."""
    start, stop = SPLITS[name]
    return list(tasks[start:stop])


def _products(items: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the products that the simulator loads: an id of at most ten characters, the first of each."""
    seen: set[str] = set()
    for number, item in enumerate(items):
        asin = item.get("asin") if isinstance(item, Mapping) else None
        if not isinstance(asin, str):
            raise ConfigError(f"items: record {number} has no asin")
        if asin == "nan" or len(asin) > 10 or asin in seen:
            continue
        seen.add(asin)
        yield item


def _price(item: Mapping[str, Any], dice: random.Random) -> float:
    """Return the price that the reward knows: of a range, some price between its first two numbers."""
    raw = item.get("pricing")
    pieces = str(raw).split("$")[1:] if raw else []
    try:
        numbers = [float(re.sub(r"[^\d.]", "", piece)) for piece in pieces]
    except ValueError as error:
        raise ConfigError(f"items: {item['asin']}: pricing {raw!r} is no price") from error
    if not numbers:
        return _DEFAULT_PRICE
    return numbers[0] if len(numbers) == 1 else dice.uniform(*numbers[:2])


def _limit(price: float, dice: random.Random) -> tuple[float, str]:
    """Return the larger of two of the next four multiples of ten, and how the instruction says so."""
    above = [float(limit) for limit in _LIMITS if limit > price][:4]
    if len(above) < 2:
        return _NO_LIMIT, ""
    limit = max(dice.sample(above, 2))
    return limit, f", and price lower than {limit:.2f} dollars"


def _human(
    item: Mapping[str, Any],
    price: float,
    human: Mapping[str, Sequence[Mapping[str, Any]]],
    dice: random.Random,
) -> Iterator[dict[str, Any]]:
    for annotated in human.get(item["asin"], ()):
        wanted = annotated.get("instruction_attributes")
        if not wanted:
            continue
        limit, said = _limit(price, dice)
        text = annotated["instruction"].strip(".") + said
        yield _goal(item, text, wanted, limit, list(annotated.get("instruction_options", ())))


def _synthetic(
    item: Mapping[str, Any],
    price: float,
    attributes: Mapping[str, Mapping[str, Any]],
    dice: random.Random,
) -> Iterator[dict[str, Any]]:
    side = attributes.get(item["asin"], {})
    if not side.get("instruction") or not side.get("instruction_attributes"):
        return
    limit, said = _limit(price, dice)
    options = _options(item)
    names = sorted(options)
    for values in combinations(*(options[name] for name in names)):
        chosen = dict(zip(names, values, strict=True))
        told = ", and ".join(f"{name}: {value}" for name, value in chosen.items())
        text = side["instruction"] + (f" with {told}" if told else "") + said
        yield _goal(item, text, side["instruction_attributes"], limit, chosen)


def _options(item: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the option values as the simulator writes them (rule a.3)."""
    groups = item.get("customization_options") or {}
    return {
        name.lower(): [value["value"].strip().replace("/", " | ").lower() for value in values]
        for name, values in groups.items()
        if values is not None
    }


def _goal(
    item: Mapping[str, Any], text: str, wanted: Sequence[str], limit: float, options: object
) -> dict[str, Any]:
    return {
        "asin": item["asin"],
        "category": item.get("category"),
        "query": str(item.get("query") or "").lower().strip(),
        "name": item.get("name"),
        "product_category": item.get("product_category"),
        "instruction_text": text,
        "attributes": list(wanted),
        "price_upper": limit,
        "goal_options": options,
        "weight": 1,
    }


def _weigh(goals: Iterable[dict[str, Any]]) -> None:
    """Weigh each goal by the inverse frequency of its attributes."""
    goals = list(goals)
    counts = Counter(attribute for goal in goals for attribute in goal["attributes"])
    for goal in goals:
        goal["weight"] = sum(1 / counts[attribute] for attribute in goal["attributes"]) / len(
            goal["attributes"]
        )
