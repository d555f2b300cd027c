"""A sealed run once more, with some of its rows changed or left out: written and sealed as every run is."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from polibias.domain.ids import plain
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response, StoredRow
from polibias.domain.sides import Both
from polibias.records.documents import read_named, write_named
from polibias.records.ledger import Ledger, Stream, read
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import STUDY_TAG, Run

Change = Callable[[Any], StoredRow | None]
"""Gives a row back as it is, another one in its place, or None to leave it out."""
ORDER = (PromptPair, Response, MaskedResponse, Judgment, JudgeGuess)
"""Rows that are pointed at come before those that point."""


def same(row: StoredRow) -> StoredRow:
    return row


def replaced(row: Any, **values: Any) -> Any:
    return msgspec.structs.replace(row, **values)


def rewritten(
    run: Run, folder: Path, change: Change = same, about: Callable[[dict[str, Any]], dict[str, Any]] | None = None
) -> Run:
    """The run in a new folder. A changed row has another id, so rows that point at it follow; rows that point at one
    that was left out are left out too. `about` changes `study.json`.
    """
    other = Run(folder)
    study = {name: part for name, part in plain(read_named(run.study, STUDY_TAG)).items() if name != "hash"}
    names: dict[str, str] = {"": ""}
    folder.mkdir(parents=True)
    with other.locked():
        write_named(other.study, STUDY_TAG, about(study) if about else study)
        streams = [stream for stream in run.streams() if stream.type in ORDER]
        for stream in sorted(streams, key=lambda one: ORDER.index(one.type)):
            own = other.stream_at(folder / stream.path.relative_to(run.folder))
            assert own is not None
            _write(stream, own, change, names)
        seal(other, folder, read_manifest(run.folder).about, at=read_manifest(run.folder).sealed_at)
    return other


def _write(stream: Stream[Any], other: Stream[Any], change: Change, names: dict[str, str]) -> None:
    with Ledger(other) as ledger:
        for entry in read(stream):
            row = _pointing(entry.row, names)
            row = change(row) if row is not None else None
            if row is not None:
                names[entry.id] = ledger.append(row, entry.seen)
        ledger.commit()


def _pointing(row: Any, names: Mapping[str, str]) -> Any:
    """The row with the new ids of what it points at; None if something of that was left out."""
    values: dict[str, Any] = {}
    for field in ("pair", "copy_of", "response", "supersedes"):
        if hasattr(row, field):
            values[field] = names.get(getattr(row, field))
    if hasattr(row, "responses"):
        values["responses"] = Both(*(names.get(row.responses[side]) for side in ("A", "B")))
        if None in (values["responses"].A, values["responses"].B):
            return None
    return None if None in values.values() else replaced(row, **values)
