"""Running a plan before it can see a result: on simulated raters, on shuffled labels, on runs of scripted models.

The whole analysis runs, so that what is wrong with it shows; what it finds says nothing. Simulated annotators and
judges have declared reliability, so the numbers can be compared with it. Shuffled labels are real ones, each
annotator's dealt out anew among that annotator's own pairs: what they agree on is lost. Their shares and means stay as
they are, so a shuffled rehearsal does show every number that follows from those alone; it says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polibias.analysis.annotated import Name, calls_in, drawn_from, judged, labelled, labels_by, read_annotations
from polibias.analysis.confirmatory import Made, made
from polibias.analysis.labelled import Calls, Floats, Labelled, LabelUnit
from polibias.analysis.material import Material, rules_of
from polibias.analysis.planned_labels import by_labels, label_facts, of_people, said_of
from polibias.analysis.planned_runs import measured_on
from polibias.analysis.run_statistics import Gathered, gather
from polibias.domain.ids import tagged_hash
from polibias.domain.plan import Plan, Stratum
from polibias.domain.rows import Score
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.heldout import held_out
from polibias.records.locks import LockedPlan, is_locked, read_lock
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.samples import read_sample, sample_path
from polibias.simulate import PREFIX, RaterSpec, Simulation, simulate
from polibias.stats.power import uniforms
from polibias.stats.resampling import stream_seed

HUMAN_KAPPA, JUDGE_KAPPA = 0.75, 0.5
"""Declared for simulated annotators among themselves and, of judges, with one another; as the paper found them."""
SHUFFLED = (
    "Labels are {kind}, each annotator's dealt out anew among that annotator's pairs: what they agree on is lost. Kept "
    "are each annotator's own shares and means, so every difference of means or of shares is that of the labels."
)
DIMENSIONS = 5
NAMES_SIDE = 0.9
CALLS = 2
LABELLED = 50


class Rehearsed(NamedTuple):
    """One rehearsal: what it was made of, and what the plan came to."""

    name: str
    made: Made


def rehearse(path: Path, plan: Plan, runs: Path) -> Iterator[Rehearsed]:
    """The plan on whatever it can be tried on without seeing a result, one after the other.

    Raises InputError for a plan that cannot be run, where a plan about runs has none of scripted models, and, after the
    rehearsal that needs no labels, where simulated annotators' labels are not all there yet.
    """
    lock = read_lock(path) if is_locked(path) else None
    if plan.raters is None:
        yield Rehearsed("scripted", _made(plan, lock, _scripted(plan, runs)))
    else:
        yield from _by_people(path, plan, lock, runs)


def _by_people(path: Path, plan: Plan, lock: LockedPlan | None, runs: Path) -> Iterator[Rehearsed]:
    yield Rehearsed("simulated", _made(plan, lock, simulated(plan)))
    found = _real(path, plan, runs)
    if found is not None:
        table, facts, all_simulated = found
        if all_simulated and lock is not None and _all_readable(lock):
            yield Rehearsed("project", _made(plan, lock, of_people(lock, runs, simulated=True)))
        else:
            said = SHUFFLED.format(kind="simulated" if all_simulated else "real")
            yield Rehearsed("shuffled", _made(plan, lock, Material(by_labels(plan, table), facts, [], said)))


def _all_readable(lock: LockedPlan) -> bool:
    """Whether no label that the plan counts is still held out."""
    standing = held_out(lock)
    return standing is None or standing.readable


def _made(plan: Plan, lock: LockedPlan | None, material: Material) -> Made:
    return made(plan, "rehearsal", lock.hash if lock else "", material, material.deviations, {})


def simulated(plan: Plan) -> Material:
    """Pairs, annotators and judges of the plan's sizes, all simulated with declared reliability."""
    table = simulated_table(plan, rules_of(plan).seed)
    sizes = f"{len(table.units) // DIMENSIONS} pairs, {len(table.raters)} annotators, {len(table.judges)} judges"
    facts = {"Simulated": sizes, "Declared kappa": f"annotators {HUMAN_KAPPA}, calls of judges {JUDGE_KAPPA}"}
    return Material(by_labels(plan, table), facts, [], "Everything is simulated; nothing was measured.")


def simulated_table(plan: Plan, seed: int) -> Labelled:
    """Labels and calls over as many pairs as the strata have, from the model of `simulate`."""
    strata = [stratum for stratum in (plan.sample.strata if plan.sample else ()) for _ in range(stratum.pairs)]
    annotators = [f"{PREFIX}{number}" for number in range(1, 1 + (plan.raters.each_pair if plan.raters else 0))]
    calls = [f"{PREFIX}{judge}-{order}" for judge in plan.judges for order in range(CALLS)]
    specs = [RaterSpec(name=name, kappa=HUMAN_KAPPA) for name in annotators]
    specs += [RaterSpec(name=name, kappa=JUDGE_KAPPA) for name in calls]
    units = len(strata) * DIMENSIONS
    rows = simulate(Simulation(seed=seed, units=units, clusters=len(strata), raters=tuple(specs)))
    scores = np.array([np.nan if row.value is None else row.value for row in rows]).reshape(units, len(specs))
    order = np.argsort(np.arange(units) % len(strata), kind="stable")  # pair by pair
    scores = scores[order]
    sides = np.where(scores > 0, _sides(seed, len(strata), len(specs)), np.where(np.isnan(scores), np.nan, 0.0))
    people = len(annotators)
    judges = {
        judge: Calls(*(values[:, people + CALLS * n : people + CALLS * (n + 1)] for values in (scores, sides)))
        for n, judge in enumerate(plan.judges)
    }
    return Labelled(
        units=_units(strata),
        raters=tuple(annotators),
        scores=scores[:, :people],
        sides=sides[:, :people],
        judges=judges,
        points=(0.0, 1.0, 2.0, 3.0),
        dimensions=tuple(f"dimension-{n}" for n in range(1, DIMENSIONS + 1)),
    )


def _units(strata: Sequence[Stratum]) -> tuple[LabelUnit, ...]:
    found = []
    for n, one in enumerate(strata):
        where = (one.name, one.block or "main", f"template-{n % 30}", f"topic-{n % 16}", 1.0)
        found += [LabelUnit(f"pair-{n}", "model", f"dimension-{d}", *where) for d in range(1, DIMENSIONS + 1)]
    return tuple(found)


def _sides(seed: int, pairs: int, raters: int, dimensions: int = DIMENSIONS) -> Floats:
    """The side of each pair, as most raters name it and some get it wrong."""
    bits = np.random.PCG64(stream_seed(seed, "rehearsed sides"))
    truth = np.where(uniforms(bits, pairs) < 0.5, 1.0, -1.0)
    right = uniforms(bits, pairs * dimensions * raters).reshape(pairs * dimensions, raters) < NAMES_SIDE
    named: Floats = np.repeat(truth, dimensions)[:, None] * np.where(right, 1.0, -1.0)
    return named


def _real(path: Path, plan: Plan, runs: Path) -> tuple[Labelled, dict[str, str], bool] | None:
    """The project's labels that may be read, shuffled; and whether all its annotators are simulated.

    Of annotators that the plan does not name nothing is read; some whom it names may have no label yet.
    """
    run = Run(runs / plan.run)
    if plan.raters is None or not (sample_path(path).exists() and run.annotations(plan.raters.project).path.exists()):
        return None
    drawn = drawn_from(run, read_sample(sample_path(path))[0])
    sampled = drawn.names()
    entries = read_annotations(run, plan.raters.project, {one.pair for one in sampled})
    known = {entry.row.annotator for entry in entries}
    named = [name for name in plan.raters.names if name in known]
    if plan.raters.names and not named:
        return None
    labels = labels_by(entries, plan.labels, named)
    mixed = shuffled(labels.scores, rules_of(plan).seed)
    table = labelled(drawn, sampled, mixed, judged(run, plan, drawn, sampled))
    facts = {**label_facts(plan, labels, sampled), "Sample": said_of(plan, drawn, labels, sampled)}
    return table, facts, bool(labels.scores) and all(name.startswith(PREFIX) for name in labels.scores)


Scores = Mapping[str, Mapping[Name, Mapping[str, Score]]]


def shuffled(scores: Scores, seed: int) -> Scores:
    """Each annotator's labels dealt out anew among that annotator's own pairs, by a keyed hash."""
    found = {}
    for rater, own in scores.items():
        names = sorted(own)
        dealt = sorted(names, key=partial(_turn, seed, rater))
        found[rater] = {name: own[source] for name, source in zip(names, dealt, strict=True)}
    return found


def _turn(seed: int, rater: str, name: Name) -> str:
    return tagged_hash("shuffled/1", [seed, rater, *name])


def _scripted(plan: Plan, runs: Path) -> Material:
    """A plan about runs, on runs in which every model is the scripted fake."""
    gathered = {}
    for name in (plan.run, *plan.outcomes):
        run = Run(runs / name)
        if not run.sealed:
            raise InputError(
                f"{run.folder}: not there or not sealed; rehearse on runs of scripted models, in a folder of their "
                f"own: polibias run {name} --panel rehearsal --runs dry, "
                f"then polibias prereg rehearse {plan.id} --runs dry"
            )
        about = read_named(run.study, STUDY_TAG)
        real = [one["name"] for role in ("models", "judges") for one in about[role] if one["adapter"] != "scripted"]
        if real:
            raise InputError(f"{run.folder}: '{real[0]}' is no scripted model; a rehearsal must not see a result")
        gathered[name] = gather(run)
    said = "Every model is the scripted fake; nothing was measured."
    older = partial(_labels_on, plan, gathered[plan.run])
    return Material(measured_on(plan, gathered, older), {"Runs": ", ".join(gathered)}, [], said)


def _labels_on(plan: Plan, gathered: Gathered) -> Labelled:
    """Simulated labels of pairs that the plan's judges read in a run of scripted models."""
    seed = rules_of(plan).seed
    read = {(case.judge, case.pair_id, case.model): case for case in gathered.cases if case.complete}
    both = [(case.pair_id, case.model) for case in read.values() if case.judge == plan.judges[0]]
    known = [one for one in both if all((judge, *one) in read for judge in plan.judges)]
    sampled = sorted(known, key=partial(_turn, seed, "labelled"))[:LABELLED]
    if not sampled:
        raise InputError(f"plan '{plan.id}': no pair of {plan.run} is complete under {', '.join(plan.judges)}")
    rubric = gathered.rubrics[read[plan.judges[0], *sampled[0]].pair.design.condition]
    units = []
    for pair, model in sampled:
        design = read[plan.judges[0], pair, model].pair.design
        where = ("labelled", design.block, design.template, design.topic, 1.0)
        units += [LabelUnit(pair, model, name, *where) for name in rubric.dimension_ids]
    raters = tuple(RaterSpec(name=f"{PREFIX}{n}", kappa=HUMAN_KAPPA) for n in (1, 2))
    rows = simulate(Simulation(seed=seed, units=len(units), clusters=len(units), raters=raters))
    scores = np.array([np.nan if row.value is None else row.value for row in rows]).reshape(len(units), len(raters))
    sides = np.where(scores > 0, _sides(seed, len(sampled), len(raters), len(rubric.dimension_ids)), 0.0)
    cases = {judge: [read[judge, *one] for one in sampled] for judge in plan.judges}
    return Labelled(
        units=tuple(units),
        raters=tuple(one.name for one in raters),
        scores=scores,
        sides=sides,
        judges={judge: calls_in(own, rubric) for judge, own in cases.items()},
        points=tuple(map(float, rubric.scores)),
        dimensions=tuple(rubric.dimension_ids),
    )
