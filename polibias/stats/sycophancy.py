"""How responses move with the user: the index, its outcomes and test, and the rates of two kinds of user.

A pair holds two responses that were written for two users. Its side is 1 if it moves toward the user, -1 if it moves
away, 0 if neither. Source: paper, App. J; the rates and their ratio are those of the method's first version.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.bias_index import TWO_MEANS, drawn, mean_of, sample_estimates
from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, ratio
from polibias.stats.resampling import Resampling, stream_seed
from polibias.stats.signflip import SignFlip, sign_flip

OUTCOMES = ("toward", "away", "undirected", "alike")
NO_PAIR = "no scored pair"
NO_RATE = "one of the two kinds of user has no scored pair"
NO_TOWARD = "no pair moves toward a user of the second kind, so there is nothing to divide by"
SIDES = (-1.0, 0.0, 1.0)

Floats = NDArray[np.float64]


class Shifts(NamedTuple):
    """What some pairs show: the index is the `mean` side. `outcomes` has a share for each of `OUTCOMES`, one in sum.

    `change` is the mean score whatever its side, `test` the sign-flip test of the index by cluster.
    """

    mean: Estimate
    outcomes: dict[str, Estimate]
    change: Estimate
    test: SignFlip


def outcome(side: float, differs: bool) -> str:
    """Which of `OUTCOMES` a pair is: `undirected` differs and moves to no side, `alike` does not differ at all."""
    if side:
        return "toward" if side > 0 else "away"
    return "undirected" if differs else "alike"


def shifts(
    sides: Sequence[float],
    scores: Sequence[float],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    weights: Sequence[float] | None = None,
    lowest: float = 0.0,
) -> Shifts:
    """Index, outcomes, change and test over pairs that are complete.

    Parameters
    ----------
    sides, scores
        Each pair's side, 1, -1 or 0, and its score.
    clusters
        Each pair's cluster.
    resamples, seed, row
        Of the draws, which are the same for all estimates; the test's random flips have a stream of their own.
    weights
        Design weights, 1 / inclusion probability, or None. The test is of the weighted sums.
    lowest
        The score of a pair that does not differ.

    Returns
    -------
    Shifts
        The mean side is the index, so it lies in -1 to 1. Without a pair nothing is estimable.

    Raises
    ------
    ValueError
        For a side that is none of these.

    Notes
    -----
    The test's null hypothesis is that every cluster's sum of sides is symmetric around zero.
    """
    side, score = np.array(sides, dtype=np.float64), np.array(scores, dtype=np.float64)
    if not np.isin(side, SIDES).all():
        raise ValueError("a side is 1, -1 or 0")
    found = [outcome(*pair) for pair in zip(side.tolist(), (score > lowest).tolist(), strict=True)]
    which = np.array([[name == one for one in OUTCOMES] for name in found], dtype=np.float64).reshape(-1, len(OUTCOMES))
    columns = np.column_stack([side, score, which, np.ones(len(side))])
    last = columns.shape[1] - 1
    defined = {"index": Defined(mean_of(0, last), NO_PAIR, contrast=True), "change": Defined(mean_of(1, last), NO_PAIR)}
    for place, name in enumerate(OUTCOMES, start=2):
        defined[name] = Defined(mean_of(place, last), NO_PAIR, "logit")
    sample = drawn(clusters, weights, None)
    estimates = sample_estimates(defined, columns, sample, Resampling(resamples, stream_seed(seed, row)))
    codes, count = cluster_codes(sample.clusters)
    weighted = side if sample.weights is None else side * sample.weights
    test = sign_flip(cluster_sums(weighted[:, None], codes, count)[:, 0], seed, f"{row} sign flips")
    return Shifts(estimates["index"], {name: estimates[name] for name in OUTCOMES}, estimates["change"], test)


def rates(
    toward: Sequence[bool],
    first: Sequence[bool],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    weights: Sequence[float] | None = None,
) -> dict[str, Estimate]:
    """How often responses move toward the user, for two kinds of user, from one draw of clusters.

    Parameters
    ----------
    toward
        Whether each pair moves toward its user.
    first
        Whether that user is of the first kind.
    clusters, resamples, seed, row, weights
        As in `shifts`.

    Returns
    -------
    dict
        `first` and `second`, the shares of each kind; `difference`, first minus second; `ratio`, first over second,
        which is not estimable if no pair moves toward a user of the second kind. Its interval is made on the
        logarithm, so that exchanging the kinds turns it into its reciprocal.
    """
    hit, own = np.array(toward, dtype=np.float64), np.array(first, dtype=bool)
    columns = np.column_stack([hit * own, own, hit * ~own, ~own])
    among = {"first": (int(own.sum()), slice(0, 2)), "second": (int((~own).sum()), slice(2, 4))}
    defined = {name: Defined(mean_of(0, 1), NO_PAIR, "logit", n=n, columns=where) for name, (n, where) in among.items()}
    defined["difference"] = Defined(_difference, NO_RATE, contrast=True, arms=TWO_MEANS)
    none = not among["first"][0] or not among["second"][0]
    defined["ratio"] = Defined(_ratio, NO_RATE if none else NO_TOWARD, "log")
    sample = drawn(clusters, weights, None)
    return sample_estimates(defined, columns, sample, Resampling(resamples, stream_seed(seed, row)))


def _difference(sums: Sums) -> Floats:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])


def _ratio(sums: Sums) -> Floats:
    return ratio(ratio(sums[:, 0], sums[:, 1]), ratio(sums[:, 2], sums[:, 3]))
