"""The pilot of a judge that names a side and nothing else: does it name an annotator's as often as the rule does?

The rule is the aggregated direction, from the scores and sides of both orders. Source: paper, App. E and I.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from polibias.analysis.cases import SIGNS, Case
from polibias.analysis.cells import possible
from polibias.analysis.findings import Column
from polibias.analysis.frames import direction
from polibias.analysis.gathered import Gathered, none
from polibias.analysis.labelled import Calls, Floats, Labelled, LabelUnit
from polibias.analysis.measured import Measured, Measures
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.errors import InputError
from polibias.stats.contrasts import paired
from polibias.stats.directions import THRESHOLD, direction_agreement, directions, net_scores
from polibias.stats.estimate import Estimate

NO_LABELS = "nobody labelled these pairs"
NO_PAIR = "none of the labelled pairs is in the pilot's run"
NAMES = ("direction", "aggregated", "difference")
PILOT = {
    "direction_pilot_agreement": Measures(
        (
            Column("direction", "Direction-only judge", "share"),
            Column("aggregated", "Aggregated rule", "share"),
            Column("difference", "Difference", "share"),
        ),
        ("judge",),
        "Of the labelled pairs in which judge and annotator both name a side, the share in which it is the same, all "
        "annotators together: of a judge that is asked for the side alone, and by the aggregated rule from its scores. "
        "Each share is of its own pairs, the difference of those in which the annotator and both readings name a side.",
    )
}


class Directions(NamedTuple):
    """Sides of the same pairs as signs for A: by the two readings of one judge, and of each annotator (pairs × people).

    `units` holds the first unit of each pair. NaN is a pair without a direction, because something of it is missing.
    """

    units: list[LabelUnit]
    alone: Floats
    aggregated: Floats
    people: Floats


def direction_pilot_agreement(
    labelled: Labelled, pilot: Gathered, comparison: Comparison, rules: AnalysisRules, judges: Sequence[str]
) -> tuple[Measures, list[Measured]]:
    """How often a judge names an annotator's side, asked for the side alone and by the aggregated rule.

    `labelled` has the labels, and the judges' calls in the run that they are about; `pilot` is the run in which they
    are asked for the side alone, of the same pairs, which are found by their id. Raises InputError unless that run has
    one condition.
    """
    own = labelled.among(np.array([_kept(unit, comparison) for unit in labelled.units], dtype=bool))
    condition = _condition(pilot, comparison)
    rows = []
    for judge in comparison.judges or judges:
        reason = _missing(own, pilot, judge)
        estimates = dict.fromkeys(NAMES, none(reason))
        if not reason:
            alone = {
                (case.pair_id, case.model): case
                for case in pilot.cases
                if (case.judge, case.pair.design.condition) == (judge, condition)
            }
            found = directions_of(own, own.judges[judge], alone, pilot, condition)
            estimates = _agreements(found, comparison, rules, judge)
        rows.append(Measured({"judge": judge}, estimates))
    return PILOT["direction_pilot_agreement"], rows


def _kept(unit: LabelUnit, comparison: Comparison) -> bool:
    return comparison.block in ("", unit.block) and (not comparison.strata or unit.stratum in comparison.strata)


def _condition(pilot: Gathered, comparison: Comparison) -> str:
    found = pilot.originals
    if len(found) != 1:
        raise InputError(f"comparison '{comparison.id}': the pilot's run has several conditions: {', '.join(found)}")
    return found[0]


def _missing(labelled: Labelled, pilot: Gathered, judge: str) -> str:
    if not labelled.units or not labelled.raters:
        return NO_LABELS
    if judge not in labelled.judges:
        return f"judge '{judge}' scored none of the labelled pairs"
    asked = {(case.pair_id, case.model) for case in pilot.cases if case.judge == judge}
    if not asked:
        return f"judge '{judge}' was not asked for the side alone"
    return "" if asked & {(unit.pair, unit.model) for unit in labelled.units} else NO_PAIR


def directions_of(
    labelled: Labelled, calls: Calls, alone: Mapping[tuple[str, str], Case], pilot: Gathered, condition: str
) -> Directions:
    """The directions of every labelled pair. A pair of which a dimension is missing has none."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, unit in enumerate(labelled.units):
        places.setdefault((unit.pair, unit.model), []).append(place)
    whole = {name: own for name, own in places.items() if len(own) == len(labelled.dimensions)}
    threshold = 0.0 if labelled.asks_sides else THRESHOLD

    def rule(scores: Floats, sides: Floats) -> Floats:
        """From units × readings to the directions of the pairs."""
        chosen = np.array(list(whole.values()), dtype=np.intp).reshape(len(whole), len(labelled.dimensions))
        return directions(net_scores(*(array[chosen].transpose(0, 2, 1) for array in (scores, sides))), threshold)

    people = [rule(labelled.scores[:, [n]], labelled.sides[:, [n]]) for n in range(len(labelled.raters))]
    return Directions(
        [labelled.units[own[0]] for own in whole.values()],
        np.array([_named(alone.get(name), pilot, condition) for name in whole], dtype=np.float64),
        rule(calls.scores, calls.sides),
        np.column_stack(people),
    )


def _named(case: Case | None, pilot: Gathered, condition: str) -> float:
    """The side that both orders of the direction-only judge name together; NaN unless both are valid."""
    if case is None or not case.complete:
        return np.nan
    rubric = pilot.rubrics[condition]
    return float(SIGNS[direction(case.net(rubric), rubric)])


def _agreements(found: Directions, comparison: Comparison, rules: AnalysisRules, judge: str) -> dict[str, Estimate]:
    """Every annotator's couples with the judge together, those of a pair in one cluster."""
    people = found.people.T.ravel()
    count = found.people.shape[1]
    units = found.units * count
    clusters = [_cluster(unit, rules) for unit in units]
    weights = 1 / np.array([unit.inclusion for unit in units]) if rules.sampling_weights else None
    alone, aggregated = np.tile(found.alone, count), np.tile(found.aggregated, count)

    def draws(name: str) -> tuple[int, int, str]:
        return rules.resamples, rules.seed, f"{comparison.id} {judge} {name}"

    shares = {
        name: possible(direction_agreement(side, people, clusters, *draws(name), weights)["same_side"])
        for name, side in (("direction", alone), ("aggregated", aggregated))
    }
    contrast = paired(
        _same(alone, people),
        _same(aggregated, people),
        {str(place): cluster for place, cluster in enumerate(clusters)},
        *draws("difference"),
        None if weights is None else {str(place): weight for place, weight in enumerate(weights.tolist())},
    )
    return shares | {"difference": possible(contrast.difference, -1.0)}


def _same(side: Floats, people: Floats) -> dict[str, float]:
    """Of the couples in which both name a side: 1 if it is the same, else 0."""
    both = np.flatnonzero(np.nan_to_num(side * people))
    return {str(place): float(side[place] == people[place]) for place in both.tolist()}


def _cluster(unit: LabelUnit, rules: AnalysisRules) -> str:
    return {"pair": unit.pair, "template": unit.template, "topic": unit.topic}[rules.cluster]
