"""Spearman's correlation of two graded scores from their table of counts, so that ranks are taken anew in every draw.

Ranks are no sums over units, but on a scale with few points they follow from how many units stand at each point. The
counts of all couples of points are sums, so the engine gives this coefficient its jackknife over clusters and its
bootstrap, and every replicate has ranks of its own. Source: Spearman 1904; Kendall & Gibbons 1990, chapter 3, for ties.
"""

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums
from polibias.stats.intervals import FLAT, Statistic, ratio
from polibias.stats.ranks import DECIMALS

Floats = NDArray[np.float64]


def points_of(*scores: Floats) -> Floats:
    """The distinct scores of all lists, ascending, rounded as everywhere before values are compared; 0 without any."""
    found = np.unique(np.concatenate(scores).round(DECIMALS))
    return found if len(found) else np.zeros(1)


def table_columns(x: Floats, y: Floats, points: Floats) -> Floats:
    """Units × couples of points: 1 where the unit's two scores stand. Raises ValueError for a score off the points."""
    a, b = (np.searchsorted(points, values.round(DECIMALS)) for values in (x, y))
    for place, values in ((a, x), (b, y)):
        if (place == len(points)).any() or (points[place] != values.round(DECIMALS)).any():
            raise ValueError("a score is none of the points")
    columns = np.zeros((len(x), len(points) ** 2))
    columns[np.arange(len(x)), a * len(points) + b] = 1.0
    return columns


def spearman_of_counts(points: int) -> Statistic:
    """Pearson's correlation of mean ranks, of each row of counts (rows × points²); NaN without variation in a score."""

    def statistic(sums: Sums) -> Floats:
        # Rows last: numpy then adds whole rows of replicates instead of a few numbers at a time.
        table = np.ascontiguousarray(sums.T).reshape(points, points, len(sums))
        x, y = table.sum(axis=1), table.sum(axis=0)
        a, b = _centred_ranks(x), _centred_ranks(y)
        together = sum((ranks * (counts * b).sum(axis=0) for ranks, counts in zip(a, table, strict=True)), np.zeros(1))
        return ratio(together, np.sqrt(_squares(x, a) * _squares(y, b)))

    return statistic


def _centred_ranks(counts: Floats) -> Floats:
    """The mean rank at each point (points × rows), minus the mean of all ranks."""
    centred: Floats = counts.cumsum(axis=0) - counts / 2 - counts.sum(axis=0) / 2
    return centred


def _squares(counts: Floats, ranks: Floats) -> Floats:
    """The summed squares of ranks, zero where only rounding is left of them."""
    found = (counts * ranks * ranks).sum(axis=0)
    return np.where(found > FLAT * counts.sum(axis=0) ** 3, found, 0.0)
