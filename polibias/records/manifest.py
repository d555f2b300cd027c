"""Seals: one `manifest.json` per sealed folder, naming every file by path, size and SHA-256.

A run's folder is sealed once its streams are complete. `report/` and `annotations/` grow later and have
manifests of their own, so that a seal never has to be broken to add to the run.
"""

import datetime
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polibias.domain.ids import tagged_hash
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_document, write_document
from polibias.records.ledger import EMPTY, GENESIS, Head, head_path, line_hash, lines, parse_head, parse_line, read
from polibias.records.runs import ANNOTATIONS, MANIFEST, REPORT, Run

TAG = "manifest/1"


def seal(run: Run, folder: Path, about: dict[str, Any]) -> str:
    """Write the folder's manifest and return its hash. `about` is stored beside the file list."""
    files = [_describe(run, path) for path in _own_files(folder)]
    body = {"about": about, "files": files, "sealed_at": utc_now()}
    name = tagged_hash(TAG, body)
    write_document(folder / MANIFEST, {**body, "hash": name})
    for path in folder.rglob("*.head"):
        path.unlink()
    return name


def manifest_hash(folder: Path) -> str:
    """The hash that names a sealed folder. Raises DamagedRecord if the manifest was changed."""
    return str(_read(folder)["hash"])


def _read(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    value = read_document(path)
    body = {name: value[name] for name in value if name != "hash"} if isinstance(value, dict) else {}
    if not body or value.get("hash") != tagged_hash(TAG, body):
        raise DamagedRecord(f"{path}: changed after it was written; restore it from a copy")
    return body | {"hash": value["hash"]}


def utc_now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _own_files(folder: Path) -> Iterator[Path]:
    """The files that this folder's manifest answers for: not itself, no heads, no folder sealed on its own."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            if path.name not in SEALED_APART or path.parent != folder:
                yield from _own_files(path)
        elif path.name != MANIFEST and path.suffix != ".head":
            yield path


SEALED_APART = frozenset({REPORT, ANNOTATIONS})


def _describe(run: Run, path: Path) -> dict[str, Any]:
    data_hash = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            data_hash.update(block)
    found: dict[str, Any] = {
        "path": path.relative_to(run.folder).as_posix(),
        "bytes": path.stat().st_size,
        "sha256": data_hash.hexdigest(),
    }
    if run.stream_at(path):
        head = _tip(path)
        found |= {"rows": head.rows, "chain": head.chain}
    return found


def _tip(path: Path) -> Head:
    head = EMPTY
    for _, line in lines(path):
        head = head.after(line)
    return head


def verify(run: Run) -> list[str]:
    """Every way in which the run is not what was written, one line each; empty if nothing was changed."""
    problems: list[str] = []
    problems += _verify_sealed(run, run.folder) if run.sealed else _verify_open(run)
    for name in sorted(SEALED_APART):
        if (run.folder / name).is_dir():
            problems += _verify_sealed(run, run.folder / name)
    if not problems:
        problems += _verify_links(run)
    return problems


def _verify_sealed(run: Run, folder: Path) -> list[str]:
    try:
        manifest = _read(folder)
    except InputError as error:
        return [str(error)]
    listed = {entry["path"]: entry for entry in manifest["files"]}
    found = {path.relative_to(run.folder).as_posix(): path for path in _own_files(folder)}
    problems = [f"{run.folder / name}: missing; the manifest lists it" for name in sorted(listed.keys() - found.keys())]
    problems += [f"{found[name]}: not in the manifest" for name in sorted(found.keys() - listed.keys())]
    for name in sorted(listed.keys() & found.keys()):
        if _describe(run, found[name]) != listed[name]:
            problems.append(_locate(run, found[name], listed[name]))
    if folder == run.report and run.sealed and manifest["about"].get("run") != _hash_or_none(run.folder):
        problems.append(f"{folder / MANIFEST}: this report was made from another state of the run; make it again")
    return problems


def _hash_or_none(folder: Path) -> str | None:
    try:
        return manifest_hash(folder)
    except InputError:
        return None


def _locate(run: Run, path: Path, listed: dict[str, Any]) -> str:
    """Which row of a changed file is not the one that was sealed."""
    stream = run.stream_at(path)
    if stream is None:
        return f"{path}: changed after it was sealed"
    problem = _check_stream(stream)
    if problem:
        return problem
    rows = _tip(path).rows
    if rows != listed["rows"]:
        return f"{path}:{rows}: {listed['rows']} rows were sealed, {rows} are here"
    return f"{path}:{rows}: the last line was changed after it was sealed"


def _check_stream(stream: Any) -> str:
    chain = GENESIS
    try:
        for number, line in lines(stream.path):
            parse_line(stream, number, line, chain)
            chain = line_hash(line)
    except DamagedRecord as error:
        return str(error)
    return ""


def _verify_open(run: Run) -> list[str]:
    """An unsealed run: every stream against itself and its committed state, every document against its form."""
    problems = []
    for stream in run.streams():
        if stream.path.parent.name in SEALED_APART:
            continue
        problem = _check_stream(stream)
        if not problem:
            problem = _check_committed(stream.path)
        if problem:
            problems.append(problem)
    try:
        read_document(run.study)
    except DamagedRecord as error:
        problems.append(str(error))
    return problems


def _check_committed(path: Path) -> str:
    try:
        committed = parse_head(head_path(path))
    except FileNotFoundError:
        return f"{head_path(path)}: missing beside its stream"
    except DamagedRecord as error:
        return str(error)
    tip = _tip(path)
    if tip.rows < committed.rows:
        return f"{path}:{tip.rows}: {committed.rows} rows were committed, {tip.rows} are here"
    if tip.rows == committed.rows and tip != committed:
        return f"{path}:{tip.rows}: the last line was changed after it was written"
    return ""


def _verify_links(run: Run) -> list[str]:
    """Every row points back at rows that exist in this run."""
    streams = {
        name: [stream for stream in run.streams() if stream.path.parent.name == name]
        for name in ("responses", "judgments", ANNOTATIONS)
    }
    pairs = {entry.id for entry in read(run.pairs())}
    responses = {entry.id for stream in streams["responses"] for entry in read(stream)}
    problems = []
    for name, found in streams.items():
        for stream in found:
            for entry in read(stream):
                if entry.row.pair not in pairs:
                    problems.append(f"{stream.path}:{entry.number}: points at a pair that is not in this run")
                elif name != "responses" and {entry.row.responses.A, entry.row.responses.B} - responses:
                    problems.append(f"{stream.path}:{entry.number}: points at a response that is not in this run")
    return problems
