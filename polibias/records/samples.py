"""Samples and splits as files beside their plans, and files that name pairs which no sample may have."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from polibias.domain.ids import plain
from polibias.domain.sample import SAMPLE_TAG, SPLIT_TAG, Sample, Split
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_named, reading, write_named

HEX = frozenset("0123456789abcdef")
DIGITS = 64

Drawn = TypeVar("Drawn", Sample, Split)


def sample_path(plan: Path) -> Path:
    """Where the sample of a plan lies: beside it."""
    return plan.with_name(f"{plan.stem}.sample.json")


def split_path(plan: Path) -> Path:
    """Where the split of a plan's sample lies: beside it."""
    return plan.with_name(f"{plan.stem}.split.json")


def read_sample(path: Path) -> tuple[Sample, str]:
    """A drawn sample and the hash that names it. Raises DamagedRecord unless it is exactly what was written."""
    return _read(path, SAMPLE_TAG, Sample)


def keep_sample(path: Path, drawn: Sample) -> str:
    """Store a sample once and return the hash that names it.

    Raises InputError if another one lies there: a plan is drawn once, and then it is what was drawn.
    """
    return _keep(path, SAMPLE_TAG, drawn)


def read_split(path: Path) -> tuple[Split, str]:
    """As `read_sample`, of a split."""
    return _read(path, SPLIT_TAG, Split)


def keep_split(path: Path, made: Split) -> str:
    """As `keep_sample`, of a split."""
    return _keep(path, SPLIT_TAG, made)


def _read(path: Path, tag: str, kind: type[Drawn]) -> tuple[Drawn, str]:
    body = read_named(path, tag)
    name = body.pop("hash")
    try:
        return msgspec.convert(body, type=kind), name
    except msgspec.ValidationError as error:
        raise DamagedRecord(f"{path}: is not of this version ({error})") from None


def _keep(path: Path, tag: str, drawn: Drawn) -> str:
    if not path.exists():
        return write_named(path, tag, plain(drawn))
    before, name = _read(path, tag, type(drawn))
    if before != drawn:
        raise InputError(
            f"{path}: was drawn by another plan or from another state of the run; give the changed plan another id"
        )
    return name


def read_excluded(files: Iterable[str], folder: Path) -> tuple[set[str], dict[str, str]]:
    """The ids of pairs that these files name, and the SHA-256 of each file; paths count from `folder`.

    A file is a sample (`.json`), or a text with one pair id a line. A pair is excluded as answered by every model.
    """
    ids: set[str] = set()
    hashes: dict[str, str] = {}
    for name in files:
        path = folder / name
        with reading(path):
            data = path.read_bytes()
        hashes[name] = hashlib.sha256(data).hexdigest()
        ids |= {one.pair for one in read_sample(path)[0].pairs} if path.suffix == ".json" else _lines(path, data)
    return ids, hashes


def _lines(path: Path, data: bytes) -> set[str]:
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    for number, line in enumerate(lines, start=1):
        if line and not line.startswith("#") and (len(line) != DIGITS or not set(line) <= HEX):
            raise InputError(
                f"{path}:{number}: {line[: DIGITS + 6]!a} is no pair id of {DIGITS} hex digits; one a line"
            )
    return {line for line in lines if line and not line.startswith("#")}
