"""How a shop's words become the simulator's: by its loader's rules, or not at all where it did so itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from windowshop.translators.neutral import marks_in, neutral


class Wording(NamedTuple):
    """The three things that the simulator's loader does to texts (simulator rule a.3).

    `marks` counts what had to be made harmless in one.
    """

    text: Callable[[str], str]
    option_name: Callable[[str], str]
    option_value: Callable[[str], str]
    marks: Callable[[str], int]


def _option_value(text: str) -> str:
    """Strip, space slashes out as bars, lower: in this order, so that "//" keeps blanks around it."""
    return neutral(text).strip().replace("/", " | ").lower()


REAL = Wording(neutral, lambda name: neutral(name).lower(), _option_value, marks_in)
"""A real shop: control tokens are made harmless and options are prepared."""

PREPARED = Wording(str, str, str, lambda text: 0)
"""The simulator's own pages: its loader was there already, and its texts are to be kept to the byte."""


def wording_of(site: str) -> Wording:
    """Return the wording for the pages of a site."""
    return PREPARED if site == "webshop" else REAL
