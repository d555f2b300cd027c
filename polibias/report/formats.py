"""A table in the formats that other programs read: CSV, LaTeX and Parquet, and the schema of the findings."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from polibias.analysis.findings import Cell, Findings, Table
from polibias.records.documents import replacing, write_file
from polibias.report.latex import table_tex

if TYPE_CHECKING:
    import pyarrow

FORMATS = {"csv": "CSV", "parquet": "Parquet", "tex": "LaTeX"}
FIGURES = ("value", "low", "high")
COUNTS = ("n", "clusters")
AFTER = ("percentile_low", "percentile_high", "detectable")
METHODS = ("method", "percentile_method", "reason")
CSV_COLUMNS = ("column", *FIGURES, *COUNTS, *AFTER, *METHODS)
SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def write_table(table: Table, folder: Path, titles: Mapping[str, str], named: Mapping[str, str]) -> None:
    """The table in every format; `named` says what it rests on, inside the Parquet file."""
    write_file(folder / f"{table.id}.csv", table_csv(table), durable=False)
    write_file(folder / f"{table.id}.tex", table_tex(table, titles).encode("utf-8"), durable=False)
    write_parquet(table, folder / f"{table.id}.parquet", named)


def table_csv(table: Table) -> bytes:
    """A table in long form: one line per cell, full precision, empty where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.keys, *CSV_COLUMNS])
    for row in _long(table):
        writer.writerow([_written(value) for name, value in row.items() if name not in BEYOND_CSV])
    return out.getvalue().encode("utf-8")


BEYOND_CSV = ("unit", "effective_n", "where")


FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""What a spreadsheet would run."""


def _written(value: str | float | None) -> str:
    """A number in full, and a text as it is, but with an apostrophe before what a spreadsheet would run."""
    if isinstance(value, str):
        return f"'{value}" if FORMULA.match(value) else value
    return "" if value is None else repr(value)


def _long(table: Table) -> Iterator[dict[str, Any]]:
    """One row per cell: the keys, the column, and the cell's figures."""
    for row in table.rows:
        for column in table.columns:
            keys = {key: row.keys[key] for key in table.keys}
            yield {**keys, "column": column.id, **_figures(row.cells[column.id]), "unit": column.unit}


def _figures(cell: Cell) -> dict[str, Any]:
    beside = next(iter(cell.beside), None)
    own = {name: getattr(cell, name) for name in (*FIGURES, *COUNTS)}
    second = (beside.low, beside.high) if beside else (None, None)
    return {
        **own,
        **dict(zip(AFTER, (*second, cell.detectable), strict=True)),
        **dict(zip(METHODS, (cell.method, beside.method if beside else "", cell.reason), strict=True)),
        "effective_n": cell.effective_n,
        "where": json.dumps(cell.where, ensure_ascii=False, sort_keys=True),
    }


def write_parquet(table: Table, path: Path, named: Mapping[str, str]) -> None:
    """The table in long form with typed columns: missing is null, `where` the marks as JSON.

    Its title, caption and what it rests on are in the file's metadata.
    """
    import pyarrow
    from pyarrow import parquet

    about = {**named, "table": table.id, "title": table.title, "caption": table.caption}
    made = pyarrow.Table.from_pylist(list(_long(table)), _schema(table, about))
    with replacing(path, durable=False) as file:
        parquet.write_table(made, file)


def _schema(table: Table, about: Mapping[str, str]) -> "pyarrow.Schema":
    import pyarrow

    real = pyarrow.float64()
    types = {
        **dict.fromkeys((*FIGURES, *AFTER, "effective_n"), real),
        **dict.fromkeys(COUNTS, pyarrow.int64()),
    }
    names = (*table.keys, *CSV_COLUMNS, "effective_n", "where", "unit")
    return pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names], metadata=dict(about))


def findings_schema() -> dict[str, Any]:
    """The JSON Schema of `findings.json`, from the types that it is written from.

    A cell has a value or a reason, and both ends of an interval or neither.
    """
    schema = msgspec.json.schema(Findings)
    schema["$defs"]["Cell"]["allOf"] = [
        _either({"value": {"type": "number"}}, {"reason": {"minLength": 1}}),
        _either(_ends("number"), _ends("null")),
    ]
    return {"$schema": SCHEMA, "title": "Findings of a report of Poli-Bias", **schema}


def _either(*properties: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"properties": one} for one in properties]}


def _ends(type: str) -> dict[str, Any]:
    return {"low": {"type": type}, "high": {"type": type}}
