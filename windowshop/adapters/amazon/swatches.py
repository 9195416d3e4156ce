"""The choices of an item page as they are printed: swatches, buttons and drop-down menus."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from windowshop.adapters.amazon.addresses import is_asin
from windowshop.adapters.amazon.sheet import Sheet
from windowshop.adapters.markup import clean, select, text_of
from windowshop.pages import OptionGroup, OptionValue, Price

_FRAMES = ("twister-plus-inline-twister", "twister_feature_div", "softlinesTwister_feature_div", "twister")
_PRICED = "li[data-asin],.apex-pricetopay-value,.twisterSwatchPrice,.twister_swatch_price"
_ROWS = ("variation_", "inline-twister-row-", "inline-twister-singleton-header-")
_LABEL = ".a-form-label,.dimension-text .a-color-secondary,.a-color-secondary"
_ONLY = ".selection,[class*=dim-title-value],.a-text-bold"
_CHOICES = "li[id],li[data-asin],li.inline-twister-swatch,option"
_NAME = (
    ".swatch-title-text-display,.swatch-title-text,.twisterTextDiv,.swatch-title-text-container,.a-size-base"
)
_SELECTED = re.compile(r"(?:swatch|dropdown)Select|a-button-selected")
_GONE = re.compile(r"Unavailable|a-button-unavailable")
_IN_ADDRESS = re.compile(r"(?:/dp/|^\d+,)([A-Z0-9]{10})(?![A-Z0-9])")
_BARE_PRICE = re.compile(r"\D{0,5}\d[\d.,\s]*\D{0,5}")


def swatch_prices(sheet: Sheet) -> dict[str, Price]:
    """Return the prices printed on swatches, by the ASIN one gets; "1 option from ..." is no price."""
    frame = sheet.first(*_FRAMES)
    found: dict[str, Price] = {}
    item_id = ""
    for node in select(frame, _PRICED) if frame is not None else ():
        if node.tag == "li":
            item_id = node.attributes.get("data-asin") or ""
        elif item_id not in found and is_asin(item_id):
            shown = node.css_first(".a-offscreen + span") or node
            text = text_of(shown)
            price = sheet.price(text) if text and _BARE_PRICE.fullmatch(text) else None
            if price is not None and price.amount > 0:
                found[item_id] = price
    return found


def printed_value(sheet: Sheet, key: str, index: int) -> OptionValue | None:
    """Return one value of a dimension as its swatch or menu entry shows it, if it has one of its own."""
    choice = sheet.first(f"{key}_{index}", f"native_{key}_{index}")
    return None if choice is None else _value(choice)


def printed_groups(sheet: Sheet) -> tuple[OptionGroup, ...]:
    """Read the option groups off the page, for a page that carries no map of them."""
    found: dict[str, OptionGroup] = {}
    for name, row in sheet.ids.items():
        if name.startswith(_ROWS):
            group = _group(row)
            if group is not None:
                found.setdefault(group.name, group)
    return tuple(found.values())


def _group(row: LexborNode) -> OptionGroup | None:
    label = text_of(row.css_first(_LABEL))
    values: dict[str, OptionValue] = {}
    for choice in select(row, _CHOICES):
        value = _value(choice)
        if value is not None:
            values.setdefault(value.text, value)
    only = None if values else text_of(row.css_first(_ONLY))
    if only is not None:
        values[only] = OptionValue(text=only, selected=True)
    if label is None or not values:
        return None
    return OptionGroup(name=label.rstrip(" :："), values=tuple(values.values()))


def _value(choice: LexborNode) -> OptionValue | None:
    """Read one swatch, button or menu entry; a template or "choose" entry is none."""
    attributes = choice.attributes
    classes = attributes.get("class") or ""
    given = attributes.get("value") or ""
    if "swatch-prototype" in classes or given == "-1" or (choice.tag == "li" and "a-carousel" in classes):
        return None
    image = choice.css_first("img")
    text = clean(image.attributes.get("alt")) if image is not None else None
    text = text or text_of(choice.css_first(_NAME) or choice)
    if text is None:
        return None
    button = choice.css_first(".a-button")
    states = f"{classes} {button.attributes.get('class') if button is not None else ''}"
    link = attributes.get("data-dp-url") or given
    named = _IN_ADDRESS.search(link)
    item_id = attributes.get("data-asin") or attributes.get("data-defaultasin")
    item_id = item_id or (named.group(1) if named is not None else None)
    return OptionValue(
        text=text,
        selected=attributes.get("data-initiallyselected") == "true"
        or _SELECTED.search(states) is not None
        or "selected" in attributes,
        available=attributes.get("data-initiallyunavailable") != "true" and _GONE.search(states) is None,
        item_id=item_id if is_asin(item_id) else None,
    )
