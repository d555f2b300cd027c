"""Locking a plan: what it names is there, what it predicts is not, and nobody else holds out the same."""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from polibias.analysis.asked import judge_prompts
from polibias.analysis.direction_pilot import PILOT
from polibias.analysis.label_statistics import LABEL_STATISTICS
from polibias.analysis.label_statistics import known_measures as label_measures
from polibias.analysis.label_table import ANNOTATORS
from polibias.analysis.run_statistics import RUN_STATISTICS
from polibias.analysis.run_statistics import known_measures as run_measures
from polibias.analysis.sampled import sample_rule
from polibias.domain.ids import tagged_hash
from polibias.domain.lock import Lock
from polibias.domain.plan import AnalysisRules, Comparison, Plan, Raters
from polibias.errors import InputError, PoliBiasError
from polibias.records.boxes import public_key
from polibias.records.documents import read_named, reading
from polibias.records.inputs import locked_run
from polibias.records.locks import (
    LockedPlan,
    check_clock,
    holding,
    is_locked,
    lock_path,
    locked_in,
    read_lock,
    write_lock,
)
from polibias.records.manifest import manifest_hash, utc_now
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from polibias.records.software import code_hash
from polibias.records.verify import require_whole
from polibias.simulate import PREFIX
from polibias.sources.files import no_such


def lock_plan(path: Path, plan: Plan, runs: Path, holder: str) -> LockedPlan:
    """Lock a plan with the runs it reads; `holder` is the public key of who can open held-out labels, "" for none.

    Raises InputError, with nothing written, for anything that the plan names and that is not there, for anything that
    should come after it and is there, and for a plan that could not be run.
    """
    run = Run(runs / plan.run)
    about = _about(run, plan)
    check_plan(path, plan, [entry["name"] for entry in about["judges"]])
    _check_outcomes(plan, run, runs)
    with holding(path.parent):
        if is_locked(path):
            raise InputError(f"{lock_path(path)}: there already; a plan is locked once, a changed one needs another id")
        others = [read_lock(other) for other in locked_in(path.parent)]
        _check_project(path, plan, others)
        lock = Lock(
            plan=plan,
            source=_source(path),
            sample=_sample(path, plan, run),
            split=_split(path, plan, others),
            inputs=(locked_run(run, plan.older),),
            rubric=tagged_hash("rubric/1", about["rubric"]),
            judge_prompts=judge_prompts(about),
            holder=_holder(path, plan, holder),
            code=code_hash(),
            previous=_previous(others),
            at=utc_now(),
        )
        for other in others:
            check_clock(lock.at, other.lock.at, str(lock_path(other.path)))
        return write_lock(path, lock)


def _about(run: Run, plan: Plan) -> dict[str, Any]:
    if not run.study.exists():
        raise InputError(f"{run.folder}: no such run, and the plan reads it; finish it with polibias run {plan.run}")
    require_whole(run)
    return read_named(run.study, STUDY_TAG)


def check_plan(path: Path, plan: Plan, judges: Iterable[str]) -> None:
    """Raises InputError unless the plan can be run as it stands; `judges` are those of its run."""
    where, known = str(path), list(judges)
    if plan.analysis is None or not any(one.role == "primary" for one in plan.comparisons):
        raise InputError(f"{where}: has no [analysis] with a primary comparison, so there is nothing to lock")
    ids = [one.id for one in plan.comparisons]
    if twice := next((id for id in ids if ids.count(id) > 1), ""):
        raise InputError(f"{where}: two comparisons are called '{twice}'")
    for judge in plan.judges:
        if judge == ANNOTATORS:
            raise InputError(f"{where}: a judge called '{judge}' could not be told from people in a table; rename it")
        if judge not in known:
            raise no_such("judge", judge, known, where)
    if plan.raters:
        _check_raters(where, plan.raters)
    if plan.raters is None and not plan.outcomes:
        raise InputError(f"{where}: is about nothing; it needs [raters], or runs under `outcomes`")
    if plan.raters and len(plan.outcomes) > 1:
        raise InputError(f"{where}: people's labels are compared with one run's judgments; name at most one outcome")
    if plan.raters and plan.sample is None:
        raise InputError(f"{where}: has [raters] but no [sample]; say which pairs they get")
    if plan.split and not (plan.raters and plan.sample):
        raise InputError(f"{where}: has a [split], but no [sample] with [raters] whose labels it could hold out")
    for comparison in plan.comparisons:
        _check_comparison(where, plan, plan.analysis, comparison)


def _check_raters(where: str, raters: Raters) -> None:
    names = raters.names
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise InputError(f"{where}: names the annotator '{twice}' twice")
    if simulated := next((name for name in names if name.startswith(PREFIX)), ""):
        raise InputError(
            f"{where}: '{simulated}' is the name of a simulated rater; nothing of theirs is ever confirmed"
        )
    if names and len(names) < raters.each_pair:
        raise InputError(f"{where}: names {len(names)} annotators, but wants {raters.each_pair} for each pair")


def _check_comparison(where: str, plan: Plan, rules: AnalysisRules, comparison: Comparison) -> None:
    here = f"{where}: comparison '{comparison.id}'"
    of_people = plan.raters is not None
    known = LABEL_STATISTICS if of_people else [*RUN_STATISTICS, *PILOT]
    if comparison.statistic not in known:
        raise no_such("statistic", comparison.statistic, known, f"{here} ({', '.join(sorted(known))})")
    for what, names in (("judge", comparison.judges), ("stratum", comparison.strata)):
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise InputError(f"{here}: names the {what} '{twice}' twice")
    if of_people and (comparison.condition or comparison.against or comparison.block):
        raise InputError(f"{here}: condition, against and block are of runs; of labels, choose pairs by strata")
    strata = [one.name for one in plan.sample.strata] if plan.sample else []
    for stratum in comparison.strata:
        if stratum not in strata:
            raise no_such("stratum", stratum, strata, here)
    if rules.sampling_weights:
        _check_chances(here, plan, comparison)
    measures = (label_measures if of_people else run_measures)(comparison.statistic)
    if (comparison.measure or comparison.decision) and comparison.measure not in measures:
        raise no_such("measure", comparison.measure, measures, f"{here} ({', '.join(measures)})")
    if comparison.statistic == "kappa_gap" and rules.weights != "quadratic":
        raise InputError(f"{here}: kappa_gap has quadratic weights; set weights or use kappa")


def _check_chances(here: str, plan: Plan, comparison: Comparison) -> None:
    """Raises InputError if weights would count pairs twice: a stratum is drawn from what those before it left.

    Its probabilities then say how a pair was drawn there, and not how it came into the sample at all.
    """
    strata = plan.sample.strata if plan.sample else ()
    own = [one for one in strata if not comparison.strata or one.name in comparison.strata]
    drawn = [one for one in own if one.rule != "disagreement"]
    for first, second in combinations(drawn, 2):
        if first.block == second.block or "" in (first.block, second.block):
            raise InputError(
                f"{here}: '{first.name}' and '{second.name}' draw by chance from the same pairs, so sampling_weights "
                "would count them twice; give the two another block each, or compare one of them alone"
            )


def _check_outcomes(plan: Plan, run: Run, runs: Path) -> None:
    """Raises InputError if anything that the plan is to predict is there."""
    if plan.raters and run.annotations(plan.raters.project).path.exists():
        raise InputError(f"{run.folder}: has labels of '{plan.raters.project}' already; they must come after the lock")
    for name in plan.outcomes:
        if Run(runs / name).anything_answered():
            raise InputError(f"{runs / name}: answers are there already; they must come after the lock")


def _check_project(path: Path, plan: Plan, others: Iterable[LockedPlan]) -> None:
    """Raises InputError if another plan's labels come from the project that this one names: it can have one lock."""
    for other in others:
        theirs = other.lock.plan
        if plan.raters and theirs.raters and (plan.run, plan.raters.project) == (theirs.run, theirs.raters.project):
            raise InputError(f"{path}: its project '{plan.raters.project}' is that of plan '{theirs.id}'; name another")


def _source(path: Path) -> str:
    with reading(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()


def _sample(path: Path, plan: Plan, run: Run) -> str:
    """The hash of the plan's sample, "" if it draws none."""
    if plan.sample is None:
        return ""
    if not sample_path(path).exists():
        raise InputError(f"{sample_path(path)}: no sample yet; draw it with polibias sample {plan.id}")
    sample, name = read_sample(sample_path(path))
    if sample.rule != sample_rule(plan) or sample.manifest != manifest_hash(run.folder):
        raise InputError(f"{sample_path(path)}: was drawn by another plan, or from another state of {run.folder}")
    return name


def _split(path: Path, plan: Plan, others: Iterable[LockedPlan]) -> str:
    """The hash of the plan's split, "" if it has none. Raises InputError if another plan holds out the same pair."""
    if plan.split is None:
        return ""
    if not split_path(path).exists():
        raise InputError(f"{split_path(path)}: no split yet; make it with polibias split {plan.id}")
    split, name = read_split(split_path(path))
    for other in others:
        if other.lock.split:
            shared = {*split.held_out} & {*read_split(split_path(other.path))[0].held_out}
            if shared:
                raise InputError(
                    f"{path}: holds out {len(shared)} pairs that plan '{other.lock.plan.id}' holds out; exclude its "
                    "sample, or labels opened for one would be known to the other"
                )
    return name


def _holder(path: Path, plan: Plan, holder: str) -> str:
    if plan.split is None and holder:
        raise InputError(f"--holder: {path} holds nothing out; it has no [split]")
    if plan.split is not None and not holder:
        raise InputError(f"{path}: holds labels out; name who can open them with --holder KEY (polibias prereg key)")
    return public_key(holder) if holder else ""


def _previous(others: Iterable[LockedPlan]) -> str:
    """The newest lock of the folder: the one that no other names."""
    found = list(others)
    named = {other.lock.previous for other in found}
    return max((other for other in found if other.hash not in named), key=_made_at).hash if found else ""


def _made_at(found: LockedPlan) -> str:
    return found.lock.at


def readable(folder: Path) -> Iterator[LockedPlan]:
    """The locks of a folder that are as they were written; what is wrong with another is told with its plan."""
    for path in locked_in(folder):
        with contextlib.suppress(PoliBiasError):
            yield read_lock(path)


def check_locks(folder: Path) -> Iterator[str]:
    """Every way in which a folder's locks do not follow from each other, one line each."""
    found = [*readable(folder)]
    hashes = {one.hash for one in found}
    for one in found:
        if one.lock.previous and one.lock.previous not in hashes and len(found) == len(locked_in(folder)):
            yield f"{lock_path(one.path)}: the lock made before it is gone; restore it from a copy"
