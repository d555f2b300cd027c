"""Planning: how many pairs a target needs, and what a given number of them can show.

The model is one of latent ordinal raters. Each item has a true standing, standard normal; a rater sees it through a
loading with normal noise, and cuts what is seen at thresholds that give the declared marginals. Quadratic kappa
between two raters then follows from their loadings by one integral, so kappas may be declared instead of loadings, and
the error of one pair follows from one large simulation. Everything that a plan rests on is in its result.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import ceil, inf, log2, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from polibias.stats.clusters import Sums
from polibias.stats.intervals import LEVEL, POWER, Defined, jackknife, ratio
from polibias.stats.resampling import stream_seed

Floats = NDArray[np.float64]
Quantity = Literal["gap", "judge", "human"]

# Most dimensions of most pairs are scored 0; a pilot's own shares replace these.
MARGINALS = (0.65, 0.22, 0.09, 0.04)
# The factor on the standard error (Kish's deft), not on the variance: 1.3 means 1.69 times as many pairs.
DESIGN_FACTOR = 1.3
HIGHEST_LOADING = 0.9999
MOST_PAIRS = 10_000_000
BLOCK_DRAWS = 2_000_000
SIMULATED = 20_000
SIMULATIONS = 2_000

TRUTH = np.linspace(-8.0, 8.0, 1601)
DENSITY = np.exp(-(TRUTH**2) / 2) / np.exp(-(TRUTH**2) / 2).sum()


def uniforms(bits: np.random.PCG64, size: int) -> Floats:
    """Numbers in the open unit interval from the raw stream, whose draws stay the same between numpy versions."""
    return ((bits.random_raw(size) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def normals(bits: np.random.PCG64, shape: tuple[int, ...]) -> Floats:
    """Standard normal numbers by inversion, one raw draw each."""
    drawn: Floats = ndtri(uniforms(bits, int(np.prod(shape)))).reshape(shape)
    return drawn


def thresholds(marginals: Sequence[float]) -> Floats:
    """Where a standard normal is cut to give these shares. Raises ValueError unless they are shares that sum to 1."""
    shares = np.asarray(marginals, dtype=np.float64)
    if len(shares) < 2 or not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9 or (shares == 1).any():
        raise ValueError(f"marginals are shares of at least two categories that sum to 1, not {tuple(marginals)}")
    cuts: Floats = ndtri(np.cumsum(shares)[:-1].clip(0.0, 1.0))
    return cuts


def chances(loading: float, shift: Floats, cuts: Floats) -> Floats:
    """The chance of each category for each latent mean in `shift`, given the noise that the loading leaves."""
    below = ndtr((cuts - shift[..., None]) / sqrt(1 - loading**2))
    edges = np.concatenate([np.zeros((*shift.shape, 1)), below, np.ones((*shift.shape, 1))], axis=-1)
    return np.diff(edges, axis=-1)


def kappa_between(first: Floats, second: Floats, points: Floats) -> float:
    """Quadratic kappa of two raters whose chances of each category are given along the true standing, `TRUTH`."""
    means = [rater @ points for rater in (first, second)]
    squares = sum(float(DENSITY @ (rater @ points**2)) for rater in (first, second))
    observed = squares - 2 * float(DENSITY @ (means[0] * means[1]))
    expected = squares - 2 * float(DENSITY @ means[0]) * float(DENSITY @ means[1])
    return 1 - observed / expected


def loading_alike(kappa: float, points: Floats, cuts: Floats) -> float:
    """The loading at which two raters of one kind, without any bias, have this quadratic kappa."""

    def found(loading: float) -> float:
        rater = chances(loading, loading * TRUTH, cuts)
        return kappa_between(rater, rater, points)

    return _where(found, kappa)


def loading_beside(kappa: float, other: float, points: Floats, cuts: Floats) -> float:
    """The loading at which a rater has this quadratic kappa with one whose loading is `other`."""
    beside = chances(other, other * TRUTH, cuts)
    return _where(lambda loading: kappa_between(chances(loading, loading * TRUTH, cuts), beside, points), kappa)


def _where(found: Callable[[float], float], kappa: float) -> float:
    """Bisection on the loading. Raises ValueError for a kappa below 0 or above what any loading gives."""
    low, high = 0.0, HIGHEST_LOADING
    if not 0 <= kappa <= found(high):
        raise ValueError(f"no latent rater has the kappa {kappa:g} here; at least 0 and at most {found(high):.3f}")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle) < kappa else (low, middle)
    return (low + high) / 2


class Panel(NamedTuple):
    """Who rates, as a plan assumes it: a judge and annotators, every pair in several dimensions.

    `marginals` are the shares of each point of the scale, from a pilot if there is one. `dimension_correlation` is the
    latent correlation between a pair's true standings in two dimensions.
    """

    kappa_judge: float
    kappa_human: float
    marginals: tuple[float, ...] = MARGINALS
    dimensions: int = 5
    annotators: int = 2
    dimension_correlation: float = 0.0

    def loadings(self) -> tuple[float, ...]:
        """The judge's loading, then each annotator's."""
        points, cuts = np.arange(len(self.marginals), dtype=np.float64), thresholds(self.marginals)
        human = loading_alike(self.kappa_human, points, cuts)
        return (loading_beside(self.kappa_judge, human, points, cuts), *[human] * self.annotators)


class Precision(NamedTuple):
    """What `n` pairs show of a quantity, with all that was assumed.

    `pair_error` is the standard error that one pair would have; that of n independent pairs is pair_error / √n, and
    `design_factor` widens it. `half_width` is that of a 95% interval; `detectable` is the smallest true value that such
    an interval leaves zero out of in 80% of studies. Both use t quantiles with `clusters` − 1 degrees of freedom.
    """

    quantity: str
    n: int
    clusters: int
    error: float
    half_width: float
    detectable: float
    pair_error: float
    design_factor: float
    method: str = "formula"
    panel: Panel | None = None
    seed: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain names and numbers, the same for the same plan, so that it can be hashed."""
        return {**self._asdict(), "panel": None if self.panel is None else self.panel._asdict()}


def precision(
    pair_error: float,
    n: int,
    quantity: str = "gap",
    design_factor: float = DESIGN_FACTOR,
    clusters: int | None = None,
) -> Precision:
    """By formula, for any statistic whose error falls with √n. Without `clusters` every pair is its own."""
    groups = n if clusters is None else clusters
    if not (n >= groups >= 2 and pair_error > 0 and design_factor > 0):
        raise ValueError(f"{n} pairs in {groups} clusters with an error of {pair_error:g} × {design_factor:g}: no plan")
    error = design_factor * pair_error / sqrt(n)
    level, power = (float(stdtrit(groups - 1, share)) for share in (LEVEL, POWER))
    return Precision(quantity, n, groups, error, level * error, (level + power) * error, pair_error, design_factor)


def planned(
    panel: Panel,
    n: int,
    seed: int,
    quantity: Quantity = "gap",
    design_factor: float = DESIGN_FACTOR,
    clusters: int | None = None,
    simulated: int = SIMULATED,
) -> Precision:
    """What `n` pairs show under a panel: one simulation of many pairs, then the formula."""
    error = pair_error(panel, quantity, seed, simulated)
    found = precision(error, n, quantity, design_factor, clusters)
    return found._replace(method=_by_formula(simulated), panel=panel, seed=seed)


def planning_table(
    panel: Panel,
    sizes: Sequence[int],
    seed: int,
    quantity: Quantity = "gap",
    design_factor: float = DESIGN_FACTOR,
    simulated: int = SIMULATED,
) -> list[Precision]:
    """`planned` for several numbers of pairs, from one simulation."""
    first = planned(panel, sizes[0], seed, quantity, design_factor, None, simulated)
    rest = [precision(first.pair_error, n, quantity, design_factor) for n in sizes[1:]]
    return [first, *(one._replace(method=first.method, panel=panel, seed=seed) for one in rest)]


def planned_by_simulation(
    panel: Panel,
    n: int,
    seed: int,
    quantity: Quantity = "gap",
    design_factor: float = DESIGN_FACTOR,
    clusters: int | None = None,
    simulations: int = SIMULATIONS,
) -> Precision:
    """The same from the spread of the quantity over simulated studies of `n` pairs: slower, and right for few pairs."""
    error = float(np.std(simulated_values(panel, n, quantity, seed, simulations), ddof=1)) * sqrt(n)
    found = precision(error, n, quantity, design_factor, clusters)
    return found._replace(method=f"{simulations:,} simulated studies", panel=panel, seed=seed)


def _by_formula(simulated: int) -> str:
    return f"formula, with the error of one pair from {simulated:,} simulated pairs"


def pairs_needed(
    panel: Panel,
    seed: int,
    quantity: Quantity = "gap",
    half_width: float = inf,
    detectable: float = inf,
    design_factor: float = DESIGN_FACTOR,
    pairs_per_cluster: float = 1.0,
    simulated: int = SIMULATED,
) -> Precision:
    """The smallest n that reaches the targets, with what it then shows. Raises ValueError if 10 million do not."""
    error = pair_error(panel, quantity, seed, simulated)

    def at(n: int) -> Precision:
        return precision(error, n, quantity, design_factor, max(2, ceil(n / pairs_per_cluster)))

    found = _smallest(lambda n: at(n).half_width <= half_width and at(n).detectable <= detectable)
    return at(found)._replace(method=_by_formula(simulated), panel=panel, seed=seed)


def _smallest(reached: Callable[[int], bool]) -> int:
    """The smallest n from 2 for which what stays reached is reached."""
    low, high = 1, 2
    while not reached(high):
        low, high = high, 2 * high
        if high > MOST_PAIRS:
            raise ValueError(f"more than {MOST_PAIRS:,} pairs would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def pair_error(panel: Panel, quantity: Quantity, seed: int, simulated: int = SIMULATED) -> float:
    """The standard error of a quantity times √n, from the jackknife over many simulated pairs."""
    sums = _pairs(panel, simulated, np.random.PCG64(stream_seed(seed, "pair error")))
    defined = Defined(_quantity(panel, quantity), "no variation")
    spread = jackknife(defined, sums, float(defined.statistic(sums.sum(axis=0, keepdims=True))[0]))
    if spread.reason:
        raise ValueError(f"the simulated pairs do not tell: {spread.reason}")
    return spread.error * sqrt(simulated)


def simulated_values(
    panel: Panel, n: int, quantity: Quantity, seed: int, simulations: int = SIMULATIONS
) -> NDArray[np.float64]:
    """The quantity in each of many simulated studies of `n` pairs: its spread is the error without the formula."""
    bits = np.random.PCG64(stream_seed(seed, "studies"))
    block = max(1, BLOCK_DRAWS // (n * panel.dimensions * (panel.annotators + 2)))
    sizes = [min(block, simulations - start) for start in range(0, simulations, block)]
    sums = [_pairs(panel, size * n, bits).reshape(size, n, -1).sum(axis=1) for size in sizes]
    return _quantity(panel, quantity)(np.concatenate(sums))


def _pairs(panel: Panel, n: int, bits: np.random.PCG64) -> Sums:
    """Each pair's sums over dimensions: count, each rater's scores and squares, each two raters' products."""
    cuts, shared = thresholds(panel.marginals), panel.dimension_correlation
    truth = sqrt(shared) * normals(bits, (n, 1)) + sqrt(1 - shared) * normals(bits, (n, panel.dimensions))
    scores = [_cut(loading, truth, cuts, bits) for loading in panel.loadings()]
    columns = [np.ones_like(truth), *scores, *(score**2 for score in scores)]
    columns += [a * b for a, b in combinations(scores, 2)]
    return np.stack([column.sum(axis=1) for column in columns], axis=1)


def _cut(loading: float, truth: Floats, cuts: Floats, bits: np.random.PCG64) -> Floats:
    seen = loading * truth + sqrt(1 - loading**2) * normals(bits, truth.shape)
    return np.searchsorted(cuts, seen).astype(np.float64)


def _quantity(panel: Panel, quantity: Quantity) -> Callable[[Sums], Floats]:
    """Mean kappa of judge and annotators ("judge"), of annotators among themselves ("human"), and their gap."""
    raters = panel.annotators + 1
    couples = list(combinations(range(raters), 2))
    if quantity != "judge" and raters < 3:
        raise ValueError("agreement between annotators needs two of them")

    def statistic(sums: Sums) -> Floats:
        kappas = {couple: _kappa(sums, raters, place, couple) for place, couple in enumerate(couples)}
        judge = np.mean([value for couple, value in kappas.items() if couple[0] == 0], axis=0)
        if quantity == "judge":
            return np.asarray(judge)
        human = np.mean([value for couple, value in kappas.items() if couple[0] > 0], axis=0)
        return np.asarray(human if quantity == "human" else judge - human)

    return statistic


def _kappa(sums: Sums, raters: int, place: int, couple: tuple[int, int]) -> Floats:
    """Quadratic kappa of two raters from moments: 1 − n·Σ(x − y)² / (n·(Σx² + Σy²) − 2·Σx·Σy)."""
    n, (a, b) = sums[:, 0], (sums[:, 1 + rater] for rater in couple)
    squares = sum(sums[:, 1 + raters + rater] for rater in couple)
    expected = n * squares - 2 * a * b
    return 1 - ratio(n * (squares - 2 * sums[:, 1 + 2 * raters + place]), expected)


def clustering_factor(pairs_per_cluster: float, correlation: float) -> float:
    """By how much clusters of equal size widen the error of a mean: √(1 + (m − 1)·ρ). Source: Kish 1965."""
    return sqrt(1 + (pairs_per_cluster - 1) * correlation)


def sign_flip_floor(clusters: int) -> float:
    """The smallest two-sided p-value that flipping the signs of so many clusters can reach: 2^(1 − C)."""
    return min(1.0, 2.0 ** (1 - clusters))


def clusters_for_sign_flip(level: float = 0.05, tests: int = 1) -> int:
    """The fewest clusters with which the first of `tests` tests can fall below `level` after Holm's correction."""
    if not (0 < level < 1 and tests >= 1):
        raise ValueError(f"no such test: level {level:g}, {tests} tests")
    fewest = max(1, ceil(1 + log2(tests / level)))
    return fewest + (tests * sign_flip_floor(fewest) >= level)
