"""Where a stored row stands, so that it can be read again later without keeping it."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import msgspec

from polibias.domain.rows import StoredRow
from polibias.errors import DamagedRecord
from polibias.records.documents import reading
from polibias.records.ledger import Entry, Stream, read
from polibias.records.segments import lines

R = TypeVar("R", bound=StoredRow)


class Shelfmark(msgspec.Struct, frozen=True, gc=False):
    """A row's file, the byte at which its line begins, its id and the hash of its line, as 32 bytes each.

    Kept for every row, so it is small.
    """

    path: Path
    offset: int
    id: bytes
    line: bytes


class Shelved(msgspec.Struct, Generic[R], frozen=True):
    """A line's row; what else the line holds was checked when it was read."""

    row: R


def located(stream: Stream[R]) -> Iterator[tuple[Shelfmark, Entry[R]]]:
    """As `read`, each row with its place."""
    for (path, offset, line), entry in zip(_offsets(stream), read(stream), strict=True):
        yield Shelfmark(path, offset, bytes.fromhex(entry.id), line), entry


def _offsets(stream: Stream[Any]) -> Iterator[tuple[Path, int, bytes]]:
    path, offset = stream.path, 0
    for place, line in lines(stream.path):
        if place.path != path:
            path, offset = place.path, 0
        yield path, offset, hashlib.sha256(line).digest()
        offset += len(line)


class Shelf:
    """Rows by place. Its files stay open until it is closed."""

    def __init__(self) -> None:
        self._files: dict[Path, BinaryIO] = {}
        self._open = ExitStack()

    def row(self, mark: Shelfmark, kind: type[R]) -> R:
        """The row at this place. Raises DamagedRecord unless it is the one that was read there before."""
        with reading(mark.path):
            if mark.path not in self._files:
                self._files[mark.path] = self._open.enter_context(mark.path.open("rb"))
            file = self._files[mark.path]
            file.seek(mark.offset)
            line = file.readline()
        try:
            if hashlib.sha256(line).digest() == mark.line:
                return _row(line, kind)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            pass
        raise DamagedRecord(f"{mark.path}: the row at byte {mark.offset} changed while it was read; run it again")

    def __enter__(self) -> "Shelf":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


def _row(line: bytes, kind: type[R]) -> R:
    """The row of a line that was read before. Lone surrogates alone need the slower way."""
    try:
        found: R = _decoder(kind).decode(line).row
        return found
    except (msgspec.MsgspecError, UnicodeError):
        return msgspec.convert(json.loads(line)["row"], type=kind, strict=True)


@cache
def _decoder(kind: type[R]) -> msgspec.json.Decoder[Shelved[R]]:
    return msgspec.json.Decoder(Shelved[kind])  # type: ignore[valid-type]
