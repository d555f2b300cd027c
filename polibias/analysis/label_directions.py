"""Which side pairs favour: the judge's aggregated direction beside the annotators', and theirs beside each other.

The judge's direction is made from both orders, an annotator's from the one set of labels. Source: paper, App. I.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.crosscheck import Check
from polibias.analysis.label_checks import Rows, checks, rows_of, sklearn_kappa, stacked
from polibias.analysis.label_table import ALL, ANNOTATORS, LabelTable, Pairs
from polibias.analysis.labelled import Floats
from polibias.analysis.measured import Measured
from polibias.stats.agreement import agreement
from polibias.stats.directions import NO_DIRECTION, SIDES, THRESHOLD, direction_agreement, directions, net_scores
from polibias.stats.estimate import Estimate
from polibias.stats.icc import FEW_RATERS
from polibias.stats.kappa import NO_PAIR, kappas
from polibias.stats.ratings import Ratings
from polibias.stats.stacked import kish

NO_ORDER = "annotators among themselves have no first and second; see each couple"
MEASURES = ("kappa", "same_side", "favouring_a_difference")

Couple = tuple[Floats, Floats]


class _Directions(NamedTuple):
    """The pairs, and each annotator's direction of them (pairs × annotators)."""

    table: LabelTable
    pairs: Pairs
    people: Floats

    def agreed(self, couples: list[Couple], *about: str) -> dict[str, Estimate]:
        """Agreement of couples of readers, stacked inside the pair; n counts pairs, not readings."""
        first, second = (np.concatenate([np.zeros(0), *(one[place] for one in couples)]) for place in (0, 1))
        weights = None if self.pairs.weights is None else np.tile(self.pairs.weights, len(couples))
        found = direction_agreement(
            first, second, self.pairs.clusters * len(couples), *self.table.draws(*about), weights
        )
        told = _any([~np.isnan(x) & ~np.isnan(y) for x, y in couples], len(self.people))
        named = _any([(np.abs(x) == 1) & (np.abs(y) == 1) for x, y in couples], len(self.people))
        return {name: self._counted(one, named if name == "same_side" else told) for name, one in found.items()}

    def _counted(self, estimate: Estimate, counted: NDArray[np.bool_]) -> Estimate:
        effective = None if self.pairs.weights is None else kish(self.pairs.weights[counted])
        return replace(estimate, n=int(counted.sum()), effective_n=effective)

    def row(self, judge: str, raters: str, estimates: Mapping[str, Estimate], rows: Sequence[Rows]) -> Measured:
        """`rows` are what another library computes kappa from: the mean over them."""
        found: tuple[Check, ...] = ()
        if self.table.check:
            found = checks("sklearn", estimates, lambda: [("kappa", sklearn_kappa(rows, SIDES, None), "kappa")])
        return Measured(self.table.keys(judge=judge, raters=raters), estimates, found)

    def written(self, couples: list[Couple]) -> list[Rows]:
        return [rows_of(first, second, self.pairs.weights) for first, second in couples]


def direction_rows(table: LabelTable) -> list[Measured]:
    """A row for each judge with each annotator and with all, for each couple of annotators and for all couples."""
    pairs = table.pairs()
    scores, sides = pairs.spread(table.labelled.scores), pairs.spread(table.labelled.sides)
    people = [_direction(table, scores[:, :, [place]], sides[:, :, [place]]) for place in table.order]
    columns = np.column_stack(people) if people else np.zeros((len(pairs.clusters), 0))
    found = _Directions(table, pairs, table.together(columns))
    return [*(row for judge in table.judges for row in _judge_rows(found, judge)), *_annotator_rows(found)]


def _direction(table: LabelTable, scores: Floats, sides: Floats) -> Floats:
    """Each pair's direction from scores and sides as pairs × dimensions × orders."""
    threshold = 0.0 if table.labelled.asks_sides else THRESHOLD
    return directions(net_scores(scores.transpose(0, 2, 1), sides.transpose(0, 2, 1)), threshold)


def _judge_rows(found: _Directions, judge: str) -> Iterator[Measured]:
    calls = found.table.calls(judge)
    own = _direction(found.table, found.pairs.spread(calls.scores), found.pairs.spread(calls.sides))
    couples = [(own, person) for person in found.people.T]
    for name, couple in zip(found.table.names, couples, strict=True):
        yield found.row(judge, name, found.agreed([couple], judge, name), found.written([couple]))
    yield found.row(judge, ALL, found.agreed(couples, judge, ALL), stacked(found.written(couples)))


def _annotator_rows(found: _Directions) -> Iterator[Measured]:
    couples = list(combinations(found.people.T, 2))
    for names, couple in zip(combinations(found.table.names, 2), couples, strict=True):
        if (~np.isnan(couple[0]) & ~np.isnan(couple[1])).any():
            name = " – ".join(names)
            yield found.row(ANNOTATORS, name, found.agreed([couple], ANNOTATORS, name), found.written([couple]))
    yield found.row(ANNOTATORS, ALL, _among(found, couples), found.written(couples))


def _among(found: _Directions, couples: list[Couple]) -> dict[str, Estimate]:
    """All couples of annotators: kappa is the mean over couples, the shares are of all couples' pairs together."""
    if not couples:
        return {name: Estimate(None, 0, 0, "", reason=FEW_RATERS) for name in MEASURES}
    estimates = found.agreed(couples, ANNOTATORS, ALL)
    if len(couples) == 1:
        return estimates
    resamples, seed, name = found.table.draws(ANNOTATORS, ALL)
    ratings = Ratings(found.people, SIDES, found.pairs.clusters, found.pairs.weights)
    mean = agreement(ratings, resamples, seed, (kappas,), name)["kappa"]
    reason = NO_DIRECTION if mean.reason == NO_PAIR else mean.reason
    kappa = replace(mean, reason=reason, effective_n=estimates["kappa"].effective_n)
    difference = estimates["favouring_a_difference"]
    none = Estimate(None, difference.n, difference.clusters, "", reason=NO_ORDER, effective_n=difference.effective_n)
    return estimates | {"kappa": kappa, "favouring_a_difference": none}


def _any(chosen: list[NDArray[np.bool_]], rows: int) -> NDArray[np.bool_]:
    return np.asarray(np.array(chosen, dtype=np.bool_).reshape(len(chosen), rows).any(axis=0), dtype=np.bool_)
