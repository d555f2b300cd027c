"""Seals: one `manifest.json` per sealed folder, naming every file by path, size and SHA-256.

A run's folder is sealed once its streams are complete. `report/` and `annotations/` grow later and have
manifests of their own, so that a seal never has to be broken to add to the run.
"""

import datetime
import hashlib
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from polibias.domain.value import Value
from polibias.errors import DamagedRecord, InputError, PoliBiasError
from polibias.records.documents import read_named, storing, write_file, write_named
from polibias.records.ledger import Stream, problem_in
from polibias.records.runs import ANNOTATIONS, MANIFEST, REPORT, Run
from polibias.records.segments import EMPTY, Head, first_segment, head_path, parse_head, segment_files, tip

TAG = "manifest/1"
SEALED_APART = (ANNOTATIONS, REPORT)


class Listed(Value, frozen=True, omit_defaults=True):
    """A file as it was sealed; each file of a stream also with its rows and the hash of its last line."""

    path: str
    bytes: int
    sha256: str
    rows: int = 0
    chain: str = ""


class Manifest(Value, frozen=True):
    """A sealed folder: what it is about, its files, when it was sealed, and the hash over all that."""

    about: dict[str, Any]
    files: tuple[Listed, ...]
    sealed_at: str
    hash: str


def seal(run: Run, folder: Path, about: dict[str, Any], at: str = "") -> str:
    """Write the folder's manifest and return its hash. `about` is stored beside the file list, `at` is UTC."""
    with storing(folder):
        for part in [*folder.rglob("*.part")]:
            part.unlink()
    files = [describe(run, path) for path in own_files(run, folder) if not is_head(run, path)]
    body = {"about": about, "files": msgspec.to_builtins(files), "sealed_at": at or utc_now()}
    name = write_named(folder / MANIFEST, TAG, body)
    with storing(folder):
        for path in [*own_files(run, folder)]:
            if is_head(run, path):
                path.unlink()
    return name


def reopen(run: Run, stream: Stream[Any]) -> None:
    """Give a sealed stream of a folder that grows its committed state back, so that it can be appended to.

    Raises DamagedRecord unless the stream is as it was sealed. A stream that is new or open needs nothing.
    """
    folder = stream.path.parent
    found = segment_files(stream.path)
    if head_path(stream.path).exists() or not (found or (folder / MANIFEST).exists()):
        return
    listed = _listed_of(run, stream, read_manifest(folder))
    for path in sorted({*listed, *found}):
        if path not in listed or path not in found or describe(run, path) != listed[path]:
            raise DamagedRecord(f"{path}: not as it was sealed; restore it from a copy")
    if found:
        write_file(head_path(stream.path), _sealed_head(listed).line())


def _listed_of(run: Run, stream: Stream[Any], manifest: Manifest) -> dict[Path, Listed]:
    """The files of a stream as they were sealed, in order."""
    listed = {run.folder / file.path: file for file in manifest.files}
    own = [path for path in listed if first_segment(path) == stream.path]
    return {path: listed[path] for path in sorted(own, key=lambda path: (len(path.name), path.name))}


def _sealed_head(listed: dict[Path, Listed]) -> Head:
    """The state of a stream that was sealed."""
    files = list(listed.values())
    return Head(sum(file.rows for file in files), sum(file.bytes for file in files), files[-1].chain)


def read_manifest(folder: Path) -> Manifest:
    """The folder's manifest. Raises DamagedRecord if it was changed, InputError if there is none."""
    path = folder / MANIFEST
    try:
        return msgspec.convert(read_named(path, TAG), type=Manifest, strict=True)
    except msgspec.ValidationError:
        raise DamagedRecord(f"{path}: not a manifest; restore it from a copy") from None


def manifest_hash(folder: Path) -> str:
    """The hash that names a sealed folder. Raises DamagedRecord if the manifest was changed."""
    return read_manifest(folder).hash


def utc_now() -> str:
    """The time as stored everywhere: UTC, ISO 8601, milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def own_files(run: Run, folder: Path) -> Iterator[Path]:
    """Everything that a folder's manifest answers for: not itself, and no folder of the run that is sealed apart.

    An empty folder and anything that is no regular file come along too, so that `verify` can name them.
    """
    yield from _walk(folder, skip={folder / MANIFEST, *(run.folder / name for name in SEALED_APART)})


def _walk(folder: Path, skip: set[Path]) -> Iterator[Path]:
    found = sorted(set(folder.iterdir()) - skip)
    for path in found:
        if stat.S_ISDIR(path.lstat().st_mode):
            yield from _walk(path, set()) if any(path.iterdir()) else [path]
        else:
            yield path


def is_head(run: Run, path: Path) -> bool:
    """Whether the file is the committed state of a stream whose first file lies beside it."""
    first = path.with_name(path.name.removesuffix(".head"))
    stream = run.stream_at(first) if first != path and first.is_file() else None
    return stream is not None and stream.path == first


def describe(run: Run, path: Path) -> Listed:
    """A regular file as a manifest lists it. Raises DamagedRecord for anything else in its place."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise DamagedRecord(f"{path}: not a regular file; a run holds nothing else")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    head = tip(path) if run.stream_at(path) else EMPTY._replace(chain="")
    return Listed(path.relative_to(run.folder).as_posix(), path.stat().st_size, digest, head.rows, head.chain)


def changed_files(run: Run, folder: Path) -> list[str]:
    """Every way in which a sealed folder is not what its manifest says, one line each."""
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        return [str(error), *_streams_problems(run, folder)]
    listed, found = accounted(run, folder, manifest)
    problems = [f"{path}: missing; the manifest lists it" for path in sorted(listed.keys() - found)]
    problems += [f"{path}: not in the manifest" for path in sorted(found - listed.keys())]
    first_breaks: dict[Path, str] = {}
    for path in sorted(listed.keys() & found):
        problem = _compare(run, path, listed[path], first_breaks)
        problems += [problem] if problem else []
    return problems


def require_unchanged(run: Run, folder: Path) -> None:
    """Raises DamagedRecord, with the first problem, unless a folder is as it was sealed, or is not there."""
    for problem in changed_files(run, folder) if folder.exists() else ():
        raise DamagedRecord(problem)


def accounted(run: Run, folder: Path, manifest: Manifest) -> tuple[dict[Path, Listed], set[Path]]:
    """What a sealed folder's manifest lists, and the files that are there."""
    listed = {run.folder / entry.path: entry for entry in manifest.files}
    return listed, {path for path in own_files(run, folder) if not _is_sealed_head(run, path, manifest)}


def _is_sealed_head(run: Run, path: Path, manifest: Manifest) -> bool:
    """Whether a kill left this while the folder was sealed: a stream's state that says what the manifest says."""
    stream = run.stream_at(path.with_name(path.name.removesuffix(".head"))) if is_head(run, path) else None
    listed = _listed_of(run, stream, manifest) if stream else {}
    try:
        return bool(listed) and parse_head(path) == _sealed_head(listed)
    except DamagedRecord:
        return False


def _streams_problems(run: Run, folder: Path) -> list[str]:
    """What can still be said of a folder whose manifest cannot be trusted: the first break of each stream."""
    found = [stream for path in own_files(run, folder) if (stream := run.stream_at(path))]
    streams = {stream.path: stream for stream in found}
    return [problem for stream in streams.values() if (problem := problem_in(stream))]


def _compare(run: Run, path: Path, listed: Listed, first_breaks: dict[Path, str]) -> str:
    """What is wrong with a listed file: which row, if it is a stream's. `first_breaks` keeps what streams were read."""
    try:
        if describe(run, path) == listed:
            return ""
        stream = run.stream_at(path)
        if stream is None:
            return f"{path}: changed after it was sealed"
        rows = tip(path).rows
        if stream.path not in first_breaks:
            first_breaks[stream.path] = problem_in(stream)
        problem = first_breaks[stream.path]
    except (PoliBiasError, OSError) as error:
        return str(error)
    if problem:
        return problem if str(path) in problem else f"{path}: changed after it was sealed"
    if rows != listed.rows:
        return f"{path}:{rows}: {listed.rows} rows were sealed, {rows} are here"
    return f"{path}:{rows}: the last line was changed after it was sealed"
