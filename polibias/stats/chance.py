"""Gwet's AC1 and AC2 and Fleiss's kappa, for any number of raters and with missing ratings.

All three compare the same observed disagreement with another idea of chance. Source: Gwet 2014, Handbook of inter-rater
reliability, 4th ed.; Fleiss 1971 for equal numbers of raters.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.alpha import category_counts
from polibias.stats.clusters import Sums
from polibias.stats.intervals import Defined, Statistic, ratio
from polibias.stats.kappa import NO_PAIR, NO_VARIATION, disagreement_weights
from polibias.stats.ratings import Family, Ratings

ONE_CATEGORY = "the scale has one category only"

Numbers = NDArray[np.float64]

PAIRED, NOMINAL, QUADRATIC, SHARES = 0, 1, 2, 3


class Chance(NamedTuple):
    """Disagreement expected by chance: base + slope · Σ p(1 - p) over the categories' prevalences p."""

    base: float
    slope: float


FLEISS = Chance(0.0, 1.0)


def chance_corrected(ratings: Ratings) -> Family:
    """ac1, ac2_quadratic and fleiss_kappa; n counts the units with two or more ratings.

    Observed disagreement is the mean over units with two or more ratings of the share of their pairs of ratings that
    are unlike (for AC2 the mean squared distance, 1 being the length of the scale). A category's prevalence is its mean
    share over units with one or more ratings, in Fleiss's kappa too: so Gwet's example of four raters and twelve units
    gives the 0.76117 that he prints, and without its unit with one rating it would give 0.76248.

    Constant ratings leave Fleiss's kappa undefined. AC1 and AC2 are 1 there: their chance agreement is then 0, by
    definition and not by convention. All three are undefined if no unit has two ratings, AC1 and AC2 also on a scale of
    one category.
    """
    counts, nominal, quadratic = category_counts(ratings), *distances(ratings)
    used = int((counts.sum(axis=1) >= 2).sum())
    gwet = NO_PAIR if len(ratings.categories) > 1 else ONE_CATEGORY
    statistics = {
        "ac1": Defined(coefficient(NOMINAL, gwet_chance(nominal)), gwet, "fisher", n=used),
        "ac2_quadratic": Defined(coefficient(QUADRATIC, gwet_chance(quadratic)), gwet, "fisher", n=used),
        "fleiss_kappa": Defined(coefficient(NOMINAL, FLEISS), NO_VARIATION if used else NO_PAIR, "fisher", n=used),
    }
    return Family(_columns(counts, (nominal, quadratic), ratings.weight), statistics)


def distances(ratings: Ratings) -> tuple[Numbers, Numbers]:
    """K × K: 1 for unlike categories; and the squared distance as a share of its greatest on the scale."""
    squared = disagreement_weights(ratings.categories, 2)
    return disagreement_weights(ratings.categories, None), squared / (squared.max() or 1.0)


def gwet_chance(distance: Numbers) -> Chance:
    """Chance agreement T / (K(K-1)) · Σ p(1 - p), T the sum of all K × K agreement weights; NaN for one category."""
    size = len(distance)
    return Chance(1.0, -float((1 - distance).sum()) / (size * (size - 1)) if size > 1 else math.nan)


def _columns(counts: Numbers, distances: Sequence[Numbers], weight: Numbers) -> Numbers:
    """Weighted: units with two ratings (1), their disagreement by each distance (2), shares of the categories (K)."""
    rated = counts.sum(axis=1)
    pairs = rated * (rated - 1)
    apart = [ratio(np.einsum("uk,kl,ul->u", counts, each, counts, optimize=True), pairs) for each in distances]
    shares = counts / np.maximum(rated, 1)[:, None]
    return np.column_stack([pairs > 0, *np.nan_to_num(apart), shares]) * weight[:, None]


def coefficient(disagreement: int, chance: Chance) -> Statistic:
    """1 - observed / expected disagreement, the former in column `disagreement`; NaN where the latter is 0."""

    def statistic(sums: Sums) -> Numbers:
        shares = sums[:, SHARES:]
        prevalence = ratio(shares, shares.sum(axis=1, keepdims=True))
        expected = chance.base + chance.slope * (prevalence * (1 - prevalence)).sum(axis=1)
        return 1 - ratio(ratio(sums[:, disagreement], sums[:, PAIRED]), expected)

    return statistic
