"""A judge's calls beside annotators' labels, call by call: shares that agree, means, and kappa of a whole table.

Both calls of a unit are compared with the same label. They are stacked inside the unit and never count
as two units.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.gap import NO_JUDGED
from polibias.stats.intervals import Defined, Statistic, estimates, ratio
from polibias.stats.kappa import NO_PAIR, NO_VARIATION, disagreement_weights, kappa, pair_tables
from polibias.stats.ratings import Ratings, category_index
from polibias.stats.resampling import Resampling, stream_seed

PARTS = 5
"""Columns of a couple: weight, exact, within one, the first's rating and the second's."""
CLOSE = 1 + 1e-9

Floats = NDArray[np.float64]


def stacked_agreement(human: Ratings, judge: Floats, resamples: int, seed: int, row: str) -> dict[str, Estimate]:
    """How often the judge's calls agree with the labels, and how far apart their means are, all from one draw.

    Parameters
    ----------
    human
        Annotators' ratings, units × annotators.
    judge
        The judge's ratings of the same units on the same scale, units × calls. A unit with a missing call has no judge
        score.
    resamples, seed, row
        Of the one set of draws.

    Returns
    -------
    dict
        `exact`, `within_one`: shares of calls that equal a label, or lie at most one point from it. `judge_mean`,
        `annotators_mean`: mean score of calls and of labels in the units that have both; `mean_difference`: the first
        minus the second. Each is made for every annotator alone and then averaged over annotators. `annotators_exact`,
        `annotators_within_one`: the same shares of annotators among themselves, averaged over couples. n counts units
        with a judge score and a label, or with two labels; not estimable without one.

    Raises
    ------
    ValueError
        For a rating that is not on the scale.
    """
    for values in (judge, human.values):
        category_index(values, human.categories)
    calls = complete_calls(judge)
    with_judge = _side_by_side([_parts(calls, label, human.weight) for label in human.values.T], len(judge))
    couples = [_parts(first[:, None], second, human.weight) for first, second in combinations(human.values.T, 2)]
    among = _side_by_side(couples, len(judge))
    labels = ~np.isnan(human.values)
    judged = int((np.isfinite(calls).all(axis=1) & labels.any(axis=1)).sum()) if calls.shape[1] else 0
    columns = np.hstack([with_judge, among])
    defined = _statistics(judged, int((labels.sum(axis=1) >= 2).sum()), with_judge.shape[1])
    return _estimates(defined, columns, human, Resampling(resamples, stream_seed(seed, row)))


def stacked_kappa(
    first: Floats, second: Ratings, power: int | None, resamples: int, seed: int, row: str, undefined: str = NO_JUDGED
) -> Estimate:
    """Kappa of two raters of whom the first may have rated each unit several times, from one K × K table.

    Parameters
    ----------
    first
        Units × calls. A unit with a missing call does not count.
    second
        The other rater alone: one column of ratings, with their scale, clusters and weights.
    power
        None for unweighted kappa, 1 for linear and 2 for quadratic weights.
    resamples, seed, row
        Of the draws.
    undefined
        Why there is none where no unit has both.

    Returns
    -------
    Estimate
        n counts units with both; not estimable without one, or if all ratings fall in one category.
    """
    calls, points = complete_calls(first), second.categories
    empty = np.zeros((len(calls), len(points) ** 2))
    tables = sum(
        (pair_tables(second._replace(values=np.hstack([c[:, None], second.values])))[0] for c in calls.T), empty
    )
    n = int((tables != 0).any(axis=1).sum())
    statistic = kappa(len(points), disagreement_weights(points, power))
    defined = {"kappa": Defined(statistic, NO_VARIATION if n else undefined, "fisher", n=n)}
    return _estimates(defined, tables, second, Resampling(resamples, stream_seed(seed, row)))["kappa"]


def complete_calls(judge: Floats) -> Floats:
    """The calls of the units that have all of them; NaN elsewhere."""
    return np.where(np.isfinite(judge).all(axis=1, keepdims=True), judge, np.nan)


def kish(weights: Floats | None) -> float | None:
    """The number of equally weighted rows that would be as precise; None without weights or rows. Source: Kish 1965."""
    return None if weights is None or not len(weights) else float(weights.sum() ** 2 / (weights**2).sum())


def _parts(calls: Floats, label: Floats, weight: Floats) -> Floats:
    """A couple's columns per unit, summed over the calls; zeros where one of the two is missing."""
    both = ~np.isnan(calls) & ~np.isnan(label)[:, None]
    x, y = np.where(both, calls, 0.0), np.where(both, label[:, None], 0.0)
    apart = np.abs(x - y)
    parts = np.stack([both, (apart == 0) & both, (apart <= CLOSE) & both, x, y], axis=2)
    columns: Floats = parts.sum(axis=1) * weight[:, None]
    return columns


def _side_by_side(blocks: Sequence[Floats], units: int) -> Floats:
    """Couples that share no unit have no columns."""
    return np.hstack([np.zeros((units, 0)), *(block for block in blocks if block.any())])


def _statistics(judged: int, coupled: int, split: int) -> dict[str, Defined]:
    judge, among = slice(0, split), slice(split, None)
    exact, close, first, second = ([place] for place in range(1, PARTS))
    return {
        "exact": Defined(_mean_of(exact), NO_JUDGED, "logit", n=judged, columns=judge),
        "within_one": Defined(_mean_of(close), NO_JUDGED, "logit", n=judged, columns=judge),
        "judge_mean": Defined(_mean_of(first), NO_JUDGED, n=judged, columns=judge),
        "annotators_mean": Defined(_mean_of(second), NO_JUDGED, n=judged, columns=judge),
        "mean_difference": Defined(_mean_of(first, second), NO_JUDGED, contrast=True, n=judged, columns=judge),
        "annotators_exact": Defined(_mean_of(exact), NO_PAIR, "logit", n=coupled, columns=among),
        "annotators_within_one": Defined(_mean_of(close), NO_PAIR, "logit", n=coupled, columns=among),
    }


def _mean_of(plus: Sequence[int], minus: Sequence[int] = ()) -> Statistic:
    """Mean over couples of the weighted mean of one of their columns, or of one minus another."""

    def statistic(sums: Sums) -> Floats:
        parts = sums.reshape(len(sums), -1, PARTS)
        n = parts[:, :, 0]
        found = ratio(parts[:, :, plus].sum(axis=2) - parts[:, :, minus].sum(axis=2), n)
        return ratio(np.where(n > 0, found, 0.0).sum(axis=1), (n > 0).sum(axis=1).astype(np.float64))

    return statistic


def _estimates(
    defined: dict[str, Defined], columns: Floats, ratings: Ratings, draws: Resampling
) -> dict[str, Estimate]:
    """Only units that say something count, for the clusters and for the effective n of each statistic."""
    codes, count = cluster_codes(ratings.clusters)
    own = {
        name: one._replace(effective_n=_effective(columns[:, one.columns], ratings)) for name, one in defined.items()
    }
    return estimates(own, cluster_sums(columns, codes, count), len(columns), draws)


def _effective(columns: Floats, ratings: Ratings) -> float | None:
    return None if ratings.weights is None else kish(ratings.weights[(columns != 0).any(axis=1)])
