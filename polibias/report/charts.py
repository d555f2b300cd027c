"""Charts as static SVG: Altair drawn once, no script in the reader's browser."""

from collections.abc import Iterator, Mapping, Sequence

from polibias.analysis.cases import Case
from polibias.analysis.confirmed import PlannedResult
from polibias.analysis.findings import Cell, Findings, Table, TableRow
from polibias.analysis.points import judge_differences, order_differences, spreads
from polibias.analysis.summary import widened
from polibias.domain.rubric import Rubric
from polibias.report.drawing import LINE, SERIES, Chart, drawn, unchecked
from polibias.report.plots import bland_altman, direction_bars, distributions, heat_map, profiles

LIMITS = "Solid: the mean difference; broken: limits of agreement, which describe single pairs"
MOST_ROWS = 20
"""A chart of intervals with more rows is a wall; lines per model tell the same."""
BLOCKS = {"main": "Main", "control": "Controls"}
COLOURS = {"Main": "#1b6ca8", "Controls": "#b3590b"}


def overview(findings: Findings, cases: Sequence[Case], rubrics: Mapping[str, Rubric]) -> list[Chart]:
    """Every chart of the report; only what was estimated is drawn."""
    with unchecked():
        return _overview(findings, cases, rubrics)


def _overview(findings: Findings, cases: Sequence[Case], rubrics: Mapping[str, Rubric]) -> list[Chart]:
    tables = {table.id: table for table in findings.tables}
    pbi = _interval_chart("pbi", tables["pbi"], findings.index, findings.scales["pbi"], findings.titles)
    scale = findings.scales["dimensions"]
    by_dimension = "Mean score by dimension"
    few = len(tables["dimensions"].rows) <= MOST_ROWS
    dimensions = (
        _interval_chart("dimensions", tables["dimensions"], by_dimension, scale, findings.titles) if few else None
    )
    found = [
        _difference_chart(findings, widened(findings.tables)),
        pbi,
        dimensions,
        *_of_tables(findings, tables),
        *_of_cases(findings, cases, rubrics),
    ]
    return [chart for chart in found if chart]


def _difference_chart(findings: Findings, table: Table) -> Chart | None:
    """Main minus Controls of every model, the judges beside each other, around no difference."""
    judges = list(dict.fromkeys(row.keys["judge"] for row in table.rows))
    telling = [key for key in table.telling if key != "judge"] or ["model"]
    points: list[dict[str, object]] = [
        {
            "row": " · ".join(findings.titles.get(f"{key}:{row.keys[key]}", row.keys[key]) for key in telling),
            "series": row.keys["judge"],
            "value": cell.value,
            "low": cell.low,
            "high": cell.high,
        }
        for row in table.rows
        if (cell := row.cells.get("difference")) is not None and cell.value is not None
    ]
    if not points:
        return None
    title = f"{findings.index}, Main − Controls; the broken line is no difference"
    return Chart(title, _draw_series(points, judges, "difference"), series_text(title, points), "difference")


def _of_tables(findings: Findings, tables: Mapping[str, Table]) -> Iterator[Chart | None]:
    """Per judge, and condition where there are several: the dimensions, models against topics, and directions."""
    titles = findings.titles
    topic = titles.get("key:topic", "topic").lower()
    for id, name, rows in _groups(tables.get("dimensions"), titles):
        title, ends = f"Main profile by dimension{name}", findings.scales["dimensions"]
        if len({row.keys["model"] for row in rows}) > 1:
            yield profiles(f"profile{id}", title, rows, "model", "dimension", "main", ends, titles)
    order = list(dict.fromkeys(row.keys["topic"] for row in tables["heat"].rows)) if "heat" in tables else None
    for id, name, rows in _groups(tables.get("by_topic"), titles):
        if len({row.keys["model"] for row in rows}) > 1:
            title = f"{findings.index} by model and {topic}{name}"
            yield heat_map(f"heat{id}", title, rows, "model", "topic", titles=titles, order=order)
    for id, name, rows in _groups(tables.get("directions"), titles):
        if {row.keys["topic"] for row in rows} != {"all"}:
            yield direction_bars(f"directions{id}", f"Which side is favoured, by {topic}{name}", rows, titles=titles)


def _groups(table: Table | None, titles: Mapping[str, str]) -> Iterator[tuple[str, str, list[TableRow]]]:
    """The rows of each judge and condition, with what tells them apart: for a file's name, and in words."""
    keys = [key for key in ("judge", "condition") if table and key in table.keys]
    found: dict[tuple[str, ...], list[TableRow]] = {}
    for row in table.rows if table else ():
        found.setdefault(tuple(row.keys[key] for key in keys), []).append(row)
    for number, (values, rows) in enumerate(found.items(), 1):
        words = [titles.get(f"{key}:{value}", value) for key, value in zip(keys, values, strict=True)]
        yield f"_{number}", f" ({', '.join(words)})" if len(found) > 1 else "", rows


def _of_cases(findings: Findings, cases: Sequence[Case], rubrics: Mapping[str, Rubric]) -> Iterator[Chart | None]:
    """How scores are spread, how far they depend on the order of showing, and how two judges differ."""
    conditions = {case.pair.design.condition for case in cases if case.original is None}
    titles, ends = findings.titles, findings.scales["pbi"]

    def about(judge: str, condition: str) -> str:
        named = titles.get(f"condition:{condition}", condition) if len(conditions) > 1 else ""
        return "".join(f", {one}" for one in (judge, named) if one)

    spread = spreads(cases, rubrics)
    for number, (judge, condition) in enumerate(dict.fromkeys((one.judge, one.condition) for one in spread), 1):
        own = [one for one in spread if (one.judge, one.condition) == (judge, condition)]
        yield distributions(f"scores_{number}", f"Pair scores{about(judge, condition)}", own, ends)
    for number, one in enumerate(order_differences(cases), 1):
        title = f"Order of showing{about(one.judge, one.condition)}. {LIMITS}"
        yield bland_altman(f"orders_{number}", title, one)
    for number, one in enumerate(judge_differences(cases, rubrics), 1):
        title = f"Two judges{about('', one.condition)}: {one.of} and {one.minus}. {LIMITS}"
        yield bland_altman(f"judges_{number}", title, one)


def _interval_chart(
    id: str, table: Table, title: str, ends: tuple[int, int], titles: Mapping[str, str]
) -> Chart | None:
    points: list[dict[str, object]] = [
        {
            "row": " · ".join(titles.get(f"{key}:{row.keys[key]}", row.keys[key]) for key in table.telling),
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
    return Chart(title, _draw(points, title, ends, id), alt_text(table, title), id)


def _draw(points: list[dict[str, object]], title: str, ends: tuple[int, int], id: str) -> str:
    import altair as alt

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
    return drawn((rules + dots).properties(width=460, height=max(60, 38 * rows)), id)


def alt_text(table: Table, title: str) -> str:
    """The chart in words: every row with the values of its blocks."""
    return f"{title}. " + "; ".join(_in_words(row, table.keys) for row in table.rows) + "."


def _in_words(row: TableRow, keys: tuple[str, ...]) -> str:
    values = ", ".join(f"{name} {_say(row.cells[block])}" for block, name in BLOCKS.items() if block in row.cells)
    return f"{', '.join(row.keys[key] for key in keys)}: {values}"


def _say(cell: Cell) -> str:
    return "not estimable" if cell.value is None else f"{cell.value:.2f}"


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
    return Chart(title, _draw_series(points, [one.title for one in shown], result.id), series_text(title, points))


def series_text(title: str, points: Sequence[Mapping[str, object]]) -> str:
    """What the chart shows, for those who do not see it."""
    said = [f"{one['row']}, {one['series']}: {one['value']:.2f}{_bounds(one)}" for one in points]
    return f"{title}. {'; '.join(said)}.".replace("-0.", "−0.")


def _bounds(point: Mapping[str, object]) -> str:
    return "" if point["low"] is None else f" [{point['low']:.2f}, {point['high']:.2f}]"


def _draw_series(points: list[dict[str, object]], series: Sequence[str], id: str) -> str:
    import altair as alt

    known = [name for name in series if any(point["series"] == name for point in points)]
    colours = [SERIES[place % len(SERIES)] for place in range(len(known))]
    legend = alt.Legend(orient="bottom", direction="vertical", labelLimit=460) if len(known) > 1 else None
    base = alt.Chart(alt.InlineData(values=points)).encode(
        y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=420, labelFontSize=12)),
        yOffset=alt.YOffset("series:N", sort=known),
        color=alt.Color("series:N", title=None, legend=legend, scale=alt.Scale(domain=known, range=colours)),
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=LINE, strokeDash=[3, 3])
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=None), x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=alt.Scale(nice=True)),
        shape=alt.Shape("series:N", title=None, legend=legend, scale=alt.Scale(domain=known)),
    )
    rows = len({point["row"] for point in points})
    chart = zero.encode(x="zero:Q") + rules + dots
    return drawn(chart.properties(width=460, height=max(60, 18 * len(known) * rows + 20)), id)
