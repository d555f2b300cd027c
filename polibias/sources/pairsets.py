"""Imported pair sets at rest: `pairs/<id>.jsonl` in the data folder, written once.

The first line is a header that names the set and binds the lines below it; every further line is one pair. Each line is
its own canonical form and carries its own hash, so that no byte can change without a line that says so.
"""

import errno
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.pairset import ImportedPair, PairSet
from polibias.domain.value import EntryId, Text, Value
from polibias.errors import DamagedRecord, InputError, StorageError
from polibias.sources.files import no_such
from polibias.sources.imports import ID, Imported

T = TypeVar("T")

SET: Literal["pair-set/1"] = "pair-set/1"
PAIR = "imported-pair/1"
PAIRS = "imported-pairs/1"
ABOUT = tuple(field for field in PairSet.__struct_fields__ if field != "pairs")


class _Header(Value, frozen=True):
    """All of a set but its pairs; `pairs` is the hash over the hashes of the lines below, in order."""

    kind: Literal["pair-set/1"]
    id: EntryId
    title: Text
    credit: str
    source: Text
    sha256: Text
    columns: dict[str, str]
    left_out: dict[str, str]
    rows: int
    pairs: Text


def as_pair_set(imported: Imported, name: str, title: str = "", credit: str = "") -> PairSet:
    """What was read as a set called `name`. Raises InputError for a name that is none, and where no pair was taken."""
    if not ID.fullmatch(name):
        raise InputError(
            f"--id {name!a}: use up to 80 of a-z, A-Z, 0-9, '.', '_' and '-', beginning with a letter or digit"
        )
    if not imported.pairs:
        raise InputError(f"{imported.source}: no pair was taken; correct what is wrong in the file")
    return PairSet(
        id=name,
        title=title or name,
        credit=credit,
        source=imported.source,
        sha256=imported.sha256,
        columns=imported.columns,
        left_out=imported.left_out,
        pairs=imported.pairs,
    )


def write_pair_set(folder: Path, pair_set: PairSet) -> Path:
    """Store the set in the data folder, all or nothing, and return where.

    The same set again changes nothing. Raises InputError if another set of this name is there.
    """
    path = _path(folder, msgspec.convert(pair_set.id, EntryId))
    lines = _lines(pair_set)
    try:
        if path.exists():
            if path.read_bytes() != b"".join(lines):
                raise InputError(f"{path}: holds another set; choose another --id, or remove the file first")
        else:
            _write(path, lines)
    except FileExistsError:
        raise InputError(f"{path}: another import stored a set of this name just now; choose another --id") from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "no space left on the device" if full else f"cannot be written ({error.strerror})"
        raise StorageError(f"{path}: {reason}; nothing was stored") from None
    return path


def read_pair_set(folder: Path, name: str, where: str) -> PairSet:
    """The set called `name`; `where` says who asks for it.

    Raises InputError for an unknown name, and DamagedRecord, naming file and line, unless every byte is as written.
    """
    known = pair_sets(folder)
    if name not in known:
        raise no_such("pair set", name, known, where)
    path = _path(folder, name)
    try:
        first, *rest = path.read_bytes().splitlines(keepends=True) or [b""]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    header, _ = _parsed(path, 1, first, SET, _Header)
    if header.id != name:
        raise InputError(f"{path}:1: holds the set '{header.id}'; give the file that name again")
    lines = [_parsed(path, number, line, PAIR, ImportedPair) for number, line in enumerate(rest, start=2)]
    _check(path, header, [hash for _, hash in lines])
    about = {field: getattr(header, field) for field in ABOUT}
    return PairSet(**about, pairs=tuple(pair for pair, _ in lines))


def pair_sets(folder: Path) -> list[str]:
    """The names of the sets in a data folder."""
    return sorted(path.stem for path in (folder / "pairs").glob("*.jsonl"))


def _path(folder: Path, name: str) -> Path:
    return folder / "pairs" / f"{name}.jsonl"


def _lines(pair_set: PairSet) -> list[bytes]:
    bodies = [plain(pair) for pair in pair_set.pairs]
    hashes = [tagged_hash(PAIR, body) for body in bodies]
    about = {field: getattr(pair_set, field) for field in ABOUT}
    header = plain(_Header(**about, kind=SET, rows=len(hashes), pairs=tagged_hash(PAIRS, hashes)))
    return [
        _line(header, tagged_hash(SET, header)),
        *(_line(body, hash) for body, hash in zip(bodies, hashes, strict=True)),
    ]


def _line(body: dict[str, Any], hash: str) -> bytes:
    return canonical({**body, "hash": hash}) + b"\n"


def _write(path: Path, lines: Iterable[bytes]) -> None:
    """A reader sees the whole file or none, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)  # fails if another import was first, where a rename would replace its set
    finally:
        part.unlink(missing_ok=True)


def _parsed(path: Path, number: int, line: bytes, tag: str, kind: type[T]) -> tuple[T, str]:
    """The line's value and hash. Raises DamagedRecord unless it is exactly what was written."""
    try:
        body = json.loads(line)
        whole = canonical(body) + b"\n" == line
        hash = body.pop("hash")
        if whole and hash == tagged_hash(tag, body):
            return msgspec.convert(body, type=kind), hash
    except (ValueError, OverflowError, RecursionError, LookupError, AttributeError, TypeError):
        pass  # the line is then not one of ours
    raise DamagedRecord(f"{path}:{number}: changed after it was written; restore it, or remove and import it again")


def _check(path: Path, header: _Header, hashes: list[str]) -> None:
    """The lines are those that the header binds, in its order."""
    if len(hashes) != header.rows:
        raise DamagedRecord(
            f"{path}:{min(len(hashes), header.rows) + 2}: the file has {len(hashes)} pairs and was written with "
            f"{header.rows}; restore the file, or remove it and import it again"
        )
    if tagged_hash(PAIRS, hashes) != header.pairs:
        raise DamagedRecord(
            f"{path}:1: the lines below are not those written; restore it, or remove and import it again"
        )
