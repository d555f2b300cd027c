"""A project that belongs to a locked plan: its pairs are the plan's, and its event chain begins with the lock."""

from pathlib import Path
from typing import NamedTuple

from annotate_app.origins import Source
from annotate_app.protocol import AnnotationProtocol
from annotate_app.sampled import sampled
from annotate_app.sealed import PlanTie
from polibias.domain.lock import Lock
from polibias.errors import InputError, PoliBiasError
from polibias.records.locks import locked_in, read_lock
from polibias.records.samples import read_split, sample_path, split_path


class Planned(NamedTuple):
    """The plan's pairs as a source of items, and what ties the project to the plan."""

    source: Source
    tie: PlanTie


def planned(source: Source, plan: Path, project: str, protocol: AnnotationProtocol) -> Planned:
    """The source cut to the pairs of a locked plan.

    Raises InputError unless the plan is locked, names this project, and asks what the protocol grants.
    """
    found = read_lock(plan)
    _check(found.lock, plan, project, protocol)
    held = read_split(split_path(plan))[0] if found.lock.split else None
    hidden = [*held.held_out, *(copy for pair in held.held_out for copy in held.copies.get(pair, ()))] if held else []
    tie = PlanTie(found.lock.plan.id, found.hash, found.lock.holder, tuple(sorted(hidden)))
    return Planned(sampled(source, sample_path(plan)), tie)


def check_unplanned(project: str, folder: Path) -> None:
    """Raises InputError if a locked plan of this folder waits for labels of a project of this name.

    Made without the plan, its labels would come after no lock, and nobody would notice before all are there.
    """
    for path in locked_in(folder):
        try:
            raters = read_lock(path).lock.plan.raters
        except PoliBiasError:  # what is wrong with another plan is for `prereg status` to say
            continue
        if raters is not None and raters.project == project:
            raise InputError(
                f"--project {project}: the locked plan {path} waits for labels of this project; "
                f"give --plan {path.stem}, or another name"
            )


def _check(lock: Lock, plan: Path, project: str, protocol: AnnotationProtocol) -> None:
    raters = lock.plan.raters
    if raters is None or not lock.sample:
        raise InputError(f"{plan}: is about no annotators; it has no [raters] or no sample")
    if raters.project != project:
        raise InputError(f"--project {project}: the plan's labels come from the project '{raters.project}'")
    if protocol.withdrawal != lock.plan.labels.withdrawn:
        raise InputError(
            f"{plan}: says that labels of who withdraws are '{lock.plan.labels.withdrawn}', the protocol says "
            f"'{protocol.withdrawal}'; use a protocol that says the same"
        )
    for flag in lock.plan.labels.flags:
        if not protocol.reasons.has("flag", flag):
            known = ", ".join(one.id for one in protocol.reasons.flag) or "none"
            raise InputError(
                f"{plan}: leaves out items reported as '{flag}', which nobody can report; the protocol has {known}; "
                "use one that has it"
            )
    if protocol.assignment.overlap not in (0, raters.each_pair):
        raise InputError(
            f"{plan}: wants {raters.each_pair} annotators for each pair, the protocol {protocol.assignment.overlap}; "
            "change `overlap` in the protocol's [assignment]"
        )
