"""The Political Bias Index: mean pair score, by block, and the difference between blocks.

A mean over resampled templates is a ratio of sums, not a mean of template means, and both blocks of a
difference come from the same draw of templates. Source: paper section 3.3.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, estimates, ratio
from polibias.stats.resampling import Resampling, stream_seed

NO_PAIR = "no scored pair"


def bias_index(
    scores: Sequence[float], main: Sequence[bool], clusters: Sequence[str], resamples: int, seed: int, row: str
) -> dict[str, Estimate]:
    """Mean score where `main` holds, mean elsewhere (control), and main minus control, from one draw of clusters.

    `row` names the table row whose stream of draws this is. Each estimate counts the pairs and clusters that it
    rests on: an interval of one block needs 10 clusters of that block.
    """
    values, inside = np.asarray(scores, dtype=np.float64), np.asarray(main, dtype=bool)
    names = np.asarray(clusters, dtype=object)
    draws = Resampling(resamples, stream_seed(seed, row))
    found = {
        name: _mean(values[chosen], names[chosen].tolist(), draws)
        for name, chosen in (("main", inside), ("control", ~inside))
    }
    columns = np.column_stack([values * inside, inside, values * ~inside, ~inside])
    codes, count = cluster_codes(clusters)
    defined = {"difference": Defined(_difference, "one of the two blocks has no scored pair", contrast=True)}
    return found | estimates(defined, cluster_sums(columns, codes, count), len(values), draws)


def _mean(values: NDArray[np.float64], clusters: list[str], draws: Resampling) -> Estimate:
    codes, count = cluster_codes(clusters)
    sums = cluster_sums(np.column_stack([values, np.ones_like(values)]), codes, count)
    return estimates({"mean": Defined(_ratio, NO_PAIR)}, sums, len(values), draws)["mean"]


def _ratio(sums: Sums) -> NDArray[np.float64]:
    return ratio(sums[:, 0], sums[:, 1])


def _difference(sums: Sums) -> NDArray[np.float64]:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])
