"""Charts as static SVG: Altair drawn once, no script in the reader's browser."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from polibias.analysis.findings import Cell, Findings, Table, TableRow

BLOCKS = {"main": "Main", "control": "Controls"}
COLOURS = {"Main": "#1b6ca8", "Controls": "#b3590b"}


class Chart(NamedTuple):
    """A drawing with the sentence that says what it shows to those who do not see it."""

    title: str
    svg: str
    alt: str


def overview(findings: Findings) -> list[Chart]:
    """Mean pair score by block, and dimension means by block; only what was estimated is drawn."""
    tables = {table.id: table for table in findings.tables}
    found = [
        _interval_chart(tables["pbi"], findings.index, findings.scales["pbi"], findings.titles),
        _interval_chart(
            tables["dimensions"], "Mean score by dimension", findings.scales["dimensions"], findings.titles
        ),
    ]
    return [chart for chart in found if chart]


def _interval_chart(table: Table, title: str, ends: tuple[int, int], titles: Mapping[str, str]) -> Chart | None:
    keys = table.keys
    telling = [key for key in keys if len({row.keys[key] for row in table.rows}) > 1] or [keys[-1]]
    points: list[dict[str, object]] = [
        {
            "row": " · ".join(titles.get(f"{key}:{row.keys[key]}", row.keys[key]) for key in telling),
            "block": name,
            "value": cell.value,
            "low": cell.low,
            "high": cell.high,
        }
        for row in table.rows
        for block, name in BLOCKS.items()
        if (cell := row.cells.get(block)) is not None and cell.value is not None
    ]
    if not points:
        return None
    return Chart(title, _draw(points, title, ends), alt_text(table, title))


def _draw(points: list[dict[str, object]], title: str, ends: tuple[int, int]) -> str:
    import altair as alt
    import vl_convert

    blocks = [name for name in COLOURS if any(point["block"] == name for point in points)]
    legend = alt.Legend() if len(blocks) > 1 else None
    base = alt.Chart(alt.InlineData(values=points)).encode(
        y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=420, labelFontSize=12)),
        yOffset=alt.YOffset("block:N", sort=blocks),
        color=alt.Color(
            "block:N",
            title=None,
            legend=legend,
            scale=alt.Scale(domain=blocks, range=[COLOURS[name] for name in blocks]),
        ),
    )
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title=title, scale=alt.Scale(domain=list(ends), nice=False)),
        shape=alt.Shape("block:N", title=None, legend=legend, scale=alt.Scale(domain=blocks)),
    )
    rows = len({point["row"] for point in points})
    chart = (
        (rules + dots)
        .properties(width=460, height=max(60, 38 * rows), padding={"left": 40, "top": 5, "right": 5, "bottom": 5})
        .configure(font="sans-serif", background="#ffffff")
    )
    return _inline(vl_convert.vegalite_to_svg(chart.to_json()))


def _inline(svg: str) -> str:
    """The drawing without what a strict page forbids: inline style attributes and outside fonts."""
    return re.sub(r'\sstyle="[^"]*"', "", svg)


def alt_text(table: Table, title: str) -> str:
    """The chart in words: every row with the values of its blocks."""
    return f"{title}. " + "; ".join(_in_words(row, table.keys) for row in table.rows) + "."


def _in_words(row: TableRow, keys: tuple[str, ...]) -> str:
    values = ", ".join(f"{name} {_say(row.cells[block])}" for block, name in BLOCKS.items() if block in row.cells)
    return f"{', '.join(row.keys[key] for key in keys)}: {values}"


def _say(cell: Cell) -> str:
    return "not estimable" if cell.value is None else f"{cell.value:.2f}"
