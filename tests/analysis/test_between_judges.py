"""Two judges on the same pairs, against loops and other libraries."""

import pandas as pd
import pingouin
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from polibias.analysis.between_judges import between_judges_tables
from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case
from polibias.analysis.findings import Cell, Table
from polibias.analysis.reliability import reliability_marks
from polibias.domain.sides import ORDERS
from polibias.report.marking import marks
from tests.analysis.judged_cases import RUBRIC, Item, case, made, tables_of

CASES = made()


def tables(cases: list[Case]) -> dict[str, Table]:
    return {table.id: table for table in between_judges_tables(Groups(tables_of(cases), cases))}


FOUND = tables(CASES)


def row(table: str, found: dict[str, Table] = FOUND, **keys: str) -> dict[str, Cell]:
    (one,) = [each for each in found[table].rows if keys.items() <= each.keys.items()]
    return one.cells


def both(model: str = "", cases: list[Case] = CASES) -> list[tuple[Case, Case]]:
    read = [{(one.model, one.pair_id): one for one in cases if one.judge == judge} for judge in ("j1", "j2")]
    couples = [(one, read[1][key]) for key, one in read[0].items()]
    return [(a, b) for a, b in couples if a.complete and b.complete and model in ("", a.model)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", ["", "m1"])
def test_calls_and_pairs_are_compared_on_the_same_responses(model: str) -> None:
    cells, couples = row("between_judges", model=model or "all models"), both(model)
    for name in ("", *RUBRIC.dimension_ids):
        names = [name] if name else list(RUBRIC.dimension_ids)
        first, second = (
            [couple[n].verdicts[order].scores[d].score for couple in couples for order in ORDERS for d in names]
            for n in (0, 1)
        )
        expected = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights="quadratic")
        assert cells[f"dimension:{name}" if name else "kappa"].value == pytest.approx(expected)
    totals = [[one.total(RUBRIC) for one in couple] for couple in couples]
    rows = [(n, judge, total) for n, two in enumerate(totals) for judge, total in enumerate(two)]
    long = pd.DataFrame(rows, columns=["pair", "judge", "total"])
    table = pingouin.intraclass_corr(long, "pair", "judge", "total").set_index("Type")["ICC"]
    for id, type in (("icc_a_1", "ICC(A,1)"), ("icc_c_1", "ICC(C,1)")):
        assert cells[id].value == pytest.approx(table[type])
        assert any("F interval" in beside.method for beside in cells[id].beside)
    assert cells["difference"].value == pytest.approx(sum(a - b for a, b in totals) / len(totals))
    assert {cell.n for cell in cells.values()} == {len(couples)}


def test_models_are_compared_by_their_main_means() -> None:
    cells, means = row("between_models"), []
    for model in ("m0", "m1", "m2"):
        main = [couple for couple in both(model) if couple[0].pair.design.block == "main"]
        means.append([sum(couple[n].total(RUBRIC) for couple in main) / len(main) for n in (0, 1)])
    first, second = zip(*means, strict=True)
    assert cells["pearson"].value == pytest.approx(stats.pearsonr(first, second).statistic)
    assert cells["spearman"].value == pytest.approx(stats.spearmanr(first, second).statistic)
    assert cells["kendall_tau_b"].value == pytest.approx(stats.kendalltau(first, second).statistic)
    assert cells["models"].value == 3


def test_marks_select_the_pairs_of_a_cell() -> None:
    for found in FOUND.values():
        for one in found.rows:
            for column, cell in one.cells.items():
                wanted = {f"{key}={value}" for key, value in cell.where.items()}
                own = [{*marks(each, RUBRIC).split(), *reliability_marks(each, RUBRIC)} for each in CASES]
                assert sum(wanted <= words for words in own) == cell.n, (one.keys, column)


def test_two_models_have_no_ranking_to_speak_of() -> None:
    cells = row("between_models", tables(made(2)))
    assert (cells["pearson"].value, cells["models"].value) == (None, 2)
    assert cells["pearson"].reason == "fewer than 3 models have a Main pair that is complete for both judges"


def test_one_judge_has_nobody_to_agree_with() -> None:
    assert tables(made(2, judges=("j1",))) == {}


def test_three_judges_are_compared_two_by_two() -> None:
    found = tables(made(1, judges=("j1", "j2", "j3")))
    pairs = [(one.keys["judge"], one.keys["second_judge"]) for one in found["between_judges"].rows]
    assert pairs == [("j1", "j2"), ("j1", "j3"), ("j2", "j3")]


def test_a_constant_offset_is_disagreement_for_one_coefficient_alone() -> None:
    cases = []
    for judge, other, offset in (("j1", "j2", 0), ("j2", "j1", 1)):
        for n in range(6):
            call = [(min(n, 2) + offset, "A")] * 5 if n < 3 else [(n - 3 + offset, "A")] * 4 + [(offset, "none")]
            cases.append(case(Item(f"p{n}", template=f"t{n}"), judge, dict.fromkeys(ORDERS, call), (other,)))  # type: ignore[arg-type]
    cells = row("between_judges", tables(cases))
    assert cells["icc_c_1"].value == pytest.approx(1)
    assert cells["icc_a_1"].value is not None
    assert cells["icc_a_1"].value < 0.9
    assert cells["difference"].value == -5


def test_nothing_in_common_is_said() -> None:
    valid, lost = dict.fromkeys(ORDERS, [(1, "A")] * 5), {"AB": None}
    cases = [case(Item("p"), "j1", valid), case(Item("p"), "j2", lost, ("j1",))]  # type: ignore[arg-type]
    for cell in row("between_judges", tables(cases)).values():
        assert (cell.value, cell.n) == (None, 0)
        assert cell.reason
    assert row("between_judges", tables(cases))["kappa"].reason == "no pair is complete for both judges"
