"""The exact texts that WebShop's models were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from windowshop.views import Observation

_MOST, _FIRST, _OTHERS = 20, 6, 10
_HEADINGS = ("amazon shopping game\ninstruction:", "webshop\ninstruction:")
_SEARCH_BUTTON = "\n[button] search [button_]"
_PRICE_CLAUSE = ", and price lower than"


def prepare(text: str) -> str:
    """Return a state's or an action's text as the choice model reads it."""
    return _unquoted(text).strip().replace("[sep]", "[SEP]")


def prepare_goal(text: str) -> str:
    """Return the goal in the first page's text, as the search model reads it; the price is not looked for."""
    goal = _unquoted(text)
    for part in (*_HEADINGS, _SEARCH_BUTTON):
        goal = goal.replace(part, "")
    return goal.strip().split(_PRICE_CLAUSE)[0]


def choices(observation: Observation, lots: Random) -> list[str]:
    """Return the clicks as the models know them, in page order: products by lower-cased title.

    As in training, a list that grows past 20 is cut to its first 6 and 10 others drawn by lot.
    """
    valid: list[str] = []
    for name in observation.available_actions.clickables:
        if name == "search":
            continue
        title = observation.titles.get(name)
        valid.append(f"click[{name}]" if title is None else f"click[item - {title.lower()}]")
        if len(valid) > _MOST:
            valid = [*valid[:_FIRST], *lots.sample(valid[_FIRST:], _OTHERS)]
    return valid


def click_by_id(choice: str, observation: Observation) -> str:
    """Return the action that a choice means; of products with one title, the last, as in training."""
    by_title = {f"click[item - {title.lower()}]": name for name, title in observation.titles.items()}
    return f"click[{by_title[choice]}]" if choice in by_title else choice


def _unquoted(text: str) -> str:
    return text.lower().replace('"', "").replace("'", "")


def pad(rows: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Return rows of token ids padded with 0 to the longest of them, and their masks of ones and zeros.

    The length matters: padded positions of an action take part in its score (see `ChoiceModel`).
    """
    longest = max(len(row) for row in rows)
    ids = [[*row, *[0] * (longest - len(row))] for row in rows]
    return ids, [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
