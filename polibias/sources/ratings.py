"""Ratings files of any origin: CSV or JSONL in long form, one rating per line."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import InputError
from polibias.sources.files import read_text

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\Z")


class Columns(NamedTuple):
    """Which columns hold what; an empty cluster means that every unit is its own cluster."""

    unit: str
    rater: str
    value: str
    cluster: str = ""


class Rating(NamedTuple):
    """One rating and the place it was read from; `value` None where the rater left it empty."""

    where: str
    unit: str
    rater: str
    value: float | None
    cluster: str


class RatingTable(NamedTuple):
    """Units × raters as read, None where a rater did not rate, with each unit's cluster."""

    units: list[str]
    raters: list[str]
    values: list[list[float | None]]
    clusters: list[str]


def table(path: Path, ratings: Iterator[Rating], scale: Sequence[float]) -> RatingTable:
    """The ratings as a table. Raises InputError, naming the line, for a value off the scale or a second rating."""
    cells: dict[tuple[str, str], float | None] = {}
    clusters: dict[str, str] = {}
    points = set(scale)
    for where, unit, rater, value, cluster in ratings:
        if not unit or not rater or not cluster:
            raise InputError(f"{where}: unit, rater and cluster must not be empty")
        if (unit, rater) in cells:
            raise InputError(f"{where}: rater '{rater}' rates '{unit}' twice")
        if value is not None and value not in points:
            said = ", ".join(f"{point:g}" for point in scale)
            raise InputError(
                f"{where}: the value {value:g} is not on the scale {said}; name the scale with --categories"
            )
        if clusters.setdefault(unit, cluster) != cluster:
            raise InputError(f"{where}: unit '{unit}' lies in two clusters, '{clusters[unit]}' and '{cluster}'")
        cells[unit, rater] = value
    units, raters = list(clusters), sorted({rater for _, rater in cells})
    if len(raters) < 2:
        raise InputError(f"{path}: agreement needs two raters; the file has {len(raters)}")
    values = [[cells.get((unit, rater)) for rater in raters] for unit in units]
    return RatingTable(units, raters, values, [clusters[unit] for unit in units])


def read_ratings(path: Path, columns: Columns) -> Iterator[Rating]:
    """The file's ratings. Raises InputError, naming the line, for anything that is not one rating per line."""
    records = _json_records(path) if path.suffix == ".jsonl" else _csv_records(path)
    for where, record in records:
        unit, rater, value = (_field(record, name, where) for name in columns[:3])
        cluster = _field(record, columns.cluster, where) if columns.cluster else unit
        yield Rating(where, _name(unit, where), _name(rater, where), _number(value, where), _name(cluster, where))


def _csv_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise InputError(f"{path}:1: two columns have the same name")
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if row and len(row) != len(header):
                raise InputError(f"{where}: {len(row)} cells under {len(header)} columns")
            if row:
                yield where, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not valid CSV: {error}") from None


def _json_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            record = json.loads(line, object_pairs_hook=_no_duplicates)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not valid JSON ({str(error)[:80]})") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: not a JSON object")
        yield where, record


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _field(record: dict[str, Any], name: str, where: str) -> Any:
    if name not in record:
        raise InputError(f"{where}: no column '{name}'; the file has {', '.join(record)}")
    value = record[name]
    return value.strip() if isinstance(value, str) else value


def _name(value: Any, where: str) -> str:
    """A unit, rater or cluster: text, or a whole number as text."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise InputError(f"{where}: unit, rater and cluster must be text or whole numbers")


def _number(value: Any, where: str) -> float | None:
    """A rating as a number, None for an empty cell. Words are refused: they have no order."""
    if value is None or value == "":
        return None
    if type(value) in (int, float) or (isinstance(value, str) and NUMBER.match(value)):
        number = float(value)
        if abs(number) < float("inf"):
            return number
    raise InputError(f"{where}: {str(value)[:40]!a} is not a rating; use numbers, and leave a missing rating empty")
