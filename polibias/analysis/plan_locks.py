"""Which locked plans bind a run: the one that its streams begin with, and those that exported labels came after."""

from collections.abc import Iterator
from typing import NamedTuple

from polibias.analysis.preregistration import readable
from polibias.analysis.validated import PlanFolders, projects_of
from polibias.records.documents import read_named
from polibias.records.runs import STUDY_TAG, Run


class Binding(NamedTuple):
    """A lock by its hash, its plan's id ("" if nothing here says), and what of the run came after it."""

    lock: str
    plan: str
    what: str

    @property
    def said(self) -> str:
        plan = f"plan {self.plan}" if self.plan else "a plan that is not in the folder of plans"
        return f"{plan}, lock {self.lock} ({self.what})"


def bindings(run: Run, folders: PlanFolders) -> Iterator[Binding]:
    """Every lock that binds the run, each as often as something came after it."""
    begun = str(read_named(run.study, STUDY_TAG).get("lock", ""))
    if begun:
        ids = {one.hash: one.lock.plan.id for one in readable(folders.prereg)}
        yield Binding(begun, ids.get(begun, ""), "the run was begun under it")
    for name, said in projects_of(run).items():
        if said.get("lock"):
            yield Binding(str(said["lock"]), str(said.get("plan", "")), f"the labels of project {name} came after it")


def locks_fact(run: Run, folders: PlanFolders) -> str:
    """The locks that bind a run, or that none does."""
    return "; ".join(one.said for one in bindings(run, folders)) or "none"
