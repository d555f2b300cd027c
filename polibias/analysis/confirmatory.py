"""Running a locked plan: everything that must have come before is checked, then exactly the planned numbers are made.

Nothing is computed from labels until the lock, its log, the inputs, the event chain and the number of labels are what
the plan demands.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from polibias.analysis.confirmed import Checked, Confirmed, Deviation, Kind, results_of
from polibias.analysis.material import Material, rules_of
from polibias.analysis.planned_labels import of_people
from polibias.analysis.planned_runs import of_runs
from polibias.domain.lock import Lock
from polibias.domain.plan import AnalysisRules, Plan
from polibias.errors import DamagedRecord
from polibias.records.inputs import check_input
from polibias.records.locks import LockedPlan, NotLocked, read_lock
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.records.software import code_hash
from polibias.records.verify import require_whole
from polibias.records.witnesses import of_runs as witnesses
from polibias.stats.resampling import ALGORITHM


class Made(NamedTuple):
    """What a plan came to: what is said of it everywhere, and what depends on the machine that it was made on."""

    confirmed: Confirmed
    checked: list[Checked]


def confirm(path: Path, runs: Path) -> Made:
    """The planned numbers of a locked plan.

    Raises InputError, before any number is made, if there is no lock, if what the plan predicts came before it, if
    labels are missing or still locked away; DamagedRecord for whatever was changed since.
    """
    found = _locked(path, runs)
    lock = found.lock
    for one in lock.inputs:
        run = Run(runs / one.name)
        if not check_input(run, one):
            require_whole(run)
    material = of_people(found, runs) if lock.plan.raters else of_runs(found, runs)
    deviations = [*_since(found), *material.deviations]
    return made(lock.plan, "confirmatory", found.hash, material, deviations, _dates(lock), _inputs(lock.plan, runs))


def _inputs(plan: Plan, runs: Path) -> dict[str, str]:
    """The manifests of the runs that the plan reads, as they are now."""
    return {name: manifest_hash(Run(runs / name).folder) for name in (plan.run, *plan.outcomes)}


def _locked(path: Path, runs: Path) -> LockedPlan:
    """The lock; where there is none, the first thing that was made under one tells that it is gone."""
    try:
        return read_lock(path)
    except NotLocked:
        for witness in witnesses(runs):
            if witness.plan == path.stem:
                raise DamagedRecord(witness.problem(())) from None
        raise


def made(
    plan: Plan,
    kind: Kind,
    lock: str,
    material: Material,
    deviations: Sequence[Deviation],
    facts: Mapping[str, str],
    inputs: Mapping[str, str] = {},
) -> Made:
    """The results of a plan on this material; `inputs` are the manifests of the runs behind it."""
    rules = rules_of(plan)
    checked = results_of(plan, rules, material.measure)
    confirmed = Confirmed(
        plan=plan.id,
        title=plan.title,
        question=plan.question,
        kind=kind,
        lock=lock,
        results=tuple(one.result for one in checked),
        deviations=tuple(deviations),
        methods=f"{material.said} {_in_words(rules)}",
        facts={**facts, **material.facts, **_numbers(rules)},
        inputs=dict(inputs),
        labels=material.labels if inputs else "",
    )
    return Made(confirmed, checked)


def _dates(lock: Lock) -> dict[str, str]:
    return {"Locked": f"{lock.at[:19].replace('T', ' ')} UTC", "Pairs from": f"run {lock.plan.run}"}


def _numbers(rules: AnalysisRules) -> dict[str, str]:
    return {"Seed": str(rules.seed), "Resamples": f"{rules.resamples:,}", "Draws": ALGORITHM}


def _in_words(rules: AnalysisRules) -> str:
    """How the numbers were made, as a paper says it."""
    cluster = {"pair": "pairs", "template": "templates", "topic": "country pairs"}[rules.cluster]
    interval = (
        f"jackknife-t intervals over {cluster}, with percentile bootstrap intervals beside them"
        if rules.interval == "jackknife"
        else f"percentile bootstrap intervals over {cluster}, with jackknife-t intervals beside them"
    )
    weighed = (
        "Pairs are weighed by one over the probability of their draw."
        if rules.sampling_weights
        else "Pairs count alike, so that numbers over several strata describe the sample and no population."
    )
    return (
        f"Intervals are 95% {interval} ({rules.resamples:,} resamples, seed {rules.seed}). {weighed} "
        "Nothing is imputed: what is missing is left out where it is missing."
    )


def _since(found: LockedPlan) -> Iterator[Deviation]:
    """What the log and the software say is not as planned."""
    for entry in found.entries("deviation"):
        yield Deviation(entry.body["what"], entry.body["reason"], entry.at)
    for entry in found.entries("opened")[1:]:
        yield Deviation("Held-out labels were opened again: this report is tainted.", entry.body["reason"], entry.at)
    if found.lock.code != code_hash():
        yield Deviation("The code is not the one that was there when the plan was locked.", "", "")
