"""A field of a page and its sources: the places where it may stand, in the order in which they are believed.

Reading and explaining go through the same sources: reading stops at the first that answers, explaining asks
them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar


class Sheet(Protocol):
    """A parsed page, or a part of one, that remembers what was found on it."""

    @property
    def memo(self) -> dict[object, Any]:
        """Return what was found so far, by what found it."""


S = TypeVar("S", bound=Sheet)
T = TypeVar("T")


class Settled(Enum):
    """The answer of a source that says there is no value, whatever later sources would say."""

    UNSAID = "the page does not say"


UNSAID: Final = Settled.UNSAID


class Source(NamedTuple, Generic[S]):
    """One place where a field may stand. `read` gives None (or nothing in it) where it does not."""

    name: str
    where: str
    read: Callable[[S], Any]


class Found(NamedTuple):
    """A field's value and who gave it; several sources where their answers are joined."""

    value: Any
    sources: tuple[str, ...]


def first(sources: Iterable[Source[S]], sheet: S) -> Found | None:
    """Return the first answer; one that the page leaves unsaid on purpose has the value None."""
    for name, _, read in sources:
        answer = read(sheet)
        if answer is UNSAID:
            return Found(None, (name,))
        if not is_blank(answer):
            return Found(answer, (name,))
    return None


def is_blank(answer: Any) -> bool:
    """Say whether an answer is none; False and 0 are answers."""
    return not answer and answer is not False and answer != 0


@dataclass(frozen=True, eq=False)
class Field(Generic[S]):
    """One field, its sources, and how they are settled between where it is not simply the first's."""

    name: str
    sources: tuple[Source[S], ...]
    settle: Callable[[S], Found | None] | None = None

    def find(self, sheet: S) -> Found | None:
        """Return the value and its sources, found out once a sheet."""
        memo = sheet.memo
        if self not in memo:
            memo[self] = first(self.sources, sheet) if self.settle is None else self.settle(sheet)
        found: Found | None = memo[self]
        return found

    def value(self, sheet: S) -> Any:
        """Return the value alone; None where there is none."""
        found = self.find(sheet)
        return None if found is None else found.value

    @property
    def places(self) -> str:
        """Name every place that was looked at, for an error that tells where there was nothing."""
        return ", ".join(source.where for source in self.sources)


def read_fields(fields: Iterable[Field[S]], sheet: S) -> dict[str, Any]:
    """Return the values of the fields that have one, by name, read in the order given."""
    found = ((field.name, field.find(sheet)) for field in fields)
    return {name: said.value for name, said in found if said is not None and said.value is not None}


def once(sheet: S, read: Callable[[S], T]) -> T:
    """Return what `read` finds on a sheet, finding it out only once."""
    if read not in sheet.memo:
        sheet.memo[read] = read(sheet)
    found: T = sheet.memo[read]
    return found


def merged(sources: Iterable[Source[S]], sheet: S) -> Found | None:
    """Join the tables that sources give, the first mention of a name first."""
    answers = [(source.name, source.read(sheet)) for source in sources]
    joined: dict[str, Any] = {}
    for _, answer in answers:
        for name, value in answer.items():
            joined.setdefault(name, value)
    return Found(joined, tuple(name for name, answer in answers if answer)) if joined else None


def answers(field: Field[S], sheet: S) -> Iterator[tuple[Source[S], Any]]:
    """Ask every source of a field, whoever wins."""
    for source in field.sources:
        answer = source.read(sheet)
        yield source, None if is_blank(answer) else answer
