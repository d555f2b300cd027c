"""Contrasts: two conditions or two judges on the same items, and one contrast clustered in two ways.

Both sides of a paired contrast are read from the same items, and all its intervals come from one draw. Two
intervals that were made apart are never subtracted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.bias_index import NO_BLOCK, SIMPLE, SampleDesign, bias_index, drawn, mean_of, sample_estimates
from polibias.stats.clusters import Sums
from polibias.stats.estimate import Estimate, Interval
from polibias.stats.intervals import Defined, Statistic, ratio
from polibias.stats.resampling import Resampling, stream_seed

NO_COMMON = "no item has a score on both sides"


class Paired(NamedTuple):
    """Two means over the items that both sides scored, their difference, and how many items only one side scored."""

    first: Estimate
    second: Estimate
    difference: Estimate
    only_first: int
    only_second: int


class Ways(NamedTuple):
    """One value clustered in several ways, and the way whose interval is wider; "" if no way has an interval."""

    ways: dict[str, Estimate]
    wider: str

    @property
    def primary(self) -> Estimate:
        """The wider way's estimate, the others' intervals beside it."""
        first = self.wider or next(iter(self.ways))
        others = [
            Interval(f"by {name}: {other.method}", other.low, other.high, other.reason)
            for name, other in self.ways.items()
            if name != first
        ]
        kept = self.ways[first]
        return replace(kept, method=f"by {first}: {kept.method}", beside=(*kept.beside, *others))


def paired(
    first: Mapping[str, float],
    second: Mapping[str, float],
    clusters: Mapping[str, str],
    resamples: int,
    seed: int,
    row: str,
    weights: Mapping[str, float] | None = None,
    certain: Collection[str] = (),
) -> Paired:
    """First minus second over the items with a score on both sides, each item named once; n counts these items.

    For the difference of two differences see `gaps`. Raises ValueError for a common item without a cluster.
    """
    items = sorted(first.keys() & second.keys())
    a, b = (np.array([side[item] for item in items], dtype=np.float64) for side in (first, second))
    sample = drawn(
        [clusters.get(item, "") for item in items],
        None if weights is None else [weights[item] for item in items],
        [item in certain for item in items],
    )
    columns = np.column_stack([a, b, a - b, np.ones(len(items))])
    defined = {name: Defined(mean_of(place, 3), NO_COMMON) for place, name in enumerate(("first", "second"))}
    defined["difference"] = Defined(mean_of(2, 3), NO_COMMON, contrast=True)
    found = sample_estimates(defined, columns, sample, Resampling(resamples, stream_seed(seed, row)))
    return Paired(**found, only_first=len(first) - len(items), only_second=len(second) - len(items))


def gaps(
    values: Mapping[str, Mapping[str, float]],
    main: Collection[str],
    clusters: Mapping[str, str],
    resamples: int,
    seed: int,
    row: str,
    weights: Mapping[str, float] | None = None,
    within_blocks: bool = False,
) -> dict[str, Estimate]:
    """Main minus Controls of several values of the same items, by the values' names, all from one draw of clusters.

    Every value has the same items, of which `main` names those of Main; `within_blocks` draws the clusters of each
    block alone. Each estimate is what `bias_index` gives for its value. The contrast of two contrasts, such as Main −
    Controls in two conditions, is the gap of the items' own differences. Raises KeyError if a value misses an item.
    """
    items = sorted(next(iter(values.values())))
    inside = np.array([item in main for item in items], dtype=bool)
    weighing = None if weights is None else [weights[item] for item in items]
    sample = drawn(
        [clusters[item] for item in items], weighing, None, inside.astype(np.intp) if within_blocks else None
    )
    told = [[one[item] for item in items] for one in values.values()]
    columns = np.column_stack([*np.array(told, dtype=np.float64).reshape(len(values), -1), np.ones(len(items))])
    kish = [sample.among(chosen).effective_n for chosen in (inside, ~inside)]
    known = [one for one in kish if one is not None]
    about = Defined(_gap(0, 0), NO_BLOCK, contrast=True, effective_n=sum(known) if known else None)
    defined = {name: about._replace(statistic=_gap(place, len(values))) for place, name in enumerate(values)}
    both = np.column_stack([columns * inside[:, None], columns * ~inside[:, None]])
    return sample_estimates(defined, both, sample, Resampling(resamples, stream_seed(seed, row)))


def _gap(place: int, count: int) -> Statistic:
    """The mean of a column over Main minus its mean over Controls; columns as `gaps` puts them."""

    def statistic(sums: Sums) -> NDArray[np.float64]:
        control = count + 1 + place
        return ratio(sums[:, place], sums[:, count]) - ratio(sums[:, control], sums[:, 2 * count + 1])

    return statistic


def both_ways(
    scores: Sequence[float],
    main: Sequence[bool],
    templates: Sequence[str],
    topics: Sequence[str],
    resamples: int,
    seed: int,
    row: str,
    design: SampleDesign = SIMPLE,
) -> dict[str, Ways]:
    """The index by template, drawn across blocks, and by topic, drawn within each block, because a topic lies in one.

    Each way is what `bias_index` gives for it under the same row.
    """
    found = {
        "template": bias_index(scores, main, templates, resamples, seed, row, design._replace(within_blocks=False)),
        "topic": bias_index(scores, main, topics, resamples, seed, row, design._replace(within_blocks=True)),
    }
    return {
        name: wider({way: estimates[name] for way, estimates in found.items()})
        for name in ("main", "control", "difference")
    }


def wider(ways: Mapping[str, Estimate]) -> Ways:
    """Mark the widest interval; a way without one is passed over, and of equal widths the first is taken.

    Raises ValueError if the ways do not estimate the same value.
    """
    values = {name: estimate.value for name, estimate in ways.items()}
    known = [value for value in values.values() if value is not None]
    if len(known) not in (0, len(values)) or (known and not np.allclose(known, known[0], rtol=1e-9, atol=1e-9)):
        raise ValueError(f"these are not one statistic clustered in different ways: {values}")
    widths = {
        name: estimate.high - estimate.low
        for name, estimate in ways.items()
        if estimate.low is not None and estimate.high is not None
    }
    return Ways(dict(ways), max(widths, key=widths.__getitem__, default=""))
