"""Charts of many values: heat maps, profiles, spreads, differences between two readings, and directions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polibias.analysis.findings import Cell, TableRow
from polibias.analysis.points import Differences, Spread
from polibias.domain.display import numbered
from polibias.report.drawing import INK, LINE, SERIES, Chart, drawn, said

BLOCKS = {"main": "Main", "control": "Controls"}
BLUES = ["#f4f8fb", "#c6dcec", "#6aaed6", "#2171b5", "#08306b"]
DIRECTIONS = {"A": ("first side", "#0072b2"), "none": ("neither", "#b8bcc1"), "B": ("second side", "#d55e00")}
SMALL = 9


def _name(titles: Mapping[str, str], key: str, value: str) -> str:
    return titles.get(f"{key}:{value}", value)


def _first(row: TableRow, columns: Sequence[str]) -> Cell | None:
    """The first of these columns that has a value: a row about one country pair has those of one block."""
    found = (row.cells[column] for column in columns if column in row.cells)
    return next((cell for cell in found if cell.value is not None), None)


def heat_map(
    id: str,
    title: str,
    rows: Sequence[TableRow],
    down: str,
    across: str,
    columns: Sequence[str] = ("main", "control"),
    ends: tuple[float, float] | None = None,
    titles: Mapping[str, str] = {},
    order: Sequence[str] | None = None,
) -> Chart | None:
    """One field per row of a table: `across` are its columns, `down` its rows, both ordered by their mean, highest
    first, unless `order` gives that of `across`. A field without an estimate says so by a dash. None if none has one.
    """
    import altair as alt

    cells = [(row.keys[down], row.keys[across], _first(row, columns)) for row in rows]
    known = [(one, other, cell.value) for one, other, cell in cells if cell is not None and cell.value is not None]
    if not known:
        return None
    high = max(value for *_, value in known) if ends is None else ends[1]
    low = min(value for *_, value in known) if ends is None else ends[0]
    values = [
        {"down": _name(titles, down, one), "across": _name(titles, across, other), **_field(cell, low, high)}
        for one, other, cell in cells
    ]
    downs = [_name(titles, down, one) for one in _by_mean((one, value) for one, _, value in known)]
    acrosses = [_name(titles, across, one) for one in order or _by_mean((other, value) for _, other, value in known)]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("across:N", title=None, sort=acrosses, axis=alt.Axis(labelAngle=-60, labelLimit=220, orient="top")),
        y=alt.Y("down:N", title=None, sort=downs, axis=alt.Axis(labelLimit=260)),
    )
    colour = alt.Color("value:Q", title=None, scale=alt.Scale(domain=[low, high], range=BLUES))
    fields = base.mark_rect(stroke="#ffffff").encode(color=colour)
    words = base.mark_text(fontSize=SMALL).encode(text="said:N", color=alt.Color("ink:N", scale=None))
    size = {"width": max(120, 30 * len(set(acrosses))), "height": max(60, 26 * len(set(downs)))}
    svg = drawn((fields + words).resolve_scale(color="independent").properties(**size), id)
    return Chart(title, svg, _heat_text(title, values, known, titles, (down, across)), id)


def _field(cell: Cell | None, low: float, high: float) -> dict[str, Any]:
    if cell is None or cell.value is None:
        return {"value": None, "said": "–", "ink": INK}
    dark = cell.value > low + 0.55 * (high - low)
    return {"value": cell.value, "said": f"{cell.value:.1f}".replace("-", "−"), "ink": "#fffffe" if dark else "#000001"}


def _by_mean(values: Iterable[tuple[str, float]]) -> list[str]:
    """The names by the mean of their values, highest first; equal ones by name."""
    found: dict[str, list[float]] = {}
    for name, value in values:
        found.setdefault(name, []).append(value)
    return sorted(found, key=lambda name: (-sum(found[name]) / len(found[name]), name))


def _heat_text(
    title: str,
    values: Sequence[Mapping[str, Any]],
    known: Sequence[tuple[str, str, float]],
    titles: Mapping[str, str],
    keys: tuple[str, str],
) -> str:
    ends = [min(known, key=lambda one: one[2]), max(known, key=lambda one: one[2])]
    lowest, highest = (f"{_name(titles, keys[0], a)}, {_name(titles, keys[1], b)}: {said(c)}" for a, b, c in ends)
    missing = len(values) - len(known)
    without = f" {numbered(missing, 'field')} without an estimate." if missing else ""
    return f"{title}. Heat map of {numbered(len(values), 'field')}. Lowest {lowest}. Highest {highest}.{without}"


def profiles(
    id: str,
    title: str,
    rows: Sequence[TableRow],
    series: str,
    along: str,
    column: str = "main",
    ends: tuple[float, float] | None = None,
    titles: Mapping[str, str] = {},
) -> Chart | None:
    """A line per value of `series` over the values of `along`, in the order of the rows, with shapes of their own."""
    import altair as alt

    values: list[dict[str, Any]] = [
        {
            "series": _name(titles, series, row.keys[series]),
            "along": _name(titles, along, row.keys[along]),
            "value": cell.value,
        }
        for row in rows
        if (cell := row.cells.get(column)) is not None and cell.value is not None
    ]
    if not values:
        return None
    names = list(dict.fromkeys(one["series"] for one in values))
    places = list(dict.fromkeys(one["along"] for one in values))
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    legend = None if len(names) == 1 else alt.Legend(labelLimit=260)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("along:N", title=None, sort=places, axis=alt.Axis(labelAngle=-30, labelLimit=180)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=list(ends)) if ends else alt.Scale()),
        color=alt.Color("series:N", title=None, legend=legend, scale=alt.Scale(domain=names, range=colours)),
    )
    shape = alt.Shape("series:N", title=None, legend=legend, scale=alt.Scale(domain=names))
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(shape=shape)
    svg = drawn((base.mark_line(strokeWidth=1.5) + dots).properties(width=max(240, 90 * len(places)), height=260), id)
    return Chart(title, svg, _profile_text(title, values), id)


def _profile_text(title: str, values: Sequence[Mapping[str, Any]]) -> str:
    found: dict[str, list[str]] = {}
    for one in values:
        found.setdefault(one["series"], []).append(f"{one['along']} {said(one['value'])}")
    return f"{title}. " + "; ".join(f"{name}: {', '.join(parts)}" for name, parts in found.items()) + "."


def distributions(id: str, title: str, spreads: Sequence[Spread], ends: tuple[float, float]) -> Chart | None:
    """How pair scores are spread, a row per model with the blocks beside each other as shares of their pairs.

    The spreads are those of one judge and one condition.
    """
    import altair as alt

    values = [
        {"model": one.model, "block": BLOCKS[one.block], "score": score, "share": count / sum(one.counts.values())}
        for one in spreads
        for score, count in _every(one.counts, ends)
    ]
    if not values:
        return None
    blocks = [name for name in BLOCKS.values() if any(one["block"] == name for one in values)]
    legend = None if len(blocks) == 1 else alt.Legend(orient="top")
    scale = alt.Scale(domain=blocks, range=list(SERIES[: len(blocks)]))
    lines = alt.Chart(alt.InlineData(values=values)).mark_line(interpolate="step", strokeWidth=2).encode(
        x=alt.X("score:Q", title="Pair score", scale=alt.Scale(domain=list(ends), nice=False)),
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=3)),
        color=alt.Color("block:N", title=None, legend=legend, scale=scale),
        strokeDash=alt.StrokeDash("block:N", title=None, legend=legend, scale=alt.Scale(domain=blocks)),
    )  # fmt: skip
    heading = alt.Header(labelOrient="top", labelAnchor="start", labelPadding=4, labelLimit=400)
    row = alt.Row("model:N", title=None, sort=[one.model for one in spreads], header=heading, spacing=12)
    svg = drawn(lines.properties(width=420, height=60).encode(row=row), id)
    told = "; ".join(f"{one.model}, {BLOCKS[one.block]}: {_spread_text(one.counts)}" for one in spreads)
    return Chart(title, svg, f"{title}. {told}.", id)


def _every(counts: Mapping[float, int], ends: tuple[float, float]) -> list[tuple[float, int]]:
    """Every half point of the scale with its count, 0 where there is none."""
    low, high = (round(2 * end) for end in ends)
    return [(half / 2, counts.get(half / 2, 0)) for half in range(low, high + 1)]


def _spread_text(counts: Mapping[float, int]) -> str:
    """The quartiles of the scores, as they are among the pairs."""
    scores = sorted(score for score, count in counts.items() for _ in range(count))
    low, middle, high = (scores[min(len(scores) - 1, len(scores) * part // 4)] for part in (1, 2, 3))
    return f"n = {len(scores)}, median {middle:g}, middle half {low:g} to {high:g}"


def bland_altman(id: str, title: str, found: Differences) -> Chart | None:
    """The difference of two readings of a pair over their mean, a disc that grows with the number of pairs.

    With the mean difference and, broken, the limits of agreement. Descriptive: pairs of one template are not
    independent.

    Drawn for two judges and, the same way, for the two orders of one judge.
    """
    import altair as alt

    if not found.n:
        return None
    values = [{"mean": at, "difference": gap, "pairs": count} for (at, gap), count in sorted(found.counts.items())]
    title_y, most = f"{found.of} − {found.minus}", max(2, *found.counts.values())
    discs = (
        alt.Chart(alt.InlineData(values=values))
        .mark_circle(color=SERIES[0], opacity=0.75)
        .encode(
            x=alt.X("mean:Q", title="Mean of the two scores"),
            y=alt.Y("difference:Q", title=title_y, axis=alt.Axis(titleLimit=260)),
            size=alt.Size("pairs:Q", title="Pairs", scale=alt.Scale(domain=[1, most], range=[6, 260], nice=False)),
        )
    )
    lines = [(found.mean, [1, 0]), *((limit, [5, 4]) for limit in found.limits or ())]
    rules = [
        alt.Chart(alt.InlineData(values=[{"at": at}]))
        .mark_rule(color=SERIES[1], strokeWidth=2, strokeDash=dash)
        .encode(y="at:Q")
        for at, dash in lines
    ]
    zero = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=LINE).encode(y="at:Q")
    svg = drawn(alt.layer(zero, discs, *rules).properties(width=440, height=300), id)
    within = f", limits of agreement {said(found.limits[0])} to {said(found.limits[1])}" if found.limits else ""
    same = found.counts and sum(count for (_, gap), count in found.counts.items() if gap == 0) / found.n
    told = f"{numbered(found.n, 'pair')}; mean difference {said(found.mean)}{within}; no difference in {same:.0%}"
    return Chart(title, svg, f"{title}: {title_y}. {told}.", id)


def direction_bars(
    id: str,
    title: str,
    rows: Sequence[TableRow],
    key: str = "topic",
    titles: Mapping[str, str] = {},
    named: Mapping[str, str] = {},
) -> Chart | None:
    """How many pairs favour the first side of each topic, the second, or neither: a bar each, models together.

    `named` gives the words for A, none and B where they are no countries.
    """
    import altair as alt

    counts: dict[str, dict[str, float]] = {}
    for row in rows:
        own = counts.setdefault(_name(titles, key, row.keys[key]), dict.fromkeys(DIRECTIONS, 0.0))
        for side in DIRECTIONS:
            own[side] += row.cells[side].value or 0.0
    counts = {f"{name} (n = {sum(own.values()):.0f})": own for name, own in counts.items() if sum(own.values())}
    if not counts:
        return None
    words = {side: named.get(side, word) for side, (word, _) in DIRECTIONS.items()}
    values = [
        {"topic": name, "side": words[side], "pairs": own[side], "place": place}
        for name, own in counts.items()
        for place, side in enumerate(DIRECTIONS)
    ]
    order = sorted(
        counts, key=lambda name: (-(counts[name]["A"] - counts[name]["B"]) / sum(counts[name].values()), name)
    )
    scale = alt.Scale(domain=list(words.values()), range=[colour for _, colour in DIRECTIONS.values()])
    bars = alt.Chart(alt.InlineData(values=values)).mark_bar(stroke="#ffffff").encode(
        x=alt.X("pairs:Q", title="Share of pairs", stack="normalize", axis=alt.Axis(format="%")),
        y=alt.Y("topic:N", title=None, sort=order, axis=alt.Axis(labelLimit=300)),
        color=alt.Color("side:N", title=None, legend=alt.Legend(orient="top", title="Favours"), scale=scale),
        order="place:Q",
    )  # fmt: skip
    svg = drawn(bars.properties(width=440, height=max(60, 18 * len(counts))), id)
    told = "; ".join(f"{name}: {_directions_text(counts[name], words)}" for name in order)
    return Chart(title, svg, f"{title}. {told}.", id)


def _directions_text(own: Mapping[str, float], words: Mapping[str, str]) -> str:
    return ", ".join(f"{words[side]} {own[side]:.0f}" for side in DIRECTIONS)
