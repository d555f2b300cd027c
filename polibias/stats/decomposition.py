"""What the judge's distance from humans is made of, beyond any kappa: an offset, a wrong scale, and the rest."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import FLAT, Defined, Statistic, estimates, ratio
from polibias.stats.resampling import Resampling, stream_seed

NO_UNIT = "no unit has both scores"
ONE_SCORE = "no variation: the judge gives one score to all units"

Floats = NDArray[np.float64]


class _Moments(NamedTuple):
    """The two means, variances (over n) and the covariance, of each row of sums."""

    judge: Floats
    human: Floats
    judge_variance: Floats
    human_variance: Floats
    covariance: Floats


def decomposition(
    judge: Floats, human: Floats, clusters: Sequence[str], resamples: int, seed: int, row: str
) -> dict[str, Estimate]:
    """Judge minus human in one dimension, as mean squared error = offset² + scale + residual, exactly.

    Parameters
    ----------
    judge, human
        Scores of the same units, NaN where missing; a unit without both is left out.
    clusters
        Each unit's cluster.
    resamples, seed, row
        Of the one set of draws.

    Returns
    -------
    dict
        `offset`: mean judge score minus mean human score. `slope`: of the regression of human on judge scores, 1 for a
        judge that needs no stretching; not estimable for a judge that gives one score only. `mse`: the mean squared
        difference. `scale`: judge variance × (1 - slope)², what stretching the judge's scores would save; 0 for a judge
        that gives one score. `residual`: human variance × (1 - r²), what no linear correction of the judge can save.

    Notes
    -----
    Variances have n in the denominator. Source: Theil 1966; Murphy 1988.
    """
    known = np.flatnonzero(~np.isnan(judge) & ~np.isnan(human))
    both = np.concatenate([judge[known], human[known]])
    middle = float(both.mean()) if len(both) else 0.0
    x, y = judge[known] - middle, human[known] - middle
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    codes, count = cluster_codes([clusters[unit] for unit in known.tolist()])
    defined = {
        "offset": Defined(_of(lambda m: m.judge - m.human), NO_UNIT, contrast=True),
        "slope": Defined(_of(_slope), ONE_SCORE if len(known) else NO_UNIT),
        "mse": Defined(_mean_square, NO_UNIT),
        "scale": Defined(_of(_scale), NO_UNIT),
        "residual": Defined(_of(_residual), NO_UNIT),
    }
    draws = Resampling(resamples, stream_seed(seed, row))
    return estimates(defined, cluster_sums(columns, codes, count), len(known), draws)


def order_effect(
    first: Floats, second: Floats, clusters: Sequence[str], resamples: int, seed: int, row: str
) -> Estimate:
    """How much higher the judge scores when A is shown first: the mean of order AB minus order BA.

    Parameters
    ----------
    first, second
        The scores of the same units in order AB and in order BA, NaN where invalid; a unit without both is left out.
    clusters, resamples, seed, row
        As in `decomposition`.

    Returns
    -------
    Estimate
        Not estimable without a unit that has both orders.
    """
    known = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    columns = np.column_stack([np.ones(len(known)), first[known] - second[known]])
    codes, count = cluster_codes([clusters[unit] for unit in known.tolist()])
    defined = {"effect": Defined(lambda sums: ratio(sums[:, 1], sums[:, 0]), "no unit has both orders", contrast=True)}
    draws = Resampling(resamples, stream_seed(seed, row))
    return estimates(defined, cluster_sums(columns, codes, count), len(known), draws)["effect"]


def _of(part: Callable[[_Moments], Floats]) -> Statistic:
    return lambda sums: part(_moments(sums))


def _moments(sums: Sums) -> _Moments:
    n, x, y, xx, yy, xy = sums.T
    judge, human, square = ratio(x, n), ratio(y, n), ratio(xx, n)
    spread = square - judge**2
    return _Moments(
        judge,
        human,
        np.where(spread > FLAT * square, spread, 0.0 * spread),
        ratio(yy, n) - human**2,
        ratio(xy, n) - judge * human,
    )


def _mean_square(sums: Sums) -> Floats:
    n, _, _, xx, yy, xy = sums.T
    return ratio(xx + yy - 2 * xy, n)


def _slope(m: _Moments) -> Floats:
    return ratio(m.covariance, m.judge_variance)


def _scale(m: _Moments) -> Floats:
    return _none_if_constant(m, ratio((m.judge_variance - m.covariance) ** 2, m.judge_variance))


def _residual(m: _Moments) -> Floats:
    return m.human_variance - _none_if_constant(m, ratio(m.covariance**2, m.judge_variance))


def _none_if_constant(m: _Moments, values: Floats) -> Floats:
    """Nothing is explained by a judge that gives one score; undefined stays undefined."""
    return np.where(m.judge_variance == 0, 0.0, values)
