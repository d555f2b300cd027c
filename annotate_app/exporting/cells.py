"""Tables as files: CSV that no spreadsheet runs, and Parquet with types, both of the very same lines.

A text that not every reader of such a file gives back (a lone surrogate, a NUL, a carriage return) stands as a JSON
string, and the column `escaped` names its columns: ``json.loads`` gives it back exactly. `guarded` and `unguarded` are
each other's inverse.
"""

import csv
import datetime
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from polibias.records.documents import replacing, write_file

Kind = Literal["text", "whole", "real", "time"]
Value = str | int | float | None
Line = Sequence[Value]

ESCAPED = "escaped"
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
STARTS = frozenset("'=+-@\t\r\n＝＋－＠")
"""Every sign that a match of `FORMULA` can begin with; a table has millions of cells and few of those."""
UNHOLDABLE = re.compile("[\x00\r\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"


class Column(NamedTuple):
    """A column: its name, the type of its values, and what they mean."""

    name: str
    kind: Kind
    meaning: str


def guarded(value: Value) -> Value:
    """A cell that no spreadsheet takes for a formula: an apostrophe in front of what looks like one."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def unguarded(cell: str) -> str:
    """The text that a guarded cell stands for."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def held(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values as any file can hold them, with the names of those that had to be escaped."""
    if not UNHOLDABLE.search("".join([value for value in values.values() if value.__class__ is str])):
        return {**values, ESCAPED: ""}
    lone = [name for name, value in values.items() if isinstance(value, str) and UNHOLDABLE.search(value)]
    return {**values, **{name: json.dumps(values[name]) for name in lone}, ESCAPED: " ".join(lone)}


def write_csv(path: Path, columns: Sequence[Column], lines: Iterable[Line], bom: bool = False) -> int:
    """One line per line under the columns' names, UTF-8. `bom` puts the mark in front by which Excel knows it.

    Returns how many lines there are. What is None stands as an empty cell.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    count = 0
    for line in lines:
        count += 1
        writer.writerow([guarded(cell) if cell.__class__ is str and cell[:1] in STARTS else cell for cell in line])
    write_file(path, (BOM if bom else b"") + out.getvalue().encode("utf-8"))
    return count


def write_parquet(path: Path, columns: Sequence[Column], lines: Sequence[Line], about: Mapping[str, str]) -> None:
    """The same lines with types: whole numbers, real ones, times in UTC, and text; an empty cell is null or ''."""
    import pyarrow
    from pyarrow import parquet

    types = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "real": pyarrow.float64(),
        "time": pyarrow.timestamp("ms", tz="UTC"),
    }
    by_column: Sequence[Sequence[Any]] = [*zip(*lines, strict=True)] or [()] * len(columns)
    arrays = [
        pyarrow.array(map(_moment, values) if column.kind == "time" else values, types[column.kind])
        for column, values in zip(columns, by_column, strict=True)
    ]
    schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns], metadata=dict(about))
    with replacing(path) as file:
        parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), file)


@lru_cache(maxsize=1)  # all lines of a place have one time
def _moment(text: str | None) -> datetime.datetime | None:
    return datetime.datetime.fromisoformat(text) if text else None
