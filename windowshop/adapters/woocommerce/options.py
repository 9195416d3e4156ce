"""A product's choices and what is sold of them, from the form that WooCommerce itself reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from selectolax.lexbor import LexborNode

from windowshop.adapters.fields import Field, Source, once
from windowshop.adapters.markup import json_at, text_of
from windowshop.adapters.woocommerce.amounts import currency_of
from windowshop.adapters.woocommerce.sheet import Sheet
from windowshop.pages import OptionGroup, OptionValue, Price, Variant

_FORM: Final = "form.variations_form"
_ROWS: Final = "select[name^=attribute_], select[data-attribute_name]"
_DATA: Final = "data-product_variations"


def _form(sheet: Sheet) -> LexborNode | None:
    return sheet.own(_FORM)


def _choices(sheet: Sheet) -> list[tuple[str, str, LexborNode]]:
    """Return each choice: the name of its field, what the page calls it, and its list of values."""
    form = once(sheet, _form)
    found: dict[str, tuple[str, str, LexborNode]] = {}
    for select in [] if form is None else form.css(_ROWS):
        field = select.attributes.get("data-attribute_name") or select.attributes.get("name") or ""
        name = _label(form, select) or field.removeprefix("attribute_").removeprefix("pa_")
        if field and name:
            found.setdefault(field, (field, name.rstrip(" :："), select))
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


def _values(select: LexborNode) -> Iterator[tuple[str, str, bool]]:
    """Yield what is sent, what is shown, and whether it is chosen; the prompt is none."""
    for option in select.css("option"):
        sent, shown = option.attributes.get("value"), text_of(option)
        if sent and shown:
            yield sent, shown, "selected" in option.attributes


def _variations(sheet: Sheet) -> list[dict[str, Any]] | None:
    """Return the combinations that are sold; None where the page leaves them to be asked for."""
    form = once(sheet, _form)
    told = json_at(form.attributes.get(_DATA) or "") if form else None
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else None


def _options(sheet: Sheet) -> tuple[OptionGroup, ...]:
    sold = once(sheet, _variations)
    return tuple(
        OptionGroup(
            name=name,
            values=tuple(
                OptionValue(
                    text=shown,
                    selected=True if chosen else None,
                    available=None if sold is None else any(_is_had(one, field, sent) for one in sold),
                )
                for sent, shown, chosen in _values(select)
            ),
        )
        for field, name, select in once(sheet, _choices)
    )


def _is_had(variation: dict[str, Any], field: str, sent: str) -> bool:
    attributes = variation.get("attributes")
    wanted = attributes.get(field) if isinstance(attributes, dict) else None
    return variation.get("is_in_stock") is not False and wanted in ("", None, sent)


def _variants(sheet: Sheet) -> tuple[Variant, ...]:
    """Return what is sold. A choice that a variation leaves open is any; of two alike the first counts."""
    shown = {
        field: (name, {sent: text for sent, text, _ in _values(select)})
        for field, name, select in once(sheet, _choices)
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
    return Price(amount=float(amount), currency=sheet.money.code or _shown_currency(sheet))


def _shown_currency(sheet: Sheet) -> str | None:
    return currency_of(sheet, sheet.text(".woocommerce-Price-currencySymbol"))


OPTIONS: Final[Field[Sheet]] = Field("options", (Source("form", f"{_FORM} select", _options),))
VARIANTS: Final[Field[Sheet]] = Field("variants", (Source("form", f"{_FORM}[{_DATA}]", _variants),))
