"""Truth files: what a careful person read on a page, and which other readings would be right too."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

from windowshop.errors import ConfigError

Json = Mapping[str, Any]

_BLANKS = re.compile(r"[\s,\u200b-\u200f\u202a-\u202e\u2060\ufeff]+")
_SUFFIX = re.compile(r"\s*\([^()]*\)$")
_DOUBT = re.compile(r"(?:results\[\]\.)?(?P<field>\w+)\s*(?::|\(|$)")
_ANY_OTHER = re.compile(r"\(any other\b")
_ALIASES: Final = {"asin": "item_id"}
_CENT: Final = 0.005
_STAR: Final = 0.05
_HEADING: Final = 60
_ENOUGH: Final = 20
_SAMPLE: Final = 10

PAGE_KINDS: Final = {
    "item": "item",
    "results": "results",
    "home": "search",
    "captcha": "challenge",
    "signin": "challenge",
    "notfound": "not_found",
    "error": "error",
    "reviews": "other",
    "cart": "other",
    "checkout": "other",
}
"""The kind of page that each kind of recorded page must be read as."""


def plain_truth(kind: str) -> dict[str, Any]:
    """Return the truth of a page that has no file, since its kind says it all.

    Raises `ConfigError` for an unknown kind, and for an item or results without a file.
    """
    if kind in ("item", "results"):
        raise ConfigError(f"a page of kind {kind!r} needs a truth file")
    if kind not in PAGE_KINDS:
        raise ConfigError(f"unknown kind {kind!r}; known kinds: {', '.join(PAGE_KINDS)}")
    if kind == "signin":
        return {"kind": kind, "reason": "signin"}
    if kind == "captcha":
        return {"kind": kind, "reason": "captcha", "accept": {"reason": ["captcha", "blocked"]}}
    return {"kind": kind}


def readings(truth: Json, field: str) -> list[Any] | None:
    """List every right reading of a field, the file's own first; None where it is left out.

    A field is left out where the file does not have it, where it is in doubt and no reading is
    accepted, and where "any other" reading is.
    """
    if field not in truth:
        return None
    accepted = truth.get("accept", {}).get(field)
    if accepted is None:
        return None if field in _doubts(truth.get("unsure", ())) else [truth[field]]
    if any(isinstance(value, str) and _ANY_OTHER.match(value) for value in accepted):
        return None
    alike = [value for value in accepted if _same_shape(value, truth[field])]
    return [truth[field], *alike]


def _doubts(notes: Iterable[str]) -> set[str]:
    """Name the fields of notes such as "price: shown as a range"; notes about no field name none."""
    found = (_DOUBT.match(note) for note in notes)
    names = (match["field"] for match in found if match)
    return {_ALIASES.get(name, name) for name in names}


def _same_shape(value: object, own: object) -> bool:
    # a note about the order of options is a string among dicts: no reading, and order never counts
    return not (isinstance(value, str) and isinstance(own, dict))


def fold(text: str) -> str:
    """Lower the case, and make any run of blanks, commas and invisible marks one blank."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip().casefold()


def same_text(expected: str, got: str) -> bool:
    """Compare two texts after folding."""
    return fold(expected) == fold(got)


def same_texts(expected: list[str], got: list[str]) -> bool:
    """Compare two lists of texts, in order, after folding."""
    return [fold(text) for text in expected] == [fold(text) for text in got]


def same_money(expected: tuple[float, float], got: tuple[float, float]) -> bool:
    """Compare two prices, each as its low and high end, to a cent."""
    return all(abs(mine - yours) < _CENT for mine, yours in zip(expected, got, strict=True))


def same_rating(expected: float, got: float) -> bool:
    """Compare two ratings to half a tenth of a star."""
    return abs(expected - got) <= _STAR + 1e-9


def same_start(expected: str, got: str) -> bool:
    """Say whether a description begins as expected, with or without the heading above it."""
    start, text = fold(expected), fold(got)
    if start in text[: len(start) + _HEADING]:
        return True
    cuts = range(min(_HEADING, len(start) - _ENOUGH))
    return any(text.startswith(start[cut:]) for cut in cuts)


def same_specific(expected: str, got: str) -> bool:
    """Compare one specific; a long value may have been noted only in part, ending in "..."."""
    mine, yours = fold(expected), fold(got)
    cut = mine.removesuffix("…").removesuffix("...").rstrip()
    shortened = cut != mine or len(expected) >= 200
    return mine == yours or (shortened and yours.startswith(cut))


def same_options(expected: Json, got: Json, gone: frozenset[str] = frozenset()) -> bool:
    """Compare options, or what is selected of them: the groups' names, and their values in any order.

    `gone` are the values that cannot be had (`bare` of each): these may carry a suffix that says so.
    """
    mine, yours = (
        {fold_name(name): _values(values, gone) for name, values in groups.items()}
        for groups in (expected, got)
    )
    return mine == yours


def bare(value: str) -> str:
    """Fold an option value without the parenthesis at its end, such as "(Out Of Stock)"."""
    return fold(_SUFFIX.sub("", value))


def _values(values: str | list[str], gone: frozenset[str]) -> set[str]:
    texts = [values] if isinstance(values, str) else values
    return {bare(text) if bare(text) in gone else fold(text) for text in texts}


def fold_name(name: str) -> str:
    """Fold the name of a group or specific; a trailing colon does not count."""
    return fold(name).rstrip(" :：")


def is_sample(specifics: Json) -> bool:
    """Say whether more specifics may stand on the page: the files note ten at most."""
    return len(specifics) >= _SAMPLE
