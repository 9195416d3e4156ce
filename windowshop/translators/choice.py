"""An option chosen in the simulator's words, resolved on the shop's own page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from windowshop.pages import ItemPage, OptionValue, Price, Variant
from windowshop.translators.wording import wording_of


def find_value(page: ItemPage, group: str, value: str) -> tuple[str, OptionValue] | None:
    """Return the page's own group name and value for the simulator's (group, value), if it has them.

    Of groups that share a name after lower-casing the last counts, as in the simulator's loader.
    """
    wording = wording_of(page.site)
    for offered in reversed(page.options):
        if wording.option_name(offered.name) == group:
            for candidate in offered.values:
                if wording.option_value(candidate.text) == value:
                    return offered.name, candidate
    return None


def selection(page: ItemPage, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the options as they stand: what the page has selected, overlaid by what the agent chose.

    Keys and values are the page's own texts.
    """
    selected = {group.name: value.text for group in page.options for value in group.values if value.selected}
    return selected | _picked(page, chosen)


def find_variant(page: ItemPage, selected: Mapping[str, str]) -> Variant | None:
    """Return the variant that has all the selected options, or None where they do not settle on one."""
    matching = [
        variant
        for variant in page.variants
        if variant.options and all(selected.get(name) == text for name, text in variant.options.items())
    ]
    return matching[0] if len(matching) == 1 else None


class Offer(NamedTuple):
    """What the shop asks for a combination: nothing at all where it does not make it.

    `is_elsewhere` says that only the page of `item_id` tells.
    """

    item_id: str | None
    price: Price | None
    is_elsewhere: bool = False


def offer_for(page: ItemPage, chosen: Mapping[str, str], group: str, value: str) -> Offer:
    """Return the offer for what the agent has chosen, `group` = `value` last.

    Where what the page has selected besides does not go with it, it is the nearest combination that has all
    that the agent chose.
    """
    found = find_value(page, group, value)
    led = found[1].item_id if found else None
    variant = find_variant(page, selection(page, chosen))
    if variant is not None:
        return _offer(page, variant.item_id, variant.price)
    if not page.variants:
        return _offer(page, led, found[1].price if found else None)
    nearest = _nearest_variant(page, chosen, led)
    if nearest is None:
        return Offer(None, None)
    return _offer(page, nearest.item_id if led else None, None)


def remark(page: ItemPage, chosen: Mapping[str, str]) -> str | None:
    """Say what stands against buying what is chosen: the shop has none left, or never makes it so."""
    selected = selection(page, chosen)
    variant = find_variant(page, selected)
    if variant is not None:
        is_out = variant.in_stock is False or (variant.item_id == page.item_id and page.in_stock is False)
        return "the shop has none of this combination left" if is_out else None
    if page.variants and len(selected) == len(page.options):
        return "the shop does not sell this combination"
    found = (find_value(page, group, value) for group, value in chosen.items())
    out = [value.text for _, value in filter(None, found) if value.available is False]
    return f"not available: {', '.join(out)}" if out else None


def _offer(page: ItemPage, item_id: str | None, price: Price | None) -> Offer:
    if item_id is None or item_id == page.item_id:
        return Offer(item_id, price or page.price)
    return Offer(item_id, price, is_elsewhere=price is None)


def _nearest_variant(page: ItemPage, chosen: Mapping[str, str], suggested: str | None) -> Variant | None:
    """Return a variant with all that the agent chose, whatever else it has; None where none was ever made.

    Where there are several it is the one that the shop suggests, else the first.
    """
    picked = _picked(page, chosen)
    fitting = [
        variant
        for variant in page.variants
        if all(variant.options.get(name, text) == text for name, text in picked.items())
    ]
    return next((variant for variant in fitting if variant.item_id == suggested), next(iter(fitting), None))


def _picked(page: ItemPage, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return what the agent chose in the page's own texts."""
    found = (find_value(page, group, value) for group, value in chosen.items())
    return {name: value.text for name, value in filter(None, found)}
