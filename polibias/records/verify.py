"""Whether a run is what was written: every hash re-derived, every file accounted for. Works offline."""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from polibias.errors import DamagedRecord, InputError, PoliBiasError
from polibias.records.documents import read_named
from polibias.records.ledger import Stream, problem_in, read
from polibias.records.links import POINTING, Links
from polibias.records.manifest import SEALED_APART, changed_files, is_head, manifest_hash, own_files, read_manifest
from polibias.records.runs import PROBES_TAG, STUDY_TAG, Run
from polibias.records.segments import head_path, parse_head
from polibias.records.whole import Piece, checked, own_name, shared, stages


def verify(run: Run) -> list[str]:
    """Every way in which the run is not what was written, one line each; empty if nothing was changed."""
    problems = records_problems(run)
    for name in SEALED_APART:
        if (run.folder / name).exists():
            problems += changed_files(run, run.folder / name)
    return problems or list(_report_problems(run))


def records_problems(run: Run) -> list[str]:
    """As `verify`, for what was asked and answered alone: what an analysis rests on."""
    if run.sealed and _is_whole(run):
        return []
    problems = changed_files(run, run.folder) if run.sealed else list(_open_problems(run))
    try:
        return problems or list(_link_problems(run))
    except DamagedRecord as error:  # a run that was sealed again after it was changed
        return [str(error)]


def _is_whole(run: Run) -> bool:
    """Whether nothing at all is wrong, found out in one pass; what is wrong takes another one to say."""
    links = Links()
    try:
        for stage in stages(run):
            for added in shared(partial(_linked, links), stage):
                links.join(added)
    except (PoliBiasError, OSError):
        return False
    return True


def _linked(links: Links, share: Sequence[Piece]) -> list[dict[bytes, bytes]]:
    """What each file adds to what may be pointed at. Raises DamagedRecord if anything is wrong with it."""
    found = []
    for piece in share:
        own = links.apart()
        deque(checked(piece, own), maxlen=0)
        found.append(own.added)
    return found


def _report_problems(run: Run) -> Iterator[str]:
    if run.report.exists() and run.sealed:
        about = read_manifest(run.report).about
        if about.get("run") != manifest_hash(run.folder):
            yield f"{run.report}: made from another state of the run; make it again with polibias report"


def _open_problems(run: Run) -> Iterator[str]:
    """An unsealed run: every stream against itself and its committed state, the study against its hash."""
    yield from _document_problem(run.study, STUDY_TAG)
    streams: dict[Path, Stream[Any]] = {}
    for path in own_files(run, run.folder):
        if stream := run.stream_at(path):
            streams[stream.path] = stream
        elif path == run.probes:
            yield from _document_problem(path, PROBES_TAG)
        elif path != run.study and not is_head(run, path) and path.suffix not in (".torn", ".part"):
            yield f"{path}: does not belong to a run"
    for stream in streams.values():
        if problem := _head_problem(stream) or problem_in(stream):
            yield problem


def _document_problem(path: Path, tag: str) -> Iterator[str]:
    try:
        read_named(path, tag)
    except InputError as error:
        yield str(error)


def _head_problem(stream: Stream[Any]) -> str:
    """An open stream says how far it was committed; that it holds what was, `read` checks."""
    try:
        parse_head(head_path(stream.path))
    except DamagedRecord as error:
        return str(error)
    return ""


def _link_problems(run: Run) -> Iterator[str]:
    """Every row lies in the stream of its own name and points back at rows that exist in this run."""
    links = Links()
    for entry in read(run.pairs()):
        links.add_pair(entry.id, entry.row)
    streams = [stream for stream in run.streams() if stream.path.parent.name not in SEALED_APART]
    for stream in sorted(streams, key=lambda stream: POINTING.get(stream.type, 0)):
        for entry in read(stream):
            if own_name(entry.row) not in ("", stream.path.stem):
                yield f"{entry.where}: a row of '{own_name(entry.row)}' in another's stream"
            if stream.type in POINTING:
                yield from (f"{entry.where}: {problem}" for problem in links.problems(entry))
        yield from links.left()


def require_whole(run: Run) -> None:
    """Raises DamagedRecord, with the first problem, unless the run's records are exactly what was written."""
    for problem in records_problems(run):
        raise DamagedRecord(problem)
