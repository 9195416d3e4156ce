"""Eq. 1 on a purchase intent, component by component; what a real shop does not tell stays unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from windowshop.frozen import Frozen
from windowshop.pages import ItemPage, Price
from windowshop.purchase import PurchaseIntent
from windowshop.scoring.nouns import Nouns
from windowshop.scoring.webshop import Purchased, compared_options, find_attribute, find_option, type_match

Counting = Literal["chosen", "standing"]

CARRIES_OVER = (
    "attributes: searched in the title, the features, the description and the item specifics; the "
    "catalogue's own "
    "list of attributes does not exist on a real shop",
    "options: as in the simulator, by what the agent clicked (--options standing: by what the page "
    "had selected "
    "as well)",
    "price: the price shown for the combination; unknown where it is a range across the limit, is "
    "not shown, or "
    "is in another currency than the goal's",
    "type: by the nouns of the two titles; the goal's query and category do not exist on a real "
    "shop, so a title "
    "score from 0.1 to 0.2 leaves the factor at 0.5 or 1 unless the page's breadcrumbs settle it",
)
"""What of the simulator's reward can be computed on a real shop, and how."""


class Chosen(Frozen):
    """The chosen product's page as recorded; `description` is that of a page of its own, if it was read."""

    page: ItemPage
    description: str | None = None


class Evidence(Frozen):
    """One wish of the goal, whether it was met (None: cannot be known), and the text that says so.

    `where` names the part of the page or the option group. `offered` says of an option whether the page
    has it at all.
    """

    wanted: str
    matched: bool | None
    where: str | None = None
    text: str | None = None
    offered: bool | None = None


class TypeEvidence(Frozen):
    """The factor r_type, what it can be at least and at most, and the nouns that the two titles share."""

    factor: float | None
    low: float
    high: float
    title_score: float | None = None
    shared: tuple[str, ...] = ()
    goal: str | None = None
    purchased: str | None = None
    why: str = ""


class Parts(Frozen):
    """Eq. 1 of one purchase. `reward` is None where a part is unknown; then it lies from `low` to `high`."""

    reward: float | None
    low: float
    high: float
    type: TypeEvidence
    attributes: tuple[Evidence, ...]
    options: tuple[Evidence, ...]
    price: Evidence

    @property
    def r_att(self) -> float | None:
        """Return the share of attributes met; None where one is unknown or none was asked."""
        return _share(self.attributes)

    @property
    def r_option(self) -> float | None:
        """Return the share of options met; None where one is unknown or none was asked."""
        return _share(self.options)


def is_goal(goal: Mapping[str, Any] | None) -> bool:
    """Say whether a task's goal is one in the simulator's format, which Eq. 1 can judge."""
    return (
        goal is not None
        and isinstance(goal.get("attributes"), Sequence)
        and not isinstance(goal["attributes"], str)
        and isinstance(goal.get("price_upper"), int | float)
    )


def judge_purchase(
    intent: PurchaseIntent,
    goal: Mapping[str, Any],
    chosen: Chosen | None,
    nouns: Nouns,
    counting: Counting = "chosen",
) -> Parts:
    """Return Eq. 1 for what would have been bought. `chosen` is None where its page was not recorded."""
    kind = _type(intent, goal, chosen, nouns)
    purchased, is_whole = _purchased(intent, chosen)
    attributes = tuple(_attribute(purchased, str(wanted), is_whole) for wanted in goal["attributes"])
    picked = intent.chosen if counting == "chosen" else {**intent.options, **intent.chosen}
    options = tuple(
        _option(picked, intent, compared, shown, chosen)
        for compared, shown in compared_options(goal.get("goal_options") or ())
    )
    price = _price(intent.unit_price, intent.currency, goal)
    parts = (*attributes, *options, price)
    least = sum(part.matched is True for part in parts) / len(parts) * kind.low
    most = sum(part.matched is not False for part in parts) / len(parts) * kind.high
    return Parts(
        reward=least if least == most else None,
        low=least,
        high=most,
        type=kind,
        attributes=attributes,
        options=options,
        price=price,
    )


def _purchased(intent: PurchaseIntent, chosen: Chosen | None) -> tuple[Purchased, bool]:
    """Return what is known of the product, and whether that is all that the shop says of it."""
    title = intent.title or (chosen.page.title if chosen else None) or ""
    if chosen is None:
        return Purchased(name=title, title=title), False
    page = chosen.page
    description = "\n".join(text for text in (page.description, chosen.description) if text)
    unread = set(page.tabs) & {"description", "features"} - ({"description"} if chosen.description else set())
    specifics = tuple(f"{name}: {value}" for name, value in page.specifics.items())
    known = Purchased(name=title, title=title, bullets=(*page.bullets, *specifics), description=description)
    return known, not unread


def _attribute(purchased: Purchased, wanted: str, is_whole: bool) -> Evidence:
    found = find_attribute(purchased, wanted)
    if found is None:
        return Evidence(wanted=wanted, matched=False if is_whole else None)
    return Evidence(wanted=wanted, matched=True, where=found[0], text=_around(found[1], wanted))


def _option(
    picked: Mapping[str, str], intent: PurchaseIntent, compared: str, shown: str, chosen: Chosen | None
) -> Evidence:
    found = find_option({group: value.lower() for group, value in picked.items()}, compared)
    stands = find_option({group: value.lower() for group, value in intent.options.items()}, compared)
    offered = None
    if chosen is not None:
        values = {
            f"{group.name} {number}": value.text.lower()
            for group in chosen.page.options
            for number, value in enumerate(group.values)
        }
        offered = find_option(values, compared) is not None
    if found is None and stands is not None:
        return Evidence(
            wanted=shown,
            matched=False,
            where=f"{stands[0]}, selected by the page",
            text=stands[1],
            offered=True,
        )
    return Evidence(
        wanted=shown,
        matched=found is not None,
        where=found[0] if found else None,
        text=found[1] if found else None,
        offered=offered,
    )


def _price(price: Price | None, currency: str | None, goal: Mapping[str, Any]) -> Evidence:
    upper, unit = float(goal["price_upper"]), str(goal.get("currency") or "USD")
    wanted = f"at most {upper:.2f} {unit}"
    paid_in = (price.currency if price else None) or currency
    if price is None or upper <= 0:
        return Evidence(wanted=wanted, matched=None, text=None if price is None else price.text)
    text = price.text or f"{price.amount:.2f}"
    if paid_in is not None and paid_in != unit:
        return Evidence(wanted=wanted, matched=None, where=f"in {paid_in}", text=text)
    most = price.amount if price.high is None else max(price.amount, price.high)
    least = price.amount if price.high is None else min(price.amount, price.high)
    matched = True if most <= upper else False if least > upper else None
    return Evidence(wanted=wanted, matched=matched, where="a range" if least != most else None, text=text)


def _type(
    intent: PurchaseIntent, goal: Mapping[str, Any], chosen: Chosen | None, nouns: Nouns
) -> TypeEvidence:
    title = intent.title or (chosen.page.title if chosen else None)
    name = goal.get("name")
    if title is None or not isinstance(name, str):
        missing = "the page shows no title" if title is None else "the goal has no product name"
        return TypeEvidence(factor=None, low=0.0, high=1.0, goal=name, purchased=title, why=missing)
    category = " › ".join(chosen.page.breadcrumbs) if chosen and chosen.page.breadcrumbs else None
    goal_nouns, title_nouns = nouns(name), nouns(title)
    match = type_match(Purchased(name=title, title=title, category=category), goal, title_nouns, goal_nouns)
    category_open = category is None and bool(goal.get("product_category"))
    open_ended = match.r_type == 0.5 and ("query" in goal or category_open)
    if match.r_type == 1.0 and match.title_score <= 0.2:
        why = "the page's breadcrumbs share two parts with the goal's category"
    elif open_ended:
        why = "few nouns shared, and whether the query is the goal's cannot be known on a real shop"
    else:
        why = f"{match.title_score:.0%} of the goal's nouns are in the title"
    return TypeEvidence(
        factor=None if open_ended else match.r_type,
        low=match.r_type,
        high=1.0 if open_ended else match.r_type,
        title_score=match.title_score,
        shared=tuple(sorted(set(goal_nouns) & set(title_nouns))),
        goal=name,
        purchased=title,
        why=why,
    )


def _share(parts: tuple[Evidence, ...]) -> float | None:
    if not parts or any(part.matched is None for part in parts):
        return None
    return sum(bool(part.matched) for part in parts) / len(parts)


def _around(text: str, wanted: str, margin: int = 40) -> str:
    """Return the words around a match, so that a reader sees why it counts."""
    at = text.lower().find(wanted)
    if at < 0:
        return text[: 2 * margin]
    start, end = max(0, at - margin), at + len(wanted) + margin
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
