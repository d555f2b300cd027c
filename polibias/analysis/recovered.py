"""What a simulated study declared beside what its report found: whether an analysis gives back what was put in.

A run is simulated if its `study.json` says so; then it holds the value that each cell of the tables should show.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from polibias.analysis.cells import absent, cell, count
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.stats.estimate import Estimate

SIMULATED = "simulated"
SCORES = "pbi"
"""The table whose cells stand one by one; those of the others are counted."""
NAMES = {"main": "Main", "control": "Controls", "difference": "Main − Controls"}
COLUMNS = (
    Column("declared", "Declared", "score"),
    Column("found", "Found", "score"),
    Column("cells", "Cells with an interval", "count"),
    Column("held", "Interval holds the declared value", "count"),
    Column("farthest", "Farthest from it, in half-widths", "score"),
)
CAPTION = (
    "This run is simulated: what is true of it was declared, and this table says whether the report gives it back. Of "
    "many 95% intervals one in twenty misses; with few pairs or rare events more do, and the cells of a model are not "
    "independent. In half-widths: how far the found value lies from the declared one, 1 being the end of the interval."
)
NOTE = (
    "This run is simulated: no model and no judge was asked; texts and scores were drawn from declared numbers. "
    "Nothing in it is about any model, country or developer."
)
SEVERAL = "several values"


class Recovered(NamedTuple):
    """A declared value and the cell that should show it; None if the report has no such cell."""

    table: str
    keys: dict[str, str]
    column: str
    declared: float
    found: Cell | None

    @property
    def distance(self) -> float | None:
        """How far the found value lies from the declared one, in half-widths of its interval on that side.

        None without a value or an interval.
        """
        one = self.found
        if one is None or one.value is None or one.low is None or one.high is None:
            return None
        gap = self.declared - one.value
        width = one.high - one.value if gap > 0 else one.value - one.low
        return abs(gap) / width if width > 0 else 0.0 if gap == 0 else None


def simulated_notes(about: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know before any number of a simulated run; nothing for any other. `about` is `study.json`."""
    if SIMULATED in about:
        yield NOTE


def recovered(tables: Sequence[Table], about: Mapping[str, Any]) -> list[Recovered]:
    """Every declared value with the cell that should show it; empty for a run that is not simulated."""
    cells = {
        (table.id, tuple(sorted(row.keys.items())), column): found
        for table in tables
        for row in table.rows
        for column, found in row.cells.items()
    }
    return [
        Recovered(*names, one["value"], cells.get((names[0], tuple(sorted(names[1].items())), names[2])))
        for one in about.get(SIMULATED, {}).get("expected", ())
        for names in [(one["table"], one["keys"], one["column"])]
    ]


def recovery_table(tables: Sequence[Table], about: Mapping[str, Any]) -> Table | None:
    """By judge and model: the index one by one, then how many cells of each other table hold what was declared.

    None for a run that is not simulated. Values without an interval to compare with are not counted.
    """
    titles = {table.id: table.title for table in tables}
    found = [one for one in recovered(tables, about) if one.table in titles and {"judge", "model"} <= one.keys.keys()]
    groups: dict[tuple[str, str, str, str], list[Recovered]] = {}
    for one in found:
        what = NAMES[one.column] if one.table == SCORES else titles[one.table]
        groups.setdefault((one.keys["judge"], one.keys["model"], one.table, what), []).append(one)
    keys = ("judge", "model", "what")
    rows = [
        TableRow(dict(zip(keys, (judge, model, what), strict=True)), _cells(own, {"judge": judge, "model": model}))
        for (judge, model, _, what), own in groups.items()
    ]
    return Table("recovery", "Declared and found", CAPTION, keys, COLUMNS, tuple(rows)) if rows else None


def _cells(own: Sequence[Recovered], where: Mapping[str, str]) -> dict[str, Cell]:
    distances = [one.distance for one in own if one.distance is not None]
    cells = {
        "declared": absent(SEVERAL),
        "found": absent(SEVERAL),
        "cells": count(len(distances), where),
        "held": count(sum(distance <= 1 for distance in distances), where),
        "farthest": absent("no cell with an interval"),
    }
    if distances:
        farthest = Estimate(max(distances), len(distances), len(distances), "greatest of all cells")
        cells["farthest"] = cell(farthest, where)
    if len(own) == 1:
        declared = Estimate(own[0].declared, len(distances), len(distances), "declared")
        cells |= {"declared": cell(declared, where), "found": own[0].found or absent("no such cell")}
    return cells
