"""How often pairs favour neither side, by model and over all models. For which side see `favoured`.

A pair favours a side if the score-weighted sides of both orders together differ by more than one point. Descriptive.
Source: paper, App. I.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from polibias.analysis.consistency import intervals_of
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables
from polibias.analysis.together import Together, blocks_of, groups_and_all, marks_of, shared, stream_of

if TYPE_CHECKING:
    import pandas as pd

NO_COMPLETE = "no complete pair"
BY = {"block": "block", "topic_category": "pair category", "category": "category", "topic": "topic"}
"""The factors by which pairs of all models together are told apart, with their names among the keys."""
NEUTRAL_CAPTION = (
    "Share of complete pairs that favour neither side, from both orders together: by model and block, and over all "
    "models by block, category of {topic}s, category of scenarios and {topic}. Descriptive. {intervals}"
)


def neutral_table(tables: Tables) -> Table:
    """Each model by block; all models together, or the only one, also by category and topic."""
    several = tables.everything["model"].nunique() > 1
    rows = [
        TableRow(keys | {"by": BY[factor], "level": level}, {"neutral": one})
        for keys, group in groups_and_all(tables)
        for factor in (BY if keys["model"] == EVERY_MODEL or not several else ("block",))
        for level, one in _neutral(tables, group, keys, factor)
    ]
    topic = tables.rubric.report.topic.lower()
    caption = NEUTRAL_CAPTION.format(topic=topic, intervals=intervals_of(tables))
    keys = (*tables.keys, "by", "level")
    columns = (Column("neutral", "Favour neither", "share"),)
    return Table("neutral", "Pairs that favour neither side", caption, keys, columns, tuple(rows))


def _neutral(tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], factor: str) -> Iterator[tuple[str, Cell]]:
    titles = blocks_of(tables)
    names = titles if factor == "block" else sorted(tables.everything[factor].unique())
    neither = (rows["direction"] == "none").to_numpy(dtype=bool)
    together = Together(tables, rows)
    for name in names:
        together.share(name, neither, (rows[factor] == name).to_numpy(dtype=bool), NO_COMPLETE)
    found = together.estimates(stream_of(keys, "neutral", factor))
    for name in names:
        yield titles[name] if factor == "block" else name, shared(found[name], marks_of(keys, **{factor: name}))
