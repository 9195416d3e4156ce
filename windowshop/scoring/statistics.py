"""Intervals, tests between agents on the same goals, and pass@k; by scipy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windowshop.errors import ConfigError
from windowshop.frozen import Frozen

CONFIDENCE = 0.95
RESAMPLES = 4999
SEED = 233
_MISSING = "intervals and tests need the extra report: pip install 'windowshop[report]'"


class Interval(Frozen):
    """What a figure may be, at 95 % confidence. Either end is None where too little is known."""

    low: float | None = None
    high: float | None = None


class Comparison(Frozen):
    """Two agents on the same goals of one site: `first` minus `second`, in points of 100.

    `only_first` and `only_second` count the goals that one alone reached; `mcnemar` is the exact two-sided
    p-value over them, `adjusted` that after Holm's correction for all comparisons of a report.
    """

    site: str
    first: str
    second: str
    goals: int
    difference: float | None
    interval: Interval
    only_first: int
    only_second: int
    mcnemar: float | None
    adjusted: float | None = None


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the bootstrap interval of a mean (BCa; of values that are all the same, nothing can be said)."""
    if len(values) < 2 or len(set(values)) == 1:
        return Interval()
    import_scipy()
    import numpy
    from scipy import stats

    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # scipy warns where the data are degenerate: then the ends are nan
        found = stats.bootstrap(
            (numpy.asarray(values, dtype=float),),
            numpy.mean,
            confidence_level=CONFIDENCE,
            n_resamples=RESAMPLES,
            method="BCa",
            rng=numpy.random.default_rng(SEED),
        ).confidence_interval
    return Interval(low=_finite(found.low), high=_finite(found.high))


def share_interval(hits: int, total: int) -> Interval:
    """Return Wilson's interval of a share, 0 to 1."""
    if total == 0:
        return Interval()
    stats = import_scipy()
    found = stats.binomtest(hits, total).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(low=float(found.low), high=float(found.high))


def paired_interval(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the interval of the mean difference of pairs: goals are drawn anew, with both their values."""
    return mean_interval([one - other for one, other in zip(first, second, strict=True)])


def mcnemar(only_first: int, only_second: int) -> float | None:
    """Return the exact two-sided p-value of McNemar's test; None where no goal tells the two apart."""
    if only_first + only_second == 0:
        return None
    return float(import_scipy().binomtest(only_first, only_first + only_second, 0.5).pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's step-down correction, in their own order."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = highest
    return adjusted


def pass_at_k(attempts: int, successes: int, k: int) -> float | None:
    """Return the chance that one of `k` attempts succeeds, unbiased; None with fewer than `k` attempts."""
    if attempts < k:
        return None
    return 1.0 - math.comb(attempts - successes, k) / math.comb(attempts, k)


def pass_all_k(attempts: int, successes: int, k: int) -> float | None:
    """Return the chance that `k` attempts all succeed, unbiased; None with fewer than `k` attempts."""
    return None if attempts < k else math.comb(successes, k) / math.comb(attempts, k)


def compare(site: str, first: str, second: str, rewards: Mapping[str, tuple[float, float]]) -> Comparison:
    """Compare two agents on the goals for which both rewards are known (0 to 1, by goal)."""
    pairs = [rewards[goal] for goal in sorted(rewards)]
    ones, others = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    only_first = sum(one == 1.0 and other < 1.0 for one, other in pairs)
    only_second = sum(other == 1.0 and one < 1.0 for one, other in pairs)
    interval = paired_interval(ones, others)
    return Comparison(
        site=site,
        first=first,
        second=second,
        goals=len(pairs),
        difference=100 * (sum(ones) - sum(others)) / len(pairs) if pairs else None,
        interval=scaled(interval, 100),
        only_first=only_first,
        only_second=only_second,
        mcnemar=mcnemar(only_first, only_second),
    )


def adjust(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with their p-values corrected for one another."""
    tested = [place for place, one in enumerate(comparisons) if one.mcnemar is not None]
    corrected = dict(zip(tested, holm([comparisons[place].mcnemar or 0.0 for place in tested]), strict=True))
    return [
        one.model_copy(update={"adjusted": corrected.get(place)}) for place, one in enumerate(comparisons)
    ]


def scaled(interval: Interval, factor: float) -> Interval:
    """Return an interval in other units."""
    return Interval(
        low=None if interval.low is None else interval.low * factor,
        high=None if interval.high is None else interval.high * factor,
    )


def bootstrap_rows(
    rows: Sequence[Any], statistic: Callable[[list[Any]], float | None], resamples: int = 999
) -> Interval:
    """Return the percentile interval of any statistic of rows, which are drawn anew whole.

    Draws for which the statistic is not defined (None) are left out.
    """
    if len(rows) < 2:
        return Interval()
    try:
        import numpy
    except ImportError:
        raise ConfigError(_MISSING) from None
    rng = numpy.random.default_rng(SEED)
    drawn = (
        statistic([rows[place] for place in rng.integers(0, len(rows), len(rows))]) for _ in range(resamples)
    )
    values = [value for value in drawn if value is not None]
    if not values:
        return Interval()
    low, high = numpy.percentile(values, [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)])
    return Interval(low=float(low), high=float(high))


def import_scipy() -> Any:
    """Return `scipy.stats`; raise `ConfigError` naming the extra where it is missing."""
    try:
        from scipy import stats
    except ImportError:
        raise ConfigError(
            "intervals and tests need the extra report: pip install 'windowshop[report]'"
        ) from None
    return stats


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
