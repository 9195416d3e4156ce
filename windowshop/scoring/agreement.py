"""How far raters agree: percent, Cohen's kappa, Krippendorff's alpha, with bootstrap intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.scoring.statistics import Interval, bootstrap_rows

Ratings = Mapping[str, Mapping[str, str]]
"""What each rater said (by rater, by what was rated); what a rater did not rate is not there."""


class Agreement(Frozen):
    """The agreement of two raters, or of several (`raters`), about one question.

    `items` counts what at least two of them rated. `kappa` is that of two raters; None where it is not
    defined, as with one answer alone. `percent` is 0 to 100.
    """

    question: str
    raters: tuple[str, ...]
    items: int
    percent: float | None
    percent_interval: Interval
    kappa: float | None = None
    kappa_interval: Interval = Interval()
    alpha: float | None
    alpha_interval: Interval


def between_two(question: str, first: str, second: str, ratings: Ratings) -> Agreement:
    """Return how far two raters agree about what both rated."""
    one, other = ratings.get(first, {}), ratings.get(second, {})
    rows = [(one[item], other[item]) for item in sorted(one.keys() & other.keys())]
    return _agreement(question, (first, second), rows, with_kappa=True)


def among_all(question: str, ratings: Ratings) -> Agreement:
    """Return how far all raters agree; whatever two of them rated counts."""
    raters = tuple(sorted(ratings))
    items = sorted({item for rated in ratings.values() for item in rated})
    rows = [tuple(ratings[rater].get(item) for rater in raters) for item in items]
    several = [row for row in rows if sum(value is not None for value in row) > 1]
    return _agreement(question, raters, several, with_kappa=len(raters) == 2)


def percent_agreement(rows: Sequence[Sequence[str | None]]) -> float | None:
    """Return the share of equal pairs among all pairs of ratings of one thing, in per cent."""
    pairs = [pair for row in rows for pair in combinations([value for value in row if value is not None], 2)]
    return 100 * sum(one == other for one, other in pairs) / len(pairs) if pairs else None


def kappa(rows: Sequence[Sequence[str | None]]) -> float | None:
    """Return Cohen's kappa (1960) of pairs of nominal ratings; None where chance alone explains all."""
    pairs = [row for row in rows if None not in row]
    if not pairs:
        return None
    firsts, seconds = Counter(row[0] for row in pairs), Counter(row[1] for row in pairs)
    observed = sum(row[0] == row[1] for row in pairs) / len(pairs)
    expected = sum(count * seconds[value] for value, count in firsts.items()) / len(pairs) ** 2
    return None if expected == 1.0 else (observed - expected) / (1.0 - expected)


def alpha(rows: Sequence[Sequence[str | None]]) -> float | None:
    """Return Krippendorff's alpha for nominal ratings; None where there is one answer alone."""
    return alpha_of_counts(_counts(rows))


def alpha_of_counts(counts: Sequence[Sequence[int]]) -> float | None:
    """Return alpha from how often each thing was given each answer; None where there is one answer alone.

    Raises `ConfigError` where the library is missing.
    """
    try:
        import krippendorff
        import numpy
    except ImportError:
        raise ConfigError("agreement needs the extra report: pip install 'windowshop[report]'") from None
    table = numpy.asarray(counts)
    table = table[table.sum(axis=1) > 1] if table.size else table
    if table.size == 0 or (table.sum(axis=0) > 0).sum() < 2:
        return None
    found = float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))
    return found if math.isfinite(found) else None


def _counts(rows: Sequence[Sequence[str | None]]) -> list[tuple[int, ...]]:
    answers = sorted({value for row in rows for value in row if value is not None})
    return [tuple(row.count(answer) for answer in answers) for row in rows]


def _agreement(
    question: str, raters: tuple[str, ...], rows: Sequence[Sequence[str | None]], with_kappa: bool
) -> Agreement:
    return Agreement(
        question=question,
        raters=raters,
        items=len(rows),
        percent=percent_agreement(rows),
        percent_interval=bootstrap_rows(rows, percent_agreement),
        kappa=kappa(rows) if with_kappa else None,
        kappa_interval=bootstrap_rows(rows, kappa) if with_kappa else Interval(),
        alpha=alpha(rows),
        alpha_interval=bootstrap_rows(_counts(rows), alpha_of_counts),
    )
