"""Whole files written once: canonical JSON documents and report files, all or nothing."""

import json
import os
from pathlib import Path
from typing import Any

from polibias.domain.ids import canonical, plain
from polibias.errors import DamagedRecord, InputError
from polibias.records.ledger import storage_error


def write_file(path: Path, data: bytes, durable: bool = True) -> None:
    """Replace `path` by `data` in one step: a reader sees the old file or the new one, never a part.

    `durable` waits until the disk has it. Raises StorageError, with the old file in place, if the disk refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise storage_error(path, error) from None


def write_document(path: Path, value: Any) -> None:
    """Store `value` as one canonical line."""
    write_file(path, canonical(plain(value)) + b"\n")


def read_document(path: Path) -> Any:
    """The stored value. Raises DamagedRecord unless the file is its own canonical form, byte for byte."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    try:
        value = json.loads(data)
        same = canonical(value) + b"\n" == data
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise DamagedRecord(f"{path}: changed after it was written; restore it from a copy")
    return value
