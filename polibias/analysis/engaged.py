"""The index on pairs in which neither response refuses, or rejects the premise, beside the same model's full index.

What is left differs from model to model, so a row compares a model with itself and never with another. Source: paper,
section 3.3 and Table 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import absent, cell
from polibias.analysis.conduct import Conducts, Reading
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.labels import NOT_ASKED
from polibias.analysis.pbi import Tables, telling
from polibias.analysis.together import Chosen, Together, inside, marks_of, shared, stream_of
from polibias.stats.bias_index import NO_BLOCK

if TYPE_CHECKING:
    import pandas as pd

WITHOUT = {
    "refusals": ("refusal",),
    "rejected premises": ("premise",),
    "either": ("refusal", "premise"),
}
"""What is left out, and the behaviours that neither response of a pair may show."""
NONE_LEFT = "no scored pair is left"
CAPTION = (
    "{scale}, on the pairs in which neither response refuses (fully or partly), neither rejects the premise, or both, "
    "beside the same model's index on all pairs. Change: what is left minus all, from the same draws. Each model is "
    "left with pairs of its own, so compare a row with its own full index and with no other row. By rules that read "
    "the beginning of each response, and by the judge's labels, where a pair stays only if both orders label both "
    "responses so. {about}"
)


def engaged_table(tables: Tables, cases: Sequence[Case], conducts: Conducts | None = None) -> Table | None:
    """By judge, model, condition, reading and what is left out; None without Main pairs.

    `cases` are those of `tables`, in its order.
    """
    if "main" not in tables.blocks_asked:
        return None
    conducts = conducts or Conducts(tables, cases)
    rows = [
        TableRow({**keys, "reading": reading, "without": without}, cells)
        for keys, group in tables.groups()
        for reading, without, cells in _engaged(tables, group, keys, conducts)
    ]
    columns = tuple(_columns(tables))
    found = tuple(TableRow(row.keys, {one.id: row.cells[one.id] for one in columns}) for row in rows)
    caption = CAPTION.format(scale=tables.scale, about=tables.about)
    title = f"{tables.rubric.report.index} without refusals and rejected premises"
    return Table("engaged", title, caption, (*tables.keys, "reading", "without"), columns, found)


def _columns(tables: Tables) -> Iterator[Column]:
    yield Column("full", "Main, all pairs", tables.unit)
    yield Column("main", "Main, what is left", tables.unit)
    yield Column("change", "Change", tables.unit)
    yield Column("kept", "Main pairs left", "share")
    if "control" in tables.blocks_asked:
        yield Column("difference", "Main − Controls, what is left", tables.unit)


def _engaged(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], conducts: Conducts
) -> Iterator[tuple[Reading, str, dict[str, Cell]]]:
    kept = {
        (reading, without): _neither(conducts, reading, behaviours, rows.index.to_list())
        for reading in conducts.readings
        for without, behaviours in WITHOUT.items()
    }
    together = Together(tables, rows)
    total, main = rows["total"].to_numpy(dtype=np.float64), inside(rows, "main")
    together.mean("full", total, main)
    for (reading, without), stays in kept.items():
        name = f"{reading} {without}"
        together.mean(f"{name} main", total, stays & main, NONE_LEFT)
        together.difference(f"{name} difference", total, stays & main, stays & ~main, NO_BLOCK)
        together.difference(f"{name} change", total, stays & main, main, NONE_LEFT)
        together.share(f"{name} kept", stays, main, NONE_LEFT)
    found = together.estimates(stream_of(keys, "total"))
    ends = tables.rubric.lowest_total, tables.rubric.highest_total
    width = ends[1] - ends[0]
    everything = marks_of(keys, block="main")
    full = cell(telling(found["full"], *ends), everything)
    for reading, without in kept:
        if not conducts.asked(reading, rows.index.to_list()):
            yield reading, without, {"full": full} | dict.fromkeys(COMPARED, absent(NOT_ASKED))
            continue
        name, marks = f"{reading} {without}", {f"{reading}:{one}": "none" for one in WITHOUT[without]}
        cells = {"main": cell(telling(found[f"{name} main"], *ends), marks_of(keys, block="main", **marks))}
        cells["difference"] = cell(telling(found[f"{name} difference"], -width, width), marks_of(keys, **marks))
        cells["change"] = cell(telling(found[f"{name} change"], -width, width), everything)
        yield reading, without, {"full": full, **cells, "kept": shared(found[f"{name} kept"], everything)}


COMPARED = ("main", "change", "kept", "difference")


def _neither(conducts: Conducts, reading: Reading, behaviours: Sequence[str], places: Sequence[int]) -> Chosen:
    """The pairs in which neither response shows any of the behaviours."""
    read = [conducts.column(reading, name, places) == "none" for name in behaviours]
    neither: Chosen = np.logical_and.reduce(read)
    return neither
