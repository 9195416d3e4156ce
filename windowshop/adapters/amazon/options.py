"""The choices of an item page ("twister"), from its embedded map or from its buttons and menus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import Any

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.identity import ITEM_ID
from windowshop.adapters.amazon.offer import PRICE
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.amazon.swatches import printed_groups, printed_value, swatch_prices
from windowshop.adapters.fields import Field, Source, once
from windowshop.adapters.markup import clean, json_at
from windowshop.pages import OptionGroup, OptionValue, Price, Variant

_MAP = b'"dimensionToAsinMap"'
_OLDER_MAPS = (b'"asinVariationValues"', b'"asin_variation_values"', b'"dimensionValuesDisplayData"')
_STATES = b'"sortedDimValuesForAllDims"'
_STATES_FRAME = "twister-plus-inline-twister"
_MAX_VARIANTS = 10_000
_BEFORE = 16_000
_COLON = re.compile(r"\s*:\s*")


@dataclass(frozen=True)
class Twister:
    """The page's own map: dimensions in key order, their labels and values, what is chosen, and ASINs."""

    keys: tuple[str, ...]
    labels: dict[str, str]
    values: dict[str, list[str]]
    chosen: dict[str, int]
    asins: dict[tuple[int, ...], str]
    states: dict[str, dict[int, dict[str, Any]]]


def _mapped(sheet: Sheet) -> tuple[OptionGroup, ...]:
    twister = once(sheet, _twister)
    if twister is None:
        return ()
    return tuple(_group(sheet, twister, key, once(sheet, _prices)) for key in twister.values)


def _combinations(sheet: Sheet) -> tuple[Variant, ...]:
    """Return every combination that the page names an ASIN for."""
    twister = once(sheet, _twister)
    if twister is None:
        return ()
    prices = once(sheet, _prices)
    return tuple(
        Variant(
            item_id=child,
            options={
                twister.labels[key]: twister.values[key][index]
                for key, index in zip(twister.keys, combination, strict=True)
            },
            price=prices.get(child),
        )
        for combination, child in twister.asins.items()
    )


def _prices(sheet: Sheet) -> dict[str, Price]:
    """Return the prices by ASIN: where a swatch says, and the page's own for the variant that it shows."""
    prices = swatch_prices(sheet)
    paid = PRICE.value(sheet)
    if paid is not None and paid.high is None:
        prices[ITEM_ID.value(sheet)] = paid
    return prices


def _group(sheet: Sheet, twister: Twister, key: str, prices: dict[str, Price]) -> OptionGroup:
    chosen = twister.chosen.get(key, -1)
    values = []
    for index, text in enumerate(twister.values[key]):
        item_id, available = _child(sheet, twister, key, index)
        values.append(
            OptionValue(
                text=text,
                selected=index == chosen,
                available=available,
                item_id=item_id,
                price=prices.get(item_id) if item_id is not None else None,
            )
        )
    return OptionGroup(name=twister.labels[key], values=tuple(values))


def _child(sheet: Sheet, twister: Twister, key: str, index: int) -> tuple[str | None, bool | None]:
    """Return where choosing a value leads, and whether it goes with what else is chosen.

    A value that does not go with it leads where the page says, to another combination.
    """
    item_id = _sibling(twister, key, index)
    state = twister.states.get(key, {}).get(index)
    if state is not None:
        default, known = state.get("defaultAsin"), state.get("dimensionValueState")
        return item_id or (default if is_asin(default) else None), known != "UNAVAILABLE"
    if item_id is not None:
        return item_id, True
    printed = printed_value(sheet, key, index)
    if printed is not None:
        return printed.item_id, printed.available
    return None, False if twister.asins and _decided(twister, key) else None


def _decided(twister: Twister, key: str) -> bool:
    """Say whether all other choices are made, so that one value more makes a variant."""
    return all(twister.chosen.get(name, -1) >= 0 for name in twister.keys if name != key)


def _sibling(twister: Twister, key: str, index: int) -> str | None:
    """Return the ASIN that one gets by choosing one value and leaving the other choices as they are."""
    wanted = tuple(index if name == key else twister.chosen.get(name, -1) for name in twister.keys)
    return twister.asins.get(wanted)


def _twister(sheet: Sheet) -> Twister | None:
    """Cut the map out of the page's bytes; None where there is none or it contradicts itself."""
    text = _script_with(sheet.body, (_MAP,))
    if text is None and any(name.startswith("variation_") for name in sheet.ids):
        text = _script_with(sheet.body, _OLDER_MAPS)
    if text is None:
        return None
    values = _strings(_value(text, "variationValues", "variation_values"))
    keys = _keys(_value(text, "dimensions"))
    labels = _value(text, "variationDisplayLabels")
    if not values or len(keys) != len(values) or set(keys) != set(values):
        return None
    labels = labels if isinstance(labels, dict) else {}
    chosen = _value(text, "selectedVariationValues", "selected_variation_values")
    told = _script_with(sheet.body, (_STATES,)) if _STATES_FRAME in sheet.ids else None
    return Twister(
        keys=tuple(keys),
        labels={key: clean(str(labels.get(key) or "")) or key.removesuffix("_name") for key in keys},
        values=values,
        chosen={key: index for key, index in chosen.items() if isinstance(index, int)}
        if isinstance(chosen, dict)
        else {},
        asins=_asins(text, keys, values),
        states=_states(_value(told or "", "sortedDimValuesForAllDims")),
    )


def _states(data: Any) -> dict[str, dict[int, dict[str, Any]]]:
    """Index what the page says of each value by dimension and position."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for key, states in data.items() if isinstance(data, dict) else ():
        for state in states if isinstance(states, list) else ():
            if isinstance(state, dict) and isinstance(state.get("indexInDimList"), int):
                found.setdefault(key, {})[state["indexInDimList"]] = state
    return found


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
    for indices, item_id in pairs[:_MAX_VARIANTS]:
        try:
            combination = tuple(map(int, indices))
        except ValueError:
            continue
        if len(combination) == len(sizes) and all(map(_within, combination, sizes)) and is_asin(item_id):
            found[combination] = item_id
    if found:
        return found
    shown = _value(text, "dimensionValuesDisplayData")
    for item_id, texts in islice(shown.items() if isinstance(shown, dict) else (), _MAX_VARIANTS):
        if isinstance(texts, list) and len(texts) == len(keys) and is_asin(item_id):
            places = [_place(values[key], part) for key, part in zip(keys, texts, strict=True)]
            if None not in places:
                found[tuple(place for place in places if place is not None)] = item_id
    return found


def _within(index: int, size: int) -> bool:
    return 0 <= index < size


def _place(values: list[str], text: Any) -> int | None:
    wanted = clean(unescape(str(text)))
    return values.index(wanted) if wanted in values else None


def _keys(data: Any) -> list[str]:
    return [key for key in data if isinstance(key, str)] if isinstance(data, list) else []


def _strings(data: Any) -> dict[str, list[str]]:
    if not isinstance(data, dict):
        return {}
    return {
        key: [clean(unescape(str(value))) or "" for value in values]
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


OPTIONS: Field[Sheet] = Field(
    "options",
    (
        Source("embedded map", "script $.dimensionToAsinMap", _mapped),
        Source("printed", "[id^=variation_], [id^=inline-twister-row-]", printed_groups),
    ),
)
VARIANTS: Field[Sheet] = Field(
    "variants", (Source("embedded map", "script $.dimensionToAsinMap", _combinations),)
)
