"""Six intraclass correlations under the names of McGraw & Wong, from sums over units, with their F intervals.

Only units that every rater rated count (listwise). Negative values are values: nothing is clipped, and the forms for
the mean of k raters can be above 1 or below -1. Source: Shrout & Fleiss 1979; McGraw & Wong 1996, tables 4 and 7.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from polibias.stats.clusters import Sums
from polibias.stats.estimate import Interval
from polibias.stats.intervals import FLAT, LEVEL, Defined, Statistic, ratio
from polibias.stats.ratings import Family, Ratings

FEW_UNITS = "fewer than two units were rated by every rater"
FEW_RATERS = "fewer than two raters"
NO_SPREAD = "no variation between units with which the differences between raters could be compared"
UNEQUAL = "no interval: F limits need units of equal weight"
NO_LIMITS = "no interval: F limits fail where a mean square is 0 or raters agree less than by chance"
F_METHOD = "F interval (McGraw & Wong), units taken as independent"

Numbers = NDArray[np.float64]


class MeanSquares(NamedTuple):
    """Mean squares of a two-way layout: rows are units, columns raters; NaN without degrees of freedom."""

    units: Numbers
    raters: Numbers
    error: Numbers
    within: Numbers
    n: Numbers
    k: int


def icc(ratings: Ratings) -> Family:
    """icc_1_1, icc_a_1, icc_c_1 and icc_1_k, icc_a_k, icc_c_k; n counts the units that every rater rated.

    Undefined for fewer than two such units or raters, where all ratings are the same, and for the forms of k raters
    where the units' means are all the same.
    """
    complete = _complete(ratings)
    used, raters = int(complete.sum()), ratings.values.shape[1]
    undefined = FEW_RATERS if raters < 2 else FEW_UNITS if used < 2 else NO_SPREAD
    statistics = {name: Defined(_of_sums(form, raters), undefined, "fisher", n=used) for name, form in FORMS.items()}
    return Family(_columns(ratings, complete), statistics)


def _complete(ratings: Ratings) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(ratings.values).all(axis=1), dtype=np.bool_)


def _columns(ratings: Ratings, complete: NDArray[np.bool_]) -> Numbers:
    """Per unit 1, its weight, and weighted: squared sum, sum of squares, each rating; 0 for incomplete units.

    Ratings count from the middle of the scale, so that a scale far from zero loses no digits.
    """
    middle = (ratings.categories[0] + ratings.categories[-1]) / 2
    values = np.where(complete[:, None], ratings.values - middle, 0.0)
    weight = np.where(complete, ratings.weight, 0.0)
    parts = np.column_stack([np.ones(len(values)), values.sum(axis=1) ** 2, (values**2).sum(axis=1), values])
    return np.column_stack([complete, parts * weight[:, None]])


def mean_squares(sums: Sums, raters: int) -> MeanSquares:
    """Mean squares of each row of sums. Design weights count as shares: degrees of freedom keep the plain n.

    A part that is nothing but rounding beside the sum of squares is 0.
    """
    n, k = sums[:, 0], raters
    scaled = sums[:, 2:] * ratio(n, sums[:, 1])[:, None]
    squared_sums, squares, columns = scaled[:, 0], scaled[:, 1], scaled[:, 2:]
    level, by_rater = ratio(columns.sum(axis=1) ** 2, n * k), ratio((columns**2).sum(axis=1), n)
    by_unit, free = squared_sums / max(k, 1), np.maximum(n - 1, 0)

    def mean(part: Numbers, freedom: Numbers) -> Numbers:
        return ratio(np.where(part > FLAT * squares, part, 0.0), freedom)

    return MeanSquares(
        units=mean(by_unit - level, free),
        raters=mean(by_rater - level, np.full_like(n, k - 1)),
        error=mean(squares - by_unit - by_rater + level, free * (k - 1)),
        within=mean(squares - by_unit, n * (k - 1)),
        n=n,
        k=k,
    )


def _of_sums(form: Callable[[MeanSquares], Numbers], raters: int) -> Statistic:
    return lambda sums: form(mean_squares(sums, raters))


def _over(top: Numbers, *terms: Numbers) -> Numbers:
    """top / the sum of the terms, NaN where the terms cancel but for rounding."""
    bottom, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
    return ratio(top, np.where(np.abs(bottom) > FLAT * size, bottom, 0.0))


def _icc_1_1(ms: MeanSquares) -> Numbers:
    return _over(ms.units - ms.within, ms.units, (ms.k - 1) * ms.within)


def _icc_a_1(ms: MeanSquares) -> Numbers:
    share = ratio(np.array(float(ms.k)), ms.n)
    return _over(ms.units - ms.error, ms.units, (ms.k - 1) * ms.error, share * ms.raters, -share * ms.error)


def _icc_c_1(ms: MeanSquares) -> Numbers:
    return _over(ms.units - ms.error, ms.units, (ms.k - 1) * ms.error)


def _icc_1_k(ms: MeanSquares) -> Numbers:
    return _over(ms.units - ms.within, ms.units)


def _icc_a_k(ms: MeanSquares) -> Numbers:
    return _over(ms.units - ms.error, ms.units, ratio(ms.raters, ms.n), -ratio(ms.error, ms.n))


def _icc_c_k(ms: MeanSquares) -> Numbers:
    return _over(ms.units - ms.error, ms.units)


FORMS: dict[str, Callable[[MeanSquares], Numbers]] = {
    "icc_1_1": _icc_1_1,
    "icc_a_1": _icc_a_1,
    "icc_c_1": _icc_c_1,
    "icc_1_k": _icc_1_k,
    "icc_a_k": _icc_a_k,
    "icc_c_k": _icc_c_k,
}


def f_intervals(ratings: Ratings) -> dict[str, Interval]:
    """The F interval of each intraclass correlation that is defined, or the reason why it has none.

    The limits of a form for k raters are those of its form for one, stepped up by Spearman and Brown's formula.
    """
    complete = _complete(ratings)
    ms = mean_squares(_columns(ratings, complete).sum(axis=0, keepdims=True), ratings.values.shape[1])
    values = {name: float(form(ms)[0]) for name, form in FORMS.items()}
    defined = {name: value for name, value in values.items() if np.isfinite(value)}
    if len(np.unique(ratings.weight[complete])) > 1:
        return dict.fromkeys(defined, Interval(F_METHOD, reason=UNEQUAL))
    return {name: _checked(value, *_limits(name, ms)) for name, value in defined.items()}


def _checked(value: float, low: float, high: float) -> Interval:
    """The limits as an interval, unless a mean square of 0 or a negative variance component left none."""
    proper = np.isfinite([low, high]).all() and low < high and low <= value <= high
    return Interval(F_METHOD, low, high) if proper else Interval(F_METHOD, reason=NO_LIMITS)


def _limits(name: str, ms: MeanSquares) -> tuple[float, float]:
    _, kind, form = name.split("_")
    with np.errstate(all="ignore"):
        limits = _absolute(ms) if kind == "a" else _relative(ms, kind == "1")
        low, high = (limit / (1 + (ms.k - 1) * limit) * ms.k if form == "k" else limit for limit in limits)
    return float(low[0]), float(high[0])


def _relative(ms: MeanSquares, one_way: bool) -> tuple[Numbers, Numbers]:
    """Limits of 1,1 (one way) and C,1 from the ratio of two mean squares."""
    free, k = ms.n - 1, ms.k
    residual, beside = (ms.within, ms.n * (k - 1)) if one_way else (ms.error, free * (k - 1))
    found = ms.units / residual
    low, high = found / fdtri(free, beside, LEVEL), found * fdtri(beside, free, LEVEL)
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _absolute(ms: MeanSquares) -> tuple[Numbers, Numbers]:
    """Limits of A,1; the degrees of freedom of its compound error are Satterthwaite's."""
    n, k, free = ms.n, ms.k, ms.n - 1
    odds = k / n * _icc_a_1(ms) / (1 - _icc_a_1(ms))
    raters, error = odds * ms.raters, (1 + odds * free) * ms.error
    beside = (raters + error) ** 2 / (raters**2 / (k - 1) + error**2 / (free * (k - 1)))
    compound = k * ms.raters + (k * n - k - n) * ms.error
    upper, lower = fdtri(free, beside, LEVEL), fdtri(beside, free, LEVEL)
    low = n * (ms.units - upper * ms.error) / (upper * compound + n * ms.units)
    return low, n * (lower * ms.units - ms.error) / (compound + n * lower * ms.units)
