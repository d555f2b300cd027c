"""Held-out labels of a locked plan: calibrating → frozen → opened once → scored, as the plan's log tells it.

Until the log says `opened` the labels are in a box and nowhere else outside the annotation project: what would read
them finds nothing. A second opening is possible, needs a reason, and is said in every report after it.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from nacl.public import PrivateKey

from polibias.domain.chains import Link, chain_lines, parse_chain
from polibias.domain.ids import canonical, plain
from polibias.domain.lock import HeldOutState, LogEntry
from polibias.domain.rows import Annotation, Seen
from polibias.errors import DamagedRecord, InputError
from polibias.records.boxes import box_hash, unpacked
from polibias.records.documents import write_file
from polibias.records.ledger import Ledger, read
from polibias.records.locks import LockedPlan, append, holding, read_lock
from polibias.records.manifest import changed_files, read_manifest, reopen, seal
from polibias.records.runs import MANIFEST, Run, annotation_key
from polibias.records.witnesses import require_known

BOX, CHAIN = ".box", ".chain"

Rows = list[tuple[Annotation, Seen]]


class HeldOut(NamedTuple):
    """Where held-out labels stand. `round` counts calibration rounds begun, `open_round` is one without a result.

    `frozen` holds the hashes that calibration ended with, `boxes` what was packed, `openings` what was opened.
    """

    state: HeldOutState
    round: int
    rounds: int
    open_round: bool
    frozen: dict[str, Any]
    boxes: list[LogEntry]
    openings: list[LogEntry]

    @property
    def readable(self) -> bool:
        """Whether the labels may be read."""
        return self.state in ("opened", "scored")


def held_out(found: LockedPlan) -> HeldOut | None:
    """Where the held-out labels of a plan stand; None for a plan without any."""
    split = found.lock.plan.split
    if split is None:
        return None
    begun, ended = found.entries("round"), found.entries("result")
    frozen, opened = found.entries("frozen"), found.entries("opened")
    scored = [one for one in found.entries("scored") if not opened or one.number > opened[-1].number]
    state: HeldOutState = "scored" if scored else "opened" if opened else "frozen" if frozen else "calibrating"
    return HeldOut(
        state,
        len(begun),
        split.rounds,
        len(begun) > len(ended),
        dict(frozen[-1].body) if frozen else {},
        found.entries("boxed"),
        opened,
    )


def _standing(plan: Path) -> tuple[LockedPlan, HeldOut]:
    found = read_lock(plan)
    standing = held_out(found)
    if standing is None:
        raise InputError(f"{plan}: holds no labels out; it has no [split]")
    return found, standing


def begin_round(plan: Path, rule: str) -> LockedPlan:
    """Begin a calibration round with the rule by which it will be accepted, written before its result."""
    _words(rule, "--rule")
    with holding(plan.parent):
        _, standing = _standing(plan)
        _require_calibrating(plan, standing)
        if standing.open_round:
            raise InputError(f"{plan}: round {standing.round} has no result yet; give it with polibias prereg result")
        if standing.round >= standing.rounds:
            raise InputError(f"{plan}: all {standing.rounds} rounds are used; freeze with polibias prereg freeze")
        return append(plan, "round", {"round": standing.round + 1, "rule": rule})


def end_round(plan: Path, result: str, accepted: bool) -> LockedPlan:
    """Tell what came of the round that is under way, and whether its rule accepts it."""
    _words(result, "--result")
    with holding(plan.parent):
        _, standing = _standing(plan)
        _require_calibrating(plan, standing)
        if not standing.open_round:
            raise InputError(f"{plan}: no round is under way; begin one with polibias prereg round, its rule first")
        return append(plan, "result", {"round": standing.round, "result": result, "accepted": accepted})


def _require_calibrating(plan: Path, standing: HeldOut) -> None:
    if standing.state != "calibrating":
        raise InputError(f"{plan}: calibration ended when the judge prompt was frozen; nothing can be changed any more")


def freeze(plan: Path, rubric: str, judge_prompts: dict[str, str]) -> LockedPlan:
    """End calibration with the hashes of the rubric and of the judge tasks that held-out labels will be scored by."""
    with holding(plan.parent):
        _, standing = _standing(plan)
        _require_calibrating(plan, standing)
        if standing.open_round:
            raise InputError(f"{plan}: round {standing.round} has no result yet; give it with polibias prereg result")
        return append(plan, "frozen", {"rubric": rubric, "judge_prompts": judge_prompts})


def _words(text: str, option: str) -> None:
    if not any(map(str.isalnum, text)):
        raise InputError(f"{option}: say it in words that can be read")


def box_path(run: Run, project: str) -> Path:
    """Where a project's held-out labels lie: beside its other labels."""
    return run.annotations_folder / f"{project}{BOX}"


def chain_path(run: Run, project: str) -> Path:
    """Where the chain of events of a project lies once it may be read."""
    return run.annotations_folder / f"{project}{CHAIN}"


def write_chain(run: Run, project: str, chain: Iterable[Link]) -> None:
    """Store the events of a project as a file that can be read without its database."""
    write_file(chain_path(run, project), b"".join(chain_lines(chain)))


def contents(rows: Rows, chain: Iterable[Link]) -> bytes:
    """What a box holds: rows with what was observed beside them, and the events that prove their order."""
    stored = [[plain(row), plain(seen)] for row, seen in rows]
    return canonical({"rows": stored, "chain": [line.decode("ascii") for line in chain_lines(chain)]})


def told_boxed(plan: Path, project: str, sha256: str, labels: int, head: str) -> LockedPlan:
    """Log that a project's held-out labels were packed with its events, of which `head` is the last one's hash."""
    with holding(plan.parent):
        return append(plan, "boxed", {"project": project, "sha256": sha256, "labels": labels, "head": head})


def open_labels(plan: Path, run: Run, key: PrivateKey, reason: str) -> LockedPlan:
    """Open the box of a plan's project: log it first, then put its rows where all labels lie.

    Raises InputError, with nothing opened, unless the prompt is frozen, the key is the holder's, and a reason is given
    where it is not the first time. An opening that was interrupted is finished without another one.
    """
    with holding(plan.parent):
        found, standing = _standing(plan)
        require_known(run, found)
        project = _openable(plan, found, standing)
        box = box_path(run, project)
        packed = standing.boxes[-1].body
        if box_hash(box) != packed["sha256"]:
            raise DamagedRecord(f"{box}: not the box that was packed; restore it from a copy")
        rows, chain = _parsed(box, unpacked(box, key), found.hash)
        about = _exported(run, project)
        if not (standing.readable and _unfinished(run, project, found, about, rows)):
            _check_reason(plan, standing, reason)
            _check_whole(run)
            found = append(plan, "opened", {"reason": reason, "box": packed["sha256"], "labels": len(rows)})
        with run.locked():
            _put(run, project, found, rows, chain)
    return found


def _openable(plan: Path, found: LockedPlan, standing: HeldOut) -> str:
    """The project whose box can be opened now."""
    if standing.state == "calibrating":
        raise InputError(
            f"{plan}: the judge prompt is not frozen yet; freeze it with polibias prereg freeze, then open"
        )
    raters = found.lock.plan.raters
    if raters is None or not standing.boxes:
        raise InputError(f"{plan}: no held-out labels were exported yet; close the project and export it first")
    return raters.project


def _check_reason(plan: Path, standing: HeldOut, reason: str) -> None:
    if standing.openings and not any(map(str.isalnum, reason)):
        raise InputError(
            f"{plan}: opened already at {standing.openings[-1].at}; a second opening needs --reason, and every report "
            "will say so"
        )


def _parsed(box: Path, data: bytes, genesis: str) -> tuple[Rows, list[Link]]:
    """Rows and events as they were packed. Raises DamagedRecord for anything else, quoting none of it."""
    try:
        value = json.loads(data)
        rows = [
            (msgspec.convert(row, type=Annotation, strict=True), msgspec.convert(seen, type=Seen, strict=True))
            for row, seen in value["rows"]
        ]
        lines = [line.encode("ascii") for line in value["chain"]]
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError):
        raise DamagedRecord(f"{box}: holds something else than labels of this version; nothing was opened") from None
    return rows, parse_chain(lines, genesis, str(box))


def _exported(run: Run, project: str) -> dict[str, Any]:
    """What the seal of the annotations says of a project whose box lies there."""
    folder = run.annotations_folder
    found = read_manifest(folder).about.get("projects", {}).get(project) if (folder / MANIFEST).exists() else None
    if not isinstance(found, dict):
        raise InputError(f"{folder}: the export of '{project}' was interrupted; export it again, then open")
    return found


def _check_whole(run: Run) -> None:
    for problem in changed_files(run, run.annotations_folder):
        raise DamagedRecord(f"{problem}; nothing was opened; export the project again, or restore it from a copy")


def _unfinished(run: Run, project: str, found: LockedPlan, about: dict[str, Any], rows: Rows) -> bool:
    """Whether the last opening was cut short before its rows were stored, and the folder sealed with them.

    The seal names the log as it went when the labels left; of an opening that was finished it names that one or one
    after it.
    """
    after = {entry.hash for entry in found.log if entry.number >= found.entries("opened")[-1].number}
    if about.get("log") not in after:
        return True
    stored = {entry.key for entry in read(run.annotations(project))}
    return any(annotation_key(row) not in stored for row, _ in rows)


def _put(run: Run, project: str, found: LockedPlan, rows: Rows, chain: list[Link]) -> None:
    stream = run.annotations(project)
    about = read_manifest(run.annotations_folder).about
    about["projects"][project]["log"] = found.head
    reopen(run, stream)
    stored = {entry.key for entry in read(stream)}
    with Ledger(stream) as ledger:
        for row, seen in rows:
            if annotation_key(row) not in stored:
                ledger.append(row, seen)
        ledger.commit()
    write_chain(run, project, chain)
    seal(run, run.annotations_folder, about)
