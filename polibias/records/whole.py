"""A sealed run read once: each row checked, and each file held against the manifest by the very bytes that were read.

A file that differs from its entry, a row that is not its own canonical form, a broken chain and a row that points
astray all raise; which of them it is, `verify` says by reading once more, in the words that it has for it. So what a
whole run costs is one pass, and what is read cannot change between the check and the reading.
"""

import hashlib
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from polibias.domain.rows import Annotation, JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.errors import DamagedRecord
from polibias.records.ledger import Entry, Stream
from polibias.records.lines import parse_line
from polibias.records.links import POINTING, Links
from polibias.records.manifest import Listed, accounted, describe, read_manifest
from polibias.records.runs import Run
from polibias.records.segments import EMPTY, Place, file_lines, segment_files
from polibias.records.sharing import shared_out
from polibias.records.shelf import Shelfmark

R = TypeVar("R")


class Piece(NamedTuple):
    """One file of a stream as it was sealed, and what its first line follows."""

    stream: Stream[Any]
    path: Path
    chain: str
    listed: Listed


def stages(run: Run) -> list[list[Piece]]:
    """The files of every stream of a sealed run, those that others point at in an earlier stage; pairs are the first.

    Raises DamagedRecord or InputError unless the run holds just the files of its manifest, and those that are no
    stream's are as they were sealed.
    """
    listed, found = accounted(run, run.folder, read_manifest(run.folder))
    if listed.keys() != found:
        raise DamagedRecord(f"{run.folder}: not the files of its manifest")
    streams: dict[Path, Stream[Any]] = {}
    for path, entry in listed.items():
        if stream := run.stream_at(path):
            streams[stream.path] = stream
        elif describe(run, path) != entry:
            raise DamagedRecord(f"{path}: changed after it was sealed")
    ranked: dict[int, list[Piece]] = {}
    for stream in streams.values():
        ranked.setdefault(_rank(stream), []).extend(_pieces(stream, listed))
    return [ranked[rank] for rank in sorted(ranked)]


def shared(work: Callable[[Sequence[Piece]], list[R]], stage: Sequence[Piece]) -> list[R]:
    """What `work` gives for each file of a stage, see `shared_out`. Pairs are few, and all that follows needs them."""
    alone = all(piece.stream.type is PromptPair for piece in stage)
    return shared_out(work, stage, [piece.listed.bytes for piece in stage], workers=int(alone))


def _rank(stream: Stream[Any]) -> int:
    return -1 if stream.type is PromptPair else POINTING.get(stream.type, 0)


def _pieces(stream: Stream[Any], listed: dict[Path, Listed]) -> Iterator[Piece]:
    """The last line of each file is what the next file's first line follows; that it is the last is checked there."""
    chain, files = stream.genesis, segment_files(stream.path)
    for path in files:
        if len(files) > 1 and not listed[path].rows:
            raise DamagedRecord(f"{path}: empty, but not the only file of its stream")
        yield Piece(stream, path, chain, listed[path])
        chain = listed[path].chain


def checked(piece: Piece, links: Links) -> Iterator[tuple[Shelfmark, Entry[Any]]]:
    """The rows of a file with their places, one at a time in memory; `links` gets to know them.

    Raises DamagedRecord at the first row that is not what was written or points astray, and at the end unless the
    bytes that were read are those that were sealed.
    """
    for mark, entry in _sealed(piece):
        if own_name(entry.row) not in ("", piece.stream.path.stem):
            raise DamagedRecord(f"{entry.where}: in another's stream")
        if piece.stream.type is PromptPair:
            links.add_pair(entry.id, entry.row)
        elif piece.stream.type in POINTING:
            _none(f"{entry.where}: {problem}" for problem in links.problems(entry))
        yield mark, entry
    _none(links.left())


def _none(problems: Iterator[str]) -> None:
    for problem in problems:
        raise DamagedRecord(problem)


def _sealed(piece: Piece) -> Iterator[tuple[Shelfmark, Entry[Any]]]:
    if not stat.S_ISREG(piece.path.lstat().st_mode):
        raise DamagedRecord(f"{piece.path}: not a regular file")
    head, whole = EMPTY._replace(chain=piece.chain), hashlib.sha256()
    for number, line in enumerate(file_lines(piece.path), start=1):
        entry = parse_line(piece.stream, Place(piece.path, number), line, head.chain)
        offset, head = head.size, head.after(line)
        whole.update(line)
        yield Shelfmark(piece.path, offset, bytes.fromhex(entry.id), bytes.fromhex(head.chain)), entry
    read = (head.rows, head.size, whole.hexdigest(), head.chain if head.rows else EMPTY.chain)
    if read != (piece.listed.rows, piece.listed.bytes, piece.listed.sha256, piece.listed.chain):
        raise DamagedRecord(f"{piece.path}: changed after it was sealed")


def own_name(row: object) -> str:
    """The name of the stream that a row belongs in, where its kind has one."""
    if isinstance(row, Response | MaskedResponse):
        return row.model
    if isinstance(row, Judgment | JudgeGuess):
        return row.judge
    return row.project if isinstance(row, Annotation) else ""
