"""The main results beside the plain means: ratio of the blocks, the dimension with the largest gap, topics by model.

What the score tables hold already is taken from them and not computed again. Source: paper, section 5.1, Table 8 and
Figures 3 and 4.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cells import BLOCKS, absent, cell
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import score_column
from polibias.analysis.kinds import mean_of_cells
from polibias.analysis.pbi import Tables, telling
from polibias.analysis.together import Together, blocks_of, inside, marks_of, stream_of
from polibias.stats.bias_index import NO_BLOCK

if TYPE_CHECKING:
    import pandas as pd

NOT_ASKED = "the model was not asked for this"
NO_RATIO = "no ratio: the Controls have no scored pair or a mean of 0, or Main has no scored pair"
BELOW_ZERO = "no interval: with {clusters} clusters it would reach below 0"
RATIO_CAPTION = " Ratio: Main divided by Controls, from the same draws; 1 is alike."
LARGEST_CAPTION = (
    "The dimension whose mean rises most from Control to Main pairs, and its lead over the next one, from the same "
    "pairs and draws. The largest of several is picked after looking, so its gap and its lead lean upward and their "
    "intervals are too favourable: they describe. Where gaps are equal the first of the rubric's order is named, "
    "with a lead of 0; where the largest is below zero, no dimension rises. {about}"
)
HEAT_CAPTION = (
    "{scale}, by {topic} and model: Main pairs first, in the order of the mean over models, then Controls. The mean "
    "over models counts each once and is there where all of them have a value. {about}"
)


def with_ratio(tables: Tables, scores: Table) -> Table:
    """The table of mean scores with the ratio of its blocks; as it is where a block is missing."""
    if len(blocks_of(tables)) < len(BLOCKS):
        return scores
    ratios = [_ratio(tables, keys, group) for keys, group in tables.groups()]
    rows = [TableRow(row.keys, {**row.cells, "ratio": ratio}) for row, ratio in zip(scores.rows, ratios, strict=True)]
    columns = (*scores.columns, Column("ratio", "Main / Controls", "score"))
    return Table(scores.id, scores.title, scores.caption + RATIO_CAPTION, scores.keys, columns, tuple(rows))


def _ratio(tables: Tables, keys: Mapping[str, str], rows: "pd.DataFrame") -> Cell:
    together = Together(tables, rows)
    main = inside(rows, "main")
    together.quotient("ratio", rows["total"].to_numpy(dtype=np.float64), main, ~main, NO_RATIO)
    found = together.estimates(stream_of(keys, "total"))["ratio"]
    if found.low is not None and found.low < 0:
        found = replace(found, low=None, high=None, reason=BELOW_ZERO.format(clusters=found.clusters))
    return cell(found, marks_of(keys))


def largest_gap_table(tables: Tables, dimensions: Table) -> Table | None:
    """Per group the dimension with the largest gap, from the table of dimensions; None without two dimensions or one
    of the blocks."""
    if len(tables.rubric.dimensions) < 2 or len(blocks_of(tables)) < len(BLOCKS):
        return None
    rows = []
    for keys, group in tables.groups():
        gaps = [
            (row.keys["dimension"], row.cells["difference"])
            for row in dimensions.rows
            if keys.items() <= row.keys.items()
        ]
        known = sorted(((-one.value, name) for name, one in gaps if one.value is not None), key=lambda pair: pair[0])
        if len(known) < len(gaps):
            said = absent(next(one.reason for _, one in gaps if one.value is None))
            rows.append(TableRow(keys | {"dimension": "", "next": ""}, {"difference": said, "lead": said}))
            continue
        first, second = known[0][1], known[1][1]
        cells = {"difference": dict(gaps)[first], "lead": _lead(tables, keys, group, first, second)}
        rows.append(TableRow(keys | {"dimension": first, "next": second}, cells))
    columns = (
        Column("difference", "Main − Controls", tables.unit),
        Column("lead", "Lead over the next", tables.unit),
    )
    caption = LARGEST_CAPTION.format(about=tables.about)
    names = (*tables.keys, "dimension", "next")
    return Table("largest_gap", "Dimension with the largest gap", caption, names, columns, tuple(rows))


def _lead(tables: Tables, keys: Mapping[str, str], rows: "pd.DataFrame", first: str, second: str) -> Cell:
    """The gap of one dimension minus that of another."""
    apart = (rows[score_column(first)] - rows[score_column(second)]).to_numpy(dtype=np.float64)
    together = Together(tables, rows)
    main = inside(rows, "main")
    together.difference("lead", apart, main, ~main, NO_BLOCK)
    width = 2.0 * (tables.rubric.highest - tables.rubric.lowest)
    found = together.estimates(stream_of(keys, "largest gap"))["lead"]
    return cell(telling(replace(found, detectable=None), -width, width), marks_of(keys))


def heat_table(tables: Tables, by_topic: Table | None) -> Table | None:
    """Topics by models, from the table of scores by topic; None without such a table or with a single model."""
    models = list(dict.fromkeys(row.keys["model"] for row in by_topic.rows)) if by_topic else []
    if by_topic is None or len(models) < 2:
        return None
    block_of = dict(zip(tables.everything["topic"], tables.everything["block"], strict=True))
    names = [key for key in tables.keys if key != "model"]
    found: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in by_topic.rows:
        block = block_of[row.keys["topic"]]
        place = (*(row.keys[name] for name in names), block, row.keys["topic"])
        found.setdefault(place, dict.fromkeys(models, absent(NOT_ASKED)))[row.keys["model"]] = row.cells[block]
    keys = (*names, "block", "topic")
    rows = [_over_models(dict(zip(keys, place, strict=True)), cells) for place, cells in found.items()]
    order = [dict(zip(keys, place, strict=True))["block"] for place in found]
    columns = tuple(Column(name, name, tables.unit) for name in (*models, EVERY_MODEL))
    topic = tables.rubric.report.topic
    caption = HEAT_CAPTION.format(scale=tables.scale, topic=topic.lower(), about=tables.about)
    title = f"{topic} by model"
    return Table("heat", title, caption, keys, columns, tuple(_ordered(rows, order, names)))


def _over_models(keys: dict[str, str], cells: dict[str, Cell]) -> TableRow:
    """A row with the mean over its models."""
    everyone = cell(mean_of_cells(list(cells.items())), marks_of(keys))
    return TableRow(keys | {"block": BLOCKS[keys["block"]]}, cells | {EVERY_MODEL: everyone})


def _ordered(rows: Sequence[TableRow], blocks: Sequence[str], names: Sequence[str]) -> Iterator[TableRow]:
    """Each group's rows: Main first, from the highest mean to the lowest, those without one last."""
    groups = list(dict.fromkeys(tuple(row.keys[name] for name in names) for row in rows))

    def place(entry: tuple[TableRow, str]) -> tuple[int, bool, bool, float, str]:
        row, block = entry
        mean = row.cells[EVERY_MODEL].value
        group = groups.index(tuple(row.keys[name] for name in names))
        return group, block != "main", mean is None, -(mean or 0.0), row.keys["topic"]

    yield from (row for row, _ in sorted(zip(rows, blocks, strict=True), key=place))
