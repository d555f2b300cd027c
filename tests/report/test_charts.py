"""Charts: every one says in words what it shows, stands in a strict page, and draws nothing that was not estimated."""

import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from polibias.analysis.cells import absent, cell, count
from polibias.analysis.findings import TableRow
from polibias.analysis.first_report import analyse
from polibias.analysis.points import Differences, Spread
from polibias.records.runs import Run
from polibias.report.charts import Chart, overview
from polibias.report.plots import bland_altman, direction_bars, distributions, heat_map, profiles
from polibias.stats.estimate import Estimate

COLOURS = {"#000", "#000001", "#fffffe", "#ffffff", "#ddd", "#888", "none", "transparent", "#b8bcc1"}
"""Of ink, paper and lines, and the grey of those that favour neither."""


def value(number: float) -> TableRow:
    return TableRow({}, {"main": cell(Estimate(number, 4, 2, "mean"), {})})


def rows(values: dict[tuple[str, str], float | None]) -> list[TableRow]:
    """Models by topics, with the mean of one block or the reason why there is none."""
    return [
        TableRow(
            {"model": model, "topic": topic},
            {
                "main": absent("no pairs in main") if found is None else cell(Estimate(found, 4, 2, "mean"), {}),
                "control": absent("no pairs in control"),
            },
        )
        for (model, topic), found in values.items()
    ]


def words(chart: Chart | None) -> list[str]:
    """The texts of a drawing, in its order."""
    assert chart
    return re.findall(r"<text[^>]*>([^<]*)</text>", chart.svg)


def test_a_heat_map_is_ordered_by_means_and_says_what_is_missing() -> None:
    found = rows({("low", "a"): 1.0, ("low", "b"): 2.0, ("high", "a"): 7.0, ("high", "b"): None, ("mid", "a"): 3.0})
    chart = heat_map("heat", "Map", found, "model", "topic", titles={"topic:a": "Iran – Israel"})
    told = words(chart)
    assert told.index("high") < told.index("mid") < told.index("low")
    assert told.index("Iran – Israel") < told.index("b")
    assert {"1.0", "2.0", "7.0", "–", "3.0"} <= set(told)
    assert chart
    assert chart.alt == (
        "Map. Heat map of 5 fields. Lowest low, Iran – Israel: 1.00. Highest high, Iran – Israel: 7.00. "
        "1 field without an estimate."
    )
    assert heat_map("heat", "Map", rows({("m", "a"): None}), "model", "topic") is None
    assert heat_map("heat", "Map", [], "model", "topic") is None


def test_a_heat_map_of_one_value_is_drawn() -> None:
    assert "5.0" in words(heat_map("heat", "Map", rows({("m", "a"): 5.0}), "model", "topic"))


def test_profiles_say_every_value() -> None:
    found = [TableRow({"model": m, "dimension": d}, value(n).cells) for m, d, n in (("x", "f", 1), ("x", "g", 2.5))]
    chart = profiles("p", "Profile", found, "model", "dimension", titles={"dimension:f": "Framing"})
    assert chart
    assert chart.alt == "Profile. x: Framing 1.00, g 2.50."
    assert profiles("p", "Profile", [TableRow({}, {"main": absent("none")})], "model", "dimension") is None


def test_distributions_say_their_quartiles() -> None:
    chart = distributions("d", "Scores", [Spread("j", "m", "official", "main", {0.0: 2, 1.5: 1, 9.0: 1})], (0, 15))
    assert chart
    assert chart.alt == "Scores. m, Main: n = 4, median 1.5, middle half 0 to 9."
    assert distributions("d", "Scores", [], (0, 15)) is None


def test_differences_say_their_limits() -> None:
    counts = {(2.0, 1.0): 3, (3.0, -1.0): 1}
    chart = bland_altman("b", "Judges", Differences("", "official", "one", "other", counts))
    assert chart
    assert chart.alt == (
        "Judges: one − other. 4 pairs; mean difference 0.50, limits of agreement −1.46 to 2.46; no difference in 0%."
    )
    assert bland_altman("b", "Judges", Differences("", "official", "one", "other", {(2.0, 0.0): 1}))
    assert bland_altman("b", "Judges", Differences("", "official", "one", "other", {})) is None


def test_direction_bars_add_models_and_leave_out_what_has_no_pairs() -> None:
    def row(topic: str, a: int, none: int, b: int) -> TableRow:
        return TableRow({"topic": topic}, {"A": count(a, {}), "none": count(none, {}), "B": count(b, {})})

    chart = direction_bars("d", "Sides", [row("x", 1, 2, 3), row("y", 4, 0, 0), row("x", 1, 0, 0), row("z", 0, 0, 0)])
    assert chart
    assert chart.alt == (
        "Sides. y (n = 4): first side 4, neither 0, second side 0; x (n = 7): first side 2, neither 2, second side 3."
    )
    assert direction_bars("d", "Sides", [row("z", 0, 0, 0)]) is None


def test_every_chart_of_a_report_is_themed_and_is_a_file(sealed_run: Run) -> None:
    """Inline and alone, with a description, without styles of its own, in colours that have another in the dark."""
    style = (Path(__file__).parents[2] / "polibias/report/templates/style.css").read_text("utf-8")
    dark = set(re.findall(r'\[(?:fill|stroke)="([^"]*)"\]', style))
    index = (sealed_run.report / "index.html").read_text("utf-8")
    files = sorted((sealed_run.report / "charts").iterdir())
    assert len(files) == index.count("<figure>") == index.count('role="img"') > 4
    for path in files:
        svg = path.read_text("utf-8")
        assert svg in index
        assert f'href="charts/{path.name}"' in index
        assert not re.search(r"\sstyle=|<style|<script|<image|href=", svg)
        if not path.name.startswith("heat"):
            used = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
            assert used <= dark | COLOURS | {"#cc79a7", "#b8860b", "#56b4e9"}, path.name


def test_every_chart_holds_against_its_schema_and_is_the_same_without_looking(
    sealed_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report is drawn without the library's checks, which take longer than the drawing."""
    analysed = analyse(sealed_run)
    monkeypatch.setattr("polibias.report.charts.unchecked", nullcontext)
    checked = overview(analysed.findings, analysed.cases, analysed.rubrics)
    assert {f"{chart.id}.svg": chart.svg for chart in checked} == {
        path.name: path.read_text("utf-8") for path in (sealed_run.report / "charts").iterdir()
    }


@pytest.mark.parametrize("colour", ["#cc79a7", "#b8860b", "#56b4e9", "#b8bcc1"])
def test_colours_without_another_in_the_dark_can_be_seen_there(colour: str) -> None:
    """At least three to one against the page's ground, as WCAG 2.2 asks of graphics (1.4.11)."""
    assert contrast(colour, "#16181b") >= 3


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
