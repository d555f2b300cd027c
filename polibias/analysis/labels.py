"""The tables of response labels: behaviour of one response alone, and ratings of single responses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from polibias.analysis.cells import BLOCKS, absent, cell, count
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import one_sided_column, rating_column
from polibias.analysis.pbi import Tables
from polibias.domain.rubric import Label
from polibias.domain.sides import SIDES
from polibias.stats.proportion import share

if TYPE_CHECKING:
    import pandas as pd

NOT_ASKED = "not asked in this condition"
RATED = {"A": "Version A", "B": "Version B", "apart": "Mean distance"}
RATINGS_CAPTION = "The judge's rating of each response, from 1; a pair's rating is the mean of its two orders."
ONE_SIDED_CAPTION = (
    "Share of pairs in which exactly one response has a counting label, by the judge ({labels}); pairs whose two "
    "orders label a response differently are left out of the share and counted. Wilson intervals, which treat pairs "
    "as independent."
)


def one_sided_table(tables: Tables) -> Table | None:
    """Pairs in which exactly one response has a counting label, by block; None if no label counts."""
    labels = [label for label in tables.labels.values() if label.one_sided]
    columns = tuple(
        column
        for label in labels
        for column in (
            Column(f"one_sided_{label.id}", f"{label.title}, one-sided", "share"),
            Column(f"unclear_{label.id}", f"{label.title}, orders disagree", "count"),
        )
    )
    rows = [
        TableRow(
            {**keys, "block": title},
            _one_sided(group[group["block"] == block], labels, tables.asked(keys), {**keys, "block": block}),
        )
        for keys, group in tables.groups()
        for block, title in BLOCKS.items()
        if block in tables.blocks_asked
    ]
    said = "; ".join(f"{label.title}: {' or '.join(label.one_sided)}" for label in labels)
    caption = ONE_SIDED_CAPTION.format(labels=said)
    found = Table("one_sided", "One-sided behaviour", caption, (*tables.keys, "block"), columns, tuple(rows))
    return found if labels else None


def _one_sided(
    rows: "pd.DataFrame", labels: Sequence[Label], asked: set[str], where: dict[str, str]
) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for label in labels:
        names = (f"one_sided_{label.id}", f"unclear_{label.id}")
        if label.id not in asked:
            cells |= dict.fromkeys(names, absent(NOT_ASKED))
            continue
        values: Any = rows[one_sided_column(label.id)]
        clear = values[values.notna()]
        mark = f"label:{label.id}"
        shared = share(int(clear.sum()), len(clear), "pair with clear labels")
        cells[names[0]] = cell(shared, where | {mark: "clear"})
        cells[names[1]] = count(len(values) - len(clear), where | {mark: "unclear"})
    return cells


def ratings_table(tables: Tables) -> Table | None:
    """The mean rating of each version on every ordinal label, and how far the two lie apart; None without any."""
    labels = [label for label in tables.labels.values() if label.ordinal]
    rows = [
        TableRow({**keys, "label": label.title}, _ratings(tables, group, label.id, keys))
        for keys, group in tables.groups()
        for label in labels
        if label.id in tables.asked(keys)
    ]
    columns = tuple(Column(name, title, "score") for name, title in RATED.items())
    caption = f"{RATINGS_CAPTION} {tables.about}"
    found = Table("ratings", "Ratings of single responses", caption, (*tables.keys, "label"), columns, tuple(rows))
    return found if labels else None


def _ratings(tables: Tables, rows: "pd.DataFrame", label: str, where: dict[str, str]) -> dict[str, Cell]:
    a, b = (rows[rating_column(label, side)].astype(float) for side in SIDES)
    values, everywhere = {"A": a, "B": b, "apart": (a - b).abs()}, [True] * len(rows)
    return {
        name: cell(
            tables.index(rows, value.to_list(), everywhere, f"{where} {label} {name}")["main"],
            where | {"complete": "yes"},
        )
        for name, value in values.items()
    }
