"""What else names a plan's lock: runs begun under it, labels that left a project of it.

Whoever takes away a lock, or puts an older log in its place, must change these too. They are read leniently: what is
wrong with a run is told where the run is read.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import DamagedRecord, PoliBiasError
from polibias.records.documents import read_named
from polibias.records.locks import LockedPlan
from polibias.records.manifest import read_manifest
from polibias.records.runs import MANIFEST, STUDY_TAG, Run


class Witness(NamedTuple):
    """A file that names a lock. `plan` is its plan's id, `log` the hash of an entry of its log, or "" each."""

    where: Path
    plan: str
    lock: str
    log: str

    def problem(self, known: Iterable[LockedPlan]) -> str:
        """What is missing of what it names among these locks, '' for nothing."""
        found = next((one for one in known if one.hash == self.lock), None)
        if found is None:
            of = f"plan '{self.plan}'" if self.plan else "a plan"
            return f"{self.where}: was made under the lock {self.lock} of {of}, which is gone; restore it from a copy"
        if self.log and self.log not in found.fingerprints:
            return (
                f"{self.where}: names an entry that the log of plan '{found.lock.plan.id}' does not have; an older or "
                "another log was put in its place, restore it and its lock from a copy"
            )
        return ""


def of_runs(runs: Path) -> Iterator[Witness]:
    """Everything below a folder of runs that names a lock."""
    for folder in sorted(runs.glob("*")):
        run = Run(folder)
        with contextlib.suppress(PoliBiasError):
            yield from of_labels(run)
        with contextlib.suppress(PoliBiasError):
            if lock := read_named(run.study, STUDY_TAG).get("lock", ""):
                yield Witness(run.study, "", str(lock), "")


def of_labels(run: Run) -> Iterator[Witness]:
    """The projects of plans whose labels lie in a run, as the seal over them tells. Raises what reading it raises."""
    if not run.annotations_folder.exists():
        return
    projects = read_manifest(run.annotations_folder).about.get("projects", {})
    for one in projects.values() if isinstance(projects, Mapping) else ():
        yield from _named(run.annotations_folder, one)


def _named(where: Path, said: Any) -> Iterator[Witness]:
    if isinstance(said, Mapping) and said.get("lock"):
        yield Witness(where, str(said.get("plan", "")), str(said["lock"]), str(said.get("log", "")))


def require_known(run: Run, found: LockedPlan) -> None:
    """Raises DamagedRecord if labels of this plan left their project under another lock, or under more of its log."""
    if (run.annotations_folder / MANIFEST).exists():
        for witness in of_labels(run):
            if witness.plan == found.lock.plan.id and (problem := witness.problem((found,))):
                raise DamagedRecord(problem)
