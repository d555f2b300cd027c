"""The part of the labels that one comparison is about, with what its statistics need: clusters, weights and draws."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.labelled import Calls, Floats, Labelled
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.errors import InputError
from polibias.stats.ratings import Ratings, category_index

Missing = Literal["pairwise", "listwise"]
ALL = "all annotators"
"""The key of a row about all annotators."""
ANNOTATORS = "annotators"
"""The key of a row about annotators among themselves, in place of a judge."""


class Pairs(NamedTuple):
    """The pairs as models answered them, in the order of their names: clusters, weights, and places of their units.

    `places` is pairs × dimensions, −1 for a unit that is not there.
    """

    clusters: list[str]
    weights: Floats | None
    places: NDArray[np.intp]

    def spread(self, values: Floats) -> Floats:
        """Units × columns as pairs × dimensions × columns, NaN for a unit that is not there."""
        if not len(values):
            return np.full((*self.places.shape, values.shape[1]), np.nan)
        return np.where((self.places >= 0)[:, :, None], values[self.places], np.nan)


class LabelTable(NamedTuple):
    """The units of a comparison, all of them or those of `dimension` alone, after its rules for what is missing.

    `clusters` are the units' own, `weights` one over the probability of the draw, or None for equal weights.
    """

    labelled: Labelled
    comparison: str
    dimension: str
    judges: tuple[str, ...]
    rules: AnalysisRules
    missing: Missing
    clusters: list[str]
    weights: Floats | None
    check: bool

    @property
    def order(self) -> list[int]:
        """The raters' columns in the order of their names, so that no row depends on who is listed first."""
        raters = self.labelled.raters
        return sorted(range(len(raters)), key=raters.__getitem__)

    @property
    def names(self) -> list[str]:
        return sorted(self.labelled.raters)

    @property
    def ratings(self) -> Ratings:
        """The annotators' labels as statistics take them, in the order of their names."""
        return self.of(self.labelled.scores[:, self.order])

    def of(self, values: Floats) -> Ratings:
        """Ratings of the units by other raters."""
        return Ratings(values, self.labelled.points, self.clusters, self.weights)

    def calls(self, judge: str) -> Calls:
        return self.labelled.judges[judge]

    def draws(self, *about: str) -> tuple[int, int, str]:
        """Resamples, seed and name of a row's own draws: adding a comparison, a judge or a rater changes no other's."""
        name = "\n".join((self.comparison, self.dimension, *about))
        return self.rules.resamples, self.rules.seed, name

    def keys(self, **about: str) -> dict[str, str]:
        """What a row is about; the dimension stands in it where each has its own."""
        return about | ({"dimension": self.dimension} if self.dimension else {})

    def together(self, values: Floats) -> Floats:
        """Values of rows × raters; listwise, only the rows that every rater has."""
        if self.missing == "pairwise":
            return values
        return np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)

    def pairs(self) -> Pairs:
        units = self.labelled.units
        found = {key: row for row, key in enumerate(sorted({(unit.pair, unit.model) for unit in units}))}
        columns = {dimension: column for column, dimension in enumerate(self.labelled.dimensions)}
        places = np.full((len(found), len(columns)), -1, dtype=np.intp)
        first = np.zeros(len(found), dtype=np.intp)
        for place, unit in enumerate(units):
            row = found[unit.pair, unit.model]
            places[row, columns[unit.dimension]] = first[row] = place
        weights = None if self.weights is None else self.weights[first]
        return Pairs([self.clusters[place] for place in first.tolist()], weights, places)


def label_tables(
    labelled: Labelled,
    comparison: Comparison,
    rules: AnalysisRules,
    judges: Sequence[str],
    missing: Missing = "pairwise",
    check: bool = False,
) -> Iterator[LabelTable]:
    """The comparison's units in one table, or in one for each dimension.

    Raises InputError for a judge without calls, a value off the scale, a unit without a cluster, or a probability that
    is none.
    """
    named = tuple(dict.fromkeys(comparison.judges or judges))
    for judge in named:
        if judge not in labelled.judges:
            raise InputError(
                f"comparison {comparison.id}: no calls of judge '{judge}'; there are {', '.join(labelled.judges)}"
            )
    kept = _of_strata(labelled, comparison.strata)
    _on_scale(kept, named, comparison.id)
    for dimension in labelled.dimensions if comparison.by == "dimension" else ("",):
        part = _of_dimension(kept, dimension)
        clusters = [_cluster(getattr(unit, rules.cluster), unit.pair, rules.cluster) for unit in part.units]
        weights = _weights(part) if rules.sampling_weights else None
        found = LabelTable(part, comparison.id, dimension, named, rules, missing, clusters, weights, check)
        yield found._replace(labelled=_listwise(part) if missing == "listwise" else part)


def _of_strata(labelled: Labelled, strata: Sequence[str]) -> Labelled:
    if not strata:
        return labelled
    return labelled.among(np.array([unit.stratum in strata for unit in labelled.units], dtype=np.bool_))


def _of_dimension(labelled: Labelled, dimension: str) -> Labelled:
    if not dimension:
        return labelled
    chosen = np.array([unit.dimension == dimension for unit in labelled.units], dtype=np.bool_)
    return labelled.among(chosen)._replace(dimensions=(dimension,))


def _listwise(labelled: Labelled) -> Labelled:
    """A unit's labels count only if every rater gave it."""
    lost = np.isnan(labelled.scores).any(axis=1, keepdims=True)
    scores, sides = (np.where(lost, np.nan, values) for values in (labelled.scores, labelled.sides))
    return labelled._replace(scores=scores, sides=sides)


def _on_scale(labelled: Labelled, judges: Sequence[str], comparison: str) -> None:
    try:
        for values in (labelled.scores, *(labelled.judges[judge].scores for judge in judges)):
            category_index(values, labelled.points)
    except ValueError as problem:
        raise InputError(f"comparison {comparison}: {problem}") from None


def _cluster(name: str, pair: str, rule: str) -> str:
    if not name:
        raise InputError(f"pair {pair} has no {rule} to be clustered by; choose another cluster in the plan's analysis")
    return name


def _weights(labelled: Labelled) -> Floats:
    """One over the probability of each unit's draw."""
    inclusion = np.array([unit.inclusion for unit in labelled.units], dtype=np.float64)
    for unit in labelled.units:
        if not 0 < unit.inclusion <= 1:
            raise InputError(f"pair {unit.pair} was drawn with probability {unit.inclusion:g}; it has no weight")
    return 1 / inclusion
