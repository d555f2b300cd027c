"""Where every plan of a folder stands: what is drawn, locked, labelled, opened, reported, and what is wrong with it."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from polibias.analysis.confirmed import FINDINGS_TAG
from polibias.analysis.planned_labels import planned_labels
from polibias.analysis.preregistration import check_locks, readable
from polibias.domain.display import in_line
from polibias.domain.lock import Lock
from polibias.domain.plan import Plan
from polibias.domain.sample import Sample, Split
from polibias.errors import DamagedRecord, PoliBiasError
from polibias.records.documents import read_named
from polibias.records.heldout import HeldOut, held_out
from polibias.records.locks import LockedPlan, is_locked, locked_in, log_path, logged_in, read_lock
from polibias.records.manifest import read_manifest
from polibias.records.runs import MANIFEST, Run
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from polibias.records.witnesses import of_runs
from polibias.report.plan_text import plan_document
from polibias.sources.plans import read_plan

NOT_ANCHORED = "not anchored outside"
FINISHED = ("submitted", "skipped", "unsure")


class Places(NamedTuple):
    """Where plans, runs and reports of plans are."""

    prereg: Path
    runs: Path
    validations: Path

    def report(self, plan: Plan) -> Path:
        """The folder of a plan's report."""
        return self.validations / plan.id


class Drafted(NamedTuple):
    """A plan with all that lies beside it and could be read."""

    plan: Plan
    found: LockedPlan | None
    sample: tuple[Sample, str] | None
    split: tuple[Split, str] | None

    @property
    def lock(self) -> Lock | None:
        return self.found.lock if self.found else None

    @property
    def held_out(self) -> HeldOut | None:
        return held_out(self.found) if self.found else None

    @property
    def document(self) -> str:
        """The plan as Markdown."""
        parts = (self.sample[0] if self.sample else None, self.split[0] if self.split else None)
        return plan_document(self.plan, self.lock, self.found.hash if self.found else "", *parts)


def read_drafted(path: Path) -> Drafted:
    """The plan and what lies beside it. Raises InputError for what cannot be read or was changed."""
    plan = read_plan(path)
    found = read_lock(path) if is_locked(path) else None
    sample = read_sample(sample_path(path)) if sample_path(path).exists() else None
    split = read_split(split_path(path)) if split_path(path).exists() else None
    return Drafted(plan, found, sample, split)


def status_of(path: Path, places: Places) -> dict[str, Any]:
    """Where one plan stands, as JSON. What is wrong is told in `problems` and raises nothing."""
    try:
        drafted = read_drafted(path)
    except PoliBiasError as error:
        return EMPTY | {"plan": path.stem, "title": path.stem, "file": str(path), "problems": [str(error)]}
    plan, found = drafted.plan, drafted.found
    report, problems = _report(drafted, places)
    problems += [*_beside(path, found), *_witnessed(plan, found, places)]
    return {
        "plan": plan.id,
        "title": plan.title,
        "question": plan.question,
        "file": str(path),
        "project": plan.raters.project if plan.raters else "",
        "state": _state(drafted, report),
        "locked_at": found.lock.at if found else "",
        "lock": found.hash if found else "",
        "anchored": [entry.body["where"] for entry in found.entries("published")] if found else [],
        "held_out": _held(drafted.held_out),
        "sets": [*_sets(drafted)],
        "planned": planned_labels(plan, _pairs(drafted)) if plan.raters else None,
        "reached": _reached(plan, places),
        "problems": problems,
        "document": drafted.document,
        "findings": str(report / "findings.json") if report else "",
        "report": str(report / "index.html") if report else "",
    }


EMPTY: dict[str, Any] = {
    "question": "",
    "project": "",
    "state": "drafted",
    "locked_at": "",
    "lock": "",
    "anchored": [],
    "held_out": None,
    "sets": [],
    "planned": None,
    "reached": None,
    "document": "",
    "findings": "",
    "report": "",
}


def _state(drafted: Drafted, report: Path | None) -> str:
    if drafted.found:
        return "reported" if report else "locked"
    return "sampled" if drafted.sample else "drafted"


def _pairs(drafted: Drafted) -> int:
    strata = drafted.plan.sample.strata if drafted.plan.sample else ()
    return len(drafted.sample[0].pairs) if drafted.sample else sum(one.pairs for one in strata)


def _held(standing: HeldOut | None) -> dict[str, Any] | None:
    if standing is None:
        return None
    return {
        "state": standing.state,
        "round": standing.round,
        "rounds": standing.rounds,
        "openings": len(standing.openings),
    }


def _sets(drafted: Drafted) -> Iterator[dict[str, Any]]:
    """Sizes, states, dates and hashes; never a value."""
    at = drafted.lock.at if drafted.lock else ""
    if drafted.sample:
        sample, name = drafted.sample
        yield {"name": "sample", "pairs": len(sample.pairs), "hash": name, "at": at, "state": "open"}
    if drafted.split:
        split, name = drafted.split
        standing = drafted.held_out
        opened = standing.openings[0].at if standing and standing.openings else ""
        state = "opened" if opened else "locked away"
        yield {"name": "calibration", "pairs": len(split.calibration), "hash": name, "at": at, "state": "open"}
        yield {"name": "held out", "pairs": len(split.held_out), "hash": name, "at": opened or at, "state": state}
        if split.left:
            yield {"name": "in neither", "pairs": len(split.left), "hash": name, "at": at, "state": "open"}


def _reached(plan: Plan, places: Places) -> int | None:
    """How many labels the last export counted, None before the first."""
    folder = Run(places.runs / plan.run).annotations_folder
    if plan.raters is None or not (folder / MANIFEST).exists():
        return None
    try:
        counts = read_manifest(folder).about["projects"][plan.raters.project]["counts"]["first"]
    except (PoliBiasError, KeyError, TypeError):
        return None
    return sum(int(counts.get(status, 0)) for status in FINISHED)


def _report(drafted: Drafted, places: Places) -> tuple[Path | None, list[str]]:
    """The folder of the plan's report if it is there and of this lock, and what is wrong."""
    folder, found = places.report(drafted.plan), drafted.found
    problems = [*_openings(drafted.held_out)]
    if not (folder / "findings.json").exists():
        return None, problems
    try:
        require_known(folder, found)
    except PoliBiasError as error:
        return None, [*problems, str(error)]
    return folder, problems


def require_known(folder: Path, found: LockedPlan | None) -> None:
    """Raises DamagedRecord for a report that is there and that this lock and its log do not know."""
    path = folder / "findings.json"
    if not path.exists():
        return
    findings = read_named(path, FINDINGS_TAG)
    if found is None or findings.get("lock") != found.hash:
        raise DamagedRecord(
            f"{folder}: is the report of another lock, {findings.get('lock')}; restore that, or move the report away"
        )
    if findings["hash"] not in [entry.body["findings"] for entry in found.entries("reported")]:
        raise DamagedRecord(
            f"{folder}: is a report that the plan's log does not know; an older or another log was put in its place, "
            "restore it and its lock from a copy, or move the report away"
        )


def _openings(standing: HeldOut | None) -> Iterator[str]:
    if standing and len(standing.openings) > 1:
        yield f"held-out labels were opened {len(standing.openings)} times; every report after the second is tainted"


def statuses(places: Places) -> tuple[list[dict[str, Any]], list[str]]:
    """Where every plan of the folder stands, and what is wrong with its locks as a whole."""
    paths = sorted(places.prereg.glob("*.toml"))
    found = [status_of(path, places) for path in paths]
    return found, [
        *_orphans(places.prereg),
        *check_locks(places.prereg),
        *_unknown(places, {one.stem for one in paths}),
    ]


def _orphans(folder: Path) -> Iterator[str]:
    """Locks and logs whose plan is gone."""
    for path in sorted({*locked_in(folder), *logged_in(folder)}):
        if not path.exists():
            yield f"{path}: is gone, but its lock or its log is here; restore it from a copy"


def _beside(path: Path, found: LockedPlan | None) -> Iterator[str]:
    if found is None and log_path(path).exists():
        yield (
            f"{log_path(path)}: is here without a lock; restore the lock from a copy, or, if locking was interrupted, "
            "lock the plan again"
        )


def _witnessed(plan: Plan, found: LockedPlan | None, places: Places) -> Iterator[str]:
    """What runs and labels of the plan know of it and is not here."""
    known = [found] if found else []
    of_plan = [one for one in of_runs(places.runs) if one.plan == plan.id]
    yield from (problem for one in of_plan if (problem := one.problem(known)))


def _unknown(places: Places, plans: Collection[str]) -> Iterator[str]:
    """What was made under a lock that no plan of the folder has; what names a plan of it is told with that."""
    known = [*readable(places.prereg)]
    for one in of_runs(places.runs):
        if one.plan not in plans and (problem := one.problem(known)):
            yield problem
    for folder in sorted(places.validations.glob("[!.]*")):
        if folder.name not in plans and (folder / "findings.json").exists() and not _rehearsal(folder):
            yield f"{folder}: is the report of a plan that is gone; restore plan, lock and log from a copy"


def _rehearsal(folder: Path) -> bool:
    try:
        return bool(read_named(folder / "findings.json", FINDINGS_TAG).get("kind") == "rehearsal")
    except PoliBiasError:
        return False


def as_text(status: dict[str, Any]) -> str:
    """Where a plan stands, in a few lines."""
    lines = [f"{status['plan']}: {status['state']}, {in_line(status['title'])}"]
    if status["lock"]:
        anchored = f"published: {'; '.join(map(in_line, status['anchored']))}" if status["anchored"] else NOT_ANCHORED
        lines.append(f"  locked {status['locked_at'][:19].replace('T', ' ')} UTC, {status['lock']}, {anchored}")
    lines += [f"  {one['name']}: {one['pairs']} pairs, {one['state']}, {one['hash']}" for one in status["sets"]]
    if held := status["held_out"]:
        rounds = f"round {held['round']} of {held['rounds']}"
        lines.append(f"  held-out labels: {held['state']}, {rounds}, opened {held['openings']} times")
    if status["planned"] is not None:
        reached = "none exported" if status["reached"] is None else f"{status['reached']}"
        lines.append(f"  labels: {reached} of {status['planned']} planned")
    lines += [f"  report: {status['report']}"] if status["report"] else []
    lines += [f"  PROBLEM: {in_line(problem)}" for problem in status["problems"]]
    return "\n".join(lines)
