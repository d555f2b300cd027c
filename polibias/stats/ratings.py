"""Ratings as every agreement statistic takes them, and the shape in which each family of them answers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.intervals import Defined


class Ratings(NamedTuple):
    """Ratings as units × raters, NaN where a rater did not rate; `clusters` names each unit's cluster.

    `categories` is the whole scale, ascending. `weights` are design weights per unit, 1 / inclusion probability.
    """

    values: NDArray[np.float64]
    categories: tuple[float, ...]
    clusters: Sequence[str]
    weights: NDArray[np.float64] | None = None

    @property
    def weight(self) -> NDArray[np.float64]:
        """The weight of each unit, 1 without weights."""
        return np.ones(len(self.values)) if self.weights is None else self.weights


class Family(NamedTuple):
    """Columns to be summed within clusters (units × columns), and the statistics of their sums by name."""

    columns: NDArray[np.float64]
    statistics: dict[str, Defined]


def category_index(values: NDArray[np.float64], categories: Sequence[float]) -> NDArray[np.intp]:
    """Each value's place on the scale, -1 for a missing one. Raises ValueError for a value off the scale."""
    points = np.asarray(categories, dtype=np.float64)
    place = np.searchsorted(points, values).clip(0, len(points) - 1)
    missing = np.isnan(values)
    off = ~missing & (points[place] != values)
    if off.any():
        raise ValueError(f"the value {values[off][0]:g} is not on the scale {', '.join(f'{p:g}' for p in points)}")
    return np.where(missing, -1, place).astype(np.intp)
