"""A run as Parquet tables: a table for each kind of row, written group by group."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
from pyarrow import parquet

from polibias import __version__
from polibias.analysis.asked import rubrics_of
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.errors import InputError
from polibias.publish.columns import Kind, Shape, Values, flat, shapes
from polibias.publish.places import check_place, filling, require_sealed
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import require_whole

GROUP_CHARACTERS, GROUP_ROWS = 8_000_000, 10_000
TABLES: dict[str, type[Any]] = {
    "pairs": PromptPair,
    "responses": Response,
    "judgments": Judgment,
    "masked": MaskedResponse,
    "guesses": JudgeGuess,
}
ONLY_OF_COPIES = ("masked", "guesses")
"""Tables that are written only if the run has such rows."""
TYPES: dict[Kind, Any] = {
    "text": pyarrow.string(),
    "whole": pyarrow.int64(),
    "real": pyarrow.float64(),
    "time": pyarrow.timestamp("ms", tz="UTC"),
}


class Written(NamedTuple):
    """A file that was written."""

    file: str
    rows: int
    columns: int
    bytes: int


def export_parquet(run: Run, out: Path) -> list[Written]:
    """Write the run's tables into the folder `out`: all of them or none.

    Raises InputError unless the run is sealed and whole and `out` is missing or empty.
    """
    require_sealed(run)
    check_place(run, out)
    with filling(out) as folder:
        require_whole(run)
        about = read_named(run.study, STUDY_TAG)
        named = {"polibias": __version__, "study": about["study"]["id"], "manifest": manifest_hash(run.folder)}
        return [
            _write(folder / f"{name}.parquet", shape, _rows(run, TABLES[name], shape), named)
            for name, shape in shapes(rubrics_of(about).values()).items()
            if name not in ONLY_OF_COPIES or any(stream.type is TABLES[name] for stream in run.streams())
        ]


def _rows(run: Run, kind: type[Any], shape: Shape) -> Iterator[Values]:
    for stream in run.streams():
        if stream.type is kind:
            yield from (flat(entry, shape) for entry in read(stream))


def _write(path: Path, shape: Shape, rows: Iterable[Values], named: dict[str, str]) -> Written:
    """One file. Only one group of rows is in memory at a time."""
    fields = [pyarrow.field(name, TYPES[kind]) for name, kind in shape.columns.items()]
    schema = pyarrow.schema(fields, metadata=named)
    count = 0
    with path.open("wb") as file, parquet.ParquetWriter(file, schema) as writer:
        for group in _groups(rows):
            try:
                writer.write_table(pyarrow.Table.from_pylist(group, schema))
            except (pyarrow.ArrowInvalid, OverflowError) as error:
                raise InputError(f"{path.name}: a value of rows {count + 1} to {count + len(group)}: {error}") from None
            count += len(group)
    return Written(path.name, count, len(schema.names), path.stat().st_size)


def _groups(rows: Iterable[Values]) -> Iterator[list[Values]]:
    """Rows in groups of a bounded number of characters."""
    group: list[Values] = []
    characters = 0
    for row in rows:
        group.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if characters >= GROUP_CHARACTERS or len(group) >= GROUP_ROWS:
            yield group
            group, characters = [], 0
    if group:
        yield group
