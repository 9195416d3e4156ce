"""A product's choices and what is sold of them, from the form that WooCommerce itself reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import Field, Source, once
from windowshop.adapters.markup import json_at, text_of
from windowshop.adapters.woocommerce.amounts import SIGN, country_of, currency_of
from windowshop.adapters.woocommerce.product import summary_of
from windowshop.adapters.woocommerce.sheet import Sheet
from windowshop.pages import OptionGroup, OptionValue, Price, Variant

_FORM: Final = "form.variations_form"
_ROWS: Final = "select[name^=attribute_], select[data-attribute_name]"
_DATA: Final = "data-product_variations"


def _form(sheet: Sheet) -> LexborNode | None:
    return sheet.own(_FORM, once(sheet, summary_of))


class _Value(NamedTuple):
    """One value of a choice: what is sent, what is shown, and whether it is chosen."""

    sent: str
    shown: str
    chosen: bool


class _Choice(NamedTuple):
    """One choice: the name of its field, what the page calls it, and its values."""

    field: str
    name: str
    values: list[_Value]


def _choices(sheet: Sheet) -> list[_Choice]:
    form = once(sheet, _form)
    found: dict[str, _Choice] = {}
    for row in [] if form is None else form.css(_ROWS):
        field = row.attributes.get("data-attribute_name") or row.attributes.get("name") or ""
        if field and field not in found:
            name = _label(form, row) or field.removeprefix("attribute_").removeprefix("pa_")
            if name:
                found[field] = _Choice(field, name.rstrip(" :："), list(_values(row)))
    return list(found.values())


def _label(form: LexborNode | None, select: LexborNode) -> str | None:
    """Return the label of a list of values: the one that is for it, else the one in its row."""
    named = select.attributes.get("id")
    label = form.css_first(f'label[for="{named}"]') if form and named and '"' not in named else None
    row = select.parent
    while label is None and row is not None and row.tag not in ("form", "body"):
        label = row.css_first("label") if row.tag == "tr" else None
        row = row.parent
    return text_of(label)


def _values(select: LexborNode) -> Iterator[_Value]:
    """Yield the values of a list; the prompt is none."""
    for option in select.css("option"):
        attributes, shown = option.attributes, text_of(option)
        sent = attributes.get("value")
        if sent and shown:
            yield _Value(sent, shown, "selected" in attributes)


def _variations(sheet: Sheet) -> list[dict[str, Any]] | None:
    """Return the combinations that are sold; None where the page leaves them to be asked for."""
    form = once(sheet, _form)
    told = json_at(form.attributes.get(_DATA) or "") if form else None
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else None


def _options(sheet: Sheet) -> tuple[OptionGroup, ...]:
    sold = once(sheet, _variations)
    return tuple(_group(choice, sold) for choice in once(sheet, _choices))


def _group(choice: _Choice, sold: list[dict[str, Any]] | None) -> OptionGroup:
    had = [_wanted(one, choice.field) for one in sold or () if one.get("is_in_stock") is not False]
    values = (
        OptionValue(
            text=value.shown,
            selected=True if value.chosen else None,
            available=None if sold is None else any(one in ("", None, value.sent) for one in had),
        )
        for value in choice.values
    )
    return OptionGroup(name=choice.name, values=tuple(values))


def _wanted(variation: dict[str, Any], field: str) -> Any:
    attributes = variation.get("attributes")
    return attributes.get(field) if isinstance(attributes, dict) else None


def _variants(sheet: Sheet) -> tuple[Variant, ...]:
    """Return what is sold. A choice that a variation leaves open is any; of two alike the first counts."""
    shown = {
        choice.field: (choice.name, {value.sent: value.shown for value in choice.values})
        for choice in once(sheet, _choices)
    }
    found: dict[tuple[tuple[str, str], ...], Variant] = {}
    for one in once(sheet, _variations) or []:
        attributes = one.get("attributes")
        number = one.get("variation_id")
        if not isinstance(attributes, dict) or not isinstance(number, int):
            continue
        options = {
            shown[field][0]: shown[field][1].get(sent, sent)
            for field, sent in attributes.items()
            if field in shown and isinstance(sent, str) and sent
        }
        stocked = one.get("is_in_stock")
        variant = Variant(
            item_id=str(number),
            options=options,
            price=_price(sheet, one),
            in_stock=stocked if isinstance(stocked, bool) else None,
        )
        found.setdefault(tuple(sorted(options.items())), variant)
    return tuple(found.values())


def _price(sheet: Sheet, variation: dict[str, Any]) -> Price | None:
    amount = variation.get("display_price")
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    return Price(amount=float(amount), currency=sheet.currency or _shown_currency(sheet))


def _shown_currency(sheet: Sheet) -> str | None:
    return currency_of(sheet, sheet.text(SIGN), country_of(sheet))


OPTIONS: Final[Field[Sheet]] = Field("options", (Source("form", f"{_FORM} select", _options),))
VARIANTS: Final[Field[Sheet]] = Field("variants", (Source("form", f"{_FORM}[{_DATA}]", _variants),))
