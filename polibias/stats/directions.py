"""Which side a pair favours, by the aggregated rule, and how far two readers of the same pairs agree on it.

Sides are 1 for A, -1 for B and 0 for none; NaN is a pair without a direction because one of its orders is missing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, estimates, ratio
from polibias.stats.kappa import NO_VARIATION, disagreement_weights, kappa
from polibias.stats.resampling import Resampling, stream_seed

THRESHOLD = 1.0
SIDES = (-1.0, 0.0, 1.0)
PLACES = (0, 2, 6, 8, 1, 3, 5, 7, 4)
"""The cells of the 3 × 3 table with those first in which both name a side, and last the one in which neither does."""
NO_BOTH = "no pair in which both name a side"
NO_NAMED = "no pair names a side"
NO_DIRECTION = "no pair with a direction"

Floats = NDArray[np.float64]


def net_scores(scores: Floats, sides: Floats) -> Floats:
    """Each pair's net score: how much more its readings favour A than B.

    Parameters
    ----------
    scores, sides
        Pairs × orders × dimensions: the score, and the favoured side as 1 (A), -1 (B) or 0 (none). NaN where missing.

    Returns
    -------
    array
        The mean over orders of the sum over dimensions of score times side; NaN as soon as one entry is missing, since
        a pair is never averaged over fewer orders.

    Notes
    -----
    Source: the aggregated direction of the paper.
    """
    if not np.isin(sides[~np.isnan(sides)], SIDES).all():
        raise ValueError("a side is not 1 (A), -1 (B) or 0 (none)")
    net: Floats = (scores * sides).sum(axis=2).mean(axis=1)
    return net


def directions(net: Floats, threshold: float = THRESHOLD) -> Floats:
    """A (1) above the threshold, B (-1) below its negative, else none (0); NaN stays. Exactly the threshold is none."""
    return np.where(np.isnan(net), np.nan, np.sign(net) * (np.abs(net) > threshold))


def direction_agreement(
    first: Floats,
    second: Floats,
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    weights: Floats | None = None,
) -> dict[str, Estimate]:
    """How far two readers of the same pairs name the same sides.

    Parameters
    ----------
    first, second
        Directions of the same pairs as `directions` gives them; a pair without both is left out.
    clusters
        Each pair's cluster.
    resamples, seed, row
        Of the draws, which are the same for all three statistics.
    weights
        Design weights, 1 / inclusion probability, or None.

    Returns
    -------
    dict
        `kappa`: Cohen's, unweighted over A, B and none. `same_side`: the share naming the same side among the pairs in
        which both name one, with their number as n; not estimable without such a pair. `favouring_a_difference`: the
        first reader's share of A among its own named pairs minus the second's.
    """
    known = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    both = np.column_stack([first, second])[known]
    used = None if weights is None else weights[known]
    columns = _cells(both) if used is None else _cells(both) * used[:, None]
    codes, count = cluster_codes([clusters[place] for place in known.tolist()])
    unweighted = kappa(len(SIDES), disagreement_weights(SIDES, None))
    defined = {
        "kappa": Defined(
            lambda sums: unweighted(_table(sums).reshape(len(sums), -1)),
            NO_VARIATION if len(known) else NO_DIRECTION,
            "fisher",
        ),
        "same_side": Defined(_same_side, NO_BOTH, "logit", n=int((both != 0).all(axis=1).sum()), columns=slice(0, 4)),
        "favouring_a_difference": Defined(
            _difference, "one of the two never names a side", contrast=True, columns=slice(0, 8)
        ),
    }
    return _estimates(defined, columns, codes, count, used, Resampling(resamples, stream_seed(seed, row)))


def side_shares(
    found: Floats, clusters: Sequence[str], resamples: int, seed: int, row: str, weights: Floats | None = None
) -> dict[str, Estimate]:
    """How often one reader's directions favour A, and how often nobody.

    Parameters
    ----------
    found
        Directions as `directions` gives them; NaN is left out.
    clusters, resamples, seed, row, weights
        As in `direction_agreement`.

    Returns
    -------
    dict
        `favouring_a`: the share of A among the pairs that name a side, with their number as n; an even-handed reader
        of even-handed pairs is at one half. `neutral`: the share of pairs that name none. Not estimable without such
        pairs.
    """
    known = np.flatnonzero(~np.isnan(found))
    used = None if weights is None else weights[known]
    weight = np.ones(len(known)) if used is None else used
    columns = np.column_stack([(found[known] == side) * weight for side in (-1.0, 1.0, 0.0)])
    codes, count = cluster_codes([clusters[place] for place in known.tolist()])
    named = int((found[known] != 0).sum())
    defined = {
        "favouring_a": Defined(
            lambda sums: ratio(sums[:, 1], sums.sum(axis=1)), NO_NAMED, "logit", n=named, columns=slice(0, 2)
        ),
        "neutral": Defined(lambda sums: ratio(sums[:, 2], sums.sum(axis=1)), NO_DIRECTION, "logit"),
    }
    return _estimates(defined, columns, codes, count, used, Resampling(resamples, stream_seed(seed, row)))


def _estimates(
    defined: dict[str, Defined],
    columns: Floats,
    codes: NDArray[np.intp],
    clusters: int,
    weights: Floats | None,
    draws: Resampling,
) -> dict[str, Estimate]:
    kish = None if weights is None or not len(weights) else float(weights.sum() ** 2 / (weights**2).sum())
    return estimates(defined, cluster_sums(columns, codes, clusters), len(codes), draws, effective_n=kish)


def _cells(both: Floats) -> Floats:
    """Which cell of the 3 × 3 table each pair is in: pairs × 9, in the order of `PLACES`."""
    place = np.searchsorted(SIDES, both) @ np.array([len(SIDES), 1])
    cells: Floats = np.eye(len(SIDES) ** 2)[place][:, PLACES]
    return cells


def _table(sums: Sums) -> Floats:
    """The 3 × 3 table; cells that were left out are empty."""
    table = np.zeros((len(sums), len(PLACES)))
    table[:, PLACES[: sums.shape[1]]] = sums
    return table.reshape(len(sums), len(SIDES), len(SIDES))


def _same_side(sums: Sums) -> Floats:
    return ratio(sums[:, 0] + sums[:, 3], sums.sum(axis=1))


def _difference(sums: Sums) -> Floats:
    table = _table(sums)
    first, second = table.sum(axis=2), table.sum(axis=1)
    return ratio(first[:, 2], first[:, 0] + first[:, 2]) - ratio(second[:, 2], second[:, 0] + second[:, 2])
