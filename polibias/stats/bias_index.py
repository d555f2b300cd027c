"""The Political Bias Index: mean pair score, by block, and the difference between blocks.

A mean over resampled templates is a ratio of sums, not a mean of template means, and both blocks of a
difference come from the same draw of templates. Source: paper section 3.3.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.resampling import estimate, ratio, stream_seed


def mean_score(scores: Sequence[float], clusters: Sequence[str], resamples: int, seed: int, row: str) -> Estimate:
    """Mean of pair scores with an interval over clusters. `row` names the table row whose draws these are."""
    codes, count = cluster_codes(clusters)
    values = np.asarray(scores, dtype=np.float64)
    sums = cluster_sums(np.column_stack([values, np.ones_like(values)]), codes, count)
    return estimate(_mean, sums, len(values), resamples, stream_seed(seed, row), "no scored pair")


def _mean(sums: Sums) -> NDArray[np.float64]:
    return ratio(sums[:, 0], sums[:, 1])


def difference(
    scores: Sequence[float],
    main: Sequence[bool],
    clusters: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
) -> Estimate:
    """Mean score where `main` holds minus the mean elsewhere, both from one draw of clusters."""
    codes, count = cluster_codes(clusters)
    values, inside = np.asarray(scores, dtype=np.float64), np.asarray(main, dtype=np.float64)
    columns = np.column_stack([values * inside, inside, values * (1 - inside), 1 - inside])
    sums = cluster_sums(columns, codes, count)
    undefined = "one of the two blocks has no scored pair"
    return estimate(_difference, sums, len(values), resamples, stream_seed(seed, row), undefined)


def _difference(sums: Sums) -> NDArray[np.float64]:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])
