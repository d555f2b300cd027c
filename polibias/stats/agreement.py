"""Agreement between two raters on an ordered scale, from one table of counts per cluster.

Every coefficient is a function of the K × K table of rating pairs, the table is additive over clusters, and
the categories always come from the scale, never from the data: an unused category must not change a weight.
Source: Cohen 1960, 1968; for more than two raters the mean over rater pairs.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes
from polibias.stats.estimate import Estimate
from polibias.stats.resampling import Defined, Statistic, estimates, ratio, stream_seed

Weights = NDArray[np.float64]


class Ratings(NamedTuple):
    """Ratings as units × raters, NaN where a rater did not rate; `clusters` names each unit's cluster."""

    values: NDArray[np.float64]
    categories: tuple[float, ...]
    clusters: Sequence[str]


def disagreement_weights(categories: Sequence[float], power: int | None) -> Weights:
    """1 off the diagonal (power None), or distance to the power 1 or 2. Scale steps stay whole numbers and exact."""
    points = np.asarray(categories, dtype=np.float64)
    apart = np.abs(points[:, None] - points[None, :])
    return (apart > 0).astype(np.float64) if power is None else apart**power


def agreement(ratings: Ratings, resamples: int, seed: int) -> dict[str, Estimate]:
    """Every coefficient by name: kappa, kappa_linear, kappa_quadratic, exact, within_one, mean_difference.

    Raises ValueError for a value that is no category: such a rating is never dropped or rounded.
    """
    tables, units, signed = pair_tables(ratings)
    size = len(ratings.categories)
    apart = disagreement_weights(ratings.categories, None)
    statistics = {
        "kappa": Defined(_kappa(size, apart), NO_VARIATION),
        "kappa_linear": Defined(_kappa(size, disagreement_weights(ratings.categories, 1)), NO_VARIATION),
        "kappa_quadratic": Defined(_kappa(size, disagreement_weights(ratings.categories, 2)), NO_VARIATION),
        "exact": Defined(_share(size, 1.0 - apart), NO_PAIR),
        "within_one": Defined(_share(size, _within_one(ratings.categories)), NO_PAIR),
    }
    if signed:
        difference = np.subtract.outer(np.asarray(ratings.categories), np.asarray(ratings.categories))
        statistics["mean_difference"] = Defined(_share(size, difference), NO_PAIR)
    return estimates(statistics, tables, units, resamples, stream_seed(seed, "agreement"))


NO_PAIR = "no unit was rated by two raters"
NO_VARIATION = "no variation: all ratings fall in one category, so chance agreement is complete"


def _within_one(categories: Sequence[float]) -> Weights:
    points = np.asarray(categories, dtype=np.float64)
    return (np.abs(points[:, None] - points[None, :]) <= 1 + 1e-9).astype(np.float64)


def pair_tables(ratings: Ratings) -> tuple[Sums, int, bool]:
    """Per cluster, one K × K table for each pair of raters side by side (clusters × pairs·K·K); units used;
    and whether first minus second rater has a sign, which it has for exactly two raters.
    """
    index = category_index(ratings.values, ratings.categories)
    codes, count = cluster_codes(ratings.clusters)
    size, raters = len(ratings.categories), ratings.values.shape[1]
    couples = list(combinations(range(raters), 2))
    tables = np.zeros((count, len(couples), size, size))
    for place, (first, second) in enumerate(couples):
        both = (index[:, first] >= 0) & (index[:, second] >= 0)
        np.add.at(tables[:, place], (codes[both], index[both, first], index[both, second]), 1.0)
    used = int(((index >= 0).sum(axis=1) >= 2).sum())
    return tables.reshape(count, -1), used, raters == 2


def category_index(values: NDArray[np.float64], categories: Sequence[float]) -> NDArray[np.intp]:
    """Each value's place on the scale, -1 for a missing one. Raises ValueError for a value off the scale."""
    points = np.asarray(categories, dtype=np.float64)
    place = np.searchsorted(points, values).clip(0, len(points) - 1)
    missing = np.isnan(values)
    off = ~missing & (points[place] != values)
    if off.any():
        raise ValueError(f"the value {values[off][0]:g} is not on the scale {', '.join(f'{p:g}' for p in points)}")
    return np.where(missing, -1, place).astype(np.intp)


def _kappa(size: int, weights: Weights) -> Statistic:
    """Mean over rater pairs of 1 - observed / expected disagreement; NaN if a pair can have none by chance."""

    def statistic(sums: Sums) -> NDArray[np.float64]:
        table = sums.reshape(len(sums), -1, size, size)
        n = table.sum(axis=(2, 3))
        observed = (table * weights).sum(axis=(2, 3)) * n
        expected = np.einsum("rpi,ij,rpj->rp", table.sum(axis=3), weights, table.sum(axis=2))
        return _mean_over_pairs(ratio(expected - observed, expected), n)

    return statistic


def _share(size: int, values: Weights) -> Statistic:
    """Mean over rater pairs of the mean of `values` over the table."""

    def statistic(sums: Sums) -> NDArray[np.float64]:
        table = sums.reshape(len(sums), -1, size, size)
        n = table.sum(axis=(2, 3))
        return _mean_over_pairs(ratio((table * values).sum(axis=(2, 3)), n), n)

    return statistic


def _mean_over_pairs(values: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the rater pairs that share a unit; undefined as soon as one of them is undefined."""
    shared = n > 0
    total = np.where(shared, values, 0.0).sum(axis=1)
    return ratio(total, shared.sum(axis=1).astype(np.float64))
