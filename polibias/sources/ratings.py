"""Ratings files of any origin: CSV, JSONL or Parquet, one rating per line or one rater per column."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import InputError
from polibias.sources.files import read_text

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\Z")
LARGEST = 1e6
MOST_NAMED = 8
"""So many values of a column does a message name."""
Record = tuple[str, Mapping[str, Any]]


class Columns(NamedTuple):
    """Which columns hold what; an empty cluster means that every unit is its own cluster.

    With `raters`, each of these columns holds one rater's ratings, and `rater` and `value` are not used. `where` keeps
    the rows that have these values in these columns.
    """

    unit: str
    rater: str = ""
    value: str = ""
    cluster: str = ""
    raters: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()


class Scale(NamedTuple):
    """The points of the scale, ascending; `words` are their names where ratings are words."""

    points: tuple[float, ...]
    words: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        return ", ".join(self.words or (f"{point:g}" for point in self.points))


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

    @property
    def missing(self) -> int:
        """How many cells have no rating."""
        return sum(value is None for row in self.values for value in row)


def read_scale(text: str) -> Scale:
    """The scale that `--categories` names: numbers in ascending order, or words from the lowest to the highest."""
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) < 2 or len(set(parts)) < len(parts) or not all(parts):
        raise InputError(f"--categories {text}: name at least two different points, such as 0,1,2,3 or low,mid,high")
    if not all(NUMBER.match(part) for part in parts):
        return Scale(tuple(map(float, range(len(parts)))), parts)
    points = tuple(map(float, parts))
    if not all(abs(point) < LARGEST for point in points):
        raise InputError(f"--categories {text}: every point must lie between -{LARGEST:,.0f} and {LARGEST:,.0f}")
    if list(points) != sorted(set(points)):
        raise InputError(
            f"--categories {text}: name at least two different numbers in ascending order, such as 0,1,2,3"
        )
    return Scale(points)


def table(path: Path, ratings: Iterable[Rating], scale: Scale) -> RatingTable:
    """The ratings as a table. Raises InputError, naming the line, for a value off the scale or a second rating."""
    cells: dict[tuple[str, str], float | None] = {}
    clusters: dict[str, str] = {}
    points = set(scale.points)
    for where, unit, rater, value, cluster in ratings:
        if not unit or not rater or not cluster:
            raise InputError(f"{where}: unit, rater and cluster must not be empty")
        if (unit, rater) in cells:
            raise InputError(f"{where}: rater '{rater}' rates '{unit}' twice")
        if value is not None and value not in points:
            raise InputError(
                f"{where}: the value {value:g} is not on the scale {scale.said}; name the scale with --categories"
            )
        if clusters.setdefault(unit, cluster) != cluster:
            raise InputError(f"{where}: unit '{unit}' lies in two clusters, '{clusters[unit]}' and '{cluster}'")
        cells[unit, rater] = value
    units, raters = list(clusters), sorted({rater for _, rater in cells})
    if len(raters) < 2:
        raise InputError(f"{path}: agreement needs two raters; the file has {len(raters)}")
    values = [[cells.get((unit, rater)) for rater in raters] for unit in units]
    return RatingTable(units, raters, values, [clusters[unit] for unit in units])


def read_ratings(
    path: Path, columns: Columns, scale: Scale, records: Iterable[Record] | None = None
) -> Iterator[Rating]:
    """The file's ratings, or those of `records`. Raises InputError, naming the line, for anything that is no rating.

    A condition that no line meets is an error too, and says which values there are.
    """
    kept = False
    met: dict[str, set[str]] = {name: set() for name, _ in columns.where}
    for where, record in records_in(path) if records is None else records:
        fits = [_meets(str(_field(record, name, where)), value, met[name]) for name, value in columns.where]
        if not all(fits):
            continue
        kept = True
        unit = _name(_field(record, columns.unit, where), where)
        cluster = _name(_field(record, columns.cluster, where), where) if columns.cluster else unit
        for rater in columns.raters:
            yield Rating(where, unit, rater, _rating(_field(record, rater, where), scale, where), cluster)
        if not columns.raters:
            rater = _name(_field(record, columns.rater, where), where)
            yield Rating(where, unit, rater, _rating(_field(record, columns.value, where), scale, where), cluster)
    if columns.where and not kept:
        raise InputError(f"{path}: {_unmet(columns.where, met)}")


def _meets(cell: str, value: str, met: set[str]) -> bool:
    """Whether a cell has the value, also behind the apostrophe that keeps spreadsheets from running it."""
    met.add(cell)
    return cell in _written(value)


def _written(value: str) -> set[str]:
    return {value, f"'{value}"}


def _unmet(conditions: Sequence[tuple[str, str]], met: Mapping[str, set[str]]) -> str:
    """Which condition of `--where` no line meets, and some of the values that there are."""
    for name, value in conditions:
        if not met[name] & _written(value):
            some = [found[:40] for found in sorted(met[name])[:MOST_NAMED]] or ["no lines"]
            more = f" and {len(met[name]) - MOST_NAMED} more" if len(met[name]) > MOST_NAMED else ""
            return f"no line has {name}={value}; the column has {', '.join(some)}{more}"
    return f"no line has {' and '.join(f'{name}={value}' for name, value in conditions)} together"


def records_in(path: Path) -> Iterator[Record]:
    """The file's lines by column, each with its place: CSV unless it is named .jsonl or .parquet."""
    readers = {".jsonl": _json_records, ".parquet": _parquet_records}
    return readers.get(path.suffix.lower(), _csv_records)(path)


def _csv_records(path: Path) -> Iterator[Record]:
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


def _json_records(path: Path) -> Iterator[Record]:
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


def _parquet_records(path: Path) -> Iterator[Record]:
    """The file's rows; null, and NaN, which Parquet writers use for it, is an empty cell."""
    import pyarrow
    from pyarrow import parquet

    try:
        batches = parquet.ParquetFile(path).iter_batches()
        for number, record in enumerate((row for batch in batches for row in batch.to_pylist()), start=1):
            yield f"{path}: row {number}", {name: None if value != value else value for name, value in record.items()}
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({str(error)[:80]})") from None


def _no_duplicates(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _field(record: Mapping[str, Any], name: str, where: str) -> Any:
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


def _rating(value: Any, scale: Scale, where: str) -> float | None:
    """A rating as a number, None for an empty cell. Words need a scale that says their order."""
    if value is None or value == "":
        return None
    if scale.words:
        if str(value) in scale.words:
            return scale.points[scale.words.index(str(value))]
        raise InputError(f"{where}: {str(value)[:40]!a} is not on the scale {scale.said}")
    if type(value) in (int, float) or (isinstance(value, str) and NUMBER.match(value)):
        number = float(value)
        if abs(number) < float("inf"):
            return number
    raise InputError(
        f"{where}: {str(value)[:40]!a} is not a rating; use numbers, leave a missing rating empty, or name the order "
        "of words with --categories low,mid,high"
    )
