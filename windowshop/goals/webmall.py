"""Vocabulary: WebMall's tasks, four shops and one answer, as its task file writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.orders import Buyer

SHOPS: Final = 4
NAMES: Final = ("E-Store Athletes", "TechTalk", "CamelCases", "Hardware Cafe")
"""What WebMall calls its four shops, in place of Shop1 to Shop4."""
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "specific": ("Specific_Product", "Best_Fit_Specific"),
    "vague": ("Best_Fit_Vague", "Substitute", "Compatible_Products"),
    "cheapest": ("Cheapest_Product", "Cheapest_Best_Fit_Specific", "Cheapest_Best_Fit_Vague"),
    "action": ("Add_To_Cart", "Checkout"),
    "end to end": ("FindAndOrder",),
}
"""The paper's groups of categories."""
_OLD: Final = {
    "Single_Product_Search": "Find_Specific_Product",
    "Cheapest_Product_Search": "Find_Cheapest_Offer",
    "Best_Fit_Specific": "Products_Fulfilling_Specific_Requirements",
    "Best_Fit_Vague": "Products_Satisfying_Vague_Requirements",
    "Cheapest_Best_Fit_Specific": "Cheapest_Offer_Specific_Requirements",
    "Cheapest_Best_Fit_Vague": "Cheapest_Offer_Vague_Requirements",
    "Substitutes": "Find_Substitutes",
}
"""The middle of a task's id before the rename of July 2025, and after."""
_ID: Final = re.compile(r"(?:webmall\.)?Webmall_(?P<kind>\w+)_Task(?P<number>\d+)")
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}|\bShop([1-4])\b")
_TAGS: Final = re.compile(r"</?task>")


def _lines(text: object) -> object:
    """Turn the two signs backslash and n, as the file has them, into line feeds."""
    return text.replace("\\n", "\n") if isinstance(text, str) else text


Lines = Annotated[str, BeforeValidator(_lines)]


class Wanted(Frozen):
    """What is right: `type` says whether offers are named, put into carts or ordered."""

    type: Literal["string", "cart", "checkout"]
    answers: tuple[str, ...]
    product_in_cart: str | None = None


class MallGoal(Frozen):
    """One task. Its texts hold placeholders until `placed` knows where the shops are."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    category: str
    task: Lines
    instruction: Lines = ""
    correct_answer: Wanted
    user_details: dict[str, str] | None = None
    payment_info: dict[str, str] | None = None

    @property
    def text(self) -> str:
        """Return what is to be done, without the marks around it."""
        return _TAGS.sub("", self.task).strip()

    @property
    def buyer(self) -> Buyer | None:
        """Return for whom an order is, where the task orders anything."""
        told = {**(self.user_details or {}), **(self.payment_info or {})}
        known = {name: value for name, value in told.items() if name in Buyer.model_fields}
        return Buyer(**known) if known else None


def mall_goal(record: Mapping[str, Any]) -> MallGoal:
    """Return a task under its id of today; raise pydantic's `ValidationError` for what is none."""
    goal = MallGoal.model_validate(record)
    return goal.model_copy(update={"id": current_id(goal.id)})


def current_id(name: str) -> str:
    """Return the id that a task has had since July 2025, from any that it ever had."""
    found = _ID.fullmatch(name)
    if found is None:
        return name
    return f"Webmall_{_OLD.get(found['kind'], found['kind'])}_Task{found['number']}"


def old_id(name: str) -> str:
    """Return the id that a task had in June 2025; the same where it had no other."""
    new = {new: old for old, new in _OLD.items()}
    found = _ID.fullmatch(name)
    return name if found is None else f"Webmall_{new.get(found['kind'], found['kind'])}_Task{found['number']}"


def records_in(sets: Sequence[Any]) -> Iterator[Any]:
    """Yield the tasks of a file of task sets; a list of tasks is one already."""
    for record in sets:
        if isinstance(record, Mapping) and isinstance(record.get("tasks"), list):
            yield from record["tasks"]
        else:
            yield record


def placed(goal: MallGoal, addresses: Sequence[str]) -> MallGoal:
    """Return a task with the shops' addresses, the solution page's and its own details in their places.

    `addresses` are those of shop 1 to 4 and then of the solution page. Raises `ConfigError` for a place
    that nothing fills.
    """
    told = {f"URL_{number}": url.rstrip("/") for number, url in enumerate(addresses, 1)}
    if goal.category in ("Checkout", "FindAndOrder"):
        told |= {**(goal.user_details or {}), **(goal.payment_info or {})}

    def fill(found: re.Match[str]) -> str:
        name, shop = found.groups()
        if shop is not None:
            return NAMES[int(shop) - 1]
        if name not in told:
            raise ConfigError(f"task {goal.id} has a place for {name}, and nothing stands in it")
        return told[name]

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return _PLACE.sub(fill, value)
        if isinstance(value, dict):
            return {name: filled(part) for name, part in value.items()}
        return [filled(part) for part in value] if isinstance(value, list) else value

    return MallGoal.model_validate(filled(goal.model_dump(mode="json")))
