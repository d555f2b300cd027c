"""The mean score that humans would give, from the judge's scores of all pairs and human scores of some of them.

The judge's mean over all pairs is corrected by how far it is from humans on the labelled ones. That is right on average
however bad the judge is, if it is known how likely each labelled pair was to be labelled, and only then.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import FLAT, LEVEL, Defined, Spread, jackknife, ratio

BIASED = "biased sample: the labelled pairs' inclusion probabilities are not known"
NO_LABEL = "no labelled pair has a judge score"

LEAST_TUNED = 3

Floats = NDArray[np.float64]
Tuning = Callable[[Sums], float]


class Corrected(NamedTuple):
    """The corrected mean, the weight of the judge's scores in it, and how many labelled pairs it rests on.

    `worth` is how many labelled pairs without a judge would have told as much; None without standard errors.
    """

    mean: Estimate
    tuning: float | None
    labelled: int
    worth: float | None


def corrected_mean(
    judge: Floats,
    human: Floats,
    probabilities: Floats | None,
    clusters: Sequence[str],
    tuning: float | None = None,
) -> Corrected:
    """The human mean over all pairs: weighted mean of human - λ judge on the labelled pairs, plus λ judge mean on all.

    Parameters
    ----------
    judge, human
        Scores of the same pairs; NaN where the judge's is invalid or nobody labelled. Only pairs with a judge score
        count.
    probabilities
        How likely each labelled pair was to be labelled, above 0 and at most 1; others are not read. None, or NaN for
        a labelled pair: unknown, and the mean is not estimable.
    clusters
        Each pair's cluster.
    tuning
        λ: 1 corrects the judge's mean in full, 0 is the weighted human mean alone, None takes the λ of least jackknife
        variance.

    Returns
    -------
    Corrected
        Labelled pairs weigh 1 / probability, divided by the sum of weights. The t interval has one degree of freedom
        less than there are clusters with a labelled pair. With labels in one cluster there is no interval, and with
        labels in fewer than 3 λ is not tuned but 1.

    Raises
    ------
    ValueError
        For a probability of a labelled pair that is 0 or less, or above 1.

    Notes
    -----
    The jackknife tunes λ anew without each cluster: taken as known, it makes intervals too short with few labels. If
    the judge's labelled and overall means agree whatever cluster is left out, as with all pairs labelled, any λ gives
    the same and it is 0. Source: Angelopoulos et al. 2023; Angelopoulos, Duchi & Zrnic 2024 for λ.
    """
    scored = np.flatnonzero(~np.isnan(judge))
    labelled = ~np.isnan(human[scored])
    codes, count = cluster_codes([clusters[pair] for pair in scored.tolist()])
    labels, groups = int(labelled.sum()), len(np.unique(codes[labelled]))
    chance = None if probabilities is None else probabilities[scored][labelled]
    if not labels or chance is None or np.isnan(chance).any():
        reason = BIASED if labels else NO_LABEL
        return Corrected(Estimate(None, len(scored), count, "", reason=reason), None, labels, None)
    weights = _weights(chance)
    sums = cluster_sums(_columns(judge[scored], human[scored], labelled, weights), codes, count)
    rule = (lambda _: 1.0) if groups < LEAST_TUNED else _least_variance
    tuned: Tuning = rule if tuning is None else lambda _: tuning
    kish = float(weights.sum() ** 2 / (weights**2).sum())
    found = Estimate(_corrected(sums, tuned), len(scored), count, "point estimate", effective_n=kish)
    if groups < 2:
        found = replace(found, reason="no interval: the labelled pairs lie in 1 cluster; at least 2 are needed")
        return Corrected(found, tuned(sums), labels, None)
    errors = [_spread(sums, chosen) for chosen in (tuned, lambda _: 0.0)]
    worth = labels * (errors[1].error / errors[0].error) ** 2 if errors[0].error else None
    return Corrected(_with_interval(found, errors[0], groups - 1), tuned(sums), labels, worth)


def _weights(chance: Floats) -> Floats:
    if not ((chance > 0) & (chance <= 1)).all():
        raise ValueError("an inclusion probability does not lie above 0 and at most at 1")
    return 1 / chance


def _columns(judge: Floats, human: Floats, labelled: NDArray[np.bool_], weights: Floats) -> Floats:
    """Per pair: 1 and the judge's score; weight, weighted human and weighted judge score if labelled."""
    weight = np.zeros(len(judge))
    weight[labelled] = weights
    return np.column_stack(
        [np.ones(len(judge)), judge, weight, weight * np.where(labelled, human, 0.0), weight * judge]
    )


def _human(sums: Sums) -> Floats:
    return ratio(sums[:, 3], sums[:, 2])


def _shift(sums: Sums) -> Floats:
    """How far the judge's mean over all pairs is above its mean over the labelled ones."""
    return ratio(sums[:, 1], sums[:, 0]) - ratio(sums[:, 4], sums[:, 2])


def _corrected(sums: Sums, tuning: Tuning) -> float:
    total = sums.sum(axis=0, keepdims=True)
    return float((_human(total) + tuning(sums) * _shift(total))[0])


def _least_variance(sums: Sums) -> float:
    """The λ that makes the jackknife variance of human + λ shift smallest."""
    rest = sums.sum(axis=0) - sums
    human, shift = (values - values.mean() for values in (_human(rest), _shift(rest)))
    variance = float((shift**2).sum())
    return 0.0 if variance <= FLAT**2 * len(sums) else -float((human * shift).sum()) / variance


def _spread(sums: Sums, tuning: Tuning) -> Spread:
    """The jackknife of the whole procedure: each row says by 1 or 0 which clusters are kept."""
    defined = Defined(lambda rows: np.array([_corrected(sums[row > 0], tuning) for row in rows]), NO_LABEL)
    return jackknife(defined, np.eye(len(sums)), _corrected(sums, tuning))


def _with_interval(found: Estimate, spread: Spread, freedom: int) -> Estimate:
    if spread.reason or found.value is None:
        return replace(found, reason=spread.reason)
    half = float(stdtrit(freedom, LEVEL)) * spread.error
    method = f"cluster jackknife-t, {freedom} degrees of freedom (clusters with a label)"
    return replace(found, low=found.value - half, high=found.value + half, method=method)
