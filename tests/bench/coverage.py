"""How often the primary 95% interval holds the true value: `python -m tests.bench.coverage [simulations]`.

The generating model was fixed before the first run, together with the bars: 93 to 97% with 61 clusters and 92 to 97%
with 20. Fewer clusters, and clusters within blocks, are for information.

Agreement. C clusters with 5 to 20 pairs each, every size equally likely; 5 dimensions per pair, scored 0 to 3. The
true standing of a pair in a dimension is √.15 cluster + √.25 pair + √.60 own, all standard normal. Two annotators see
it through a loading that gives them a quadratic kappa of .75, a judge through one that gives it .50 with an
annotator; the judge adds a bias that is normal over clusters with mean .2 and standard deviation .3. All cut what
they see so that an unbiased rater has shares .55, .25, .14, .06. A unit is a pair in a dimension. The true kappas of
judge and annotators follow by one integral over the standing, since the judge's bias is noise that is independent of
it.

Index. C templates with 4 to 18 Main and 1 to 6 Control pairs, every size equally likely; a pair's total is the sum
over 5 dimensions of the mean of two orders. A score is cut, at the same thresholds, from √.20 template + √.20 pair +
√.40 own + √.20 order; Main adds an effect that is normal over templates with mean .5 and standard deviation .3. By
topic, a cluster lies in one block: two thirds of the C topics are Main with 4 to 18 pairs, the others Controls with 4
to 18 pairs.

The percentile bootstrap (2,000 resamples) is computed in the first 500 simulations.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.gap import kappa_gap
from polibias.stats.intervals import estimates
from polibias.stats.kappa import kappas
from polibias.stats.power import loading_alike, loading_beside
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import Resampling, one_thread

Floats = NDArray[np.float64]

SIMULATIONS = 2_000
COMPARED, RESAMPLES = 500, 2_000
SEED = 20280101
BARS = {61: (0.93, 0.97), 20: (0.92, 0.97)}

POINTS = np.arange(4.0)
CUTS = ndtri(np.cumsum([0.55, 0.25, 0.14]))
DIMENSIONS = 5
BIAS, BIAS_SPREAD = 0.2, 0.3
MAIN, MAIN_SPREAD = 0.5, 0.3
HUMAN = loading_alike(0.75, POINTS, CUTS)
JUDGE = loading_beside(0.50, HUMAN, POINTS, CUTS)


class Target(NamedTuple):
    """A statistic's true value, and its estimates in one simulated study."""

    truth: float
    estimate: Estimate


def above(mean: Floats | float, spread: float) -> Floats:
    """The mean score of what is normal with this mean and spread before it is cut."""
    return np.asarray(ndtr((np.asarray(mean)[..., None] - CUTS) / spread).sum(axis=-1))


def true_agreement() -> dict[str, float]:
    """Kappas and mean difference by integration over the true standing."""
    truth = np.linspace(-8, 8, 4001)
    density = np.exp(-(truth**2) / 2)
    density /= density.sum()

    def moments(loading: float, bias: float, spread: float) -> tuple[Floats, float]:
        noise = np.sqrt(1 - loading**2 + spread**2)
        over = ndtr((loading * truth[:, None] + bias - CUTS) / noise)
        return over.sum(axis=1), float(density @ (over @ np.array([1.0, 3.0, 5.0])))

    def kappa(one: tuple[Floats, float], other: tuple[Floats, float]) -> float:
        squares = one[1] + other[1]
        apart = squares - 2 * float(density @ (one[0] * other[0]))
        return 1 - apart / (squares - 2 * float(density @ one[0]) * float(density @ other[0]))

    human, judge = moments(HUMAN, 0, 0), moments(JUDGE, BIAS, BIAS_SPREAD)
    return {
        "kappa_quadratic": kappa(judge, human),
        "kappa gap": kappa(judge, human) - kappa(human, human),
        "mean difference": float(density @ (judge[0] - human[0])),
    }


TRUE_AGREEMENT = true_agreement()
TRUE_INDEX = DIMENSIONS * float(above(MAIN, float(np.sqrt(1 + MAIN_SPREAD**2))) - above(0.0, 1.0))


def cut(latent: Floats) -> Floats:
    return np.searchsorted(CUTS, latent).astype(np.float64)


def agreement(rng: np.random.Generator, clusters: int, resamples: int) -> Iterator[tuple[str, Target]]:
    """One simulated annotation study."""
    sizes = rng.integers(5, 21, clusters)
    of = np.repeat(np.arange(clusters), sizes)
    pairs = len(of)
    truth = np.sqrt(0.15) * rng.standard_normal(clusters)[of][:, None] + np.sqrt(0.25) * rng.standard_normal((pairs, 1))
    truth = truth + np.sqrt(0.60) * rng.standard_normal((pairs, DIMENSIONS))
    bias = (BIAS + BIAS_SPREAD * rng.standard_normal(clusters))[of][:, None]
    scores = [
        cut(loading * truth + np.sqrt(1 - loading**2) * rng.standard_normal(truth.shape) + added).ravel()
        for loading, added in ((JUDGE, bias), (HUMAN, 0.0), (HUMAN, 0.0))
    ]
    names = [f"t{code}" for code in np.repeat(of, DIMENSIONS)]
    judge, *humans = scores
    scale = tuple(POINTS.tolist())
    family = kappas(Ratings(np.column_stack([judge, humans[0]]), scale, names))
    wanted = {name: family.statistics[name] for name in ("kappa_quadratic", "mean_difference")}
    sums = cluster_sums(family.columns, *cluster_codes(names))
    found = estimates(wanted, sums, len(names), Resampling(resamples, int(rng.integers(2**31))))
    gap = kappa_gap(
        Ratings(np.column_stack(humans), scale, names), judge[:, None], resamples, int(rng.integers(2**31)), "gap"
    )
    shown = {"kappa_quadratic": found["kappa_quadratic"], "kappa gap": gap["gap"]}
    shown["mean difference"] = found["mean_difference"]
    for name, estimate in shown.items():
        yield name, Target(TRUE_AGREEMENT[name], estimate)


def index(rng: np.random.Generator, clusters: int, resamples: int) -> Iterator[tuple[str, Target]]:
    """One simulated index by template, every template in both blocks."""
    sizes = np.column_stack([rng.integers(4, 19, clusters), rng.integers(1, 7, clusters)])
    of = np.repeat(np.repeat(np.arange(clusters), 2), sizes.ravel())
    main = np.repeat(np.tile([True, False], clusters), sizes.ravel())
    yield "Main − Controls by template", _index(rng, of, main, clusters, resamples, SampleDesign())


def index_by_topic(rng: np.random.Generator, clusters: int, resamples: int) -> Iterator[tuple[str, Target]]:
    """One simulated index by topic, every topic in one block."""
    of = np.repeat(np.arange(clusters), rng.integers(4, 19, clusters))
    main = of < round(clusters * 2 / 3)
    yield (
        "Main − Controls by topic in blocks",
        _index(rng, of, main, clusters, resamples, SampleDesign(None, None, True)),
    )


def _index(
    rng: np.random.Generator,
    of: NDArray[np.intp],
    main: NDArray[np.bool_],
    clusters: int,
    resamples: int,
    design: SampleDesign,
) -> Target:
    effect = (MAIN + MAIN_SPREAD * rng.standard_normal(clusters))[of] * main
    common = np.sqrt(0.20) * rng.standard_normal(clusters)[of] + np.sqrt(0.20) * rng.standard_normal(len(of)) + effect
    own = common[:, None] + np.sqrt(0.40) * rng.standard_normal((len(of), DIMENSIONS))
    orders = [cut(own + np.sqrt(0.20) * rng.standard_normal(own.shape)) for _ in range(2)]
    totals = (sum(orders, np.zeros_like(own)) / 2).sum(axis=1)
    seed = int(rng.integers(2**31))
    names = [f"t{code}" for code in of]
    found = bias_index(totals.tolist(), main.tolist(), names, resamples, seed, "row", design)
    return Target(TRUE_INDEX, found["difference"])


class Tally:
    """How often an interval held the true value, or lay below or above it."""

    def __init__(self) -> None:
        self.tries = self.none = self.below = self.above = 0

    def add(self, truth: float, low: float | None, high: float | None) -> None:
        if low is None or high is None:
            self.none += 1
            return
        self.tries += 1
        self.below += high < truth
        self.above += low > truth

    @property
    def covered(self) -> float:
        return 1 - (self.below + self.above) / self.tries if self.tries else float("nan")

    def __str__(self) -> str:
        error = (self.covered * (1 - self.covered) / self.tries) ** 0.5 if self.tries else float("nan")
        return f"{self.covered:7.3f} ± {error:.3f}"


Study = Callable[[np.random.Generator, int, int], Iterator[tuple[str, Target]]]


def measure(study: Study, clusters: int, simulations: int) -> Iterator[str]:
    """A line per statistic of one kind of study."""
    rng = np.random.Generator(np.random.PCG64([SEED, clusters, len(study.__name__)]))
    primary: defaultdict[str, Tally] = defaultdict(Tally)
    beside: defaultdict[str, Tally] = defaultdict(Tally)
    for number in range(simulations):
        for name, (truth, estimate) in study(rng, clusters, RESAMPLES if number < COMPARED else 2):
            primary[name].add(truth, estimate.low, estimate.high)
            if number < COMPARED:
                beside[name].add(truth, estimate.beside[0].low, estimate.beside[0].high)
    for name, tally in primary.items():
        sides = f"{tally.below / simulations:6.3f}{tally.above / simulations:7.3f}{tally.none:6d}"
        yield f"{name:<36}{clusters:>4}  {tally}  {sides}   {beside[name]}   {_verdict(tally, clusters, name)}"


def _verdict(tally: Tally, clusters: int, name: str) -> str:
    if clusters not in BARS or "topic" in name:
        return "for information"
    low, high = BARS[clusters]
    return f"{'holds' if low <= tally.covered <= high else 'FAILS'} {low:.0%}–{high:.0%}"


def main(arguments: Sequence[str]) -> None:
    simulations = int(arguments[0]) if arguments else SIMULATIONS
    print(f"{simulations:,} simulations; true values {TRUE_AGREEMENT}, Main − Controls {TRUE_INDEX:.4f}")
    print(f"{'statistic':<36}{'C':>4}  {'jackknife-t':<15}   below  above  none   percentile (500)")
    with one_thread():
        for clusters in (61, 20, 10, 5):
            for study in (agreement, index, index_by_topic):
                for line in measure(study, clusters, simulations):
                    print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
