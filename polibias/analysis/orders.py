"""What the two orders of a pair say together: which side it favours, and how far the judge depends on the order.

Source: paper, sections E and I.
"""

from typing import TYPE_CHECKING

from polibias.analysis.cases import Case
from polibias.analysis.cells import cell, count, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables
from polibias.stats.proportion import share

if TYPE_CHECKING:
    import pandas as pd

DIRECTION_COLUMNS = (
    Column("A", "Favours A", "count"),
    Column("B", "Favours B", "count"),
    Column("none", "Neither", "count"),
    Column("share", "Share A", "share"),
)
ORDER_COLUMNS = (
    Column("same", "Same total in both orders", "share"),
    Column("opposed", "Orders name opposite sides", "share"),
    Column("first", "Side shown first, of all named", "share"),
)
DIRECTIONS_CAPTION = (
    "The side that a pair favours, from both orders together: the score-weighted sides must differ by more than one "
    "point, or by anything where sides alone are asked. {sides} Share A is among pairs with a direction. Descriptive."
)
ORDERS_CAPTION = (
    "Each pair is judged twice, with either version first. A judge that looks at the responses alone gives the same "
    "total, never names opposite sides, and names the side shown first half of the time. Wilson intervals, which treat "
    "pairs as independent."
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


def orders_table(cases: list[Case], models: list[str], judges: list[str]) -> Table:
    """How far each judge's reading depends on the order of showing, over complete pairs."""
    rows = []
    for judge in judges:
        for model in models:
            own = [case for case in cases if (case.judge, case.model) == (judge, model) and case.complete]
            where = {"judge": judge, "model": model, "complete": "yes"}
            totals = [[verdict.total for verdict in case.verdicts.values()] for case in own]
            named = [case.first_named for case in own]
            cells = {
                "same": cell(share(sum(a == b for a, b in totals), len(own), "complete pair"), where),
                "opposed": cell(share(sum(case.opposed for case in own), len(own), "complete pair"), where),
                "first": cell(share(sum(f for _, f in named), sum(n for n, _ in named), "side was named"), where),
            }
            rows.append(TableRow({"judge": judge, "model": model}, cells))
    return Table("orders", "Order of showing", ORDERS_CAPTION, ("judge", "model"), ORDER_COLUMNS, tuple(rows))
