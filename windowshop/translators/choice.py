"""An option chosen in the simulator's words, resolved on the shop's own page."""

from __future__ import annotations

from collections.abc import Mapping

from windowshop.pages import ItemPage, OptionValue, Variant
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


def nearest_variant(page: ItemPage, chosen: Mapping[str, str], suggested: str | None) -> Variant | None:
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
