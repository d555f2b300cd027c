"""How often pairs favour neither side, and which side they favour, over all models. Source: paper, App. I, Table 16.

A pair favours a side if the score-weighted sides of both orders together differ by more than one point. Descriptive.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cells import absent, count
from polibias.analysis.consistency import intervals_of
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables
from polibias.analysis.together import Together, blocks_of, groups_and_all, marks_of, shared, stream_of

if TYPE_CHECKING:
    import pandas as pd

NO_COMPLETE = "no complete pair"
NO_DIRECTION = "no pair with a direction"
NOT_SWAPPED = "the versions do not exchange sides, so A and B are no countries"
BY = {"block": "block", "topic_category": "pair category", "category": "category", "topic": "topic"}
"""The factors by which pairs of all models together are told apart, with their names among the keys."""
NEUTRAL_CAPTION = (
    "Share of complete pairs that favour neither side, from both orders together: by model and block, and over all "
    "models by block, category of {topic}s, category of scenarios and {topic}. Descriptive. {intervals}"
)
FAVOURED_CAPTION = (
    "Complete pairs of all models that favour A, B or neither, from both orders together, and the share of A among "
    "those with a direction. A and B are the two of the {topic} in the order of its name. Descriptive: small leans can "
    "have many reasons, and invented countries show them too. {intervals}"
)
FAVOURED_COLUMNS = (
    Column("A", "Favours A", "count"),
    Column("B", "Favours B", "count"),
    Column("none", "Neither", "count"),
    Column("share", "Share A", "share"),
    Column("neutral", "Neither, share", "share"),
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


def favoured_table(tables: Tables) -> Table:
    """By judge, condition and topic, over all models together; topics in the order of their categories."""
    rows = [
        TableRow(keys | {"pair category": category, "topic": topic}, cells)
        for keys, group in groups_and_all(tables)
        if keys["model"] == EVERY_MODEL or tables.everything["model"].nunique() == 1
        for (category, topic), cells in _favoured(tables, group, keys).items()
    ]
    topic = tables.rubric.report.topic.lower()
    caption = FAVOURED_CAPTION.format(topic=topic, intervals=intervals_of(tables))
    keys = (*tables.keys, "pair category", "topic")
    title = "Favoured side over all models"
    return Table("favoured", title, caption, keys, FAVOURED_COLUMNS, tuple(rows))


def _favoured(tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str]) -> dict[tuple[str, str], dict[str, Cell]]:
    """Counts, shares and their draws by topic. A topic of which no pair is complete stays, and says so."""
    asked = tables.everything[["block", "topic_category", "topic"]].drop_duplicates()
    topics = sorted(asked.itertuples(index=False), key=lambda one: (one[0] != "main", *one[1:]))
    favours = rows["direction"].to_numpy()
    swapped = bool((rows["roles"] == "swapped").all())
    named = np.isin(favours, ("A", "B"))
    own = {topic: (rows["topic"] == topic).to_numpy(dtype=bool) for _, _, topic in topics}
    together = Together(tables, rows)
    for topic, chosen in own.items():
        together.share(f"{topic} share", favours == "A", chosen & named, NO_DIRECTION)
        together.share(f"{topic} neutral", favours == "none", chosen, NO_COMPLETE)
    found = together.estimates(stream_of(keys, "favoured"))
    cells = {}
    for _, category, topic in topics:
        where = marks_of(keys, topic=topic)
        counts = {side: int((own[topic] & (favours == side)).sum()) for side in ("A", "B", "none")}
        cells[category, topic] = {side: count(n, where | {"direction": side}) for side, n in counts.items()} | {
            "share": shared(found[f"{topic} share"], where | {"directed": "yes"}) if swapped else absent(NOT_SWAPPED),
            "neutral": shared(found[f"{topic} neutral"], where),
        }
    return cells
