"""What of a planned project may leave it: labels of held-out pairs go into a box until the plan's log says `opened`."""

from pathlib import Path
from typing import NamedTuple

from annotate_app.sealed import Sealed
from polibias.domain.chains import Link
from polibias.domain.rows import Annotation, Seen
from polibias.errors import DamagedRecord
from polibias.records.boxes import box_hash, packed
from polibias.records.documents import write_file
from polibias.records.heldout import HeldOut, box_path, contents, held_out, told_boxed, write_chain
from polibias.records.locks import read_lock
from polibias.records.runs import Run
from polibias.records.witnesses import require_known

Rows = list[tuple[Annotation, Seen]]


class Tied(NamedTuple):
    """The plan that a project belongs to, and how far its log went; `hidden` are the pairs of which no label may be
    read yet.
    """

    plan: Path
    lock: str
    holder: str
    log: str
    standing: HeldOut | None
    hidden: frozenset[str]


def tied(sealed: Sealed, run: Run, prereg: Path) -> Tied | None:
    """What ties a project to its plan, None for a project without one.

    Raises DamagedRecord unless the plan's lock is the one that the project began with, and its log goes on from where
    it stood when labels left the project before.
    """
    if sealed.plan is None:
        return None
    plan = prereg / f"{sealed.plan.plan}.toml"
    found = read_lock(plan)
    if found.hash != sealed.plan.lock:
        raise DamagedRecord(
            f"{plan}: its lock is not the one that '{sealed.project}' began with; restore it from a copy"
        )
    require_known(run, found)
    standing = held_out(found)
    hidden = frozenset(() if standing is None or standing.readable else sealed.plan.held_out)
    return Tied(plan, found.hash, sealed.plan.holder, found.head, standing, hidden)


def put_away(run: Run, project: str, tie: Tied, rows: Rows, chain: list[Link], closed: bool) -> str:
    """Store what proves the order of a planned project, and its hidden rows as a box once the project is closed.

    The events tell every answer, so they lie open only where nothing is hidden. Returns the last hash of the plan's
    log, which the seal names: whoever puts an older log in the place of this one must change the seal too.
    """
    if not tie.hidden:
        write_chain(run, project, chain)
    elif closed and not _packed_already(run, project, tie, len(rows), chain[-1].hash):
        box = box_path(run, project)
        write_file(box, packed(contents(rows, chain), tie.holder))
        return told_boxed(tie.plan, project, box_hash(box), len(rows), chain[-1].hash).head
    return tie.log


def _packed_already(run: Run, project: str, tie: Tied, labels: int, head: str) -> bool:
    """Whether the box of these labels lies there, as the log knows it; nobody here can look into it."""
    box, known = box_path(run, project), tie.standing.boxes if tie.standing else []
    return (
        bool(known)
        and box.exists()
        and known[-1].body == {"project": project, "sha256": box_hash(box), "labels": labels, "head": head}
    )
