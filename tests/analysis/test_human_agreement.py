"""Which judge agrees better with people: by planned numbers alone, and not known wherever one is missing."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from polibias.analysis.confirmed import Confirmed, PlannedResult
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.human_agreement import UNVALIDATED, agreement_tables, better_judge, in_figures, in_words
from polibias.analysis.validated import Taken, Validations
from polibias.records.locks import LockedPlan


def cell(value: float | None, reason: str = "") -> Cell:
    known = value is not None
    return Cell(value, 50, 48, "made", -0.5 if known else None, 0.5 if known else None, reason)


def validations(values: dict[str, float | None], role: str = "secondary") -> Validations:
    rows = [
        TableRow({"judge": name, "raters": "all annotators"}, {"kappa": cell(one, "")}) for name, one in values.items()
    ]
    rows.append(TableRow({"judge": "annotators", "raters": "all annotators"}, {"kappa": cell(0.99)}))
    rows.append(TableRow({"judge": "one", "raters": "ann"}, {"kappa": cell(0.98)}))
    columns = (Column("kappa", "Kappa of A, B, none", "score"),)
    table = Table("sides", "Favoured side", "", ("judge", "raters"), columns, tuple(rows))
    result = PlannedResult("sides", "Favoured side", role, "direction_agreement", table, ())  # type: ignore[arg-type]
    confirmed = Confirmed("mine", "Mine", "", "confirmatory", "0" * 64, (result,), (), "", {})
    lock = SimpleNamespace(plan=None)
    taken = Taken(confirmed, "f" * 64, LockedPlan(Path("mine.toml"), lock, "0" * 64, ()))  # type: ignore[arg-type]
    return Validations((taken,), (), {})


NOTHING = Validations((), (), {})


@pytest.mark.parametrize(
    ("values", "judges", "start"),
    [
        ({"one": 0.4, "two": 0.3}, ["one", "two"], "one agrees better"),
        ({"one": 0.3, "two": 0.4}, ["one", "two"], "two agrees better"),
        ({"one": 0.4, "two": 0.4}, ["one", "two"], "The judges agree equally well"),
        ({"one": 0.4}, ["one"], "How the judge agrees"),
        ({"one": 0.4}, ["one", "two"], "Which judge agrees better"),
        ({"one": 0.4, "two": None}, ["one", "two"], "Which judge agrees better"),
        ({"three": 0.4}, ["one", "two"], "Which judge agrees better"),
    ],
)
def test_the_better_judge_is_named_only_if_both_were_compared(
    values: dict[str, float | None], judges: list[str], start: str
) -> None:
    assert better_judge(validations(values), judges).startswith(start)


def test_without_findings_and_with_exploratory_ones_it_is_not_known() -> None:
    for found in (NOTHING, validations({"one": 0.4, "two": 0.3}, "exploratory")):
        assert "is not known: no planned findings" in better_judge(found, ["one", "two"])


def test_every_number_in_a_sentence_has_its_interval_and_n() -> None:
    assert in_figures(cell(-0.123), "score") == "−0.12 (95% interval −0.50 to 0.50, n = 50, 48 clusters)"
    assert in_figures(cell(0.123), "share") == "12.3% (95% interval −50.0% to 50.0%, n = 50, 48 clusters)"
    assert in_figures(cell(None, "no pair"), "score") == "is not there (no pair)"
    alone = Cell(0.5, 2, 2, "made", None, None, "too few pairs")
    assert in_figures(alone, "score") == "0.50 (no interval: too few pairs, n = 2)"


def test_a_plan_without_a_primary_decision_says_so() -> None:
    (said,) = in_words(validations({"one": 0.4}))
    assert said == "Agreement with people was measured by the plan mine, which decides nothing by it."
    assert [*in_words(NOTHING)] == [UNVALIDATED]
    assert [*agreement_tables(NOTHING)] == []
