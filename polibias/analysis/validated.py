"""What locked plans found of people's agreement with a run's judges: taken up as it stands, or left with the reason.

Findings are taken up only if they rest on this very run, are byte for byte what was written, and are the newest that
the log of their lock knows. Nothing is computed from labels here. No path is named, so that the same files give the
same words wherever they lie.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.confirmed import FINDINGS_TAG, Confirmed, PlannedResult
from polibias.analysis.direction_pilot import PILOT
from polibias.analysis.label_statistics import LABEL_STATISTICS
from polibias.domain.plan import Plan
from polibias.errors import PoliBiasError
from polibias.records.documents import read_document, read_named
from polibias.records.locks import LockedPlan, NotLocked, lock_path, read_lock
from polibias.records.manifest import manifest_hash, read_manifest
from polibias.records.runs import MANIFEST, STUDY_TAG, Run

FINDINGS = "findings.json"
REHEARSAL = "-rehearsal-"
TAKEN = ("primary", "secondary")


class PlanFolders(NamedTuple):
    """Where locked plans are, and where their findings are."""

    prereg: Path
    validations: Path


class Taken(NamedTuple):
    """Findings that fit, the hash that names them, and the lock that they come from."""

    confirmed: Confirmed
    name: str
    found: LockedPlan

    @property
    def results(self) -> list[PlannedResult]:
        """The comparisons with people that were planned to be told, primary ones first."""
        return [one for one in self.confirmed.results if one.role in TAKEN and _of_people(one)]


class Validations(NamedTuple):
    """Findings that fit a run, by plan; a sentence for each that does not; exported labels, as counts by project."""

    taken: tuple[Taken, ...]
    left: tuple[str, ...]
    labels: dict[str, int]

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each plan's findings that were taken up."""
        return {one.confirmed.plan: one.name for one in self.taken}


def folders_of(run: Run) -> PlanFolders:
    """Where a run's plans and their findings are unless somebody says otherwise: beside the folder of runs."""
    beside = run.folder.absolute().parent.parent
    return PlanFolders(beside / "prereg", beside / "validations")


class _Subject(NamedTuple):
    """The run that findings must be about: its manifest's hash, its names, and what is told of exported labels."""

    manifest: str
    names: frozenset[str]
    projects: dict[str, dict[str, Any]]


class _Unfit(Exception):
    """Why findings are not taken up."""


def validations_of(run: Run, folders: PlanFolders) -> Validations:
    """The findings of locked plans that rest on this run. The run must be sealed."""
    projects = projects_of(run)
    study = str(read_named(run.study, STUDY_TAG)["study"]["id"])
    subject = _Subject(manifest_hash(run.folder), frozenset((study, run.folder.name)), projects)
    taken, left = [], []
    for path in sorted(folders.validations.glob(f"[!.]*/{FINDINGS}")):
        try:
            found = _read(path, subject, folders)
        except _Unfit as why:
            left.append(f"Findings of a plan lie in '{path.parent.name}' and were not taken up: {why}.")
        else:
            taken += [found] if found is not None else []
    labels = {name: int(said.get("annotations", 0)) for name, said in projects.items()}
    return Validations(tuple(taken), tuple(left), labels)


def projects_of(run: Run) -> dict[str, dict[str, Any]]:
    """What the seal over exported labels says of each project, {} where nothing was exported."""
    if not (run.annotations_folder / MANIFEST).exists():
        return {}
    said = read_manifest(run.annotations_folder).about.get("projects", {})
    found = said.items() if isinstance(said, dict) else ()
    return {str(name): one for name, one in sorted(found) if isinstance(one, dict)}


def _read(path: Path, subject: _Subject, folders: PlanFolders) -> Taken | None:
    """The findings if they fit; None if they are no business of this run. Raises _Unfit with the reason."""
    try:
        value = read_named(path, FINDINGS_TAG)
        confirmed = msgspec.convert({key: one for key, one in value.items() if key != "hash"}, type=Confirmed)
    except (PoliBiasError, msgspec.ValidationError):
        if _may_be_ours(path, subject, folders):
            raise _Unfit("they were changed after they were written, or are of another version") from None
        return None
    if confirmed.kind != "confirmatory" or not any(map(_of_people, confirmed.results)):
        return None
    if subject.manifest not in confirmed.inputs.values():
        if subject.names & _runs_named(path, confirmed.inputs, folders):
            raise _Unfit(_other_manifest(confirmed.inputs))
        return None
    return Taken(confirmed, value["hash"], _checked(path.parent.name, confirmed, value["hash"], subject, folders))


def _of_people(result: PlannedResult) -> bool:
    return result.statistic in LABEL_STATISTICS or result.statistic in PILOT


def _other_manifest(inputs: dict[str, str]) -> str:
    if not inputs:
        return "they do not say from which manifests they were made; make them again with polibias prereg run"
    return f"they were made from another manifest than this run's ({', '.join(sorted(inputs.values()))})"


def _runs_named(path: Path, inputs: dict[str, str], folders: PlanFolders) -> set[str]:
    """The runs that findings are about, as they say, or as a lock of their plan says that lies in its place."""
    if inputs:
        return set(inputs)
    with contextlib.suppress(PoliBiasError, AttributeError, TypeError, KeyError):
        plan = read_document(lock_path(folders.prereg / f"{path.parent.name}.toml"))["plan"]
        return {str(plan["run"]), *map(str, plan["outcomes"])}
    return set()


def _may_be_ours(path: Path, subject: _Subject, folders: PlanFolders) -> bool:
    """Whether findings that cannot be trusted may have been about this run: they or their lock name it, or nothing."""
    if REHEARSAL in path.parent.name:
        return False
    inputs: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError, TypeError):
        inputs = dict(json.loads(path.read_bytes()).get("inputs", {}))
    named = _runs_named(path, inputs, folders)
    return not named or bool(subject.names & named) or subject.manifest in inputs.values()


def _checked(folder: str, confirmed: Confirmed, name: str, subject: _Subject, folders: PlanFolders) -> LockedPlan:
    """The lock of findings that are about this run. Raises _Unfit unless lock, log, judgments and labels fit."""
    if confirmed.plan != folder:
        raise _Unfit("they are of another plan than their folder is named after")
    try:
        found = read_lock(folders.prereg / f"{folder}.toml")
    except NotLocked:
        raise _Unfit("the lock of their plan is not in the folder of plans") from None
    except PoliBiasError:
        raise _Unfit(
            "their plan, its lock or its log is gone or was changed; polibias prereg status says what"
        ) from None
    if found.hash != confirmed.lock:
        raise _Unfit("they come from another lock than the plan has")
    _check_log(found, name)
    _check_judgments(found.lock.plan, confirmed, subject)
    _check_labels(found, confirmed, subject)
    return found


def _check_log(found: LockedPlan, name: str) -> None:
    """Raises _Unfit unless these are the plan's newest findings, and held-out labels were opened once at most."""
    known = [entry.body["findings"] for entry in found.entries("reported")]
    if name not in known:
        raise _Unfit("the plan's log does not know them")
    if known[-1] != name:
        raise _Unfit("the plan has newer findings, which supersede them")
    opened = len(found.entries("opened"))
    if opened > 1:
        raise _Unfit(f"they are tainted: the held-out labels were opened {opened} times")


def _check_judgments(plan: Plan, confirmed: Confirmed, subject: _Subject) -> None:
    """Raises _Unfit if people were compared with the judgments of another run, about pairs of this one."""
    judged = (plan.run, *plan.outcomes) if not plan.raters else (plan.outcomes or (plan.run,))
    if subject.manifest not in [confirmed.inputs.get(name) for name in judged]:
        raise _Unfit(
            f"they compare people with the judgments of the run '{', '.join(judged)}', not with those of this one"
        )


def _check_labels(found: LockedPlan, confirmed: Confirmed, subject: _Subject) -> None:
    """Raises _Unfit if the labels that lie in this run now are not those that the findings were made from."""
    raters = found.lock.plan.raters
    said = subject.projects.get(raters.project) if raters else None
    if said is None or confirmed.inputs.get(found.lock.plan.run) != subject.manifest:
        return
    if said.get("lock") != found.hash:
        raise _Unfit("the labels that were exported into this run were not given under their lock")
    if said.get("head") != confirmed.labels:
        raise _Unfit("labels were exported anew since; make them again with polibias prereg run")


def labels_role(plan: Plan) -> str:
    """Which part of the labels a plan's numbers rest on."""
    if plan.split is not None:
        return "held out: opened after the judge's prompt was frozen; those for calibration are not counted"
    if plan.raters is not None:
        return "all that the plan asked for, given after it was locked; it holds none out"
    return "given before the plan was locked"


def results_by(taken: tuple[Taken, ...]) -> Iterator[tuple[Taken, PlannedResult]]:
    """Every comparison with the findings that it stands in."""
    for one in taken:
        for result in one.results:
            yield one, result
