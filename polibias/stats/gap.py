"""Does the judge agree with annotators as well as they agree with each other? Kappa, and what stands behind it.

Quadratic kappa needs only five sums for two raters: how many units, both raters' totals, their squares, and the squared
distances. So half points need no categories of their own, and many annotators cost little.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import FLAT, Defined, Statistic, estimates, ratio
from polibias.stats.kappa import NO_PAIR, NO_VARIATION, kappas
from polibias.stats.ratings import Ratings, category_index
from polibias.stats.resampling import Resampling, stream_seed

MOMENTS = 5
NO_JUDGED = "no unit has a judge score and an annotator's"

JudgeScore = Literal["calls", "mean"]
Pooling = Literal["mean", "pooled"]
Floats = NDArray[np.float64]


class _Moments(NamedTuple):
    """Columns of a group of rater couples, and how many units they rest on."""

    columns: Floats
    n: int


def kappa_gap(
    human: Ratings,
    judge: Floats,
    resamples: int,
    seed: int,
    row: str,
    judge_score: JudgeScore = "calls",
    pooling: Pooling = "mean",
) -> dict[str, Estimate]:
    """Quadratic kappa of judge and annotators, of annotators among themselves, and the difference, from one draw.

    Parameters
    ----------
    human
        Annotators' ratings, units × annotators, where a unit is a pair in one dimension and its cluster the pair.
    judge
        The judge's ratings of the same units on the same scale, units × calls, NaN where invalid. A unit with an
        invalid call is incomplete and has no judge score.
    resamples, seed, row
        Of the one set of draws.
    judge_score
        `calls`: each call is compared with the annotator's label, stacked inside the unit. `mean`: the mean of the
        calls is, with half points for two calls.
    pooling
        `mean`: the judge's kappa is the mean of its kappas with each annotator, the annotators' the mean over couples.
        `pooled`: all annotators' labels are stacked into one kappa with the judge, and the annotators' is one minus
        the sum of observed over the sum of expected disagreement of all couples. For two annotators theirs is the same.

    Returns
    -------
    dict
        `judge_human`, `human_human` and `gap` (judge_human - human_human), which carries the detectable effect. Their
        n counts units with a judge score and a label, with two labels, and with either. A term is not estimable
        without such units, or without variation in one of the couples (`mean`) or in all (`pooled`).

    Raises
    ------
    ValueError
        For a rating that is not on the scale.

    Notes
    -----
    Units missing from one term stay in the other. Source: paper, Table 14, which leaves the pooling open; De Vries et
    al. 2008 for pooled kappa over couples.
    """
    category_index(judge, human.categories)
    with_judge, among = _judge_moments(human, judge, judge_score), _couple_moments(human)
    columns = np.hstack([with_judge.columns, among.columns])
    used = np.flatnonzero(columns.any(axis=1))
    codes, count = cluster_codes([human.clusters[unit] for unit in used.tolist()])
    split, stack = with_judge.columns.shape[1], pooling == "pooled"
    first = _on(slice(0, split), _stacked if stack else _mean_kappa)
    second = _on(slice(split, None), _pooled_kappa if stack else _mean_kappa)
    reasons = (NO_VARIATION if with_judge.n else NO_JUDGED, NO_VARIATION if among.n else NO_PAIR)
    defined = {
        "judge_human": Defined(first, reasons[0], "fisher", n=with_judge.n),
        "human_human": Defined(second, reasons[1], "fisher", n=among.n),
        "gap": Defined(lambda sums: first(sums) - second(sums), _either(reasons), contrast=True),
    }
    sums = cluster_sums(columns[used], codes, count)
    return estimates(
        defined, sums, len(used), Resampling(resamples, stream_seed(seed, row)), effective_n=_kish(human, used)
    )


def rater_matrix(ratings: Ratings, resamples: int, seed: int, row: str) -> dict[tuple[int, int], Estimate]:
    """Quadratic kappa of each couple of raters, with the units both rated as n.

    Parameters
    ----------
    ratings
        Units × raters.
    resamples, seed, row
        Each couple draws from its own stream and from its own clusters.

    Returns
    -------
    dict
        By the numbers of the two columns, the smaller first. A couple without a common unit, or without variation, is
        not estimable.
    """
    category_index(ratings.values, ratings.categories)
    raters = range(ratings.values.shape[1])
    return {
        couple: _couple(ratings, couple, Resampling(resamples, stream_seed(seed, f"{row}\n{couple}")))
        for couple in combinations(raters, 2)
    }


def intra_rater(
    first: Floats,
    repeated: Floats,
    categories: tuple[float, ...],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
) -> dict[str, Estimate]:
    """How far a rater repeats itself: its first and its repeated rating of the same units, as of two raters.

    Parameters
    ----------
    first, repeated
        The ratings in the same order of units, NaN where there is none; only units with both count.
    categories, clusters
        The whole scale, and each unit's cluster.
    resamples, seed, row
        Of the one set of draws.

    Returns
    -------
    dict
        The coefficients of `kappa.kappas`; `mean_difference` is first minus repeated. Not estimable without a repeat.
    """
    both = np.flatnonzero(~np.isnan(first) & ~np.isnan(repeated))
    family = kappas(Ratings(np.column_stack([first, repeated]), categories, clusters))
    codes, count = cluster_codes([clusters[unit] for unit in both.tolist()])
    draws = Resampling(resamples, stream_seed(seed, row))
    found = family.statistics if len(both) else {n: d._replace(undefined=NO_PAIR) for n, d in family.statistics.items()}
    return estimates(found, cluster_sums(family.columns[both], codes, count), len(both), draws)


def confusion(first: Floats, second: Floats, categories: Sequence[float]) -> NDArray[np.int64]:
    """How often each category of the first rater (rows) meets each of the second (columns); units with both only.

    Raises
    ------
    ValueError
        For a rating that is not on the scale.
    """
    x, y = category_index(first, categories), category_index(second, categories)
    both, size = (x >= 0) & (y >= 0), len(categories)
    return np.bincount(x[both] * size + y[both], minlength=size * size).reshape(size, size).astype(np.int64)


def _judge_moments(human: Ratings, judge: Floats, score: JudgeScore) -> _Moments:
    complete = np.isfinite(judge).all(axis=1)
    calls = np.where(np.isfinite(judge).all(axis=1, keepdims=True), judge, np.nan)
    compared = calls if score == "calls" else calls.mean(axis=1, keepdims=True)
    blocks = [
        sum((_moments(human, call, label) for call in compared.T), np.zeros((len(judge), MOMENTS)))
        for label in human.values.T
    ]
    n = int((complete & ~np.isnan(human.values).all(axis=1)).sum()) if blocks and judge.shape[1] else 0
    return _Moments(np.hstack([np.zeros((len(judge), 0)), *blocks]), n)


def _couple_moments(human: Ratings) -> _Moments:
    """Couples that share no unit have no columns."""
    category_index(human.values, human.categories)
    blocks = [_moments(human, *couple) for couple in combinations(human.values.T, 2)]
    shared = [block for block in blocks if block.any()]
    n = int(((~np.isnan(human.values)).sum(axis=1) >= 2).sum())
    return _Moments(np.hstack([np.zeros((len(human.values), 0)), *shared]), n)


def _moments(ratings: Ratings, first: Floats, second: Floats) -> Floats:
    """Per unit: weight, both values, their squares, their squared distance; zeros where one is missing.

    Values are counted from the middle of the scale, which no kappa sees and which keeps digits.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    middle = (ratings.categories[0] + ratings.categories[-1]) / 2
    x, y = (np.where(both, values - middle, 0.0) for values in (first, second))
    columns = np.column_stack([np.ones_like(x), x, y, x * x + y * y, (x - y) ** 2])
    return columns * (both * ratings.weight)[:, None]


def _kappa_parts(sums: Sums) -> tuple[Floats, Floats, Floats]:
    """n, and n times the observed and the expected mean squared distance, of each couple (rows × couples)."""
    n, x, y, squares, apart = np.moveaxis(sums.reshape(len(sums), -1, MOMENTS), 2, 0)
    expected = n * squares - 2 * x * y
    expected = np.where(expected > FLAT * n * squares, expected, 0.0)
    return n, apart, ratio(expected, n)


def _mean_kappa(sums: Sums) -> Floats:
    n, observed, expected = _kappa_parts(sums)
    found = np.where(n > 0, 1 - ratio(observed, expected), 0.0)
    return ratio(found.sum(axis=1), (n > 0).sum(axis=1).astype(np.float64))


def _pooled_kappa(sums: Sums) -> Floats:
    n, observed, expected = _kappa_parts(sums)
    return 1 - ratio(observed.sum(axis=1), np.where(n > 0, expected, 0.0).sum(axis=1))


def _stacked(sums: Sums) -> Floats:
    return _pooled_kappa(sums.reshape(len(sums), -1, MOMENTS).sum(axis=1))


def _on(part: slice, statistic: Callable[[Sums], Floats]) -> Statistic:
    return lambda sums: statistic(sums[:, part])


def _either(reasons: tuple[str, str]) -> str:
    return next((reason for reason in reasons if reason != NO_VARIATION), NO_VARIATION)


def _couple(ratings: Ratings, couple: tuple[int, int], draws: Resampling) -> Estimate:
    columns = _moments(ratings, *(ratings.values[:, rater] for rater in couple))
    used = np.flatnonzero(columns[:, 0])
    codes, count = cluster_codes([ratings.clusters[unit] for unit in used.tolist()])
    defined = {"kappa": Defined(_mean_kappa, NO_VARIATION if len(used) else NO_PAIR, "fisher")}
    sums = cluster_sums(columns[used], codes, count)
    return estimates(defined, sums, len(used), draws, effective_n=_kish(ratings, used))["kappa"]


def _kish(ratings: Ratings, used: NDArray[np.intp]) -> float | None:
    if ratings.weights is None or not len(used):
        return None
    weights = ratings.weights[used]
    return float(weights.sum() ** 2 / (weights**2).sum())
