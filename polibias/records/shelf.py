"""Where a stored row stands, so that it can be read again later without keeping it."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from polibias.domain.rows import StoredRow
from polibias.errors import DamagedRecord
from polibias.records.documents import reading
from polibias.records.ledger import Entry, Stream, read, row_id
from polibias.records.segments import lines

R = TypeVar("R", bound=StoredRow)


class Shelfmark(msgspec.Struct, frozen=True, gc=False):
    """A row's file, the byte at which its line begins, and its id as 32 bytes. Kept for every row, so it is small."""

    path: Path
    offset: int
    id: bytes


def located(stream: Stream[R]) -> Iterator[tuple[Shelfmark, Entry[R]]]:
    """As `read`, each row with its place."""
    for (path, offset), entry in zip(_offsets(stream), read(stream), strict=True):
        yield Shelfmark(path, offset, bytes.fromhex(entry.id)), entry


def _offsets(stream: Stream[Any]) -> Iterator[tuple[Path, int]]:
    path, offset = stream.path, 0
    for where, line in lines(stream.path):
        if where.path != path:
            path, offset = where.path, 0
        yield path, offset
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
            row = msgspec.convert(json.loads(line)["row"], type=kind, strict=True)
            same = row_id(row) == mark.id.hex()
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            same = False
        if not same:
            raise DamagedRecord(f"{mark.path}: the row at byte {mark.offset} changed while it was read; run it again")
        return row

    def __enter__(self) -> "Shelf":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
