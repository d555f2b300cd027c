"""The Political Bias Index: mean pair score, by block, and the difference between blocks.

A mean over resampled templates is a ratio of sums, not a mean of template means, and both blocks of a
difference come from the same draw of templates. Source: paper section 3.3.

Three things may be said of how the pairs were drawn (`SampleDesign`). Weights, 1 / inclusion probability, multiply
the sums (Horvitz & Thompson 1952; Hájek 1971). A pair taken with certainty stands for itself alone: its weight is 1,
and it is added to every jackknife replicate and every resample as it is, so it moves the value and brings no sampling
variance. The interval is then about the pairs of the study; whoever claims more, about templates never written,
leaves `certain` out. A cluster that lies in one block, such as a country pair, is drawn among the clusters of its
block.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import NOTHING_DRAWN, Defined, Statistic, Strata, estimates, ratio
from polibias.stats.resampling import Resampling, stream_seed

NO_PAIR = "no scored pair"
TWO_MEANS = slice(0, 2), slice(2, 4)
"""The columns of a comparison of two means."""
NO_BLOCK = "one of the two blocks has no scored pair"


class SampleDesign(NamedTuple):
    """How the pairs were drawn: weights (1 / inclusion probability), and which pairs were taken with certainty.

    A certain pair's weight must be 1. `within_blocks` draws the clusters of each block among themselves.
    """

    weights: Sequence[float] | None = None
    certain: Sequence[bool] | None = None
    within_blocks: bool = False


SIMPLE = SampleDesign()


class Sample(NamedTuple):
    """Rows as they were drawn: each one's cluster, weight, whether it was certain, and its stratum if there are any."""

    clusters: list[str]
    weights: NDArray[np.float64] | None
    certain: NDArray[np.bool_]
    strata: Strata | None = None

    def among(self, chosen: NDArray[np.bool_]) -> "Sample":
        """The chosen rows, without strata."""
        kept = [cluster for cluster, inside in zip(self.clusters, chosen, strict=True) if inside]
        return Sample(kept, None if self.weights is None else self.weights[chosen], self.certain[chosen])

    @property
    def effective_n(self) -> float | None:
        """The number of equally weighted rows that would be as precise; None without weights. Source: Kish 1965."""
        return None if self.weights is None else _kish(self.weights)

    def effective_among(self, chosen: NDArray[np.bool_]) -> float | None:
        """As `effective_n`, of the chosen rows."""
        return None if self.weights is None else _kish(self.weights[chosen])


def _kish(weights: NDArray[np.float64]) -> float | None:
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else None


def bias_index(
    scores: Sequence[float],
    main: Sequence[bool],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    design: SampleDesign = SIMPLE,
) -> dict[str, Estimate]:
    """Mean score where `main` holds, mean elsewhere (control), and main minus control, from one draw of clusters.

    `row` names the table row whose stream of draws this is. Each estimate counts the pairs and clusters that it
    rests on: an interval of one block needs 10 clusters of that block. The effective n of the difference is the sum of
    the blocks' own, because weights that differ only between blocks cost it nothing.
    """
    values, inside = np.asarray(scores, dtype=np.float64), np.asarray(main, dtype=bool)
    sample = drawn(clusters, design.weights, design.certain, inside.astype(np.intp) if design.within_blocks else None)
    columns = np.column_stack([values * inside, inside, values * ~inside, ~inside])
    kish = {name: sample.effective_among(chosen) for name, chosen in (("main", inside), ("control", ~inside))}
    both = [effective for effective in kish.values() if effective is not None]
    defined = {
        "main": Defined(mean_of(0, 1), NO_PAIR, n=int(inside.sum()), effective_n=kish["main"], columns=slice(0, 2)),
        "control": Defined(
            mean_of(0, 1), NO_PAIR, n=int((~inside).sum()), effective_n=kish["control"], columns=slice(2, 4)
        ),
        "difference": Defined(
            _difference, NO_BLOCK, contrast=True, effective_n=sum(both) if both else None, arms=TWO_MEANS
        ),
    }
    return sample_estimates(defined, columns, sample, Resampling(resamples, stream_seed(seed, row)))


def drawn(
    clusters: Sequence[str],
    weights: Sequence[float] | None,
    certain: Sequence[bool] | None,
    strata: Strata | None = None,
) -> Sample:
    """Rows as drawn. Raises ValueError for a weight that is not positive, and for a certain row that weighs more."""
    weighing = None if weights is None else np.asarray(weights, dtype=np.float64)
    sure = np.zeros(len(clusters), dtype=bool) if certain is None else np.asarray(certain, dtype=bool)
    if len(sure) != len(clusters) or (weighing is not None and len(weighing) != len(clusters)):
        raise ValueError("weights and certain need one entry per row")
    if weighing is not None and not (np.isfinite(weighing) & (weighing > 0)).all():
        raise ValueError("a design weight is not a positive number")
    if weighing is not None and (weighing[sure] != 1).any():
        raise ValueError("a row taken with certainty has the weight 1; it stands for itself alone")
    return Sample(list(clusters), weighing, sure, strata)


def sample_estimates(
    statistics: Mapping[str, Defined],
    columns: NDArray[np.float64],
    sample: Sample,
    draws: Resampling,
    effective_n: float | None = None,
) -> dict[str, Estimate]:
    """Each statistic of the weighted sums of `columns` (rows × columns); certain rows are added as they are.

    `clusters` of an estimate counts the drawn ones. `effective_n` is the sample's own unless given.
    """
    weighted = columns if sample.weights is None else columns * sample.weights[:, None]
    codes, strata, count = _clusters(sample)
    sure = sample.certain
    held = weighted[sure].sum(axis=0)
    n, effective_n = len(columns), sample.effective_n if effective_n is None else effective_n
    if sure.any():
        statistics = {name: _beside(defined, held) for name, defined in statistics.items()}
    if n and sure.all():
        return {name: _census(defined, len(held), n, effective_n) for name, defined in statistics.items()}
    sums = cluster_sums(weighted[~sure], codes, count)
    return estimates(statistics, sums, n, draws, strata, effective_n)


def _clusters(sample: Sample) -> tuple[NDArray[np.intp], Strata | None, int]:
    """Each drawn row's cluster number, each cluster's stratum, and how many clusters there are.

    With strata a cluster is what one key names within one stratum.
    """
    codes, count = cluster_codes(sample.clusters)
    codes = codes[~sample.certain]
    if sample.strata is not None:
        codes = codes + count * sample.strata[~sample.certain]
    elif not sample.certain.any():
        return codes, None, count
    found, codes = np.unique(codes, return_inverse=True)
    return codes.astype(np.intp), None if sample.strata is None else found // count, len(found)


def _beside(defined: Defined, held: NDArray[np.float64]) -> Defined:
    return defined._replace(statistic=lambda sums: defined.statistic(sums + held[defined.columns]))


def _census(defined: Defined, width: int, n: int, effective_n: float | None) -> Estimate:
    """A statistic that already holds all there is."""
    n = n if defined.n is None else defined.n
    effective_n = effective_n if defined.effective_n is None else defined.effective_n
    value = float(defined.statistic(np.zeros((1, width))[:, defined.columns])[0])
    if not np.isfinite(value):
        return Estimate(None, n, 0, "", reason=defined.undefined, effective_n=effective_n)
    return Estimate(value, n, 0, "point estimate", reason=NOTHING_DRAWN, effective_n=effective_n)


def mean_of(top: int, bottom: int) -> Statistic:
    """The ratio of one summed column to another."""

    def statistic(sums: Sums) -> NDArray[np.float64]:
        return ratio(sums[:, top], sums[:, bottom])

    return statistic


def _difference(sums: Sums) -> NDArray[np.float64]:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])
