"""Where each field of a page comes from: what every source says, and which one was believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from windowshop.adapters.fields import UNSAID, Field, S, Sheet, answers
from windowshop.frozen import Frozen
from windowshop.pages import Page, Price
from windowshop.wire import Response


class Answer(Frozen):
    """What one source says. `where` is its selector, JSON path or address; `value` None is nothing.

    `differs`: it says something else than what was believed. `unsaid`: it is why the field has no value.
    """

    source: str
    where: str
    value: Any = None
    won: bool = False
    differs: bool = False
    unsaid: bool = False


class Finding(Frozen):
    """One field: what was believed, and every answer in the order of belief."""

    field: str
    value: Any = None
    answers: tuple[Answer, ...] = ()

    @property
    def winners(self) -> tuple[str, ...]:
        """Name the sources that gave the value."""
        return tuple(answer.source for answer in self.answers if answer.won)


class TileFindings(Frozen):
    """The fields of one product among the results."""

    item_id: str
    fields: tuple[Finding, ...]


class Explanation(Frozen):
    """A page as it was parsed, and where its fields come from; `tiles` are the first few results."""

    page: Page
    fields: tuple[Finding, ...] = ()
    tiles: tuple[TileFindings, ...] = ()


@runtime_checkable
class Explains(Protocol):
    """A site whose adapter can say where its fields come from."""

    def explain(self, response: Response, tiles: int | None = None) -> Explanation:
        """Parse a page and explain it; of results, the first `tiles` or all. Raises what `parse` raises."""


class Listed(Sheet, Protocol):
    """One product of a list, parsed."""

    @property
    def item_id(self) -> str:
        """Return which product it is."""


T = TypeVar("T", bound=Listed)


def explain_fields(fields: Iterable[Field[S]], read: S, fresh: S) -> tuple[Finding, ...]:
    """Explain fields: what won is taken from `read`, the sheet that was parsed.

    The sources are asked on `fresh`, another one of the same bytes, since reading takes scripts out of a
    tree and what was asked before must not change an answer.
    """
    return tuple(_finding(field, read, fresh) for field in fields)


def explain_tiles(
    fields: Iterable[Field[T]], tiles: Sequence[T] | None, most: int | None
) -> tuple[TileFindings, ...]:
    """Explain the first `most` products of a list, or all of them."""
    return tuple(
        TileFindings(item_id=tile.item_id, fields=explain_fields(fields, tile, tile))
        for tile in (tiles or ())[:most]
    )


def _finding(field: Field[S], read: S, fresh: S) -> Finding:
    found = field.find(read)
    value, winners = (None, ()) if found is None else found
    listed = []
    for source, answer in answers(field, fresh):
        won = source.name in winners
        listed.append(
            Answer(
                source=source.name,
                where=source.where,
                value=None if answer is UNSAID else _shown(answer),
                won=won,
                differs=not won and answer is not None and not _agree(answer, value),
                unsaid=answer is UNSAID,
            )
        )
    return Finding(field=field.name, value=_shown(value), answers=tuple(listed))


def _agree(answer: Any, value: Any) -> bool:
    """Say whether two answers mean the same; part of a joined table agrees with the whole."""
    if isinstance(answer, dict) and isinstance(value, dict):
        return all(value.get(name) == said for name, said in answer.items())
    return answer is not UNSAID and bool(_essence(answer) == _essence(value))


def _essence(value: Any) -> Any:
    """Return what counts of a value: a price's amounts, the texts of choices, words without case."""
    if isinstance(value, Price):
        return value.amount, value.high
    if isinstance(value, BaseModel):
        return {
            name: _essence(part)
            for name, part in value
            if name in ("name", "values", "text", "title", "body", "score", "options")
        }
    if isinstance(value, tuple | list):
        return [_essence(part) for part in value]
    return value.casefold() if isinstance(value, str) else value


def _shown(value: Any) -> Any:
    """Return a value as JSON has it; of a list of nodes only how many there are."""
    if isinstance(value, list):
        return f"{len(value)} products"
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return [_shown(part) for part in value] if isinstance(value, tuple) else value
