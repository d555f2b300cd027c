"""Locks of plans and their logs, beside the plans: `NAME.lock.json` and `NAME.log.jsonl`.

The log is a hash chain that begins with the lock's hash; the lock's file also says how far the log goes. So whoever
changes, shortens or removes the log must change the lock as well, and whoever removes both leaves projects, findings
and published fingerprints behind that name them. All writing goes through one exclusive hold of the folder, and a file
is only ever replaced whole.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.lock import ENTRY_TAG, LOCK_TAG, EntryKind, Lock, LogEntry
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_document, reading, write_document, write_file
from polibias.records.manifest import utc_now
from polibias.records.samples import read_sample, read_split, sample_path, split_path

RESTORE = "restore it from a copy"
SUFFIX, LOG = ".lock.json", ".log.jsonl"


class NotLocked(InputError):
    """There is no lock, and no log that outlived one."""


class LockedPlan(NamedTuple):
    """A lock with its hash, its log, and the plan's file that all of it lies beside."""

    path: Path
    lock: Lock
    hash: str
    log: tuple[LogEntry, ...]

    @property
    def head(self) -> str:
        """The newest hash: that of the last entry, or of the lock."""
        return self.log[-1].hash if self.log else self.hash

    def entries(self, kind: EntryKind) -> list[LogEntry]:
        """What the log tells of one kind, in its order."""
        return [entry for entry in self.log if entry.kind == kind]

    @property
    def fingerprints(self) -> dict[str, str]:
        """Every hash that may have been published, and what it is of."""
        entries = {entry.hash: f"entry {entry.number} of the log ({entry.kind})" for entry in self.log}
        return {self.hash: "the lock", **entries}


def lock_path(plan: Path) -> Path:
    """Where the lock of a plan lies: beside it."""
    return plan.with_name(f"{plan.stem}{SUFFIX}")


def log_path(plan: Path) -> Path:
    """Where the log of a locked plan lies: beside it."""
    return plan.with_name(f"{plan.stem}{LOG}")


def is_locked(plan: Path) -> bool:
    """Whether anything says that the plan was locked, if only a log of what happened since."""
    return lock_path(plan).exists() or _outlived(plan)


def _outlived(plan: Path) -> bool:
    """Whether a log goes on without its lock; one with a single entry was left by a lock that was interrupted."""
    path = log_path(plan)
    if not path.exists():
        return False
    with reading(path):
        return path.read_bytes().count(b"\n") != 1


def locked_in(folder: Path) -> list[Path]:
    """The plans of a folder that were locked, as the paths of their files."""
    return _plans_of(folder, SUFFIX)


def logged_in(folder: Path) -> list[Path]:
    """The plans of a folder that have a log, as the paths of their files."""
    return _plans_of(folder, LOG)


def _plans_of(folder: Path, end: str) -> list[Path]:
    return sorted(path.with_name(path.name.removesuffix(end) + ".toml") for path in folder.glob(f"*{end}"))


def read_lock(plan: Path) -> LockedPlan:
    """The lock of a plan and its log, once both and all that the lock names beside it are as they were written.

    Raises NotLocked if it is not locked, DamagedRecord for whatever was changed.
    """
    found = _read_pair(plan)
    check_beside(found)
    return found


def _read_pair(plan: Path) -> LockedPlan:
    path = lock_path(plan)
    if not path.exists():
        if _outlived(plan):
            raise DamagedRecord(f"{path}: is gone, but its log is here; {RESTORE}")
        raise NotLocked(f"{plan}: not locked; lock it with polibias prereg lock {plan.stem}")
    for own in (path, log_path(plan), sample_path(plan), split_path(plan)):
        if own.is_symlink():
            raise DamagedRecord(f"{own}: only points at a file; put the file itself here, {RESTORE}")
    lock, name, told = _read_lock_file(path)
    entries = read_log(log_path(plan), name)
    _check_told(path, entries, told, name)
    return LockedPlan(plan, lock, name, tuple(entries))


def _read_lock_file(path: Path) -> tuple[Lock, str, dict[str, Any]]:
    value = read_document(path)
    try:
        told, name = value.pop("log"), value.pop("hash")
        lock = msgspec.convert(value, type=Lock, strict=True)
        same = name == tagged_hash(LOCK_TAG, value) and tagged_hash(LOCK_TAG, lock) == name
    except (KeyError, AttributeError, TypeError, msgspec.ValidationError):
        same = False
    if not same:
        raise DamagedRecord(f"{path}: changed after it was written, or of another version; {RESTORE}")
    return lock, name, told


def read_log(path: Path, genesis: str) -> list[LogEntry]:
    """The entries of a log that begins with this hash. Raises DamagedRecord at the first that does not fit."""
    if not path.exists():
        raise DamagedRecord(f"{path}: is gone, but the plan is locked; {RESTORE}")
    with reading(path):
        data = path.read_bytes()
    found: list[LogEntry] = []
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        entry = _entry(line)
        if entry is None or entry.number != number or entry.prev != (found[-1].hash if found else genesis):
            raise DamagedRecord(f"{path}:{number}: does not follow what stands before it; {RESTORE}")
        found.append(entry)
    return found


def _entry(line: bytes) -> LogEntry | None:
    """The entry that a line is, None if it is not exactly one."""
    try:
        value = json.loads(line)
        entry = msgspec.convert(value, type=LogEntry, strict=True)
        body = {name: part for name, part in value.items() if name != "hash"}
        same = canonical(value) + b"\n" == line and tagged_hash(ENTRY_TAG, body) == entry.hash
    except (ValueError, TypeError, AttributeError, RecursionError, msgspec.ValidationError):
        return None
    return entry if same and entry.sound else None


def _check_told(path: Path, entries: Sequence[LogEntry], told: Any, name: str) -> None:
    """The lock's file says how far the log goes; a kill may have left the log one entry ahead of it."""
    for length in (len(entries), len(entries) - 1):
        if length >= 0 and told == _extent(entries[:length], name):
            return
    raise DamagedRecord(
        f"{path}: its log is not the one it knows ({len(entries)} entries are here); one of the two was changed or "
        f"replaced by an older one; {RESTORE}"
    )


def _extent(entries: Sequence[LogEntry], name: str) -> dict[str, Any]:
    return {"entries": len(entries), "head": entries[-1].hash if entries else name}


def check_beside(found: LockedPlan) -> None:
    """Raises DamagedRecord unless plan, sample and split are the locked ones, byte for byte."""
    with reading(found.path):
        source = hashlib.sha256(found.path.read_bytes()).hexdigest()
    if source != found.lock.source:
        raise DamagedRecord(
            f"{found.path}: changed after it was locked; restore it, or give the changed plan another id and lock that"
        )
    for path, read, wanted in (
        (sample_path(found.path), read_sample, found.lock.sample),
        (split_path(found.path), read_split, found.lock.split),
    ):
        if path.exists() != bool(wanted) or (wanted and read(path)[1] != wanted):
            raise DamagedRecord(f"{path}: not the one that was locked; {RESTORE}")


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold a folder of plans for writing; others wait. Raises InputError for a folder that is not there."""
    with reading(folder):
        fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def write_lock(plan: Path, lock: Lock) -> LockedPlan:
    """Store a lock and begin its log. Raises InputError if the plan is locked. The caller holds the folder."""
    if is_locked(plan):
        raise InputError(f"{lock_path(plan)}: there already; a plan is locked once, a changed one needs another id")
    name = tagged_hash(LOCK_TAG, lock)
    first = _made(lock.at, 1, "locked", {}, name)
    write_file(log_path(plan), canonical(plain(first)) + b"\n")
    write_document(lock_path(plan), {**plain(lock), "hash": name, "log": _extent([first], name)})
    return LockedPlan(plan, lock, name, (first,))


def append(plan: Path, kind: EntryKind, body: dict[str, Any]) -> LockedPlan:
    """Add an entry and return the plan with it. The caller holds the folder.

    Raises InputError, with nothing written, if the clock is behind the last entry.
    """
    found = read_lock(plan)
    last, at = found.log[-1].at if found.log else found.lock.at, utc_now()
    check_clock(at, last, str(log_path(plan)))
    log = (*found.log, _made(at, len(found.log) + 1, kind, body, found.head))
    write_file(log_path(plan), b"".join(canonical(plain(entry)) + b"\n" for entry in log))
    write_document(lock_path(plan), {**plain(found.lock), "hash": found.hash, "log": _extent(log, found.hash)})
    return found._replace(log=log)


def check_clock(at: str, last: str, where: str) -> None:
    """Raises InputError if the clock runs behind what was written before."""
    if at < last:
        raise InputError(
            f"{where}: the clock says {at}, but the last entry is of {last}; set the clock, then try again"
        )


def _made(at: str, number: int, kind: EntryKind, body: dict[str, Any], prev: str) -> LogEntry:
    fields = {"at": at, "body": body, "kind": kind, "number": number, "prev": prev}
    return LogEntry(number, at, kind, body, prev, tagged_hash(ENTRY_TAG, fields))
