"""Agreement between raters: every coefficient of a table of ratings, with its intervals, from one set of draws.

Categories always come from the scale, never from the data: an unused category must not change a weight.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from polibias.stats.alpha import alphas
from polibias.stats.chance import chance_corrected
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.icc import f_intervals, icc
from polibias.stats.intervals import Defined, estimates
from polibias.stats.kappa import kappas
from polibias.stats.ratings import Family, Ratings
from polibias.stats.resampling import Resampling, stream_seed

FAMILIES: tuple[Callable[[Ratings], Family], ...] = (kappas, alphas, chance_corrected, icc)


def agreement(
    ratings: Ratings,
    resamples: int,
    seed: int,
    families: Sequence[Callable[[Ratings], Family]] = FAMILIES,
    name: str = "agreement",
) -> dict[str, Estimate]:
    """Every coefficient of these families by its name, all from the stream of draws called `name`.

    Raises ValueError for a value that is no category: such a rating is never dropped or rounded.
    """
    together = side_by_side([family(ratings) for family in families])
    codes, count = cluster_codes(ratings.clusters)
    sums = cluster_sums(together.columns, codes, count)
    draws = Resampling(resamples, stream_seed(seed, name))
    found = estimates(together.statistics, sums, len(codes), draws)
    further = f_intervals(ratings) if icc in families else {}
    return found | {name: replace(found[name], beside=(*found[name].beside, further[name])) for name in further}


def side_by_side(families: Sequence[Family]) -> Family:
    """Several families of the same units as one, each statistic on its own family's columns."""
    found: dict[str, Defined] = {}
    start = 0
    for family in families:
        end = start + family.columns.shape[1]
        found |= {name: _shifted(defined, start, end) for name, defined in family.statistics.items()}
        start = end
    return Family(np.hstack([family.columns for family in families]), found)


def _shifted(defined: Defined, start: int, end: int) -> Defined:
    """The statistic where its family's columns lie from `start` to `end`."""
    first, last, _ = defined.columns.indices(end - start)
    return defined._replace(columns=slice(start + first, start + last))
