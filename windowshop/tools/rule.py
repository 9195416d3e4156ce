"""The rule baseline of ShoppingBench: search each product as it is asked for, recommend the best match."""

from __future__ import annotations

import json
import re
from typing import Any

from windowshop.tools.turn import Call, Turn

_BUDGET = re.compile(r"\n+My budget is.*", re.DOTALL)
_MARK = re.compile(
    r"\(\d+\)|\b\d+[.)]\s|\b(?:First|Second|Third|Fourth|Finally|Lastly)(?:ly)?\b,?", re.IGNORECASE
)
_BETWEEN = re.compile(r"(?:between|from)\D{0,5}(\d+(?:\.\d+)?)\D{1,12}?(\d+(?:\.\d+)?)", re.IGNORECASE)
_ABOVE = re.compile(r"(?:above|over|more than|at least)\D{0,5}(\d+(?:\.\d+)?)", re.IGNORECASE)
_BELOW = re.compile(r"(?:below|under|less than|at most)\D{0,5}(\d+(?:\.\d+)?)", re.IGNORECASE)
_QUERY = re.compile(r"<user>(.*?)</user>", re.DOTALL)
_RESULTS = re.compile(r"<obs>(.*?)</obs>", re.DOTALL)


class RuleToolAgent:
    """Take the first match of each product, from one shop where there is a shop that has them all."""

    def turn(self, system: str, history: str) -> str:
        """Return the searches first, then the recommendation."""
        query = _QUERY.search(history)
        results = _RESULTS.search(history)
        if results is None:
            calls = [_search(item) for item in items(query.group(1) if query else "")]
            return Turn(think="Search each product.", calls=tuple(calls)).text
        chosen = choose([each["results"] for each in json.loads(results.group(1))])
        ending = Call(name="terminate", parameters={"status": "success" if chosen else "failure"})
        recommend = Call(name="recommend_product", parameters={"product_ids": ",".join(chosen)})
        return Turn(
            think="Recommend the best matches.", calls=(recommend, ending) if chosen else (ending,)
        ).text


def items(query: str) -> list[str]:
    """Return the products that a query asks for, one text each: split at its numbers or ordinals."""
    said = _BUDGET.sub("", query)
    parts = [part.strip(" ;,.") for part in _MARK.split(said)[1:]]
    return [part for part in parts if part] or [said.strip()]


def choose(found: list[Any]) -> list[str]:
    """Return an id for each product: of one shop that has a match for all, else the best of each."""
    lists = [hits for hits in found if isinstance(hits, list) and hits]
    if len(lists) < len(found) or not lists:
        return [hits[0]["product_id"] for hits in lists]
    shops = set.intersection(*({hit["shop_id"] for hit in hits} for hits in lists))
    best = next((hit["shop_id"] for hit in lists[0] if hit["shop_id"] in shops), None)
    return [next((hit for hit in hits if hit["shop_id"] == best), hits[0])["product_id"] for hits in lists]


def _search(item: str) -> Call:
    parameters = {"q": item}
    if match := _BETWEEN.search(item):
        parameters["price"] = f"{match[1]}-{match[2]}"
    elif match := _ABOVE.search(item):
        parameters["price"] = f"{match[1]}-"
    elif match := _BELOW.search(item):
        parameters["price"] = f"-{match[1]}"
    return Call(name="find_product", parameters=parameters)
