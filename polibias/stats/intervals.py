"""One engine for every interval: value, jackknife-t and bootstrap from the same sums per cluster.

The primary interval is the cluster jackknife-t: measured here, it keeps its coverage with few clusters where percentile
and BCa intervals are too short (docs/statistics.md). The percentile bootstrap of the paper stands beside it.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from polibias.stats.clusters import Sums
from polibias.stats.estimate import Estimate, Interval
from polibias.stats.resampling import (
    MOST_ENUMERATED,
    Resampling,
    enumerated,
    resampled_sums,
    weighted_quantiles,
)

LEVEL = 0.975
NOTHING_DRAWN = "no interval: every unit was taken with certainty, so nothing was drawn"
NO_SPREAD = "no interval: every cluster gives the same value"
POWER = 0.80
UNDEFINED_LIMIT = 0.01
FEW = 10
FEW_ALIKE = 20
"""Of fewer clusters that all give the same value nothing is known about how values spread."""
MOST_BOOTSTRAPPED = 20_000
JACKKNIFE_BLOCK = 100_000
FLAT = 1e-12

Statistic = Callable[[Sums], NDArray[np.float64]]
Strata = NDArray[np.intp]
Scale = Literal["plain", "fisher", "logit", "log"]


class _Scale(NamedTuple):
    """A scale's name in a method, the open range that it covers, and the way there and back."""

    title: str
    lowest: float
    highest: float
    there: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    back: Callable[[NDArray[np.float64]], NDArray[np.float64]]


SCALES: dict[Scale, _Scale] = {
    "plain": _Scale("", -np.inf, np.inf, np.asarray, np.asarray),
    "fisher": _Scale(" of Fisher's z", -1.0, 1.0, np.arctanh, np.tanh),
    "logit": _Scale(" of the logit", 0.0, 1.0, logit, expit),
    "log": _Scale(" of the logarithm", 0.0, np.inf, np.log, np.exp),
}


class Defined(NamedTuple):
    """A statistic, from sums (rows × columns) to one value per row, NaN where undefined; and why it may be.

    `scale` is the one on which a jackknife interval is made: Fisher's z for coefficients that end at 1, the logit for
    shares, the logarithm for ratios. `contrast`: zero is what the statistic is compared with. `n` and `effective_n`:
    the units that it rests on, if not all. `columns`: those of the sums that it is a function of. `arms`: of these
    columns, those of each of the two groups that are compared.
    """

    statistic: Statistic
    undefined: str
    scale: Scale = "plain"
    contrast: bool = False
    n: int | None = None
    effective_n: float | None = None
    columns: slice = slice(None)
    arms: tuple[slice, ...] = ()


class Spread(NamedTuple):
    """A jackknife standard error on a scale, with its degrees of freedom; or why there is none."""

    error: float
    freedom: float
    scale: Scale
    reason: str = ""


def estimates(
    statistics: Mapping[str, Defined],
    sums: Sums,
    n: int,
    resampling: Resampling,
    strata: Strata | None = None,
    effective_n: float | None = None,
) -> dict[str, Estimate]:
    """Each statistic of the summed clusters with its intervals, all bootstrap intervals from one set of draws.

    `sums` is clusters × columns. `strata` numbers the stratum of each cluster, where clusters are drawn within strata.
    A cluster whose own columns are all zero says nothing about a statistic: it is no cluster of it, neither counted nor
    drawn.
    """
    drawn: dict[bytes, Callable[[Statistic], Interval]] = {}
    found: dict[str, Estimate] = {}
    for name, defined in statistics.items():
        told = (sums[:, defined.columns] != 0).any(axis=1)
        own, within = sums[told], None if strata is None else _strata(strata[told])
        key = told.tobytes()
        if key not in drawn:
            drawn[key] = _bootstrap(own, resampling, within)
        defined = defined._replace(
            statistic=_of_columns(defined),
            n=n if defined.n is None else defined.n,
            effective_n=effective_n if defined.effective_n is None else defined.effective_n,
        )
        found[name] = _estimate(defined, own, within, drawn[key])
    return found


def _strata(strata: Strata) -> Strata | None:
    """None if there is but one."""
    return strata if len(np.unique(strata)) > 1 else None


def _of_columns(defined: Defined) -> Statistic:
    return lambda sums: defined.statistic(sums[:, defined.columns])


def _estimate(
    defined: Defined, sums: Sums, strata: Strata | None, bootstrap: Callable[[Statistic], Interval]
) -> Estimate:
    clusters, n, effective_n = len(sums), defined.n or 0, defined.effective_n
    value = float(defined.statistic(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Estimate(None, n, clusters, "", reason=defined.undefined, effective_n=effective_n)
    if not clusters:
        return Estimate(value, n, 0, "point estimate", reason=NOTHING_DRAWN, effective_n=effective_n)
    spread = jackknife(defined, sums, value, strata)
    spread = spread if spread.reason else _of_arms(defined, sums, spread)
    beside = (bootstrap(defined.statistic),)
    if spread.reason:
        return Estimate(
            value, n, clusters, "point estimate", reason=spread.reason, beside=beside, effective_n=effective_n
        )
    low, high = _limits(value, spread)
    method = f"cluster jackknife-t{SCALES[spread.scale].title}, {spread.freedom:.4g} degrees of freedom"
    detectable = _detectable(spread) if defined.contrast and low <= 0 <= high else None
    return Estimate(
        value, n, clusters, method, low, high, beside=beside, detectable=detectable, effective_n=effective_n
    )


def jackknife(defined: Defined, sums: Sums, value: float, strata: Strata | None = None) -> Spread:
    """The delete-one-cluster standard error, stratum by stratum. Source: Efron 1982; Rust & Rao 1996 for strata."""
    groups = [np.arange(len(sums))] if strata is None else [np.flatnonzero(strata == s) for s in np.unique(strata)]
    if min(len(group) for group in groups) < 2:
        one = "1 cluster" if strata is None else "a stratum of 1 cluster"
        return Spread(0.0, 0, "plain", f"no interval: {one}; at least 2 are needed")
    left_out = _leave_one_out(defined.statistic, sums.sum(axis=0), sums)
    if not np.isfinite(left_out).all():
        return Spread(
            0.0, 0, "plain", f"no interval: without one of the clusters it is not defined ({defined.undefined})"
        )
    scale = SCALES[defined.scale]
    at_an_end = not all(scale.lowest + FLAT < x < scale.highest - FLAT for x in (*_ends(left_out), value))
    used: Scale = "plain" if at_an_end else defined.scale
    scaled = SCALES[used].there(left_out)
    variances = [_variance(scaled[group]) for group in groups]
    variance = sum(variances)
    if variance <= (FLAT * max(1.0, abs(value))) ** 2:
        return Spread(0.0, 0, "plain", NO_SPREAD)
    # Satterthwaite 1946: a small stratum that carries most of the variance must not borrow degrees from a large one.
    freedom = variance**2 / sum(part**2 / (len(group) - 1) for part, group in zip(variances, groups, strict=True))
    return Spread(float(np.sqrt(variance)), freedom, used)


def _ends(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _of_arms(defined: Defined, sums: Sums, spread: Spread) -> Spread:
    """The spread of a comparison of two groups with what each group's own clusters allow.

    A group of few clusters that carries most of the variance lends no more degrees of freedom than it has (Welch 1947;
    Satterthwaite 1946), and few clusters that are all alike hide the group's spread, so that there is no interval.
    """
    freedoms = 0.0
    variances = []
    for arm in defined.arms:
        variance, clusters = _variance_of_arm(defined, sums, arm, spread.scale)
        if variance <= FLAT**2 and clusters < FEW_ALIKE:
            return spread._replace(reason=f"no interval: one side's {clusters} clusters all give the same value")
        variances.append(variance)
        freedoms += variance**2 / max(clusters - 1, 1)
    if not freedoms:
        return spread
    return spread._replace(freedom=min(spread.freedom, sum(variances) ** 2 / freedoms))


def _variance_of_arm(defined: Defined, sums: Sums, arm: slice, scale: Scale) -> tuple[float, int]:
    """The jackknife variance that comes from one group, the other left whole, and the group's number of clusters."""
    alone = np.zeros_like(sums)
    alone[:, defined.columns][:, arm] = sums[:, defined.columns][:, arm]
    own = alone[(alone != 0).any(axis=1)]
    left_out = _leave_one_out(defined.statistic, sums.sum(axis=0), own)
    return _variance(SCALES[scale].there(left_out)), len(own)


def _leave_one_out(statistic: Statistic, total: Sums, sums: Sums) -> NDArray[np.float64]:
    starts = range(0, len(sums), JACKKNIFE_BLOCK)
    return np.concatenate([statistic(total - sums[start : start + JACKKNIFE_BLOCK]) for start in starts])


def _variance(left_out: NDArray[np.float64]) -> float:
    count = len(left_out)
    return float((count - 1) / count * ((left_out - left_out.mean()) ** 2).sum())


def _limits(value: float, spread: Spread) -> tuple[float, float]:
    half = float(stdtrit(spread.freedom, LEVEL)) * spread.error
    scale = SCALES[spread.scale]
    centre = scale.there(np.array(value))
    return float(scale.back(centre - half)), float(scale.back(centre + half))


def _detectable(spread: Spread) -> float:
    """The true value that such an interval would leave zero out of in 80% of studies of this size."""
    least = float(stdtrit(spread.freedom, LEVEL) + stdtrit(spread.freedom, POWER)) * spread.error
    return float(SCALES[spread.scale].back(np.array(least)))


def _bootstrap(sums: Sums, resampling: Resampling, strata: Strata | None) -> Callable[[Statistic], Interval]:
    """A function from a statistic to its percentile interval over one set of resamples."""
    clusters = len(sums)
    if clusters < 2:
        return lambda _: Interval("percentile cluster bootstrap", reason="no interval: 1 cluster")
    if clusters > MOST_BOOTSTRAPPED:
        reason = f"not drawn: above {MOST_BOOTSTRAPPED:,} clusters it adds nothing to the jackknife"
        return lambda _: Interval("percentile cluster bootstrap", reason=reason)
    if strata is None and clusters <= MOST_ENUMERATED:
        counts, weights = enumerated(clusters)
        drawn, method = (
            counts @ sums,
            f"percentile cluster bootstrap, all {len(counts):,} resamples of {clusters} clusters",
        )
    else:
        drawn, weights = resampled_sums(sums, resampling, strata), None
        method = f"percentile cluster bootstrap, {resampling.resamples:,} resamples, seed {resampling.seed:032x}"
    return lambda statistic: _percentile(statistic(drawn), weights, method, clusters)


def _percentile(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, method: str, clusters: int
) -> Interval:
    """`weights` are the probabilities of the resamples where they are all there are, None where they were drawn."""
    kept = np.isfinite(values)
    lost = 1.0 - float(kept.mean() if weights is None else weights[kept].sum())
    if lost > UNDEFINED_LIMIT:
        return Interval(method, reason=f"no interval: undefined in {lost:.1%} of the resamples")
    if weights is None:
        low, high = map(float, np.quantile(values[kept], [1 - LEVEL, LEVEL], overwrite_input=True))
    else:
        low, high = weighted_quantiles(values[kept], weights[kept], (1 - LEVEL, LEVEL))
    if high - low <= FLAT * max(1.0, abs(low)):
        return Interval(method, reason="no interval: the resamples do not differ")
    return Interval(method, low, high, f"{clusters} clusters: too short" if clusters < FEW else "")


def ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """top / bottom, NaN where the denominator is zero."""
    out = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out
