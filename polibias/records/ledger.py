"""Append-only streams: one canonical JSON line per row, each holding the hash of the line before it.

`lines` says what a line is, `segments` which files hold them, `index` what an open stream knows by heart. While a
stream is open for writing, a small file beside it (``.head``) holds how far it was committed: what lies beyond is an
interrupted write, which is kept if it is whole and set aside if it is not; what is missing before it is damage and
stops the reader.
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple

from polibias.domain.rows import Seen
from polibias.errors import DamagedRecord
from polibias.records.documents import storage_error, storing, sync_folder, write_file
from polibias.records.index import Index
from polibias.records.lines import (
    Entry,
    R,
    Stream,
    by_request,
    check_readable,
    make_line,
    parse_line,
    request_key,
    row_id,
)
from polibias.records.segments import (
    EMPTY,
    Head,
    Place,
    committed_head,
    end_of_last_line,
    head_path,
    is_full,
    line_hash,
    lines,
    segment_files,
    segment_path,
    write_lines,
)

__all__ = [
    "Entry",
    "Ledger",
    "Stream",
    "by_request",
    "line_hash",
    "problem_in",
    "read",
    "request_key",
    "row_id",
]


def read(stream: Stream[R]) -> Iterator[Entry[R]]:
    """The stream's rows in order, each checked against its own line and the line before it; one at a time in memory.

    Raises DamagedRecord, naming file and line, at the first byte that does not fit, and at the end if rows are missing
    that were committed.
    """
    committed = committed_head(stream.path)
    where, rows = Place(stream.path, 0), 0
    for entry, head in _walk(stream, committed):
        where, rows = entry.where, head.rows
        yield entry
    if committed and rows < committed.rows:
        raise DamagedRecord(
            f"{where}: {committed.rows} rows were committed, {rows} are here; restore the file, or "
            f"{_next_segment(stream).name} if there was one, from a copy, or run with --set-aside to make the missing "
            "calls again"
        )


def _walk(stream: Stream[R], committed: Head | None) -> Iterator[tuple[Entry[R], Head]]:
    """The rows, each with the state that the stream has once it is added; the committed state must be one of them."""
    head = EMPTY._replace(chain=stream.genesis)
    for where, line in lines(stream.path):
        entry = parse_line(stream, where, line, head.chain)
        head = head.after(line)
        if committed and head.rows == committed.rows and head != committed:
            raise DamagedRecord(f"{where}: this line was changed after it was written; restore the file from a copy")
        yield entry, head


def _next_segment(stream: Stream[Any]) -> Path:
    return segment_path(stream.path, len(segment_files(stream.path)) + 1)


def problem_in(stream: Stream[Any]) -> str:
    """The first thing wrong with a stream, naming its line; empty if every byte is as it was written."""
    try:
        for _ in read(stream):
            pass
    except DamagedRecord as error:
        return str(error)
    return ""


class Tail(NamedTuple):
    """The file that is appended to: open for writing, with the bytes in it that count."""

    path: Path
    fd: int
    size: int


class Ledger(Generic[R]):
    """A stream open for appending. Rows count once `commit` has returned.

    `index` knows every row, `head` is the state of the stream, both with the rows that are still queued. Opening reads
    and checks all that is there. One process at a time: the run's lock sees to that. Within it, one thread appends, and
    `commit` may run in another one meanwhile.
    """

    def __init__(self, stream: Stream[R], set_aside: bool = False) -> None:
        self.stream = stream
        _make_folder(stream.path.parent)
        committed = _begin(stream.path)
        self.warning = _recover(stream, committed, set_aside)
        self.index = Index()
        self.head = EMPTY._replace(chain=stream.genesis)
        for entry, self.head in _walk(stream, committed):
            self.index.note(entry.key, entry.row.subject, entry.id, entry.row.answered)
        if self.head.rows < committed.rows and not self.warning:
            self.warning = f"{stream.path}: {committed.rows - self.head.rows} committed rows are missing"
        self._queue: list[tuple[Head, bytes]] = []
        self._storing = threading.Lock()
        with storing(stream.path):
            self._tail = _open_tail(stream.path)
        self._write_head(self.head)

    @property
    def queued(self) -> int:
        """How many rows were appended that are not stored yet."""
        return len(self._queue)

    def append(self, row: R, seen: Seen) -> str:
        """Queue a row and return its id; it is stored by the next `commit`.

        Raises DamagedRecord, with nothing queued, if the row would not read back as it is.
        """
        made = make_line(self.stream, self.head.chain, row, seen)
        check_readable(self.stream, made, self.head.chain, row, seen)
        head = self.head.after(made.line)
        self._queue.append((head, made.line))
        self.head = head
        self.index.note(made.key, row.subject, made.id, row.answered)
        return made.id

    def commit(self) -> None:
        """Write and flush every row queued before this call to the disk as one group.

        May run in a worker thread while `append` goes on in another: rows that come meanwhile wait for the next
        commit. Commits exclude each other. Raises StorageError if the disk refuses: then the files hold the rows that
        they held before, the rows stay queued in their order, and the next commit tries them again.
        """
        with self._storing:
            group = self._queue[:]
            if group:
                self._store(group)
                del self._queue[: len(group)]  # only now: until here they are known as not stored

    def _store(self, group: list[tuple[Head, bytes]]) -> None:
        with storing(self._tail.path):
            if is_full(self._tail.size):
                self._begin_segment()
        tail = self._tail
        try:
            size = write_lines(tail.fd, [line for _, line in group], tail.size)
            os.fsync(tail.fd)
        except OSError as error:
            with contextlib.suppress(OSError):  # else the next commit writes over it, or the next opening sees to it
                os.ftruncate(tail.fd, tail.size)
            raise storage_error(tail.path, error) from None
        self._write_head(group[-1][0])
        self._tail = tail._replace(size=size)

    def _begin_segment(self) -> None:
        """Go on in a new file. The disk knows its name before any row counts that is in it."""
        before = self._tail
        path = _next_segment(self.stream)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._tail = Tail(path, fd, 0)
        os.close(before.fd)
        sync_folder(path.parent)

    def _write_head(self, head: Head) -> None:
        """One write of one fixed-width line, so that a kill leaves the old state or the new."""
        path = head_path(self.stream.path)
        with storing(path):
            fd = os.open(path, os.O_WRONLY)
            try:
                os.pwrite(fd, head.line(), 0)
            finally:
                os.close(fd)

    def close(self) -> None:
        """Let go of the file, after a commit that is under way. What is queued is not stored."""
        with self._storing:
            os.close(self._tail.fd)

    def __enter__(self) -> "Ledger[R]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make_folder(folder: Path) -> None:
    with storing(folder):
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)


def _begin(first: Path) -> Head:
    """The committed state; a stream without rows needs none, for a kill may come while it is created."""
    committed = committed_head(first)
    if committed is not None:
        return committed
    if any(path.stat().st_size for path in segment_files(first)):
        raise DamagedRecord(f"{head_path(first)}: missing beside a stream that has rows; restore it from a copy")
    write_file(head_path(first), EMPTY.line())
    return EMPTY


def _recover(stream: Stream[Any], committed: Head, set_aside: bool) -> str:
    """Deal with an end that an interrupted write left; refuse damage.

    A last line without its end is moved to a file of its own, and a later segment without any line is taken away, so
    that every file holds rows. Returns what was moved as a sentence.
    """
    files = segment_files(stream.path)
    if sum(path.stat().st_size for path in files if path.is_file()) < committed.size and not set_aside:
        for _ in read(stream):
            pass  # raises, naming the place, at the first thing wrong or where the rows end
    if not all(path.is_file() for path in files) or not files:
        return ""  # nothing to mend: not begun, or for the reader to refuse
    last, size = files[-1], files[-1].stat().st_size
    whole = end_of_last_line(last, size)
    warning = _move_torn_line(last, whole, size) if whole < size else ""
    if whole == 0 and last != files[0]:
        with storing(last):
            last.unlink()
    return warning


def _move_torn_line(path: Path, whole: int, size: int) -> str:
    torn = path.with_name(path.name + ".torn")
    with storing(torn), path.open("rb") as file, torn.open("ab") as out:
        file.seek(whole)
        shutil.copyfileobj(file, out)
        out.write(b"\n")
        out.flush()
        os.fsync(out.fileno())
        os.truncate(path, whole)
    return f"{path}: an unfinished last line ({size - whole} bytes) was moved to {torn.name}"


def _open_tail(first: Path) -> Tail:
    """The last file, with all that is in it on the disk: a killed process may have left rows that were not flushed."""
    path = (segment_files(first) or [first])[-1]
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.fsync(fd)
    sync_folder(path.parent)
    return Tail(path, fd, os.fstat(fd).st_size)
