"""What the shop is stocked from: the tables of goods.toml, typed."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from windowshop.frozen import Frozen


class Menu(Frozen):
    """One kind of choice; each further value costs `step` of the base price more."""

    key: str
    name: str
    values: tuple[str, ...]
    step: float = 0.0


class Shelf(Frozen):
    """One kind of goods. The last four fields number the products that are out of the ordinary."""

    noun: str
    query: str
    path: tuple[str, ...]
    count: int
    price: tuple[float, float]
    choices: tuple[str, ...]
    attributes: tuple[str, ...]
    open: tuple[int, ...] = ()
    unpriced: tuple[int, ...] = ()
    undescribed: tuple[int, ...] = ()
    sold_out: tuple[int, ...] = ()


class Aisle(Frozen):
    """One category of the shop."""

    category: str
    brands: tuple[str, ...]
    path: tuple[str, ...]
    materials: tuple[str, ...]
    shelf: tuple[Shelf, ...]
    unit: str | None = None


class Voices(Frozen):
    """What reviews are put together from; a remark is a title and a body."""

    authors: tuple[str, ...]
    good: tuple[tuple[str, str], ...]
    poor: tuple[tuple[str, str], ...]


class Stockroom(Frozen):
    """The whole of goods.toml."""

    choices: dict[str, Menu]
    attributes: dict[str, str]
    extras: dict[str, tuple[str, ...]]
    aisle: tuple[Aisle, ...]
    opinions: Voices


def load_stockroom() -> Stockroom:
    """Read the shop's own stock list."""
    return Stockroom.model_validate(
        tomllib.loads(files(__package__).joinpath("goods.toml").read_text("utf-8"))
    )
