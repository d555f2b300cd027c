"""The files of a stream, and how far it was committed.

A stream begins in `<name>.jsonl`. Once a file has reached SEGMENT_BYTES, the next group of lines begins another one:
`<name>~0002.jsonl`, `<name>~0003.jsonl` and so on; no name of a study, model, judge or project holds a `~`. The chain
of hashes runs through all of them. While the stream is open for writing, `<name>.jsonl.head` holds rows, bytes and
last hash of them all.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from polibias.errors import DamagedRecord, InputError

GENESIS = "0" * 64
SEGMENT_BYTES = 64 * 2**20
LONGEST_LINE = 256 * 2**20
BLOCK = 2**16
LINES_PER_WRITE = 256
LATER_SEGMENT = re.compile(r"(?P<name>.+)~(?P<number>[0-9]+)", re.DOTALL)


class Place(NamedTuple):
    """A line as a person would look it up: its file, and its number in that file, from 1."""

    path: Path
    number: int

    def __str__(self) -> str:
        return f"{self.path}:{self.number}"


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


def line_hash(line: bytes) -> str:
    """What the next line holds as its `prev`."""
    return hashlib.sha256(line).hexdigest()


def segment_path(first: Path, number: int) -> Path:
    """The file of a stream's n-th segment, from 1."""
    return first if number == 1 else first.with_name(f"{first.stem}~{number:04d}{first.suffix}")


def first_segment(path: Path) -> Path:
    """The file that the stream begins in which this file goes on with; itself if it is no later segment."""
    later = LATER_SEGMENT.fullmatch(path.stem)
    return path.with_name(later["name"] + path.suffix) if later else path


def segment_files(first: Path) -> list[Path]:
    """A stream's files in order; none if it is not begun.

    Raises DamagedRecord, naming the file, if one is missing or has a number that no segment has.
    """
    try:
        paths = list(first.parent.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"{first.parent}: cannot be read ({error.strerror})") from None
    numbers = {number for path in paths if (number := _number(first, path))}
    for number in range(1, max(numbers, default=0)):
        if number not in numbers:
            following = segment_path(first, min(other for other in numbers if other > number))
            raise DamagedRecord(
                f"{segment_path(first, number)}: missing; {following.name} goes on after it; restore it from a copy"
            )
    return [segment_path(first, number) for number in sorted(numbers)]


def _number(first: Path, path: Path) -> int:
    """Which segment of the stream a file is; 0 if it is no part of it."""
    if path == first:
        return 1
    later = LATER_SEGMENT.fullmatch(path.stem)
    if not later or later["name"] != first.stem or path.suffix != first.suffix:
        return 0
    number = int(later["number"])
    if number < 2 or segment_path(first, number) != path:
        raise DamagedRecord(f"{path}: no segment of {first.name} has this number; take the file away")
    return number


def is_full(size: int) -> bool:
    """Whether a file of this size gets no further group of lines."""
    return size >= SEGMENT_BYTES


def lines(first: Path) -> Iterator[tuple[Place, bytes]]:
    """A stream's lines as bytes, through all its files; none if it is not begun. Only a newline ends a line.

    Holds one line at a time. The very last line may be cut short. Raises DamagedRecord, naming the file, if that is so
    in an earlier file, or if one before the last holds nothing.
    """
    files = segment_files(first)
    for path in files:
        number = 0
        for number, line in enumerate(file_lines(path), start=1):
            if not line.endswith(b"\n"):
                _check_end(Place(path, number), line, last=path == files[-1])
            yield Place(path, number), line
        if number == 0 and path != files[-1]:
            raise DamagedRecord(f"{path}: empty, but the stream goes on after it; restore the file from a copy")


def file_lines(path: Path) -> Iterator[bytes]:
    """The lines of one file as bytes; the last one may be cut short."""
    if not path.is_file():
        raise DamagedRecord(f"{path}: not a file; restore it from a copy")
    with path.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield line


def _check_end(place: Place, line: bytes, last: bool) -> None:
    if len(line) >= LONGEST_LINE:
        raise DamagedRecord(f"{place}: longer than any line that is written; restore the file from a copy")
    if not last:
        raise DamagedRecord(f"{place}: the last line of this file is cut short; restore the file from a copy")


def tip(path: Path) -> Head:
    """What one file's own bytes amount to; a last line that is cut short counts. Reads block by block."""
    size = path.stat().st_size
    if size == 0:
        return EMPTY
    rows = count_lines(path) + (end_of_last_line(path, size) < size)
    with path.open("rb") as file:
        file.seek(end_of_last_line(path, size - 1))
        return Head(rows, size, hashlib.file_digest(file, "sha256").hexdigest())


def count_lines(path: Path) -> int:
    """How many lines of a file have an end."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in _blocks(file))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def end_of_last_line(path: Path, size: int) -> int:
    """The offset just behind the last newline within a file's first `size` bytes."""
    with path.open("rb") as file:
        position = size
        while position > 0:
            step = min(BLOCK, position)
            file.seek(position - step)
            found = file.read(step).rfind(b"\n")
            if found >= 0:
                return position - step + found + 1
            position -= step
    return 0


def write_lines(fd: int, group: Iterable[bytes], offset: int) -> int:
    """Write the lines from `offset` on and return where they end. Copies a few hundred lines at a time."""
    waiting = list(group)
    for start in range(0, len(waiting), LINES_PER_WRITE):
        view = memoryview(b"".join(waiting[start : start + LINES_PER_WRITE]))
        while view:
            written = os.pwrite(fd, view, offset)
            offset, view = offset + written, view[written:]
    return offset


def head_path(first: Path) -> Path:
    """The file beside a stream's first one that says how far it was committed."""
    return first.with_name(first.name + ".head")


def committed_head(first: Path) -> Head | None:
    """How far a stream was committed; None where nothing says so: sealed, not begun, or killed while it was begun."""
    path = head_path(first)
    try:
        if path.stat().st_size == 0:
            return None
    except OSError:
        return None
    return parse_head(path)


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
