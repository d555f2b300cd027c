"""From the records of a run to labels beside judges' scores: which labels count, by the rules of the plan."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from polibias.analysis.asked import rubrics_of
from polibias.analysis.cases import SIGNS, Case
from polibias.analysis.labelled import Calls, Labelled, LabelUnit
from polibias.domain.plan import LabelRules, Plan
from polibias.domain.rows import Annotation, PromptPair, Score
from polibias.domain.rubric import Rubric
from polibias.domain.sample import Sample, SampledPair
from polibias.domain.sides import ORDERS, Order
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.ledger import Entry, read
from polibias.records.runs import STUDY_TAG, Run

Name = tuple[str, str]
"""A pair and the model that answered it."""
LEFT_OUT = {
    "unnamed": "by annotators whom the plan does not name",
    "skipped": "skipped",
    "unsure": "unsure",
    "withdrawn": "withdrawn",
    "flags": "reported for a reason that the plan excludes",
    "self_naming": "of items whose responses name their own model",
    "failed_checks": "by annotators who failed too many instructed responses",
    "least_seconds": "of items that were in sight for too short",
}


class Labels(NamedTuple):
    """An annotator's scores of a pair, by annotator and pair; why others were left out, and how often.

    `done` counts the showings that somebody is done with, whatever came of them.
    """

    scores: dict[str, dict[Name, dict[str, Score]]]
    left_out: dict[str, int]
    done: int
    first_at: str
    last_at: str


def read_annotations(
    run: Run, project: str, wanted: Collection[str], rows: int | None = None
) -> list[Entry[Annotation]]:
    """The newest state of every first showing of these pairs that a project's annotators had.

    `rows` are how many rows count from the beginning, None for all of them.
    """
    latest = {entry.key: entry for entry in islice(read(run.annotations(project)), rows)}
    return [one for one in latest.values() if one.row.showing == "first" and one.row.pair in wanted]


def labels_by(entries: Sequence[Entry[Annotation]], rules: LabelRules, names: Sequence[str]) -> Labels:
    """The labels that count. `names` are the annotators that the plan names, none for all.

    Raises InputError for a named annotator of whom there is nothing.
    """
    known = sorted({entry.row.annotator for entry in entries})
    for name in names:
        if name not in known:
            raise InputError(f"the plan names the annotator '{name}', of whom there is no label; there are {known}")
    failed = Counter(entry.row.annotator for entry in entries if entry.row.check == "failed")
    scores: dict[str, dict[Name, dict[str, Score]]] = {name: {} for name in names or known}
    left_out: Counter[str] = Counter()
    for entry in entries:
        reason = _reason(entry, rules, names, failed)
        if reason:
            left_out[reason] += 1
        else:
            scores[entry.row.annotator][entry.row.pair, entry.row.model] = entry.row.scores
    times = sorted(entry.seen.at for entry in entries if entry.row.status != "withdrawn")
    done = sum(entry.row.status != "withdrawn" and entry.row.annotator in scores for entry in entries)
    return Labels(scores, dict(left_out), done, times[0] if times else "", times[-1] if times else "")


def _reason(entry: Entry[Annotation], rules: LabelRules, names: Sequence[str], failed: Mapping[str, int]) -> str:
    """Why a label does not count, '' if it does."""
    row, active = entry.row, entry.seen.active
    if names and row.annotator not in names:
        return "unnamed"
    if row.status != "submitted":
        return row.status
    if any(flag.reason in rules.flags for flag in row.flags):
        return "flags"
    if rules.self_naming and row.names_itself:
        return "self_naming"
    if rules.failed_checks is not None and failed[row.annotator] > rules.failed_checks:
        return "failed_checks"
    return "least_seconds" if active is not None and active < rules.least_seconds else ""


class Drawn(NamedTuple):
    """A sample's pairs with what was asked about them: the rubric of their condition, and each pair as it was built."""

    rubric: Rubric
    pairs: dict[str, PromptPair]
    sample: Sample

    def names(self, wanted: Collection[str] | None = None) -> list[SampledPair]:
        """The sampled pairs in the sample's order, all or those of these ids."""
        return [one for one in self.sample.pairs if wanted is None or one.pair in wanted]


def drawn_from(run: Run, sample: Sample) -> Drawn:
    """What the run says of a sample's pairs."""
    about = read_named(run.study, STUDY_TAG)
    wanted = {one.pair for one in sample.pairs}
    pairs = {entry.id: entry.row for entry in read(run.pairs()) if entry.id in wanted}
    if lost := wanted - pairs.keys():
        raise InputError(
            f"{run.folder}: {len(lost)} pairs of the sample are not in this run; use the run it was drawn from"
        )
    return Drawn(rubrics_of(about)[sample.condition], pairs, sample)


def units_of(drawn: Drawn, sampled: Sequence[SampledPair]) -> tuple[LabelUnit, ...]:
    """A unit for each dimension of each sampled pair."""
    found = []
    for one in sampled:
        design = drawn.pairs[one.pair].design
        where = (one.stratum, design.block, design.template, design.topic, one.inclusion)
        found += [LabelUnit(one.pair, one.model, name, *where) for name in drawn.rubric.dimension_ids]
    return tuple(found)


def calls_of(run: Run, judge: str, sampled: Sequence[SampledPair], rubric: Rubric) -> Calls:
    """One judge's calls on the sampled pairs; the latest call of an order counts."""
    wanted = {(one.pair, one.model) for one in sampled}
    found: dict[tuple[str, str, Order], dict[str, Score]] = {}
    for entry in read(run.judgments(judge)):
        row = entry.row
        if (row.pair, row.model) in wanted:
            found[row.pair, row.model, row.order] = row.verdict.scores if row.verdict else {}
    empty: dict[str, Score] = {}
    return Calls(*_matrices([[found.get((*_name(one), order), empty) for order in ORDERS] for one in sampled], rubric))


def calls_in(cases: Sequence[Case], rubric: Rubric) -> Calls:
    """The calls of a judge on these cases, in their order."""
    empty: dict[str, Score] = {}
    scores = [{order: verdict.scores for order, verdict in case.verdicts.items()} for case in cases]
    return Calls(*_matrices([[own.get(order, empty) for order in ORDERS] for own in scores], rubric))


def _name(one: SampledPair) -> Name:
    return one.pair, one.model


def _matrices(rows: Sequence[Sequence[Mapping[str, Score]]], rubric: Rubric) -> tuple[np.ndarray, np.ndarray]:
    """Pairs × columns of scores by dimension, as (pairs · dimensions) × columns of points and of sides."""
    wide = len(rows[0]) if rows else 0
    points = [[_points(cell, name) for cell in row] for row in rows for name in rubric.dimension_ids]
    sides = [[_side(cell, name) for cell in row] for row in rows for name in rubric.dimension_ids]
    shape = (len(points), wide)
    return np.array(points, dtype=np.float64).reshape(shape), np.array(sides, dtype=np.float64).reshape(shape)


def _points(cell: Mapping[str, Score], name: str) -> float:
    return float(cell[name].score) if name in cell else np.nan


def _side(cell: Mapping[str, Score], name: str) -> float:
    return float(SIGNS[cell[name].favoured]) if name in cell else np.nan


def labelled(
    drawn: Drawn,
    sampled: Sequence[SampledPair],
    labels: Mapping[str, Mapping[Name, Mapping[str, Score]]],
    judges: Mapping[str, Calls],
) -> Labelled:
    """Labels and calls over the units of the sampled pairs."""
    rubric, empty = drawn.rubric, dict[str, Score]()
    rows = [[own.get(_name(one), empty) for own in labels.values()] for one in sampled]
    scores, sides = _matrices(rows, rubric)
    return Labelled(
        units=units_of(drawn, sampled),
        raters=tuple(labels),
        scores=scores,
        sides=sides,
        judges=dict(judges),
        points=tuple(map(float, rubric.scores)),
        dimensions=tuple(rubric.dimension_ids),
        asks_sides=all(one.asks == "side" for one in rubric.dimensions),
    )


def judged(run: Run, plan: Plan, drawn: Drawn, sampled: Sequence[SampledPair]) -> dict[str, Calls]:
    """The calls of every judge of the plan on the sampled pairs."""
    return {judge: calls_of(run, judge, sampled, drawn.rubric) for judge in plan.judges}
