"""Two sets of calls about the same units and dimensions: kappa of all scores and of each dimension, and ratios of sums.

A unit is a response pair. Its calls (such as the two orders of showing) and its dimensions are stacked inside it, so
that they never count as independent. Everything that is asked of the same units can come from one draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polibias.stats.agreement import side_by_side
from polibias.stats.bias_index import Sample, sample_estimates
from polibias.stats.clusters import Sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, Scale, Statistic, ratio
from polibias.stats.kappa import NO_PAIR, NO_VARIATION, Weights, disagreement_weights, kappa
from polibias.stats.ratings import Family, category_index
from polibias.stats.resampling import Resampling
from polibias.stats.stacked import kish

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """One column over another, both per unit; `undefined` says why there is none where the second sums to zero."""

    top: Floats
    bottom: Floats
    undefined: str
    scale: Scale = "plain"
    contrast: bool = False


def call_kappas(first: Floats, second: Floats, points: Sequence[float], missing: str = NO_PAIR) -> Family:
    """Quadratic kappa of two sets of calls, each units × calls × dimensions, call n of one beside call n of the other.

    `kappa` is that of one table of all calls and dimensions, `kappa:0` and so on that of one dimension. `points` is the
    whole scale. A score that is missing (NaN) in one of the two is left out with its partner. n counts units with a
    couple of scores; not estimable without one, which `missing` says, or if all scores of both fall in one point.
    Raises ValueError for a score that is no point of the scale.
    """
    x, y = (category_index(values, points) for values in (first, second))
    units, _, dimensions = x.shape
    size, both = len(points), (x >= 0) & (y >= 0)
    place = np.arange(units)[:, None, None] * dimensions + np.arange(dimensions)
    cells = ((place * size + x) * size + y)[both]
    columns = np.bincount(cells, minlength=units * dimensions * size**2).astype(np.float64)
    apart = disagreement_weights(np.asarray(points, dtype=np.float64), 2)
    parts = {"kappa": slice(0, dimensions * size**2)} | {
        f"kappa:{number}": slice(number * size**2, (number + 1) * size**2) for number in range(dimensions)
    }
    rated = {"kappa": both.any(axis=(1, 2))} | {f"kappa:{n}": both[:, :, n].any(axis=1) for n in range(dimensions)}
    statistics = {
        name: Defined(
            _of_tables(size, apart),
            NO_VARIATION if rated[name].any() else missing,
            "fisher",
            n=int(rated[name].sum()),
            columns=part,
        )
        for name, part in parts.items()
    }
    return Family(columns.reshape(units, dimensions * size**2), statistics)


def _of_tables(size: int, apart: Weights) -> Statistic:
    """Kappa of the sum of some K × K tables that lie side by side."""
    of_one = kappa(size, apart)
    return lambda sums: of_one(sums.reshape(len(sums), -1, size**2).sum(axis=1))


def ratios(parts: Mapping[str, Ratio]) -> Family:
    """The ratio of two sums by name; n counts the units that add something to the lower one."""
    statistics = {
        name: Defined(
            _quotient,
            one.undefined,
            one.scale,
            one.contrast,
            n=int((one.bottom != 0).sum()),
            columns=slice(2 * number, 2 * number + 2),
        )
        for number, (name, one) in enumerate(parts.items())
    }
    columns = [np.asarray(column, dtype=np.float64) for one in parts.values() for column in (one.top, one.bottom)]
    return Family(np.column_stack(columns), statistics)


def _quotient(sums: Sums) -> Floats:
    return ratio(sums[:, 0], sums[:, 1])


def unit_estimates(families: Sequence[Family], sample: Sample, draws: Resampling) -> dict[str, Estimate]:
    """Every statistic of these families, all from one set of draws; their columns are weighted as the sample says."""
    together = side_by_side(families)
    statistics = {
        name: one._replace(effective_n=_effective(together.columns[:, one.columns], sample))
        for name, one in together.statistics.items()
    }
    return sample_estimates(statistics, together.columns, sample, draws)


def _effective(columns: Floats, sample: Sample) -> float | None:
    """Kish's n of the units that say something."""
    return None if sample.weights is None else kish(sample.weights[(columns != 0).any(axis=1)])
