"""The choices of an item page ("twister"), from its embedded map or from its buttons and menus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.markup import clean, json_at, text_of
from windowshop.pages import OptionGroup, OptionValue, Variant

_MAP = b'"dimensionToAsinMap"'
_OLDER_MAPS = (b'"asinVariationValues"', b'"asin_variation_values"', b'"dimensionValuesDisplayData"')
_STATES = b'"sortedDimValuesForAllDims"'
_BEFORE = 16_000
_COLON = re.compile(r"\s*:\s*")
_GONE = re.compile(r"unavailable", re.IGNORECASE)
_SELECTED = re.compile(r"swatchSelect|dropdownSelect|a-button-selected|(?:^|\s)selected")


@dataclass(frozen=True)
class Twister:
    """The page's own map: dimensions in key order, their labels and values, what is chosen, and ASINs."""

    keys: tuple[str, ...]
    labels: dict[str, str]
    values: dict[str, list[str]]
    chosen: dict[str, int]
    asins: dict[tuple[int, ...], str]
    states: dict[str, list[dict[str, Any]]]


def read_options(sheet: Sheet) -> tuple[tuple[OptionGroup, ...], tuple[Variant, ...]]:
    """Return the option groups and every combination that the page names an ASIN for."""
    older = _OLDER_MAPS if any(name.startswith("variation_") for name in sheet.ids) else ()
    twister = _twister(sheet.body, (_MAP, *older))
    if twister is None:
        return _printed_groups(sheet), ()
    groups = tuple(_group(twister, key) for key in twister.values)
    return groups, tuple(
        Variant(
            item_id=item_id,
            options={
                twister.labels[key]: twister.values[key][index]
                for key, index in zip(twister.keys, combination, strict=True)
            },
        )
        for combination, item_id in twister.asins.items()
    )


def _group(twister: Twister, key: str) -> OptionGroup:
    chosen = twister.chosen.get(key, -1)
    states = {state.get("indexInDimList"): state for state in twister.states.get(key, ())}
    values = []
    for index, text in enumerate(twister.values[key]):
        item_id = _sibling(twister, key, index)
        state = states.get(index, {})
        known = state.get("dimensionValueState")
        default = state.get("defaultAsin")
        available = item_id is not None if twister.asins else None
        if known is not None:
            available = not _GONE.search(str(known))
        values.append(
            OptionValue(
                text=text,
                selected=index == chosen,
                available=available,
                item_id=item_id or (default if isinstance(default, str) and is_asin(default) else None),
            )
        )
    return OptionGroup(name=twister.labels[key], values=tuple(values))


def _sibling(twister: Twister, key: str, index: int) -> str | None:
    """Return the ASIN that one gets by choosing one value and leaving the other choices as they are."""
    wanted = tuple(index if name == key else twister.chosen.get(name, -1) for name in twister.keys)
    return twister.asins.get(wanted)


def _twister(body: bytes, marks: tuple[bytes, ...]) -> Twister | None:
    """Cut the map out of the page's bytes; None where there is none or it contradicts itself."""
    text = _script_with(body, marks)
    if text is None:
        return None
    values = _strings(_value(text, "variationValues", "variation_values"))
    keys = _value(text, "dimensions")
    labels = _value(text, "variationDisplayLabels")
    if not values or not isinstance(keys, list) or set(keys) != set(values):
        return None
    labels = labels if isinstance(labels, dict) else {}
    chosen = _value(text, "selectedVariationValues", "selected_variation_values")
    states = _value(_script_with(body, (_STATES,)) or "", "sortedDimValuesForAllDims")
    return Twister(
        keys=tuple(keys),
        labels={key: clean(str(labels.get(key) or "")) or key.removesuffix("_name") for key in keys},
        values=values,
        chosen={key: index for key, index in chosen.items() if isinstance(index, int)}
        if isinstance(chosen, dict)
        else {},
        asins=_asins(text, keys, values),
        states={
            key: [state for state in found if isinstance(state, dict)]
            for key, found in (states.items() if isinstance(states, dict) else ())
            if isinstance(found, list)
        },
    )


def _asins(text: str, keys: list[str], values: dict[str, list[str]]) -> dict[tuple[int, ...], str]:
    """Read the map from positions to ASINs, in whichever of the three shapes the page has it."""
    found: dict[tuple[int, ...], str] = {}
    mapped = _value(text, "dimensionToAsinMap")
    if isinstance(mapped, dict):
        pairs = [(name.split("_"), item_id) for name, item_id in mapped.items()]
    else:
        by_asin = _value(text, "asinVariationValues", "asin_variation_values")
        pairs = [
            ([str(row.get(key)) for key in keys], item_id)
            for item_id, row in (by_asin.items() if isinstance(by_asin, dict) else ())
            if isinstance(row, dict)
        ]
    sizes = [len(values[key]) for key in keys]
    for indices, item_id in pairs:
        try:
            combination = tuple(map(int, indices))
        except ValueError:
            continue
        if len(combination) == len(sizes) and all(map(_within, combination, sizes)) and is_asin(item_id):
            found[combination] = item_id
    if found:
        return found
    shown = _value(text, "dimensionValuesDisplayData")
    for item_id, texts in shown.items() if isinstance(shown, dict) else ():
        if isinstance(texts, list) and len(texts) == len(keys) and is_asin(item_id):
            places = [_place(values[key], part) for key, part in zip(keys, texts, strict=True)]
            if None not in places:
                found[tuple(place for place in places if place is not None)] = item_id
    return found


def _within(index: int, size: int) -> bool:
    return 0 <= index < size


def _place(values: list[str], text: Any) -> int | None:
    wanted = clean(str(text))
    return values.index(wanted) if wanted in values else None


def _strings(data: Any) -> dict[str, list[str]]:
    if not isinstance(data, dict):
        return {}
    return {
        key: [clean(str(value)) or "" for value in values]
        for key, values in data.items()
        if isinstance(values, list) and values
    }


def _script_with(body: bytes, marks: tuple[bytes, ...]) -> str | None:
    """Return the script around the first of `marks` that the page has, decoding nothing else.

    The map stands at the end of a script of some 300 KB: of what comes before it only the last is kept.
    """
    for mark in marks:
        found = body.find(mark)
        if found >= 0:
            start = body.rfind(b"<script", max(0, found - _BEFORE), found)
            end = body.find(b"</script", found)
            begin = start if start >= 0 else max(0, found - _BEFORE)
            return body[begin : end if end >= 0 else len(body)].decode("utf-8", "replace")
    return None


def _value(text: str, *names: str) -> Any:
    """Return the JSON value that follows the first of `names` that is the key of one, or None."""
    for name in names:
        key = f'"{name}"'
        found = text.find(key)
        while found >= 0:
            colon = _COLON.match(text, found + len(key))
            if colon is not None:
                return json_at(text, colon.end())
            found = text.find(key, found + 1)
    return None


def _printed_groups(sheet: Sheet) -> tuple[OptionGroup, ...]:
    """Read the groups off the page where it has no map: swatches, buttons and drop-down menus."""
    groups = []
    for name, nodes in sheet.ids.items():
        if name.startswith(("variation_", "inline-twister-row-")):
            group = _printed_group(nodes[0])
            if group is not None:
                groups.append(group)
    return tuple(groups)


def _printed_group(node: LexborNode) -> OptionGroup | None:
    label = text_of(node.css_first(".a-form-label,.inline-twister-dim-title,[id^=inline-twister-dim-title]"))
    values = []
    for choice in node.css("li,option"):
        attributes = choice.attributes
        classes = attributes.get("class") or ""
        image = choice.css_first("img")
        text = text_of(choice.css_first(".twisterTextDiv,.swatch-title-text-display,.a-size-base")) or (
            clean(image.attributes.get("alt")) if image is not None else text_of(choice)
        )
        if not text or attributes.get("value") == "-1":
            continue
        item_id = attributes.get("data-asin") or attributes.get("data-defaultasin") or ""
        values.append(
            OptionValue(
                text=text,
                selected=_SELECTED.search(classes) is not None or "selected" in attributes,
                available=_GONE.search(classes) is None,
                item_id=item_id if is_asin(item_id) else None,
            )
        )
    if label is None or not values:
        return None
    return OptionGroup(name=label.rstrip(" :："), values=tuple(values))
