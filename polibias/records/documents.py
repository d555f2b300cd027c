"""Whole files written once, all or nothing: report files, and documents that carry their own hash."""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.errors import DamagedRecord, InputError, StorageError


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into a StorageError that names `path`."""
    try:
        yield
    except OSError as error:
        raise storage_error(path, error) from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn a file that cannot be read into an InputError that names `path`."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def storage_error(path: Path, error: OSError) -> StorageError:
    """A refused write as one clear line."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError(f"{path}: no space left on the device; free some and run the same command again")
    return StorageError(f"{path}: cannot be written ({error.strerror or error})")


def write_file(path: Path, data: bytes, durable: bool = True) -> None:
    """Replace `path` by `data` in one step: a reader sees the old file or the new one, never a part.

    `durable` waits until the disk has it. Raises StorageError, with the old file in place, if the disk refuses.
    """
    with replacing(path, durable) as file:
        file.write(data)


@contextmanager
def replacing(path: Path, durable: bool = True) -> Iterator[BinaryIO]:
    """As `write_file`, for what is written piece by piece: the file takes its place only if the block ends well."""
    part = path.with_name(path.name + ".part")
    try:
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                yield file
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            part.replace(path)
            if durable:
                sync_folder(path.parent)
    except BaseException:
        _remove(part)
        raise


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder: a file that was flushed can still lose its name."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _remove(part: Path) -> None:
    """Take a half-written file away, if the file system that just refused allows even that."""
    try:
        part.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(part, error) from None


def write_document(path: Path, value: Any) -> None:
    """Store `value` as one canonical line."""
    write_file(path, canonical(plain(value)) + b"\n")


def read_document(path: Path) -> Any:
    """The stored value. Raises DamagedRecord unless the file is its own canonical form, byte for byte."""
    with reading(path):
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would keep whoever reads it waiting
            raise InputError(f"{path}: not a regular file")
        data = path.read_bytes()
    try:
        value = json.loads(data)
        same = canonical(value) + b"\n" == data
    except (ValueError, OverflowError, RecursionError):
        same = False
    if not same:
        raise _changed(path)
    return value


def write_named(path: Path, tag: str, body: dict[str, Any]) -> str:
    """Store `body` with its own hash beside it, and return the hash."""
    name = tagged_hash(tag, body)
    write_document(path, {**body, "hash": name})
    return name


def read_named(path: Path, tag: str) -> dict[str, Any]:
    """The stored body with its hash. Raises DamagedRecord unless it is exactly what was written."""
    value = read_document(path)
    if not isinstance(value, dict):
        raise _changed(path)
    body = {name: part for name, part in value.items() if name != "hash"}
    if value.get("hash") != tagged_hash(tag, body):
        raise _changed(path)
    return value


def _changed(path: Path) -> DamagedRecord:
    return DamagedRecord(f"{path}: changed after it was written; restore it from a copy")
