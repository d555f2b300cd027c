"""Ratings files: CSV or JSONL in long form, or annotation rows as exported."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import InputError
from polibias.sources.files import read_text


class Columns(NamedTuple):
    """Which columns hold what; an empty cluster means that every unit is its own cluster."""

    unit: str
    rater: str
    value: str
    cluster: str = ""


class RatingTable(NamedTuple):
    """Units × raters as read, None where a rater did not rate, with each unit's cluster."""

    units: list[str]
    raters: list[str]
    values: list[list[float | None]]
    clusters: list[str]


ANNOTATIONS = Columns("unit", "annotator", "score", "pair")


def read_ratings(path: Path, columns: Columns) -> RatingTable:
    """The file's ratings. Raises InputError, naming the line, for anything that is not one rating per cell."""
    cells: dict[tuple[str, str], float | None] = {}
    clusters: dict[str, str] = {}
    for where, record in _records(path):
        unit, rater, value = (_field(record, name, where) for name in columns[:3])
        if (unit, rater) in cells:
            raise InputError(f"{where}: rater '{rater}' rates '{unit}' twice")
        cells[unit, rater] = _number(value, where)
        cluster = _field(record, columns.cluster, where) if columns.cluster else unit
        if not unit or not rater or not cluster:
            raise InputError(f"{where}: unit, rater and cluster must not be empty")
        if clusters.setdefault(unit, cluster) != cluster:
            raise InputError(f"{where}: unit '{unit}' lies in two clusters, '{clusters[unit]}' and '{cluster}'")
    units, raters = list(clusters), sorted({rater for _, rater in cells})
    values = [[cells.get((unit, rater)) for rater in raters] for unit in units]
    return RatingTable(units, raters, values, [clusters[unit] for unit in units])


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    text = read_text(path)
    if path.suffix == ".jsonl":
        yield from _json_records(path, text)
        return
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    try:
        for record in reader:
            yield f"{path}:{reader.line_num}", record
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not valid CSV: {error}") from None


def _json_records(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    latest: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{where}: not valid JSON") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: not a JSON object")
        if record.get("kind") == "annotation/1":
            latest[record["key"]] = [(where, rating) for rating in _annotation(record["row"])]
        else:
            yield where, record
    for ratings in latest.values():
        yield from ratings


def _annotation(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One exported annotation as ratings; a later row of the same key replaces an earlier one."""
    for dimension, score in row["scores"].items():
        unit = f"{row['pair'][:12]}:{row['model']}:{dimension}"
        yield {"unit": unit, "annotator": row["annotator"], "score": score["score"], "pair": row["pair"]}


def _field(record: dict[str, Any], name: str, where: str) -> Any:
    if record.get(name) is None and name not in record:
        raise InputError(f"{where}: no column '{name}'; the file has {', '.join(str(key) for key in record)}")
    value = record[name]
    return value.strip() if isinstance(value, str) else value if name and value is not None else ""


def _number(value: Any, where: str) -> float | None:
    """A rating as a number, None for an empty cell. Words are refused: they have no order."""
    if value == "":
        return None
    try:
        number = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        raise InputError(f"{where}: '{value}' is not a rating; use numbers, and leave a missing rating empty")
    return number
