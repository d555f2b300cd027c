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
from polibias.records.ledger import EMPTY, Head, Stream, head_path, problem_in, tip
from polibias.records.runs import ANNOTATIONS, MANIFEST, REPORT, Run

TAG = "manifest/1"
SEALED_APART = (ANNOTATIONS, REPORT)


class Listed(Value, frozen=True, omit_defaults=True):
    """A file as it was sealed; a stream also with its rows and the hash of its last line."""

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
    files = [describe(run, path) for path in own_files(folder) if not is_head(run, path)]
    body = {"about": about, "files": msgspec.to_builtins(files), "sealed_at": at or utc_now()}
    name = write_named(folder / MANIFEST, TAG, body)
    with storing(folder):
        for path in [*own_files(folder)]:
            if is_head(run, path):
                path.unlink()
    return name


def reopen(run: Run, stream: Stream[Any]) -> None:
    """Give a sealed stream of a folder that grows its committed state back, so that it can be appended to.

    Raises DamagedRecord unless the stream is as it was sealed. A stream that is new or open needs nothing.
    """
    if not stream.path.exists() or head_path(stream.path).exists():
        return
    listed = {file.path: file for file in read_manifest(stream.path.parent).files}
    found = listed.get(stream.path.relative_to(run.folder).as_posix())
    if found is None or found != describe(run, stream.path):
        raise DamagedRecord(f"{stream.path}: not as it was sealed; restore it from a copy")
    write_file(head_path(stream.path), Head(found.rows, found.bytes, found.chain).line())


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


def own_files(folder: Path) -> Iterator[Path]:
    """Everything that a folder's manifest answers for: not itself, and no folder of a run that is sealed apart.

    An empty folder and anything that is no regular file come along too, so that `verify` can name them.
    """
    yield from _walk(folder, skip={folder / MANIFEST, *(folder / name for name in SEALED_APART)})


def _walk(folder: Path, skip: set[Path]) -> Iterator[Path]:
    found = sorted(set(folder.iterdir()) - skip)
    for path in found:
        if stat.S_ISDIR(path.lstat().st_mode):
            yield from _walk(path, set()) if any(path.iterdir()) else [path]
        else:
            yield path


def is_head(run: Run, path: Path) -> bool:
    """Whether the file is the committed state of a stream that lies beside it."""
    stream = path.with_name(path.name.removesuffix(".head"))
    return stream != path and stream.is_file() and run.stream_at(stream) is not None


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
    listed = {entry.path: entry for entry in manifest.files}
    found = {path.relative_to(run.folder).as_posix(): path for path in own_files(folder)}
    problems = [f"{run.folder / name}: missing; the manifest lists it" for name in sorted(listed.keys() - found.keys())]
    problems += [f"{found[name]}: not in the manifest" for name in sorted(found.keys() - listed.keys())]
    for name in sorted(listed.keys() & found.keys()):
        problem = _compare(run, found[name], listed[name])
        problems += [problem] if problem else []
    return problems


def _streams_problems(run: Run, folder: Path) -> list[str]:
    """What can still be said of a folder whose manifest cannot be trusted: the first break of each stream."""
    streams = [stream for path in own_files(folder) if (stream := run.stream_at(path))]
    return [problem for stream in streams if (problem := problem_in(stream))]


def _compare(run: Run, path: Path, listed: Listed) -> str:
    """What is wrong with a listed file: which row of it, if it is a stream."""
    try:
        if describe(run, path) == listed:
            return ""
        stream = run.stream_at(path)
        if stream is None:
            return f"{path}: changed after it was sealed"
        rows = tip(path).rows
        problem = problem_in(stream)
    except (PoliBiasError, OSError) as error:
        return str(error)
    if problem:
        return problem
    if rows != listed.rows:
        return f"{path}:{rows}: {listed.rows} rows were sealed, {rows} are here"
    return f"{path}:{rows}: the last line was changed after it was sealed"
