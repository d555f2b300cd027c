"""Append-only streams: one canonical JSON line per row, each holding the hash of the line before it.

A line is ``{"id","key","kind","prev","row","seen"}``. `id` covers `row`, `key` covers the request that led to
it, `prev` covers the whole line before, so that no byte can change without a line that says so. While a
stream is open for writing, a small file beside it (``.head``) holds how far it was committed: what lies
beyond is an interrupted write and is set aside, what is missing before it is damage and stops the reader.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.rows import Annotation, Judgment, PromptPair, Request, Response, Seen, StoredRow
from polibias.errors import DamagedRecord
from polibias.records.documents import storage_error, storing, write_file

R = TypeVar("R", bound=StoredRow)

GENESIS = "0" * 64
KINDS: dict[type[StoredRow], str] = {
    PromptPair: "pair/2",
    Response: "response/2",
    Judgment: "judgment/2",
    Annotation: "annotation/2",
}


class Head(NamedTuple):
    """A stream's state: number of rows, bytes, and the hash of its last line."""

    rows: int
    size: int
    chain: str

    def after(self, line: bytes) -> "Head":
        """The state once `line` is added."""
        return Head(self.rows + 1, self.size + len(line), line_hash(line))

    def line(self) -> bytes:
        """The state as stored: one line of fixed width."""
        return f"{self.rows:012d} {self.size:015d} {self.chain}\n".encode("ascii")


EMPTY = Head(0, 0, GENESIS)


class Entry(NamedTuple, Generic[R]):
    """A stored row with its names and what was observed while it came to be."""

    number: int
    key: str
    id: str
    row: R
    seen: Seen


class Stream(NamedTuple, Generic[R]):
    """A stream's file, its kind of row, and how a row's key follows from the row."""

    path: Path
    type: type[R]
    key: Callable[[R], str]


def request_key(request: Request) -> str:
    """The key of a call: the tagged hash of its request."""
    return tagged_hash("request/1", request)


def row_id(row: StoredRow) -> str:
    """The id of a finished row."""
    return tagged_hash(KINDS[type(row)], row)


def line_hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def read(stream: Stream[R]) -> Iterator[Entry[R]]:
    """The stream's rows in order, each checked against its own line and the line before it.

    Raises DamagedRecord, naming file and line, at the first byte that does not fit.
    """
    chain = GENESIS
    for number, line in lines(stream.path):
        entry = parse_line(stream, number, line, chain)
        chain = line_hash(line)
        yield entry


def problem_in(stream: Stream[Any]) -> str:
    """The first thing wrong with a stream, naming its line; empty if every byte is as it was written."""
    try:
        for _ in read(stream):
            pass
    except DamagedRecord as error:
        return str(error)
    return ""


def tip(path: Path, rows: int | None = None) -> Head:
    """The state that a stream's bytes amount to, up to `rows` lines or to its end."""
    head = EMPTY
    for number, line in lines(path):
        if rows is not None and number > rows:
            break
        head = head.after(line)
    return head


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The file's lines as bytes, numbered from 1; none if there is no file. Only a newline ends a line."""
    if not path.exists():
        return
    if not path.is_file():
        raise DamagedRecord(f"{path}: not a file; restore it from a copy")
    with path.open("rb") as file:
        yield from enumerate(file, start=1)


def parse_line(stream: Stream[R], number: int, line: bytes, chain: str) -> Entry[R]:
    """One line as an entry. Raises DamagedRecord if any byte of it is not what its row demands."""
    where = f"{stream.path}:{number}"
    if not line.endswith(b"\n"):
        raise DamagedRecord(
            f"{where}: the last line is cut short; restore the file from a copy, "
            "or run with --set-aside to move the cut line out and make its call again"
        )
    try:
        fields = json.loads(line)
        row = msgspec.convert(fields["row"], type=stream.type, strict=True)
        seen = msgspec.convert(fields["seen"], type=Seen, strict=True)
        expected = make_line(row_id(row), stream.key(row), KINDS[stream.type], fields["prev"], row, seen)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise DamagedRecord(f"{where}: not a stored {stream.type.__name__}; restore the file from a copy") from None
    if line != expected:
        raise DamagedRecord(f"{where}: {_difference(fields, expected)}; restore the file from a copy")
    if fields["prev"] != chain:
        raise DamagedRecord(f"{_broken_chain(stream, number)}; restore the file from a copy")
    return Entry(number, fields["key"], fields["id"], row, seen)


def _difference(fields: dict[str, Any], expected: bytes) -> str:
    wanted = json.loads(expected)
    for name, what in (("id", "row"), ("key", "request")):
        if fields.get(name) != wanted[name]:
            return f"the {what} does not match its {name}: it was changed after it was written"
    return "the line is not in canonical form: it was changed after it was written"


def _broken_chain(stream: Stream[Any], number: int) -> str:
    """Which line broke the chain: this one, if the next line still knows it under the right `prev`; else the last."""
    before = EMPTY
    following = b""
    for here, line in lines(stream.path):
        if here < number:
            before = before.after(line)
        elif here == number:
            own = json.loads(line) | {"prev": before.chain}
        else:
            following = line
            break
    right = line_hash(canonical(own) + b"\n").encode("ascii")
    if number == 1 or right in following:  # searched, not parsed: the next line may be broken too
        return f"{stream.path}:{number}: does not name the line before it: it was changed, or lines were taken away"
    return (
        f"{stream.path}:{number - 1}: line {number} no longer follows it: it was changed after it was written, "
        "or lines were removed, added or moved"
    )


def make_line(id: str, key: str, kind: str, prev: Any, row: StoredRow, seen: Seen) -> bytes:
    """The one serialisation of an entry."""
    value = {"id": id, "key": key, "kind": kind, "prev": prev, "row": plain(row), "seen": plain(seen)}
    return canonical(value) + b"\n"


class Ledger(Generic[R]):
    """A stream open for appending. Rows count once `commit` has returned.

    `answered` holds the keys that need no further call, `ids` the latest row of each key and subject. Opening
    reads and checks all that is there. One process at a time: the run's lock sees to that.
    """

    def __init__(self, stream: Stream[R], set_aside: bool = False) -> None:
        self.stream = stream
        self.warning = ""
        with storing(stream.path):
            stream.path.parent.mkdir(parents=True, exist_ok=True)
        self._head_path = head_path(stream.path)
        committed = self._committed()
        self._recover(committed, set_aside)
        self.ids: dict[tuple[str, tuple[str, ...]], str] = {}
        self.answered: set[str] = set()
        self.head = EMPTY
        for number, line in lines(stream.path):
            entry = parse_line(stream, number, line, self.head.chain)
            self.head = self.head.after(line)
            self._note(entry.key, entry.id, entry.row)
        self._check_head(committed)
        with storing(stream.path):
            self._file = os.open(stream.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._pending: list[bytes] = []
        self._write_head()

    def _committed(self) -> Head:
        """The committed state; a stream without rows needs none, for a kill may come while it is created."""
        has_rows = self.stream.path.exists() and self.stream.path.stat().st_size > 0
        if not self._head_path.exists() or self._head_path.stat().st_size == 0:
            if has_rows:
                raise DamagedRecord(f"{self._head_path}: missing beside a stream that has rows; restore it from a copy")
            write_file(self._head_path, EMPTY.line())
            return EMPTY
        return parse_head(self._head_path)

    def _recover(self, committed: Head, set_aside: bool) -> None:
        """Deal with a last line that has no end: set aside what was never committed, refuse damage."""
        path = self.stream.path
        data_end = path.stat().st_size if path.exists() else 0
        whole = _end_of_last_line(path, data_end)
        if data_end < committed.size and not set_aside:
            number = _count_lines(path) + (1 if whole < data_end else 0)
            raise DamagedRecord(
                f"{path}:{number}: the file ends at byte {data_end}, {committed.size} were committed; restore it "
                "from a copy, or run with --set-aside to move a cut line out and make the missing calls again"
            )
        if whole == data_end:
            return
        torn = path.with_name(path.name + ".torn")
        with storing(torn), path.open("rb") as file, torn.open("ab") as out:
            file.seek(whole)
            out.write(file.read() + b"\n")
            out.flush()
            os.fsync(out.fileno())
            os.truncate(path, whole)
        self.warning = f"{path}: an unfinished last line ({data_end - whole} bytes) was moved to {torn.name}"

    def _check_head(self, committed: Head) -> None:
        """Refuse a stream whose committed rows were changed; say how many are missing after a --set-aside."""
        if self.head.rows < committed.rows and not self.warning:
            self.warning = f"{self.stream.path}: {committed.rows - self.head.rows} committed rows are missing"
        if self.head.rows >= committed.rows and tip(self.stream.path, committed.rows) != committed:
            raise DamagedRecord(
                f"{self.stream.path}:{committed.rows}: this line was changed after it was written; "
                "restore the file from a copy"
            )

    def append(self, row: R, seen: Seen) -> str:
        """Queue a row and return its id; it is stored by the next `commit`."""
        id, key = row_id(row), self.stream.key(row)
        line = make_line(id, key, KINDS[self.stream.type], self.head.chain, row, seen)
        parse_line(self.stream, self.head.rows + 1, line, self.head.chain)  # never store what cannot be read back
        self._pending.append(line)
        self.head = self.head.after(line)
        self._note(key, id, row)
        return id

    def _note(self, key: str, id: str, row: R) -> None:
        self.ids[key, row.subject] = id
        if row.answered:
            self.answered.add(key)

    def commit(self) -> None:
        """Write and flush every queued row to the disk as one group.

        Raises StorageError with the file as it was before, if the disk refuses.
        """
        data = b"".join(self._pending)
        if not data:
            return
        before = self.head.size - len(data)
        try:
            _write_all(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, before)
            raise storage_error(self.stream.path, error) from None
        self._pending = []
        self._write_head()

    def _write_head(self) -> None:
        """One write of one fixed-width line, so that a kill leaves the old state or the new."""
        with storing(self._head_path):
            fd = os.open(self._head_path, os.O_WRONLY)
            try:
                os.pwrite(fd, self.head.line(), 0)
            finally:
                os.close(fd)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> "Ledger[R]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def head_path(path: Path) -> Path:
    return path.with_name(path.name + ".head")


def parse_head(path: Path) -> Head:
    """The committed state beside a stream. Raises DamagedRecord unless it is exactly what was written."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedRecord(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from None
    try:
        rows, size, chain = data.decode("ascii").split()
        head = Head(int(rows), int(size), chain)
    except ValueError:
        raise DamagedRecord(f"{path}: not a committed state; restore it from a copy") from None
    if head.line() != data:
        raise DamagedRecord(f"{path}: not a committed state; restore it from a copy")
    return head


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _end_of_last_line(path: Path, size: int) -> int:
    """The offset just behind the last newline."""
    if size == 0:
        return 0
    with path.open("rb") as file:
        position = size
        while position > 0:
            step = min(65536, position)
            file.seek(position - step)
            found = file.read(step).rfind(b"\n")
            if found >= 0:
                return position - step + found + 1
            position -= step
    return 0


def _count_lines(path: Path) -> int:
    return sum(1 for _, line in lines(path) if line.endswith(b"\n"))
