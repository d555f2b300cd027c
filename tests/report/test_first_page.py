"""The first page: what is said before any number, in which order tables follow, and what a model card takes along."""

import json
import re
from html import unescape
from typing import Any

import pytest

from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.summary import judges_in_words, not_shown, shown, summary
from polibias.domain.display import in_cell
from polibias.records.runs import Run
from polibias.report.chapters import CHAPTERS, chaptered
from polibias.report.drawing import Chart

COLUMNS = (Column("main", "Main", "score"), Column("control", "Controls", "score"))
COLUMNS += (Column("difference", "Main − Controls", "score"),)


def findings(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.report / "findings.json").read_text("utf-8"))
    return found


def cell(value: float | None, low: float | None = None, high: float | None = None) -> Cell:
    reason = "" if value is not None and low is not None else "no interval: 2 clusters"
    return Cell(value, 40, 20, "", low, high, reason, detectable=0.7)


def row(model: str, judge: str, low: float | None, high: float | None) -> TableRow:
    middle = 0.0 if low is None or high is None else (low + high) / 2
    cells = {"main": cell(4.0 + middle, 1, 9), "control": cell(4.0, 1, 9), "difference": cell(middle, low, high)}
    return TableRow({"judge": judge, "model": model}, cells)


def scores(*rows: TableRow) -> Table:
    return Table("pbi", "Index", "", ("judge", "model"), COLUMNS, rows)


FOUR = scores(
    row("m1", "j1", 0.5, 1.5), row("m2", "j1", -0.5, 0.5), row("m1", "j2", -1.5, -0.5), row("m2", "j2", None, None)
)


def test_all_comparisons_are_counted_and_those_of_a_model_stand_together() -> None:
    first, *each = summary([FOUR], {})
    assert "Of 4 comparisons of Main with Control pairs (2 models, 2 judges)" in first
    assert "Main pairs were treated less evenly than Control pairs in 1; Control pairs" in first
    assert "no difference was shown in 1; nothing follows in 1" in first
    assert "not corrected for their number" in first
    assert [one.split(":")[0] for one in each] == [
        f"{model}, judged by {judge}" for model in ("m1", "m2") for judge in ("j1", "j2")
    ]
    assert "one of 0.70 would have been found" in each[2]


@pytest.mark.parametrize(
    ("low", "high", "claim"),
    [(0.1, 0.2, "main"), (-0.2, -0.1, "control"), (0.0, 0.2, "none"), (-0.1, 0.0, "none"), (None, None, "open")],
)
def test_an_interval_that_touches_zero_shows_nothing(low: float | None, high: float | None, claim: str) -> None:
    assert shown(row("m", "j", low, high)) == claim


def test_what_is_not_shown_depends_on_what_there_is() -> None:
    alone = Table(
        "pbi",
        "Index",
        "",
        ("judge", "model"),
        COLUMNS[:1],
        (TableRow({"judge": "j", "model": "m"}, {"main": cell(4.0, 1, 9)}),),
    )
    assert any("no baseline in this run" in said for said in not_shown([alone], False))
    several = list(not_shown([FOUR], True))
    assert any("not “there is none”" in said for said in several)
    assert any("Models are not tested against each other" in said for said in several)
    assert any("null study" in said for said in several)
    null = Table("null", "Null", "", (), (), ())
    assert not any("null study" in said for said in not_shown([FOUR, null], True))


def test_the_caution_stands_before_every_number(sealed_run: Run) -> None:
    index = unescape((sealed_run.report / "index.html").read_text("utf-8"))
    found = findings(sealed_run)
    body = index[index.index("<main>") :]
    assert body.index(found["caution"]) < body.index("In words") < body.index("<table")
    assert found["not_shown"]
    assert all(body.index(said) < body.index("<table") for said in (*found["summary"], *found["not_shown"]))


def test_every_table_has_a_chapter(sealed_run: Run) -> None:
    known = {id for chapter in CHAPTERS for id in chapter.tables}
    assert {table["id"] for table in findings(sealed_run)["tables"]} <= known


def test_no_table_and_no_chart_is_ever_left_out() -> None:
    tables = [Table(id, id, "", (), (), ()) for id in ("pbi", "quotes", "new")]
    charts = [Chart("t", "", "", id) for id in ("pbi", "scores_1", "orders_1", "strange")]
    told = [one for _, own in chaptered(tables, charts) for one in own]
    assert sorted(one.table.id for one in told) == ["new", "pbi", "quotes"]
    assert [chart.id for one in told for chart in one.charts] == ["pbi", "scores_1", "orders_1", "strange"]


def test_a_model_card_says_what_the_findings_say(sealed_run: Run) -> None:
    """Every figure of its table is that of the findings, with the caution and the manifest beside it."""
    found = findings(sealed_run)
    card = (sealed_run.report / "model-cards" / "fake.md").read_text("utf-8")
    (main,) = [one["cells"]["main"] for one in found["tables"][0]["rows"]]
    assert f"| {main['value']:.2f} " in card
    assert f"(n = {main['n']})" in card
    for text in (found["caution"], found["manifest"], *found["summary"], *found["notes"], *found["not_shown"]):
        assert in_cell(text) in card
    index = (sealed_run.report / "index.html").read_text("utf-8")
    assert re.search(r"<pre>### .*fake", index)


def test_a_key_that_is_the_same_in_every_row_is_told_once() -> None:
    assert FOUR.telling == ["judge", "model"]
    assert scores(*FOUR.rows[:2]).telling == ["model"]
    assert scores(FOUR.rows[0]).telling == ["model"]


def ways(judge: str, model: str, low: float, high: float) -> TableRow:
    found = cell((low + high) / 2, low, high)
    return TableRow({"judge": judge, "model": model, "quantity": "Main − Controls"}, {"wider": found})


def test_a_difference_is_claimed_by_the_wider_of_two_intervals() -> None:
    """By template it leaves zero out, by country pair it does not: nothing was shown."""
    narrow = scores(row("m1", "j1", 0.1, 1.5))
    two = Table("two_ways", "", "", ("judge", "model", "quantity"), (), (ways("j1", "m1", -0.1, 1.7),))
    (said,) = summary([narrow, two], {})
    assert "95% interval −0.10 to +1.70: no difference was shown" in said
    assert "less evenly" in next(iter(summary([narrow], {})))


def judged(id: str, **cells: Cell) -> Table:
    return Table(id, "", "", ("judge", "model"), (), (TableRow({"judge": "j", "model": "all models"}, cells),))


def test_a_judge_that_disagrees_with_itself_is_named_on_the_first_page() -> None:
    quotes = judged("quotes", own=cell(0.25, 0.2, 0.3))
    weak = judged("order_effects", kappa=cell(0.06, -0.12, 0.24), same=cell(0.75, 0.6, 0.8))
    (said,) = judges_in_words([weak, quotes])
    assert "kappa 0.06 [−0.12, 0.24]" in said
    assert "25% of its quotes" in said
    assert "No agreement beyond chance was shown" in said
    good = judged("order_effects", kappa=cell(0.7, 0.6, 0.8), same=cell(0.75, 0.6, 0.8))
    assert "beyond chance" not in next(judges_in_words([good, quotes]))
