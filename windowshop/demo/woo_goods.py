"""What a WooCommerce shop sells, as its own CSV export says it."""

from __future__ import annotations

import csv
import html
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen

_COLUMNS: Final = frozenset({"ID", "Type", "Name", "Regular price"})
_TAG: Final = re.compile(r"<[^>]*>")
_LONGEST_SLUG: Final = 200


class Choice(Frozen):
    """One attribute of a product that comes in variations."""

    name: str
    values: tuple[str, ...]


class Variation(Frozen):
    """One combination that is sold; a choice that it leaves out may be any."""

    number: int
    options: dict[str, str]
    price: float | None = None
    regular: float | None = None
    in_stock: bool = True


class Goods(Frozen):
    """One product. `price` is what one pays now, `regular` the price before a reduction."""

    number: int
    slug: str
    name: str
    price: float | None = None
    regular: float | None = None
    sku: str | None = None
    brand: str | None = None
    short: str = ""
    description: str = ""
    path: tuple[str, ...] = ()
    image: str | None = None
    in_stock: bool = True
    choices: tuple[Choice, ...] = ()
    variations: tuple[Variation, ...] = ()


def load_goods(path: Path) -> tuple[Goods, ...]:
    """Read a WooCommerce product export; raise `ConfigError` naming the line and column that are wrong.

    What is not published is left out, and so are products that are only links to other shops.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = _COLUMNS - set(reader.fieldnames or ())
            if missing:
                raise ConfigError(f"{path} is no WooCommerce export: no column {sorted(missing)[0]!r}")
            rows = [(number, row) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    children: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for number, row in rows:
        if _types(row) & {"variation"}:
            children.setdefault((row.get("Parent") or "").removeprefix("id:"), []).append((number, row))
    return tuple(_goods(path, rows, children))


def _goods(
    path: Path,
    rows: Sequence[tuple[int, Mapping[str, str]]],
    children: Mapping[str, Sequence[tuple[int, Mapping[str, str]]]],
) -> Iterator[Goods]:
    taken: dict[str, int] = {}
    for number, row in rows:
        if not _types(row) & {"simple", "variable"} or row.get("Published", "1") not in ("1", ""):
            continue
        where = f"{path}, line {number}"
        slug = slug_of(row["Name"])
        taken[slug] = taken.get(slug, 0) + 1
        of_it = [*children.get(row["ID"], ()), *children.get(row.get("SKU") or "?", ())]
        variations = tuple(_variation(child, f"{path}, line {line}") for line, child in of_it)
        prices = [one.price for one in variations if one.price is not None]
        regular = _amount(row, "Regular price", where)
        sale = _amount(row, "Sale price", where)
        yield Goods(
            number=_number(row, where),
            slug=slug if taken[slug] == 1 else f"{slug}-{taken[slug]}",
            name=_text(row["Name"]),
            price=min(prices) if prices else regular if sale is None else sale,
            regular=regular if sale is not None else None,
            sku=row.get("SKU") or None,
            brand=row.get("Brands") or None,
            short=row.get("Short description") or "",
            description=row.get("Description") or "",
            path=_path(row.get("Categories") or ""),
            image=(row.get("Images") or "").partition(",")[0].strip() or None,
            in_stock=row.get("In stock?", "1") not in ("0", ""),
            choices=tuple(_choices(row)) if of_it else (),
            variations=variations,
        )


def slug_of(name: str) -> str:
    """Return the end of a product's address as WordPress makes it of its name."""
    text = _TAG.sub("", html.unescape(name)).replace("×", "x")
    plain = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    dashed = re.sub(r"[./\s\u00a0\u2010-\u2015]+", "-", plain.lower())
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9_-]", "", dashed)).strip("-")[:_LONGEST_SLUG]


def _variation(row: Mapping[str, str], where: str) -> Variation:
    regular, sale = _amount(row, "Regular price", where), _amount(row, "Sale price", where)
    return Variation(
        number=_number(row, where),
        options={choice.name: choice.values[0] for choice in _choices(row) if choice.values},
        price=regular if sale is None else sale,
        regular=regular if sale is not None else None,
        in_stock=row.get("In stock?", "1") not in ("0", ""),
    )


def _choices(row: Mapping[str, str]) -> Iterator[Choice]:
    for place in range(1, 20):
        name = row.get(f"Attribute {place} name")
        if not name:
            return
        values = (row.get(f"Attribute {place} value(s)") or "").split(",")
        yield Choice(name=name, values=tuple(value.strip() for value in values if value.strip()))


def _types(row: Mapping[str, Any]) -> set[str]:
    return {kind.strip() for kind in (row.get("Type") or "").split(",")}


def _number(row: Mapping[str, str], where: str) -> int:
    if not row["ID"].isdecimal():
        raise ConfigError(f"{where}: ID: {row['ID']!r} is not a number")
    return int(row["ID"])


def _amount(row: Mapping[str, str], column: str, where: str) -> float | None:
    """Read a price, whichever mark parts its decimals."""
    text = (row.get(column) or "").strip()
    if not text:
        return None
    last = max(text.rfind(","), text.rfind("."))
    whole, part = (text[:last], text[last + 1 :]) if last >= 0 else (text, "")
    digits = re.sub(r"[.,\s]", "", whole)
    if not f"{digits}{part}".isdecimal():
        raise ConfigError(f"{where}: {column}: {text!r} is not a price")
    return float(f"{digits or 0}.{part or 0}")


def _path(categories: str) -> tuple[str, ...]:
    """Return the first of a product's categories, from the widest on."""
    return tuple(part.strip() for part in categories.partition(",")[0].split(">") if part.strip())


def _text(name: str) -> str:
    return html.unescape(html.unescape(name))
