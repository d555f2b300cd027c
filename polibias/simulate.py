"""Simulated raters with declared reliability, bias and faults, to try out an analysis whose answer is known.

Nothing here is a measurement: every row says that it is simulated, and every rater's name does. A rater sees a unit's
true standing with noise, adds what biases them, and cuts the sum at thresholds (the model of `stats/power.py`). Draws
come from the raw stream of PCG64, one stream per purpose and rater, so that another rater changes nobody's ratings.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from math import isfinite, log, sqrt
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from polibias.domain.sides import SIDES, Side
from polibias.domain.study import Name, Seed
from polibias.domain.value import Value
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.intervals import Statistic, ratio
from polibias.stats.power import (
    DENSITY,
    HIGHEST_LOADING,
    MARGINALS,
    TRUTH,
    chances,
    kappa_between,
    loading_alike,
    normals,
    thresholds,
    uniforms,
)
from polibias.stats.resampling import stream_seed

PREFIX = "simulated-"
CHANCE = 1e-4
ALONG = (np.arange(20) + 0.5) / 20 - 0.5
BOTH = (0.5, -0.5)

Floats = NDArray[np.float64]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Latent = Annotated[float, msgspec.Meta(ge=-10, le=10)]


class RaterSpec(Value, frozen=True, kw_only=True):
    """One simulated rater. Reliability is declared once: `kappa`, the quadratic kappa with an unbiased rater of the
    same kind, or `correlation`, the latent correlation between the two.

    Biases are in standard deviations of the true standing: `shift` is always there, `drift` is the change from the
    first unit rated to the last, around the middle, and `side` is how much higher a unit is rated when side A is shown
    first than when side B is. `unsure` is the share of units left without a value.
    """

    name: Name
    kappa: Share | None = None
    correlation: Share | None = None
    shift: Latent = 0.0
    drift: Latent = 0.0
    side: Latent = 0.0
    unsure: Share = 0.0

    def __post_init__(self) -> None:
        if (self.kappa is None) == (self.correlation is None):
            raise ValueError(f"rater '{self.name}': give either kappa or correlation")
        if not self.name.startswith(PREFIX):
            raise ValueError(f"rater '{self.name}': the name of a simulated rater starts with '{PREFIX}'")


class Simulation(Value, frozen=True, kw_only=True):
    """What is simulated: units in clusters of equal size as far as possible, rated on one scale by every rater.

    `marginals` are the shares of the scale's points for an unbiased rater. `cluster_correlation` is the latent
    correlation between the true standings of two units of one cluster.
    """

    seed: Seed
    units: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    clusters: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    raters: tuple[RaterSpec, ...]
    scale: tuple[float, ...] = (0.0, 1.0, 2.0, 3.0)
    marginals: tuple[float, ...] = MARGINALS
    cluster_correlation: Share = 0.0

    def __post_init__(self) -> None:
        names = [rater.name for rater in self.raters]
        if not names or len(set(names)) < len(names):
            raise ValueError("a simulation needs raters, each with a name of its own")
        ascending = all(low < high for low, high in pairwise(self.scale)) and all(map(isfinite, self.scale))
        if not ascending or len(self.scale) != len(self.marginals):
            raise ValueError("the scale is ascending and has one marginal share per point")
        if self.clusters > self.units:
            raise ValueError(f"{self.units} units cannot fill {self.clusters} clusters")
        thresholds(self.marginals)
        for rater in self.raters:
            _loading(self, rater)


class SimulatedRating(NamedTuple):
    """One simulated rating; `value` None where the rater was unsure, `position` from 1 in the rater's own order."""

    unit: str
    cluster: str
    rater: str
    value: float | None
    position: int
    first: Side
    simulated: bool = True


class Recovered(NamedTuple):
    """Something declared as it should show in the ratings, what shows, and how far chance lets the two lie apart.

    `allowed` None: there is too little to tell. Chance alone goes beyond it about once in ten thousand times, with a
    handful of clusters more often.
    """

    what: str
    expected: float
    found: float | None
    allowed: float | None

    @property
    def holds(self) -> bool:
        """Whether what shows is what was declared, as far as can be told."""
        if self.found is None or self.allowed is None:
            return True
        return abs(self.found - self.expected) <= self.allowed + 1e-12


class _Faults(NamedTuple):
    """What one rater met at each unit: its position (from 0), whether A came first, and whether it left no value."""

    position: NDArray[np.intp]
    a_first: NDArray[np.bool_]
    unsure: NDArray[np.bool_]


def simulate(simulation: Simulation) -> list[SimulatedRating]:
    """Every rater's row for every unit, unit by unit; the same simulation gives the same rows."""
    clusters = np.arange(simulation.units) % simulation.clusters
    truth = _truth(simulation, clusters)
    units, groups = (_names(letter, count) for letter, count in (("u", simulation.units), ("c", simulation.clusters)))
    by_rater = [_rated(simulation, rater, truth) for rater in simulation.raters]
    return [
        SimulatedRating(units[unit], groups[clusters[unit]], rater.name, *one[unit])
        for unit in range(simulation.units)
        for rater, one in zip(simulation.raters, by_rater, strict=True)
    ]


def _names(letter: str, count: int) -> list[str]:
    width = len(str(count))
    return [f"{letter}{number:0{width}d}" for number in range(1, count + 1)]


def _truth(simulation: Simulation, clusters: NDArray[np.intp]) -> Floats:
    shared = simulation.cluster_correlation
    common = normals(_bits(simulation, "clusters"), (simulation.clusters,))
    own = normals(_bits(simulation, "units"), (simulation.units,))
    truth: Floats = sqrt(shared) * common[clusters] + sqrt(1 - shared) * own
    return truth


def _bits(simulation: Simulation, purpose: str) -> np.random.PCG64:
    return np.random.PCG64(stream_seed(simulation.seed, f"simulated raters\n{purpose}"))


def _rated(simulation: Simulation, rater: RaterSpec, truth: Floats) -> list[tuple[float | None, int, Side]]:
    """One rater's value, position and first side for each unit."""
    loading, drawn = _loading(simulation, rater), _faults(simulation, rater)
    noise = normals(_bits(simulation, f"noise\n{rater.name}"), truth.shape)
    bias = _bias(rater, drawn.position, drawn.a_first, len(truth))
    seen = loading * truth + sqrt(1 - loading**2) * noise + bias
    places = np.searchsorted(thresholds(simulation.marginals), seen)
    return [
        (None if unsure else simulation.scale[place], int(position) + 1, SIDES[0 if a_first else 1])
        for place, position, a_first, unsure in zip(places, *drawn, strict=True)
    ]


def _loading(simulation: Simulation, rater: RaterSpec) -> float:
    if rater.correlation is not None:
        return min(sqrt(rater.correlation), HIGHEST_LOADING)
    assert rater.kappa is not None
    return _loading_of(rater.kappa, simulation.scale, simulation.marginals)


@cache
def _loading_of(kappa: float, scale: tuple[float, ...], marginals: tuple[float, ...]) -> float:
    return loading_alike(kappa, np.array(scale), thresholds(marginals))


def _faults(simulation: Simulation, rater: RaterSpec) -> _Faults:
    units = simulation.units
    order, side, unsure = (
        uniforms(_bits(simulation, f"{what}\n{rater.name}"), units) for what in ("order", "side", "unsure")
    )
    return _Faults(np.argsort(np.argsort(order, kind="stable")), side < 0.5, unsure < rater.unsure)


def _bias(rater: RaterSpec, position: NDArray[np.intp], a_first: NDArray[np.bool_], units: int) -> Floats:
    """What a rater adds to what they see; drift and side are centred, so that `shift` is the mean of it."""
    along = (position + 0.5) / units - 0.5
    return rater.shift + rater.drift * along + rater.side * np.where(a_first, 0.5, -0.5)


def recovered(simulation: Simulation, ratings: Sequence[SimulatedRating]) -> list[Recovered]:
    """Everything declared, against the ratings: each rater's share of unsure units, mean, drift, side effect and
    correlation within clusters, and the quadratic kappa of every two raters. Errors are jackknifed over clusters.

    Raises ValueError unless there is one row for every unit and rater.
    """
    ratings = sorted(ratings, key=lambda row: (row.rater, row.unit))
    found: list[Recovered] = []
    scored: list[tuple[RaterSpec, Floats]] = []
    for rater in simulation.raters:
        rows = [row for row in ratings if row.rater == rater.name]
        if [row.unit for row in rows] != _names("u", simulation.units):
            raise ValueError(f"rater '{rater.name}': not one row for every unit")
        scored.append((rater, np.array([np.nan if row.value is None else row.value for row in rows])))
        found += _of_rater(simulation, rater, rows, scored[-1][1])
    codes = np.arange(simulation.units) % simulation.clusters
    return found + [_of_two(simulation, one, other, codes) for one, other in combinations(scored, 2)]


def _of_rater(
    simulation: Simulation, rater: RaterSpec, rows: Sequence[SimulatedRating], values: Floats
) -> Iterator[Recovered]:
    points, rated = np.array(simulation.scale), ~np.isnan(values)
    codes, clusters = cluster_codes([row.cluster for row in rows])
    late = np.array([2 * row.position > simulation.units for row in rows])
    a_first = np.array([row.first == SIDES[0] for row in rows])

    def mean(along: Floats = ALONG, sides: tuple[float, ...] = BOTH) -> float:
        return float(DENSITY @ _expected(simulation, rater, along, sides) @ points)

    def contrast(inside: NDArray[np.bool_], statistic: Statistic) -> tuple[float | None, float | None]:
        known = np.where(rated, values, 0.0)
        columns = np.column_stack([known * inside, rated & inside, known * ~inside, rated & ~inside])
        return _compared(statistic, cluster_sums(columns.astype(np.float64), codes, clusters))

    name, share = rater.name, float(1 - rated.mean())
    yield Recovered(f"{name}: unsure", rater.unsure, share, _share_allowed(rater.unsure, len(rows)))
    yield Recovered(f"{name}: mean", mean(), *contrast(np.ones_like(rated), _first_mean))
    later, earlier = (mean(along=ALONG[ALONG > 0]), mean(along=ALONG[ALONG < 0]))
    yield Recovered(f"{name}: later half − earlier half", later - earlier, *contrast(late, _difference))
    sides = mean(sides=BOTH[:1]) - mean(sides=BOTH[1:])
    yield Recovered(f"{name}: A first − B first", sides, *contrast(a_first, _difference))
    if simulation.clusters < simulation.units:
        yield _within_clusters(simulation, rater, values, codes)


def _of_two(
    simulation: Simulation, one: tuple[RaterSpec, Floats], other: tuple[RaterSpec, Floats], codes: NDArray[np.intp]
) -> Recovered:
    """The quadratic kappa of two raters, from the moments of the units that both rated."""
    first, second = (_expected(simulation, rater) for rater, _ in (one, other))
    expected = kappa_between(first, second, np.array(simulation.scale))
    both = ~np.isnan(one[1]) & ~np.isnan(other[1])
    x, y = one[1][both], other[1][both]
    columns = np.column_stack([np.ones_like(x), x, y, x * x + y * y, x * y])
    sums = cluster_sums(columns, *_renumbered(codes[both]))
    return Recovered(f"kappa of {one[0].name} and {other[0].name}", expected, *_compared(_kappa, sums))


def _within_clusters(simulation: Simulation, rater: RaterSpec, values: Floats, codes: NDArray[np.intp]) -> Recovered:
    """The correlation between ratings of two units of one cluster, from the products of all such two."""
    points, shared = np.array(simulation.scale), sqrt(simulation.cluster_correlation)
    between = _expected(simulation, rater, shared=shared) @ points
    chance = DENSITY @ _expected(simulation, rater)
    mean = float(chance @ points)
    expected = float(DENSITY @ between**2 - mean**2) / float(chance @ points**2 - mean**2)
    rated = ~np.isnan(values)
    columns = np.column_stack([np.ones(rated.sum()), values[rated], values[rated] ** 2])
    n, total, squares = cluster_sums(columns, *_renumbered(codes[rated])).T
    sums = np.column_stack([n, total, squares, n * (n - 1), total**2 - squares])
    found, allowed = _compared(_correlation, sums, _correlation_error(expected, n))
    return Recovered(f"{rater.name}: correlation within clusters", expected, found, allowed)


def _expected(
    simulation: Simulation,
    rater: RaterSpec,
    along: Floats = ALONG,
    sides: tuple[float, ...] = BOTH,
    shared: float = 1.0,
) -> Floats:
    """The chance of each point along the true standing, or its shared part, over positions and first sides."""
    loading = _loading(simulation, rater) * shared
    states = rater.shift + np.add.outer(rater.drift * along, rater.side * np.array(sides)).ravel()
    kinds, often = np.unique(states, return_counts=True)
    cuts = thresholds(simulation.marginals)
    each = [chances(loading, loading * TRUTH + state, cuts) for state in kinds]
    return np.average(each, axis=0, weights=often)


def _renumbered(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], int]:
    found, numbers = np.unique(codes, return_inverse=True)
    return numbers.astype(np.intp), len(found)


def _compared(statistic: Statistic, sums: Floats, least: float = 0.0) -> tuple[float | None, float | None]:
    """A statistic and how far chance may take it, from its jackknife error, at least `least`; None if there is none."""
    total, count = sums.sum(axis=0, keepdims=True), len(sums)
    value = float(statistic(total)[0]) if count else float("nan")
    left_out = statistic(total - sums)
    if count < 2 or not np.isfinite([value, *left_out]).all():
        return (value if np.isfinite(value) else None), None
    error = sqrt((count - 1) / count * float(((left_out - left_out.mean()) ** 2).sum()))
    return value, float(stdtrit(count - 1, 1 - CHANCE / 2)) * max(error, least)


def _share_allowed(share: float, n: int) -> float:
    """Bernstein's (1924) bound for a share of n independent cases."""
    rare = log(2 / CHANCE)
    return sqrt(2 * share * (1 - share) * rare / n) + 2 * rare / (3 * n) if 0 < share < 1 else 0.0


def _correlation_error(correlation: float, sizes: Floats) -> float:
    """Fisher's (1925) error of a correlation within normal clusters of one size.

    The jackknife's error goes up and down with the correlation found, and so is too small where that is too small.
    """
    count, size = len(sizes), float(sizes.sum()) / max(1, len(sizes))
    if count < 2 or size <= 1:
        return 0.0
    return (1 - correlation) * (1 + (size - 1) * correlation) * sqrt(2 / (size * (size - 1) * (count - 1)))


def _first_mean(sums: Floats) -> Floats:
    return ratio(sums[:, 0], sums[:, 1])


def _difference(sums: Floats) -> Floats:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])


def _kappa(sums: Floats) -> Floats:
    n, x, y, squares, products = sums.T
    return 1 - ratio(n * (squares - 2 * products), n * squares - 2 * x * y)


def _correlation(sums: Floats) -> Floats:
    n, total, squares, couples, products = sums.T
    mean = ratio(total, n)
    return ratio(ratio(products, couples) - mean**2, ratio(squares, n) - mean**2)
