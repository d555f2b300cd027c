"""Which side a pair favours, from its two orders together. Source: paper, section I."""

from typing import TYPE_CHECKING

from polibias.analysis.cells import cell, count, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables

if TYPE_CHECKING:
    import pandas as pd

DIRECTION_COLUMNS = (
    Column("A", "Favours A", "count"),
    Column("B", "Favours B", "count"),
    Column("none", "Neither", "count"),
    Column("share", "Share A", "share"),
)
DIRECTIONS_CAPTION = (
    "The side that a pair favours, from both orders together: the score-weighted sides must differ by more than one "
    "point, or by anything where sides alone are asked. {sides} Share A is among pairs with a direction. Descriptive."
)


def directions_table(tables: Tables, topic: str) -> Table:
    """How many pairs favour A, B or neither: by topic where the versions exchange sides, else by condition alone."""
    rows = []
    for keys, group in tables.groups():
        swapped = (group["roles"] == "swapped").all()
        chosen_by = tables.by(group, "topic", sorted(group["topic"].unique()), "direction")
        for name, chosen in chosen_by if swapped else (("all", group),):
            where = {**keys, "topic": name} if swapped else keys
            rows.append(TableRow({**keys, "topic": name}, _directions(tables, chosen, where)))
    sides = (
        f"A and B are the two of the {topic.lower()} in the order of its name."
        if (tables.everything["roles"] == "swapped").all()
        else "Where the roles are kept, A and B are the versions, and a favoured version is kinder to who acts."
    )
    caption = DIRECTIONS_CAPTION.format(sides=sides)
    return Table("directions", "Direction", caption, (*tables.keys, "topic"), DIRECTION_COLUMNS, tuple(rows))


def _directions(tables: Tables, rows: "pd.DataFrame", where: dict[str, str]) -> dict[str, Cell]:
    selected = {**where, "complete": "yes"}
    directions = rows["direction"].to_numpy()
    named = rows[directions != "none"]
    favours = [1.0 if side == "A" else 0.0 for side in named["direction"]]
    found = tables.index(named, favours, [True] * len(named), f"direction {sorted(where.items())}")["main"]
    counts = {side: int((directions == side).sum()) for side in ("A", "B", "none")}
    return {side: count(n, selected | {"direction": side}) for side, n in counts.items()} | {
        "share": cell(possible(found), selected | {"directed": "yes"})
    }
