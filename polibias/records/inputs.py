"""What a lock says of the runs that came before it, and whether they still begin with those very bytes."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from polibias.domain.lock import LockedFile, LockedRun
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import reading
from polibias.records.ledger import Stream
from polibias.records.manifest import manifest_hash, read_manifest
from polibias.records.runs import STUDY, Run
from polibias.records.segments import first_segment, segment_files

BLOCK = 1 << 20


def locked_run(run: Run, older: Iterable[str] = ()) -> LockedRun:
    """A sealed run as a lock names it, with the labels of these projects, which were there before.

    Raises InputError if it is not sealed or has no labels of such a project.
    """
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; a plan rests on what nobody can change any more")
    manifest = read_manifest(run.folder)
    files = [LockedFile(one.path, one.bytes, one.sha256) for one in manifest.files]
    for project in older:
        paths = segment_files(run.annotations(project).path)
        if not paths:
            path = run.annotations(project).path
            raise InputError(f"{path}: no such labels; the plan names '{project}' among those that came before")
        files += [_locked_file(run, path) for path in paths]
    return LockedRun(run.folder.name, manifest.hash, tuple(files))


def _locked_file(run: Run, path: Path) -> LockedFile:
    size = path.stat().st_size
    return LockedFile(path.relative_to(run.folder).as_posix(), size, _prefix_hash(path, size))


def locked_rows(run: Run, locked: LockedRun, stream: Stream[Any]) -> int:
    """How many rows of a stream were there when the plan was locked; what came later is no input of it."""
    own = [one for one in locked.files if first_segment(run.folder / one.path) == stream.path]
    found = 0
    for one in own:
        with reading(stream.path), (run.folder / one.path).open("rb") as file:
            found += file.read(one.bytes).count(b"\n")
    return found


def check_input(run: Run, locked: LockedRun) -> bool:
    """Whether the run is byte for byte what it was when it was locked; it was whole then. False if it has grown.

    A run may have been sealed again since; its `study.json`, which says what it is about, may not change. Raises
    DamagedRecord unless every file that was locked still begins with the bytes it had.
    """
    for one in locked.files:
        path = run.folder / one.path
        if not path.is_file() or _prefix_hash(path, one.bytes) != one.sha256:
            raise DamagedRecord(f"{path}: does not begin with what was locked; restore it from a copy")
        if one.path == STUDY and path.stat().st_size != one.bytes:
            raise DamagedRecord(f"{path}: changed since the lock; restore it from a copy")
    sizes = [(run.folder / one.path).stat().st_size for one in locked.files]
    return manifest_hash(run.folder) == locked.manifest and sizes == [one.bytes for one in locked.files]


def _prefix_hash(path: Path, size: int) -> str:
    """The SHA-256 of a file's first `size` bytes, '' for a file that is shorter."""
    digest, left = hashlib.sha256(), size
    with reading(path), path.open("rb") as file:
        while left and (block := file.read(min(BLOCK, left))):
            digest.update(block)
            left -= len(block)
    return "" if left else digest.hexdigest()
