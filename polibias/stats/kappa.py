"""Cohen's kappa, exact and within-one agreement and the mean difference, from one K × K table per pair of raters.

The table is additive over units, so every one of them has every interval. For more than two raters the mean over rater
pairs is taken. Source: Cohen 1960, 1968.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums
from polibias.stats.intervals import Defined, Statistic, ratio
from polibias.stats.ratings import Family, Ratings, category_index

Weights = NDArray[np.float64]

NO_PAIR = "no unit was rated by two raters"
NO_VARIATION = "no variation: all ratings fall in one category, so chance agreement is complete"


def disagreement_weights(categories: Sequence[float] | Weights, power: int | None) -> Weights:
    """1 off the diagonal (power None), or distance to the power 1 or 2. Scale steps stay whole numbers and exact."""
    points = np.asarray(categories, dtype=np.float64)
    apart = np.abs(points[:, None] - points[None, :])
    return (apart > 0).astype(np.float64) if power is None else apart**power


def kappas(ratings: Ratings) -> Family:
    """kappa, kappa_linear, kappa_quadratic, exact, within_one and, for two raters, mean_difference (first − second)."""
    columns, used = pair_tables(ratings)
    points = np.asarray(ratings.categories)
    size, apart = len(points), disagreement_weights(points, None)
    close = (disagreement_weights(points, 1) <= 1 + 1e-9).astype(np.float64)
    undefined = NO_VARIATION if used else NO_PAIR
    statistics = {
        name: Defined(kappa(size, disagreement_weights(points, power)), undefined, "fisher", n=used)
        for name, power in (("kappa", None), ("kappa_linear", 1), ("kappa_quadratic", 2))
    }
    statistics["exact"] = Defined(share(size, 1.0 - apart), NO_PAIR, "logit", n=used)
    statistics["within_one"] = Defined(share(size, close), NO_PAIR, "logit", n=used)
    if ratings.values.shape[1] == 2:
        difference = np.subtract.outer(points, points)
        statistics["mean_difference"] = Defined(share(size, difference), NO_PAIR, contrast=True, n=used)
    return Family(columns, statistics)


def pair_tables(ratings: Ratings) -> tuple[NDArray[np.float64], int]:
    """Per unit, one weighted K × K table for each pair of raters side by side (units × pairs·K·K); and how many units
    two raters rated.
    """
    index = category_index(ratings.values, ratings.categories)
    size, raters = len(ratings.categories), ratings.values.shape[1]
    couples = list(combinations(range(raters), 2))
    tables = np.zeros((len(index), len(couples), size * size))
    for place, (first, second) in enumerate(couples):
        both = np.flatnonzero((index[:, first] >= 0) & (index[:, second] >= 0))
        tables[both, place, index[both, first] * size + index[both, second]] = ratings.weight[both]
    return tables.reshape(len(index), len(couples) * size * size), int(((index >= 0).sum(axis=1) >= 2).sum())


def kappa(size: int, weights: Weights) -> Statistic:
    """Mean over rater pairs of 1 - observed / expected disagreement; NaN if a pair can have none by chance."""

    def statistic(sums: Sums) -> NDArray[np.float64]:
        table = sums.reshape(len(sums), -1, size, size)
        n = table.sum(axis=(2, 3))
        observed = (table * weights).sum(axis=(2, 3)) * n
        expected = np.einsum("rpi,ij,rpj->rp", table.sum(axis=3), weights, table.sum(axis=2), optimize=True)
        return _mean_over_pairs(ratio(expected - observed, expected), n)

    return statistic


def share(size: int, values: Weights) -> Statistic:
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
