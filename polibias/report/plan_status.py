"""Where every plan of a folder stands: what is drawn, locked, labelled, opened, reported, and what is wrong with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from polibias.analysis.planned_labels import planned_labels
from polibias.analysis.preregistration import check_locks
from polibias.domain.display import in_line
from polibias.domain.lock import Lock
from polibias.domain.plan import Plan
from polibias.domain.sample import Sample, Split
from polibias.errors import PoliBiasError
from polibias.records.documents import read_named
from polibias.records.heldout import HeldOut, held_out
from polibias.records.locks import LockedPlan, is_locked, read_lock
from polibias.records.manifest import read_manifest
from polibias.records.runs import MANIFEST, Run
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from polibias.report.plan_text import plan_document
from polibias.report.planned import FINDINGS_TAG
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
    if found is None or not (folder / "findings.json").exists():
        return None, problems
    try:
        findings = read_named(folder / "findings.json", FINDINGS_TAG)
    except PoliBiasError as error:
        return None, [*problems, str(error)]
    if findings["lock"] != found.hash:
        return None, [*problems, f"{folder}: is the report of another lock; run the plan again"]
    return folder, problems


def _openings(standing: HeldOut | None) -> Iterator[str]:
    if standing and len(standing.openings) > 1:
        yield f"held-out labels were opened {len(standing.openings)} times; every report after the second is tainted"


def statuses(places: Places) -> tuple[list[dict[str, Any]], list[str]]:
    """Where every plan of the folder stands, and what is wrong with its locks as a whole."""
    found = [status_of(path, places) for path in sorted(places.prereg.glob("*.toml"))]
    try:
        return found, [*check_locks(places.prereg)]
    except PoliBiasError:
        return found, []  # told with its plan


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
