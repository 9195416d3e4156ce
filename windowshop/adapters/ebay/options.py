"""The choices of an item: from the embedded variation model, checked against the page's own select boxes."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from windowshop.adapters.ebay.sheet import Sheet
from windowshop.adapters.ebay.variations import Model, read_model
from windowshop.adapters.ebay.wording import bare_option, says_choose, says_out_of_stock
from windowshop.adapters.fields import Field, Source, once
from windowshop.adapters.markup import clean, select
from windowshop.pages import OptionGroup, OptionValue, Price, Variant

_BOXES = "select.x-msku__select-box, select.msku-sel, select[id^=msku-sel], select[selectboxlabel]"
_LISTS = ".listbox-button"


def needs_choice(sheet: Sheet) -> bool:
    """Say whether something must still be chosen before the item could be bought."""
    groups = OPTIONS.value(sheet) or ()
    return any(not any(value.selected for value in group.values) for group in groups)


def chosen_variant(sheet: Sheet) -> Variant | None:
    """Return the combination that is chosen now, if it is one."""
    groups, variants = OPTIONS.value(sheet) or (), VARIANTS.value(sheet) or ()
    chosen = {group.name: value.text for group in groups for value in group.values if value.selected}
    return next((variant for variant in variants if variant.options == chosen), None)


def _scope(sheet: Sheet) -> LexborNode | None:
    """Return what holds the choices; on older pages they may stand anywhere."""
    return _part(sheet) or (sheet.tree.body if sheet.is_old else None)


def _part(sheet: Sheet) -> LexborNode | None:
    return sheet.part("x-msku", "x-msku-evo", "x-sku")


def _in_boxes(sheet: Sheet) -> tuple[OptionGroup, ...]:
    scope = _scope(sheet)
    return () if scope is None else _boxes(scope)


def _in_lists(sheet: Sheet) -> tuple[OptionGroup, ...]:
    scope = _scope(sheet)
    return () if scope is None else _lists(scope)


def _shown(sheet: Sheet) -> tuple[OptionGroup, ...]:
    return once(sheet, _in_boxes) or once(sheet, _in_lists)


def _model(sheet: Sheet) -> Model | None:
    """Return the model behind the choices; a page that shows no choice has none of its own."""
    return read_model(sheet.body) if _part(sheet) is not None or _shown(sheet) else None


def _modelled(sheet: Sheet) -> tuple[OptionGroup, ...]:
    """Return the model's choices; the shown boxes say what is chosen and greyed out."""
    model = once(sheet, _model)
    if model is None:
        return ()
    groups = tuple(_agreed(group, _shown(sheet)) for group in model.groups())
    return tuple(_priced(group, groups, once(sheet, _variants)) for group in groups)


def _variants(sheet: Sheet) -> tuple[Variant, ...]:
    model = once(sheet, _model)
    return () if model is None else model.variants(sheet.locale)


def _boxes(scope: LexborNode) -> tuple[OptionGroup, ...]:
    groups = []
    for box in select(scope, _BOXES):
        attributes = box.attributes
        name = attributes.get("selectboxlabel") or attributes.get("name") or attributes.get("aria-label")
        values = tuple(_option(option) for option in box.css("option") if _is_value(option))
        if values:
            groups.append(OptionGroup(name=(clean(name) or "").rstrip(": "), values=values))
    return tuple(groups)


def _lists(scope: LexborNode) -> tuple[OptionGroup, ...]:
    groups = []
    for button in scope.css(_LISTS):
        label = button.css_first(".btn__label, .listbox-button__label, label")
        now = clean(text.text()) if (text := button.css_first(".btn__text")) is not None else None
        values: list[OptionValue] = []
        for entry in button.css("[role=option]"):
            words = entry.css_first(".listbox__value")
            text_now = clean((words or entry).text()) or entry.attributes.get("data-sku-value-name") or ""
            if not text_now or (not values and says_choose(text_now)):
                continue
            out = says_out_of_stock(text_now) or entry.attributes.get("aria-disabled") == "true"
            chosen = entry.attributes.get("aria-selected") == "true" or text_now == now
            values.append(
                OptionValue(text=bare_option(text_now) or text_now, selected=chosen, available=not out)
            )
        if values:
            groups.append(
                OptionGroup(name=(clean(label.text()) if label else None) or "", values=tuple(values))
            )
    return tuple(group.model_copy(update={"name": group.name.rstrip(": ")}) for group in groups)


def _is_value(option: LexborNode) -> bool:
    """Say whether an entry of a select box is a value, not the request to choose one."""
    return option.attributes.get("value") not in ("-1", "", None) and clean(option.text()) is not None


def _option(option: LexborNode) -> OptionValue:
    text = clean(option.text()) or ""
    attributes = option.attributes
    return OptionValue(
        text=bare_option(text) or text,
        selected="selected" in attributes,
        available=not ("disabled" in attributes or says_out_of_stock(text)),
    )


def _agreed(group: OptionGroup, shown: tuple[OptionGroup, ...]) -> OptionGroup:
    """Let what the page shows win over its model, value by value."""
    same = next((other for other in shown if other.name == group.name), None)
    if same is None:
        return group
    by_text = {value.text: value for value in same.values}
    return group.model_copy(
        update={
            "values": tuple(
                value
                if (seen := by_text.get(value.text)) is None
                else value.model_copy(update={"selected": seen.selected, "available": seen.available})
                for value in group.values
            )
        }
    )


def _priced(
    group: OptionGroup, groups: tuple[OptionGroup, ...], variants: tuple[Variant, ...]
) -> OptionGroup:
    """Add to each value the price that choosing it now would lead to, where the model tells."""
    others = {
        other.name: value.text
        for other in groups
        if other.name != group.name
        for value in other.values
        if value.selected
    }
    if len(others) < len(groups) - 1:
        return group
    prices: dict[str, Price | None] = {
        variant.options[group.name]: variant.price
        for variant in variants
        if {**others, group.name: variant.options.get(group.name)} == variant.options
    }
    return group.model_copy(
        update={
            "values": tuple(
                value.model_copy(update={"price": prices.get(value.text)}) for value in group.values
            )
        }
    )


OPTIONS: Field[Sheet] = Field(
    "options",
    (
        Source("variation model", "$.selectMenus, $.itmVarModel", _modelled),
        Source("select boxes", _BOXES, lambda sheet: once(sheet, _in_boxes)),
        Source("list boxes", _LISTS, lambda sheet: once(sheet, _in_lists)),
    ),
)
VARIANTS: Field[Sheet] = Field(
    "variants",
    (Source("variation model", "$.variationsMap", lambda sheet: once(sheet, _variants)),),
)
