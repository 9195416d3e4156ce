"""The variation model that an eBay page carries as JSON: every combination with its id, price and stock."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from windowshop.adapters.ebay.wording import bare_option, says_out_of_stock
from windowshop.adapters.markup import json_at
from windowshop.adapters.money import parse_price
from windowshop.locales import Locale
from windowshop.pages import OptionGroup, OptionValue, Price, Variant

_MODELS = (b'"selectMenus":', b'"itmVarModel":')
_SPAN = 4_000_000
_MOST_MENUS = 10


class _Open(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Menu(_Open):
    name: str = Field("", alias="displayLabel")
    value_ids: list[int] = Field(default_factory=list, alias="menuItemValueIds")
    selected: int | None = Field(None, alias="selectedValueId")


class _MenuItem(_Open):
    text: str = Field("", alias="displayName")
    name: str = Field("", alias="valueName")
    variations: list[int] = Field(default_factory=list, alias="matchingVariationIds")
    out_of_stock: bool | None = Field(None, alias="outOfStock")


class Model(_Open):
    """Both generations of the model: `itmVarModel` (to 2021) and `VariationViewModel`."""

    menus: list[_Menu] = Field(default_factory=list)
    items: dict[int, _MenuItem] = Field(default_factory=dict, alias="menuItemMap")
    variations: dict[int, dict[str, Any]] = Field(default_factory=dict)
    combinations: dict[str, int] = Field(default_factory=dict, alias="variationCombinations")

    def groups(self) -> tuple[OptionGroup, ...]:
        """Return the choices as the page offers them, without the price that each would lead to."""
        return tuple(
            OptionGroup(
                name=menu.name.rstrip(": "),
                values=tuple(_value(self.items[key], key == menu.selected) for key in self._keys(menu)),
            )
            for menu in self.menus
            if self._keys(menu)
        )

    def variants(self, locale: Locale) -> tuple[Variant, ...]:
        """Return every combination that the shop sells, under its variation id."""
        by_id: dict[int, dict[str, str]] = {}
        for menu in self.menus[:_MOST_MENUS]:
            for key in self._keys(menu):
                label = bare_option(self.items[key].text or self.items[key].name) or ""
                for variation in self.items[key].variations:
                    by_id.setdefault(variation, {})[menu.name.rstrip(": ")] = label
        return tuple(
            Variant(
                item_id=str(variation),
                options=by_id[variation],
                price=_price(entry, locale),
                in_stock=_in_stock(entry),
            )
            for variation, entry in self.variations.items()
            if variation in by_id
        )

    def _keys(self, menu: _Menu) -> list[int]:
        return [key for key in menu.value_ids if key in self.items]


def read_model(body: bytes) -> Model | None:
    """Cut the model out of the page by its position and decode only that; None where none is."""
    for mark in _MODELS:
        at = body.find(mark)
        if at >= 0:
            start = body.rfind(b"{", 0, at) if mark == _MODELS[0] else at + len(mark)
            end = body.find(b"</script", at, start + _SPAN)
            return _decode(body[start : end if end >= 0 else start + _SPAN].decode("utf-8", "replace"))
    return None


def _decode(text: str) -> Model | None:
    raw = json_at(text)
    if not isinstance(raw, dict):
        return None
    try:
        raw["menus"] = raw.get("selectMenus") or raw.get("menuModels") or []
        raw["variations"] = raw.get("variationsMap") or raw.get("itemVariationsMap") or {}
        return Model.model_validate(raw)
    except ValidationError:
        return None


def _value(item: _MenuItem, selected: bool) -> OptionValue:
    label = item.text or item.name
    out = item.out_of_stock if item.out_of_stock is not None else (says_out_of_stock(label) or None)
    return OptionValue(
        text=bare_option(label) or label, selected=selected, available=None if out is None else not out
    )


def _price(entry: dict[str, Any], locale: Locale) -> Price | None:
    """Read a variation's price as it would be shown, which may not be the amount beside it."""
    model = entry.get("binModel")
    shown = model.get("price") if isinstance(model, dict) else entry.get("price")
    if isinstance(shown, str):
        return parse_price(shown, locale)
    if not isinstance(shown, dict):
        return None
    spans = shown.get("textSpans")
    texts = [span.get("text") for span in spans if isinstance(span, dict)] if isinstance(spans, list) else []
    price = parse_price(" ".join(text for text in texts if isinstance(text, str)), locale)
    value = shown.get("value")
    stated = value if isinstance(value, dict) else {}
    amount, currency = stated.get("value"), stated.get("currency")
    if price is None or price.amount != amount or not isinstance(currency, str):
        return price
    return price.model_copy(update={"currency": currency})


def _in_stock(entry: dict[str, Any]) -> bool | None:
    quantity = entry.get("quantity")
    for holder in (entry, quantity if isinstance(quantity, dict) else {}):
        out = holder.get("outOfStock")
        if isinstance(out, bool):
            return not out
    return None
