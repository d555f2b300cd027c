"""Charts as static SVG: Altair drawn once, no script in the reader's browser."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.confirmed import PlannedResult
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


SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#3b3b3b")
"""Colours that the colour-blind tell apart, as of Okabe and Ito; each series has a shape of its own too."""


def planned_chart(result: PlannedResult) -> Chart | None:
    """A planned comparison's estimates with their intervals, in the unit that most of its columns have."""
    columns = [one for one in result.table.columns if one.unit != "count"]
    units = [one.unit for one in columns]
    shown = [one for one in columns if one.unit == max(units, key=units.count)]
    points: list[dict[str, object]] = [
        {
            "row": " · ".join(row.keys[key] for key in result.table.keys),
            "series": column.title,
            "value": cell.value,
            "low": cell.low,
            "high": cell.high,
        }
        for row in result.table.rows
        for column in shown
        if (cell := row.cells[column.id]).value is not None
    ]
    if not points:
        return None
    title = f"Exploratory: {result.title}" if result.role == "exploratory" else result.title
    return Chart(title, _draw_series(points, [one.title for one in shown]), series_text(title, points))


def series_text(title: str, points: Sequence[Mapping[str, object]]) -> str:
    """What the chart shows, for those who do not see it."""
    said = [f"{one['row']}, {one['series']}: {one['value']:.2f}" for one in points]
    return f"{title}. {'; '.join(said)}.".replace("-0.", "−0.")


def _draw_series(points: list[dict[str, object]], series: Sequence[str]) -> str:
    import altair as alt
    import vl_convert

    known = [name for name in series if any(point["series"] == name for point in points)]
    colours = [SERIES[place % len(SERIES)] for place in range(len(known))]
    legend = alt.Legend(orient="bottom", direction="vertical", labelLimit=460) if len(known) > 1 else None
    base = alt.Chart(alt.InlineData(values=points)).encode(
        y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=420, labelFontSize=12)),
        yOffset=alt.YOffset("series:N", sort=known),
        color=alt.Color("series:N", title=None, legend=legend, scale=alt.Scale(domain=known, range=colours)),
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color="#8a8f95", strokeDash=[3, 3])
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=None), x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=alt.Scale(nice=True)),
        shape=alt.Shape("series:N", title=None, legend=legend, scale=alt.Scale(domain=known)),
    )
    rows = len({point["row"] for point in points})
    chart = (
        (zero.encode(x="zero:Q") + rules + dots)
        .properties(width=460, height=max(60, 18 * len(known) * rows + 20))
        .configure(font="sans-serif", background="#ffffff", padding={"left": 40, "top": 5, "right": 5, "bottom": 5})
    )
    return _inline(vl_convert.vegalite_to_svg(chart.to_json()))
