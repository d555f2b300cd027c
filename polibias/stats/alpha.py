"""Krippendorff's alpha for nominal, ordinal, interval and ratio distances, with missing ratings.

A unit with m >= 2 ratings adds each of its ordered pairs of ratings to the coincidence table with weight 1 / (m - 1); a
unit with one rating has no pair and does not count. Only the table's margins and its unordered pairs of unlike
categories matter, so only they are summed. Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums
from polibias.stats.intervals import Defined, Statistic, ratio
from polibias.stats.kappa import NO_PAIR, NO_VARIATION
from polibias.stats.ratings import Family, Ratings, category_index

NEGATIVE = "ratio distances need a scale without negative values"

Numbers = NDArray[np.float64]
Distance = Callable[[Numbers], Numbers]


class Unlike(NamedTuple):
    """The K(K-1)/2 unordered pairs of unlike categories: the place of the lower and of the higher one of each."""

    low: NDArray[np.intp]
    high: NDArray[np.intp]


def alphas(ratings: Ratings) -> Family:
    """alpha_nominal, alpha_ordinal, alpha_interval and alpha_ratio; n counts the units with two or more ratings.

    Undefined without such a unit, where all of their ratings are the same, and for ratio distances on a scale with
    negative values.
    """
    counts = category_counts(ratings)
    used = int((counts.sum(axis=1) >= 2).sum())
    points = np.asarray(ratings.categories, dtype=np.float64)
    undefined = NO_VARIATION if used else NO_PAIR
    reasons = {"ratio": NEGATIVE} if (points < 0).any() else {}
    statistics = {
        f"alpha_{name}": Defined(_alpha(distance, len(points)), reasons.get(name, undefined), "fisher", n=used)
        for name, distance in distances(points).items()
    }
    return Family(_columns(counts, ratings.weight), statistics)


def category_counts(ratings: Ratings) -> Numbers:
    """How many raters put each unit in each category: units × K."""
    index = category_index(ratings.values, ratings.categories)
    return np.stack([(index == place).sum(axis=1) for place in range(len(ratings.categories))], axis=1).astype(float)


def unlike(size: int) -> Unlike:
    """Every unordered pair of unlike categories of a scale of `size`."""
    return Unlike(*np.triu_indices(size, 1))


def distances(points: Numbers) -> dict[str, Distance]:
    """Squared distance of each pair of unlike categories (1 or rows × pairs) by level, from the margins (rows × K)."""
    pairs = unlike(len(points))
    low, high = points[pairs.low], points[pairs.high]
    return {
        "nominal": _always(np.ones(len(low))),
        "ordinal": lambda margins: _ordinal(margins, pairs),
        "interval": _always((high - low) ** 2),
        "ratio": _always(_ratio(low, high)),
    }


def _always(distance: Numbers) -> Distance:
    return lambda _: distance[None, :]


def _ordinal(margins: Numbers, pairs: Unlike) -> Numbers:
    """Ratings between two categories with half of those in either: the difference of the categories' mid-ranks."""
    rank = margins.cumsum(axis=1) - margins / 2
    squared: Numbers = (rank[:, pairs.high] - rank[:, pairs.low]) ** 2
    return squared


def _ratio(low: Numbers, high: Numbers) -> Numbers:
    if (low < 0).any():
        return np.full(len(low), np.nan)
    return ratio(high - low, high + low) ** 2


def _columns(counts: Numbers, weight: Numbers) -> Numbers:
    """The number of ratings, then weighted margins (K) and weighted coincidences of unlike categories (K(K-1)/2)."""
    rated = counts.sum(axis=1)
    paired = np.where((rated >= 2)[:, None], counts, 0.0)
    pairs = unlike(counts.shape[1])
    coincidences = paired[:, pairs.low] * paired[:, pairs.high] / np.maximum(rated - 1, 1)[:, None]
    return np.column_stack([paired.sum(axis=1), paired * weight[:, None], coincidences * weight[:, None]])


def _alpha(distance: Distance, size: int) -> Statistic:
    """1 - observed / expected disagreement; NaN where no disagreement can be expected.

    Design weights shift the shares of the table only. The small-sample factor (n - 1) / n keeps the plain number n of
    ratings, so that the size of the weights does not matter.
    """
    pairs = unlike(size)

    def statistic(sums: Sums) -> Numbers:
        n, margins, coincidences = sums[:, 0], sums[:, 1 : 1 + size], sums[:, 1 + size :]
        apart = distance(margins)
        observed = (coincidences * apart).sum(axis=1) * margins.sum(axis=1)
        expected = (margins[:, pairs.low] * margins[:, pairs.high] * apart).sum(axis=1)
        return 1 - ratio(n - 1, n) * ratio(observed, expected)

    return statistic
