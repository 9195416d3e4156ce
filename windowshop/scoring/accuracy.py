"""Accuracy: one page as an adapter read it, beside the same page as a careful person did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import eq
from typing import Any, Literal

from windowshop.frozen import Frozen
from windowshop.scoring import truth as hand
from windowshop.scoring.truth import Json

Outcome = Literal["right", "wrong", "missing", "invented", "none"]

PRICES = frozenset({"price", "tile.price"})
"""The fields that say what one would pay."""


class Verdict(Frozen):
    """One field of one page.

    `missing`: the page says a value and none was read. `invented`: a value was read and the page says
    none. `none`: the page says none and none was read, which is right but no feat. `item_id` is that of
    the tile, among results.
    """

    field: str
    verdict: Outcome
    expected: Any = None
    got: Any = None
    item_id: str | None = None


class Counts(Frozen):
    """How often each outcome came out."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    invented: int = 0
    none: int = 0

    @property
    def values(self) -> int:
        """Count the values that were to be read, or were read."""
        return self.right + self.wrong + self.missing + self.invented

    @property
    def share(self) -> float | None:
        """Return the share of those values that is right; None where there is no value."""
        return self.right / self.values if self.values else None


class Table(Frozen):
    """The counts of every field, in the order in which fields were first seen, and of all together."""

    fields: dict[str, Counts]
    total: Counts


def tally(verdicts: Iterable[Verdict]) -> Table:
    """Count verdicts by field."""
    counters: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        counters[verdict.field][verdict.verdict] += 1
    total = sum(counters.values(), Counter[str]())
    return Table(fields={field: Counts(**count) for field, count in counters.items()}, total=Counts(**total))


def compare(page: Json, truth: Json) -> list[Verdict]:
    """Compare a page (`model_dump(mode="json")`) with the truth about it, field by field.

    A page of another kind than the true one has none of its fields; so has one that could not be read.
    """
    kind = hand.PAGE_KINDS[truth["kind"]]
    verdicts = [_verdict("kind", [kind], page.get("kind"))]
    here = page if page.get("kind") == kind else {}
    if kind == "item":
        verdicts += _item(here, truth)
    elif kind == "results":
        verdicts += _results(here, truth)
    elif kind == "challenge":
        verdicts += _field("reason", truth, here.get("reason"))
    if kind != "item" and page.get("kind") == "item" and page.get("price"):
        verdicts.append(_verdict("price", [None], _ends(page["price"]), hand.same_money))
    return verdicts


def _item(page: Json, truth: Json) -> Iterator[Verdict]:
    yield from _field("item_id", truth, page.get("item_id"))
    yield from _field("title", truth, page.get("title"), hand.same_text)
    yield from _money("price", page.get("price"), truth)
    yield from _currency("currency", page.get("price"), truth)
    yield from _list_price(page.get("list_price"), truth)
    yield from _field("rating", truth, page.get("rating"), hand.same_rating)
    yield from _field("review_count", truth, page.get("review_count"))
    yield from _field("brand", truth, page.get("brand"), hand.same_text)
    yield from _field("bullets", truth, page.get("bullets"), hand.same_texts)
    yield from _options(page, truth)
    yield from _variants(page, truth)
    yield from _field("in_stock", truth, page.get("in_stock"))
    yield from _field("breadcrumbs", truth, page.get("breadcrumbs"), hand.same_texts)
    yield from _field("condition", truth, page.get("condition"), hand.same_text)
    yield from _field("seller", truth, page.get("seller"), hand.same_text)
    yield from _specifics(page.get("specifics") or {}, truth)
    yield from _description(page, truth)


def _results(page: Json, truth: Json) -> Iterator[Verdict]:
    tiles = page.get("tiles", [])
    yield from _field("query", truth, page.get("query"), hand.same_text)
    yield from _field("page", truth, page.get("page"))
    yield from _field("has_next", truth, page.get("has_next"))
    yield from _field("total_text", truth, page.get("total_text"), hand.same_text)
    yield from _field("n_results", truth, len(tiles) if page else None)
    yield from _tiles(tiles, truth["results"])


def _tiles(tiles: Iterable[Json], results: Iterable[Json]) -> Iterator[Verdict]:
    """Compare tile by tile; the same item shown twice is two tiles, the first beside the first."""
    shown: dict[str, list[Json]] = defaultdict(list)
    for tile in tiles:
        shown[tile["item_id"]].append(tile)
    for result in results:
        item_id = result["item_id"]
        if not shown[item_id]:
            yield Verdict(field="tile", verdict="missing", expected=item_id)
            continue
        tile = shown[item_id].pop(0)
        yield Verdict(field="tile", verdict="right", expected=item_id, got=item_id)
        for verdict in _tile(tile, result):
            yield verdict.model_copy(update={"item_id": item_id})
    for item_id, extra in shown.items():
        for _ in extra:
            yield Verdict(field="tile", verdict="invented", got=item_id)


def _tile(tile: Json, result: Json) -> Iterator[Verdict]:
    yield from _field("title", result, tile.get("title"), hand.same_text, name="tile.title")
    yield from _money("tile.price", tile.get("price"), result)
    yield from _currency("tile.currency", tile.get("price"), result)
    if result.get("sponsored") is not None:  # null: the page hides its label
        yield from _field("sponsored", result, tile.get("sponsored"), name="tile.sponsored")


def _money(name: str, price: Json | None, truth: Json) -> Iterator[Verdict]:
    """Compare a price or a range with `price`, or with `price_low` and `price_high`."""
    right = hand.readings(truth, "price")
    if right is None:
        return
    if right[0] is None and truth.get("price_low") is not None:
        right = [[truth["price_low"], truth["price_high"]], *right[1:]]
    yield _verdict(name, [_spread(value) for value in right], _ends(price), hand.same_money)


def _ends(price: Json | None) -> list[float] | None:
    if price is None:
        return None
    return [price["amount"], price["amount"] if price.get("high") is None else price["high"]]


def _currency(name: str, price: Json | None, truth: Json) -> Iterator[Verdict]:
    """Compare currencies where both sides say a price, so that a missing price is missed only once."""
    stated = truth.get("price") is not None or truth.get("price_low") is not None
    if price is not None and stated:
        yield from _field("currency", truth, price.get("currency"), name=name)


def _list_price(price: Json | None, truth: Json) -> Iterator[Verdict]:
    """Compare the struck-out price; a file that names none has looked and found none."""
    right = hand.readings({"list_price": None, **truth}, "list_price")
    if right is not None:
        yield _verdict("list_price", [_spread(value) for value in right], _ends(price), hand.same_money)


def _spread(value: Any) -> Any:
    return [value, value] if isinstance(value, int | float) else value


def _options(page: Json, truth: Json) -> Iterator[Verdict]:
    """Compare what can be chosen, and what is."""
    values = {group["name"]: group["values"] for group in page.get("options", [])}
    every = [value for group in values.values() for value in group]
    gone = frozenset(hand.bare(value["text"]) for value in every if value.get("available") is False)
    same = partial(hand.same_options, gone=gone)
    texts = {name: [value["text"] for value in group] for name, group in values.items()}
    chosen = {
        name: value["text"] for name, group in values.items() for value in group if value.get("selected")
    }
    yield from _field("options", truth, texts, same)
    yield from _field("selected_options", truth, chosen, same)


def _variants(page: Json, truth: Json) -> Iterator[Verdict]:
    """Compare how many combinations are sold and between which prices, where the file says so."""
    variants = page.get("variants", [])
    amounts = [variant["price"]["amount"] for variant in variants if variant.get("price")]
    got = {"n_variants": len(variants), "low": min(amounts), "high": max(amounts)} if amounts else None
    yield from _field("variant_prices", truth, got, _same_variants)


def _same_variants(expected: Json, got: Json) -> bool:
    return expected["n_variants"] == got["n_variants"] and hand.same_money(
        (expected["low"], expected["high"]), (got["low"], got["high"])
    )


def _specifics(specifics: Json, truth: Json) -> Iterator[Verdict]:
    """Compare specific by specific; one that the file lacks is invented unless the file is a sample."""
    right = hand.readings(truth, "specifics")
    if right is None:
        return
    left = {hand.fold_name(name): {name: value} for name, value in specifics.items()}
    for name, value in right[0].items():
        got = left.pop(hand.fold_name(name), None)
        same = got is not None and hand.same_specific(value, *got.values())
        outcome: Outcome = "missing" if got is None else "right" if same else "wrong"
        yield Verdict(field="specifics", verdict=outcome, expected={name: value}, got=got)
    if not hand.is_sample(right[0]):
        for extra in left.values():
            yield Verdict(field="specifics", verdict="invented", got=extra)


def _description(page: Json, truth: Json) -> Iterator[Verdict]:
    text = page.get("description")
    present = bool(text or (page.get("tabs") or {}).get("description"))
    yield from _field("description_present", truth, present or None, none=(None, False))
    if text and truth.get("description_start"):
        yield from _field("description_start", truth, text, hand.same_start)


def _field(
    field: str,
    truth: Json,
    got: Any,
    same: Callable[[Any, Any], bool] = eq,
    *,
    name: str | None = None,
    none: tuple[Any, ...] = (None,),
) -> Iterator[Verdict]:
    """Judge one field by every right reading of it, unless it is left out."""
    right = hand.readings(truth, field)
    if right is not None:
        yield _verdict(name or field, [None if value in none else value for value in right], got, same)


def _verdict(
    name: str,
    right: list[Any],
    got: Any,
    same: Callable[[Any, Any], bool] = eq,
) -> Verdict:
    expected, *others = [_or_none(value) for value in right]
    got = _or_none(got)
    values = [value for value in (expected, *others) if value is not None]
    outcome: Outcome
    if got is None:
        outcome = "missing" if len(values) == len(right) else "none"
    elif not values:
        outcome = "invented"
    else:
        outcome = "right" if any(same(value, got) for value in values) else "wrong"
    return Verdict(field=name, verdict=outcome, expected=expected, got=got)


def _or_none(value: Any) -> Any:
    return None if value in ("", [], {}, ()) else value
