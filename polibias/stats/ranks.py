"""Correlation of two lists of values over the same items: Pearson, Spearman, and Kendall's tau-b.

Values are rounded to 1e-9 before they are compared, so that 0.1 + 0.2 ties with 0.3. The two rank coefficients are
built from the signs of all differences: an item's rank is half the sum of its signs, up to a constant, and leaving
items out takes away their signs. They are no functions of additive sums of items, so a list of items has a jackknife
and no bootstrap; `rankings` of means over resampled clusters has both. Kendall's tau needs all couples at once, several
times n² bytes; Spearman's coefficient does not.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import FLAT, LEVEL, SCALES, Defined, Statistic, estimates, jackknife, ratio
from polibias.stats.resampling import Resampling, stream_seed

DECIMALS = 9
FEW_ITEMS = "fewer than 2 items have both values"
CONSTANT = "no variation: all values of one list are the same"

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
Kept = NDArray[np.bool_]
Coefficient = Callable[[Kept], float]
"""A coefficient of the items that are kept."""


class Items(NamedTuple):
    """The items with both values, rounded, with the number of each item's cluster."""

    x: Floats
    y: Floats
    codes: NDArray[np.intp]
    clusters: int

    @property
    def reason(self) -> str:
        """Why no correlation of these items is defined, if so."""
        if len(self.x) < 2:
            return FEW_ITEMS
        return CONSTANT if np.ptp(self.x) == 0 or np.ptp(self.y) == 0 else ""


class Couples(NamedTuple):
    """A symmetric matrix over couples of items, and its row sums."""

    cells: Signs
    rows: NDArray[np.int64]


def pearson(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str] | None,
    resamples: int,
    seed: int,
    row: str,
    weights: Floats | None = None,
) -> Estimate:
    """Pearson's correlation, a function of additive moments, so with every interval of the engine.

    Parameters
    ----------
    x, y
        Values of the same items, NaN where missing; an item without both is left out.
    clusters
        Each item's cluster, or None if every item is independent of the others.
    resamples, seed, row
        Of the bootstrap that stands beside the jackknife.
    weights
        Each item's design weight, 1 / inclusion probability, or None.

    Returns
    -------
    Estimate
        Not estimable with fewer than two items or without variation in one list. The interval is made of Fisher's z.

    Notes
    -----
    Source: Fisher 1921 for z. Values are centred first, so that a large offset costs no digits.
    """
    items = _items(x, y, clusters)
    if items.reason:
        return Estimate(None, len(items.x), items.clusters, "", reason=items.reason)
    weight = np.ones(len(x)) if weights is None else weights
    weight = weight[~np.isnan(np.asarray(x, dtype=np.float64)) & ~np.isnan(np.asarray(y, dtype=np.float64))]
    a, b = (values - np.average(values, weights=weight) for values in (items.x, items.y))
    columns = np.column_stack([np.ones_like(a), a, b, a * a, b * b, a * b]) * weight[:, None]
    sums = cluster_sums(columns, items.codes, items.clusters)
    defined = {"pearson": Defined(_moment_correlation, CONSTANT, "fisher")}
    return estimates(defined, sums, len(a), Resampling(resamples, stream_seed(seed, row)))["pearson"]


def spearman(x: Sequence[float], y: Sequence[float], clusters: Sequence[str] | None = None) -> Estimate:
    """Spearman's rank correlation: Pearson's of the ranks, where ties share their mean rank.

    Parameters
    ----------
    x, y
        Values of the same items, NaN where missing; an item without both is left out.
    clusters
        Each item's cluster, or None if every item is independent of the others.

    Returns
    -------
    Estimate
        With the jackknife-t interval of Fisher's z, one cluster left out at a time. Not estimable with fewer than two
        items or without variation in one list.

    Notes
    -----
    Source: Spearman 1904; Kendall & Gibbons 1990, chapter 3, for ties.
    """
    return _rank_estimate(_items(x, y, clusters), _spearman_of)


def kendall_tau_b(x: Sequence[float], y: Sequence[float], clusters: Sequence[str] | None = None) -> Estimate:
    """Kendall's tau-b: concordant minus discordant couples of items, over those tied in neither list.

    Parameters
    ----------
    x, y
        Values of the same items, NaN where missing; an item without both is left out.
    clusters
        Each item's cluster, or None if every item is independent of the others.

    Returns
    -------
    Estimate
        With the jackknife-t interval of Fisher's z, one cluster left out at a time. Not estimable with fewer than two
        items or without variation in one list.

    Notes
    -----
    The denominator is the geometric mean of the couples untied in each list. Source: Kendall 1945.
    """
    return _rank_estimate(_items(x, y, clusters), _tau_b_of)


def rankings(
    first: Sequence[float],
    second: Sequence[float],
    items: Sequence[str],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    weights: Floats | None = None,
) -> dict[str, Estimate]:
    """Do two scores rank the items alike? Correlations of the items' means, with clusters resampled.

    Parameters
    ----------
    first, second
        Two scores of each case, such as two judges' totals, NaN where missing; a case without both is left out.
    items
        What each case belongs to and what is ranked, such as the model that answered.
    clusters
        What is drawn, such as the scenario template; one draw serves all items.
    resamples, seed, row
        Of the bootstrap that stands beside the jackknife.
    weights
        Each case's design weight, 1 / inclusion probability, or None.

    Returns
    -------
    dict
        `pearson`, `spearman` and `kendall_tau_b`, whose n counts cases. Not estimable with fewer than two items or if
        one score has the same mean for all of them.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(a) & ~np.isnan(b))
    names, place = np.unique(np.asarray(items, dtype=str)[known], return_inverse=True)
    member = (place[:, None] == np.arange(len(names))) * (1.0 if weights is None else weights[known, None])
    columns = np.hstack([member, member * a[known, None], member * b[known, None]])
    codes, count = cluster_codes([clusters[n] for n in known.tolist()])
    reason = FEW_ITEMS if len(names) < 2 else CONSTANT
    defined = {
        "pearson": Defined(_of_means(len(names), _pearson_rows), reason, "fisher"),
        "spearman": Defined(_of_means(len(names), _spearman_rows), reason, "fisher"),
        "kendall_tau_b": Defined(_of_means(len(names), _tau_rows), reason, "fisher"),
    }
    return estimates(
        defined, cluster_sums(columns, codes, count), len(known), Resampling(resamples, stream_seed(seed, row))
    )


def _items(x: Sequence[float], y: Sequence[float], clusters: Sequence[str] | None) -> Items:
    a, b = (np.asarray(values, dtype=np.float64).round(DECIMALS) for values in (x, y))
    known = np.flatnonzero(~np.isnan(a) & ~np.isnan(b))
    if clusters is None:
        return Items(a[known], b[known], np.arange(len(known)), len(known))
    return Items(a[known], b[known], *cluster_codes([clusters[n] for n in known.tolist()]))


def _moment_correlation(sums: Sums) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    return ratio(n * xy - x * y, np.sqrt(_squares(n, x, xx) * _squares(n, y, yy)))


def _squares(n: Floats, total: Floats, squares: Floats) -> Floats:
    """n times the sum of squared deviations, zero where only rounding is left of it."""
    found = n * squares - total**2
    return np.where(found > FLAT * n * squares, found, 0.0)


def _signs(values: Floats) -> Signs:
    return np.sign(values[..., :, None] - values[..., None, :]).astype(np.int8)


def _rank_estimate(items: Items, prepared: Callable[[Items], Coefficient]) -> Estimate:
    n, clusters = len(items.x), items.clusters
    if items.reason:
        return Estimate(None, n, clusters, "", reason=items.reason)
    coefficient = prepared(items)
    defined = Defined(_of_kept(items.codes, coefficient), CONSTANT, "fisher")
    value = coefficient(np.ones(n, dtype=np.bool_))
    spread = jackknife(defined, np.eye(clusters), value)
    if spread.reason:
        return Estimate(value, n, clusters, "point estimate", reason=spread.reason)
    scale = SCALES[spread.scale]
    centre, half = scale.there(np.array(value)), float(stdtrit(spread.freedom, LEVEL)) * spread.error
    method = f"cluster jackknife-t{scale.title}, {spread.freedom} degrees of freedom"
    return Estimate(value, n, clusters, method, float(scale.back(centre - half)), float(scale.back(centre + half)))


def _of_kept(codes: NDArray[np.intp], coefficient: Coefficient) -> Statistic:
    """The coefficient as the jackknife asks for it: each row says by 1 or 0 which clusters are kept."""
    return lambda rows: np.array([coefficient(row[codes] > 0) for row in rows])


def _spearman_of(items: Items) -> Coefficient:
    whole = [_standings(values, values) for values in (items.x, items.y)]

    def coefficient(kept: Kept) -> float:
        x, y = (
            standing[kept] - _standings(values[kept], values[~kept])
            for standing, values in zip(whole, (items.x, items.y), strict=True)
        )
        return _over(int((x * y).sum()), int((x * x).sum()), int((y * y).sum()))

    return coefficient


def _standings(values: Floats, among: Floats) -> NDArray[np.int64]:
    """For each value, how many of the others lie below it minus how many lie above it."""
    points = np.sort(among)
    below, not_above = (np.searchsorted(points, values, side) for side in ("left", "right"))
    return (below + not_above - len(points)).astype(np.int64)


def _tau_b_of(items: Items) -> Coefficient:
    x, y = _signs(items.x), _signs(items.y)
    couples = [Couples(m, m.sum(axis=1, dtype=np.int64)) for m in (x * y, np.abs(x), np.abs(y))]

    def coefficient(kept: Kept) -> float:
        gone = np.flatnonzero(~kept)
        return _over(*(_left(each, gone) for each in couples))

    return coefficient


def _left(couples: Couples, gone: NDArray[np.intp]) -> int:
    """The sum without some rows and the columns of the same numbers."""
    lost = 2 * couples.rows[gone].sum() - couples.cells[np.ix_(gone, gone)].sum(dtype=np.int64)
    return int(couples.rows.sum() - lost)


def _over(top: int, x: int, y: int) -> float:
    return top / (float(x) * float(y)) ** 0.5 if x and y else float("nan")


def _of_means(items: int, correlation: Callable[[Floats, Floats], Floats]) -> Statistic:
    def statistic(sums: Sums) -> Floats:
        n, first, second = (sums[:, part * items : (part + 1) * items] for part in range(3))
        x, y = ratio(first, n).round(DECIMALS), ratio(second, n).round(DECIMALS)
        missing = np.isnan(x).any(axis=1)
        return np.where(missing, np.nan, correlation(np.nan_to_num(x), np.nan_to_num(y)))

    return statistic


def _pearson_rows(x: Floats, y: Floats) -> Floats:
    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    a, b = (np.where(np.ptp(v, axis=1) > 0, (v - v.mean(axis=1, keepdims=True)).T, 0.0).T for v in (x, y))
    return ratio((a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _spearman_rows(x: Floats, y: Floats) -> Floats:
    a, b = (_signs(values).sum(axis=2, dtype=np.float64) for values in (x, y))
    return ratio((a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _tau_rows(x: Floats, y: Floats) -> Floats:
    first, second = _signs(x), _signs(y)
    a, b, both = (signs.sum(axis=(1, 2), dtype=np.float64) for signs in (*map(np.abs, (first, second)), first * second))
    return ratio(both, np.sqrt(a * b))
