"""A stored line: ``{"id","key","kind","prev","row","seen"}`` in canonical form.

`id` covers `row`, `key` covers the request that led to it, `prev` covers the whole line before. A row is serialised
once: its id, its line and, where it holds the request, its key are made from the same bytes.
"""

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from polibias.domain.ids import canonical, is_plain, plain, sorted_form, tagged_hash
from polibias.domain.rows import (
    Annotation,
    JudgeGuess,
    Judgment,
    MaskedResponse,
    PromptPair,
    ReidGuess,
    Request,
    Response,
    Seen,
    StoredRow,
)
from polibias.errors import DamagedRecord
from polibias.records.segments import GENESIS, LONGEST_LINE, Place, count_lines, line_hash, lines, segment_files

R = TypeVar("R", bound=StoredRow)

KINDS: dict[type[StoredRow], str] = {
    PromptPair: "pair/3",
    Response: "response/2",
    MaskedResponse: "masked-response/1",
    Judgment: "judgment/2",
    Annotation: "annotation/3",
    ReidGuess: "reid-guess/1",
    JudgeGuess: "judge-guess/1",
}
REQUEST_TAG = "request/1"
UNREADABLE = (msgspec.MsgspecError, ValueError, TypeError, KeyError, OverflowError, RecursionError)
DETERMINISTIC = msgspec.json.Encoder(order="deterministic")


class Entry(NamedTuple, Generic[R]):
    """A stored row with its names and what was observed while it came to be."""

    where: Place
    key: str
    id: str
    row: R
    seen: Seen

    @property
    def number(self) -> int:
        """The number of the row's line in its file."""
        return self.where.number


class Stream(NamedTuple, Generic[R]):
    """A stream's first file, its kind of row, how a row's key follows from the row, and what its first line follows."""

    path: Path
    type: type[R]
    key: Callable[[R], str]
    genesis: str = GENESIS


class Made(NamedTuple):
    """A row's names and its line."""

    id: str
    key: str
    line: bytes


class Fields(msgspec.Struct, Generic[R], frozen=True, forbid_unknown_fields=True):
    """What a line holds."""

    id: str
    key: str
    kind: str
    prev: str
    row: R
    seen: Seen


def request_key(request: Request) -> str:
    """The key of a call: the tagged hash of its request."""
    return tagged_hash(REQUEST_TAG, request)


def by_request(row: Response | Judgment | JudgeGuess) -> str:
    """The key of a row that holds the request it answers."""
    return request_key(row.request)


def row_id(row: StoredRow) -> str:
    """The id of a finished row."""
    return tagged_hash(KINDS[type(row)], row)


def make_line(stream: Stream[R], chain: str, row: R, seen: Seen) -> Made:
    """The one line that a row has after a line with the hash `chain`."""
    return _assemble(stream, b'"%b"' % chain.encode("ascii"), row, seen, _row_bytes(row))


def _assemble(stream: Stream[R], prev: bytes, row: R, seen: Seen, serialised: tuple[bytes, bytes]) -> Made:
    whole, request = serialised
    kind = KINDS[stream.type]
    id = _tagged(kind, whole)
    key = _tagged(REQUEST_TAG, request) if stream.key is by_request and request else stream.key(row)
    names = (id.encode("ascii"), key.encode("ascii"), kind.encode("ascii"), prev)
    line = b'{"id":"%b","key":"%b","kind":"%b","prev":%b,"row":%b,"seen":%b}\n'
    return Made(id, key, line % (*names, whole, canonical(plain(seen))))


def _row_bytes(row: StoredRow) -> tuple[bytes, bytes]:
    """A row's canonical form, and the part of it that is its request's; a row without a request has an empty one.

    A row with a request has fields that sort before it and behind it.
    """
    fields = plain(row)
    if "request" not in fields:
        return canonical(fields), b""
    request = canonical(fields["request"])
    before = canonical({name: value for name, value in fields.items() if name < "request"})
    behind = canonical({name: value for name, value in fields.items() if name > "request"})
    return b'%b,"request":%b,%b' % (before[:-1], request, behind[1:]), request


def _quick_bytes(row: StoredRow) -> tuple[bytes, bytes]:
    """As `_row_bytes`, of a row that was decoded by `_decoder`, in a fifth of the time where a row holds a request.

    Of the numbers that have another form there, the decoder refuses those in a request; a price is looked at here.
    """
    if isinstance(row, Response | Judgment | JudgeGuess) and is_plain(row.usage.cost or 0.0):
        return sorted_form(row), sorted_form(row.request)
    return _row_bytes(row)


def _tagged(tag: str, data: bytes) -> str:
    """As `tagged_hash`, of what is in canonical form already."""
    return hashlib.sha256(tag.encode("ascii") + b"\n" + data).hexdigest()


@functools.cache
def _decoder(kind: type[StoredRow]) -> msgspec.json.Decoder[Fields[Any]]:
    return msgspec.json.Decoder(Fields[kind], float_hook=_plain_number)  # type: ignore[valid-type]


def _plain_number(written: str) -> float:
    """A number in a request. Raises ValueError for one that `sorted_form` would write in another way."""
    if not is_plain(number := float(written)):
        raise ValueError(written)
    return number


def check_readable(stream: Stream[R], made: Made, chain: str, row: R, seen: Seen) -> None:
    """Raises DamagedRecord unless the line reads back as this very row.

    What the line is decoded to is compared in another serialisation, several times as fast as the canonical one, that
    tells 1 from 1.0 as well. What it cannot say, such as a lone surrogate, is settled by reading the line in full.
    """
    try:
        found = _decoder(stream.type).decode(made.line)
        same = DETERMINISTIC.encode((found.row, found.seen)) == DETERMINISTIC.encode((row, seen))
    except UNREADABLE:
        same = False
    try:
        if not same:
            parse_line(stream, Place(stream.path, 0), made.line, chain)
        if len(made.line) > LONGEST_LINE:
            raise DamagedRecord
    except DamagedRecord:
        raise DamagedRecord(
            f"{stream.path}: a {stream.type.__name__} that could not be read back was not stored (id {made.id})"
        ) from None


def parse_line(stream: Stream[R], where: Place, line: bytes, chain: str) -> Entry[R]:
    """One line as an entry. Raises DamagedRecord if any byte of it is not what its row and the line before demand.

    However it is decoded, it must be the canonical form of what it was decoded to.
    """
    try:
        fields = _decoder(stream.type).decode(line)
        prev = b'"%b"' % chain.encode("ascii")
        made = _assemble(stream, prev, fields.row, fields.seen, _quick_bytes(fields.row))
    except UNREADABLE:
        return _parse_slowly(stream, where, line, chain)
    if made.line != line:
        return _parse_slowly(stream, where, line, chain)
    return Entry(where, made.key, made.id, fields.row, fields.seen)


def _parse_slowly(stream: Stream[R], where: Place, line: bytes, chain: str) -> Entry[R]:
    """As `parse_line`, for any text that JSON can carry, and with a reason if the line is not as it was written."""
    if not line.endswith(b"\n"):
        raise DamagedRecord(
            f"{where}: the last line is cut short; restore the file from a copy, "
            "or run with --set-aside to move the cut line out and make its call again"
        )
    try:
        fields = json.loads(line)
        row = msgspec.convert(fields["row"], type=stream.type, strict=True)
        seen = msgspec.convert(fields["seen"], type=Seen, strict=True)
        made = _assemble(stream, canonical(fields["prev"]), row, seen, _row_bytes(row))
    except UNREADABLE:
        raise DamagedRecord(f"{where}: not a stored {stream.type.__name__}; restore the file from a copy") from None
    if line != made.line:
        raise DamagedRecord(f"{where}: {_difference(fields, made)}; restore the file from a copy")
    if fields["prev"] != chain:
        raise DamagedRecord(f"{_broken_chain(stream, where, fields, chain)}; restore the file from a copy")
    return Entry(where, made.key, made.id, row, seen)


def _difference(fields: dict[str, Any], made: Made) -> str:
    for name, what, wanted in (("id", "row", made.id), ("key", "request", made.key)):
        if fields.get(name) != wanted:
            return f"the {what} does not match its {name}: it was changed after it was written"
    return "the line is not in canonical form: it was changed after it was written"


def _broken_chain(stream: Stream[Any], where: Place, fields: dict[str, Any], chain: str) -> str:
    """Which line broke the chain: this one, if the next line still knows it under the right `prev`; else the last."""
    right = line_hash(canonical(fields | {"prev": chain}) + b"\n").encode("ascii")
    before = _place_before(stream, where)
    if before is None or right in _line_after(stream, where):  # searched, not parsed: it may be broken too
        return f"{where}: does not name the line before it: it was changed, or lines were taken away"
    this = f"line {where.number}" if before.path == where.path else str(where)
    return (
        f"{before}: {this} no longer follows it: it was changed after it was written, "
        "or lines were removed, added or moved"
    )


def _place_before(stream: Stream[Any], where: Place) -> Place | None:
    if where.number > 1:
        return Place(where.path, where.number - 1)
    files = segment_files(stream.path)
    before = files[files.index(where.path) - 1] if where.path in files[1:] else None
    return Place(before, count_lines(before)) if before else None


def _line_after(stream: Stream[Any], where: Place) -> bytes:
    """The line behind this one; empty if there is none, or none that can be told."""
    found = False
    with contextlib.suppress(DamagedRecord):
        for place, line in lines(stream.path):
            if found:
                return line
            found = place == where
    return b""
