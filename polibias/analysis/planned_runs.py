"""The runs of a locked plan: those that were begun after it, beside the one that its pairs come from."""

from collections.abc import Callable, Mapping
from pathlib import Path

from polibias.analysis.annotated import drawn_from, judged, labelled, labels_by, read_annotations
from polibias.analysis.confirmed import Measure
from polibias.analysis.direction_pilot import PILOT, direction_pilot_agreement
from polibias.analysis.labelled import Labelled
from polibias.analysis.material import Material, rules_of
from polibias.analysis.measured import Measured, Measures
from polibias.analysis.run_statistics import Gathered, gather, measure_runs
from polibias.domain.plan import Comparison, Plan
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.inputs import locked_rows
from polibias.records.locks import LockedPlan, locked_in, read_lock
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.samples import read_sample, sample_path


def of_runs(found: LockedPlan, runs: Path) -> Material:
    """The plan's own run beside those that were begun after the lock."""
    plan = found.lock.plan
    for name in plan.outcomes:
        begun_under(found, runs, name)
    gathered = {name: gather(Run(runs / name)) for name in (plan.run, *plan.outcomes)}
    names = " and ".join(plan.outcomes)
    said = f"The judgments of {names} were made after the plan was locked, of pairs of the run {plan.run}."
    measure = measured_on(plan, gathered, lambda: _older(found, runs))
    return Material(measure, {"Runs": ", ".join(gathered)}, [], said)


def begun_under(found: LockedPlan, runs: Path, name: str) -> Run:
    """A sealed run that was begun after the lock. Raises InputError for one that is not."""
    run, plan = Run(runs / name), found.lock.plan.id
    if not run.sealed:
        raise InputError(f"{run.folder}: not there or not sealed; run it: polibias run {name} --plan {plan}")
    if read_named(run.study, STUDY_TAG).get("lock", "") != found.hash:
        raise InputError(f"{run.folder}: not begun under this lock; begin it: polibias run {name} --plan {plan}")
    return run


def measured_on(plan: Plan, gathered: Mapping[str, Gathered], older: Callable[[], Labelled]) -> Measure:
    """How comparisons of these runs are measured; `older` gives the labels that were there before."""
    rules = rules_of(plan)

    def measure(comparison: Comparison) -> tuple[Measures, list[Measured]]:
        if comparison.statistic in PILOT:
            pilot = gathered[plan.outcomes[0]]
            return direction_pilot_agreement(older(), pilot, comparison, rules, plan.judges)
        return measure_runs(gathered, plan.run, plan.outcomes, comparison, rules, plan.judges)

    return measure


def _older(found: LockedPlan, runs: Path) -> Labelled:
    """The labels that were there before, of the plan of this folder whose project they come from."""
    plan, run = found.lock.plan, Run(runs / found.lock.plan.run)
    for path in locked_in(found.path.parent):
        other = read_lock(path).lock.plan
        if other.raters and other.raters.project in plan.older:
            drawn = drawn_from(run, read_sample(sample_path(path))[0])
            sampled = drawn.names()
            before = locked_rows(run, found.lock.inputs[0], run.annotations(other.raters.project))
            entries = read_annotations(run, other.raters.project, {one.pair for one in sampled}, before)
            labels = labels_by(entries, other.labels, other.raters.names)
            return labelled(drawn, sampled, labels.scores, judged(run, other, drawn, sampled))
    raise InputError(f"{found.path}: no plan here is locked whose labels are those of {', '.join(plan.older) or 'any'}")
