"""Studies in which little or nothing can be said: every cell has a value or a reason, and nothing is made up."""

from collections.abc import Callable
from math import isfinite

import msgspec
import pytest

from polibias.analysis.cases import Case, Judged, PairFacts
from polibias.analysis.conduct import conduct
from polibias.analysis.cuts import cut_marks, cut_tables, side_tables
from polibias.analysis.findings import Table
from polibias.analysis.frames import tidy
from polibias.analysis.kinds import ModelKind, kind_of, kinds_fact, kinds_of, known_kinds, size_class
from polibias.analysis.main_results import with_ratio
from polibias.analysis.pbi import Tables
from polibias.detectors.signals import Behaviour
from polibias.domain.rows import Verdict
from polibias.domain.study import AnalysisSpec
from polibias.report.marking import marks
from polibias.sources.registry import read_models
from polibias.sources.rubrics import read_rubric
from tests.analysis.made_cases import QUIET, RUBRIC, case, crowd, facts, tables_of, verdict
from tests.conftest import ROOT

FULL = Behaviour("full", "none")
ZERO = verdict((0, 0, 0, 0, 0))


def all_tables(cases: list[Case], tables: Tables | None = None) -> dict[str, Table]:
    tables = tables or tables_of(cases, 20)
    scores, dimensions = tables.main_table(), tables.dimension_table()
    by_topic = tables.factor_table("topic", "By pair")
    found = [
        with_ratio(tables, scores),
        *cut_tables(tables, cases, {}, scores, dimensions, by_topic),
        *side_tables(tables, cases),
    ]
    return {one.id: one for one in found if one is not None}


def refusing(cases: list[Case]) -> list[Case]:
    said = verdict((0, 0, 0, 0, 0), (), ("full", "full"))
    return [case(c.pair_id, c.pair, [said, said], (FULL, FULL), c.model, c.judge) for c in cases]


ODD: dict[str, Callable[[], list[Case]]] = {
    "one model": lambda: crowd(["m1"], ["j1"], 30),
    "no controls": lambda: [one for one in crowd(pairs=30) if one.pair.design.block == "main"],
    "controls alone": lambda: [one for one in crowd(pairs=30) if one.pair.design.block == "control"],
    "nothing valid": lambda: [one._replace(judgments={}) for one in crowd(pairs=20)],
    "nothing answered": lambda: [one._replace(judgments={}, responses={}) for one in crowd(pairs=20)],
    "one template": lambda: crowd(pairs=30, templates=1),
    "one pair": lambda: crowd(["m1"], ["j1"], 1),
    "all refused": lambda: refusing(crowd(pairs=30)),
    "all scores zero": lambda: [case(c.pair_id, c.pair, [ZERO, ZERO], model=c.model) for c in crowd(judges=["j"])],
    "one judge invalid": lambda: [c if c.judge == "j1" else c._replace(judgments={}) for c in crowd(pairs=30)],
}


@pytest.mark.parametrize("name", ODD)
def test_every_cell_has_a_value_or_a_reason(name: str) -> None:
    cases = ODD[name]()
    words = [{*marks(one, RUBRIC).split(" "), *cut_marks(one, RUBRIC)} for one in cases]
    for id, table in all_tables(cases).items():
        for row in table.rows:
            assert set(row.keys) == set(table.keys)
            for column in table.columns:
                cell = row.cells[column.id]
                assert cell.value is None or isfinite(cell.value)
                assert cell.value is not None or cell.reason, (id, row.keys, column.id)
                assert (cell.low is None) == (cell.high is None)
                if column.unit == "share" and cell.low is not None:
                    assert 0 <= cell.low <= cell.high <= 1  # type: ignore[operator]
                if cell.where:
                    wanted = {f"{key}={value}" for key, value in cell.where.items()}
                    assert sum(wanted <= own for own in words) == cell.n, (id, row.keys, column.id)


def test_conditions_are_told_apart() -> None:
    """A study with two conditions has every row once for each, of its own pairs alone."""
    cases = crowd(["m1", "m2"], ["j1"], 40)
    other = [
        one._replace(pair_id=f"{one.pair_id}-w", pair=in_condition(one, "worded"))
        for one in crowd(["m1", "m2"], ["j1"], 40, seed=8)
    ]
    rubrics = {"official": RUBRIC, "worded": RUBRIC}
    both = [*cases, *other]
    tables = Tables(tidy(both, rubrics), rubrics, AnalysisSpec(resamples=20))
    words = [{*marks(one, RUBRIC).split(" "), *cut_marks(one, RUBRIC)} for one in both]
    found = all_tables(both, tables)
    for id, table in all_tables(cases).items():
        rows = [row for row in found[id].rows if row.keys["condition"] == "official"]
        values = [[cell.value for cell in row.cells.values()] for row in rows]
        assert values == [[pytest.approx(cell.value) for cell in row.cells.values()] for row in table.rows]
    for table in found.values():
        for cell in (cell for row in table.rows for cell in row.cells.values() if cell.where):
            wanted = {f"{key}={value}" for key, value in cell.where.items()}
            assert sum(wanted <= own for own in words) == cell.n


def test_a_condition_in_which_the_judge_was_not_asked_for_labels() -> None:
    """It has no judge's rows with numbers, and nothing of it counts as left or as clear."""

    def unasked(one: Case) -> Case:
        bare = {
            order: Judged("ok", Verdict(row.verdict.scores, {}), row.mark)
            for order, row in one.judgments.items()
            if row.verdict
        }
        return one._replace(pair_id=f"{one.pair_id}-w", pair=in_condition(one, "worded"), judgments=bare)

    cases = crowd(["m1"], ["j1"], 40)
    rubrics = {"official": RUBRIC, "worded": msgspec.structs.replace(RUBRIC, labels=())}
    both = [*cases, *map(unasked, cases)]
    found = all_tables(both, Tables(tidy(both, rubrics), rubrics, AnalysisSpec(resamples=20)))
    for id in ("engaged", "one_sided_behaviour", "consistency"):
        rows = [row for row in found[id].rows if (row.keys["condition"], row.keys["reading"]) == ("worded", "judge")]
        shares = {name: cell for row in rows for name, cell in row.cells.items()}
        assert rows
        assert all(cell.value is None for name, cell in shares.items() if name != "full")
        assert all(cell.n == 0 for name, cell in shares.items() if name != "full")


def in_condition(one: Case, condition: str) -> PairFacts:
    replace = msgspec.structs.replace
    return replace(one.pair, design=replace(one.pair.design, condition=condition))


def test_who_refuses_everything_is_not_helpful() -> None:
    row = all_tables(ODD["all refused"]())["consistency"].rows[0].cells
    assert [row[name].value for name in ("alike", "answered", "helpful", "paired")] == [1, 0, 0, 0]
    engaged = all_tables(ODD["all refused"]())["engaged"].rows[0].cells
    assert (engaged["main"].value, engaged["main"].reason) == (None, "no scored pair is left")


def test_no_ratio_to_nothing() -> None:
    cells = all_tables(ODD["all scores zero"]())["pbi"].rows[0].cells
    assert cells["ratio"].value is None
    assert "mean of 0" in cells["ratio"].reason


def test_a_rubric_without_these_labels_is_read_by_rules_alone() -> None:
    even = read_rubric(ROOT / "data", "even-handedness", "tests")
    cases = [one._replace(judgments={}) for one in crowd(pairs=10)]
    tables = Tables(tidy(cases, {"official": even}), {"official": even}, AnalysisSpec(resamples=20))
    found = all_tables(cases, tables)
    assert {row.keys["reading"] for row in found["consistency"].rows} == {"rules"}


def test_conduct_by_hand() -> None:
    """Rules once; the judge only where both orders answer the same question alike."""
    said = [verdict((0,) * 5, (), ("partial", "none"), ("factual", "none"))]
    said.append(verdict((0,) * 5, (), ("full", "none"), ("status", "none")))
    one = case("p", facts(), said, (Behaviour("partial", "both"), FULL))
    rules, judge = conduct(one, "rules"), conduct(one, "judge")
    assert rules == ("both", "A", "B", "A", "both")
    assert (rules.answers, rules.alone) == ("A", "yes")
    assert judge == ("A", "A", "unclear", "unclear", "unclear")
    assert (judge.answers, judge.alone) == ("unclear", "unclear")
    half = case("p", facts(), said[:1])
    assert set(conduct(half, "rules")) == {""}
    withheld = case("p", facts(), [ZERO, ZERO])
    gone = withheld.responses["B"].__class__("refused", 0, None, QUIET)  # type: ignore[arg-type]
    refused = withheld._replace(responses=withheld.responses | {"B": gone})
    assert (conduct(refused, "rules").full, conduct(refused, "judge").full) == ("B", "none")


def test_kinds_come_from_the_files_on_models() -> None:
    entries = [
        {"name": "gpt-oss-20b", "adapter": "scripted"},
        {"name": "mine", "adapter": "openai_http", "model": "qwen/qwen3.5-397b-a17b"},
        {"name": "gpt-oss-120b", "adapter": "openai_http", "model": "mistralai/mistral-small-3.2-24b-instruct"},
        {"name": "stranger", "adapter": "llama_local"},
    ]
    kinds = kinds_of(entries, read_models(ROOT / "data"))
    assert kinds["gpt-oss-20b"] == ModelKind("gpt-oss", "up to 40 billion", "United States", "open weights")
    assert kinds["mine"] == ModelKind("qwen3.5", "over 200 billion", "China", "open weights")
    assert kinds["gpt-oss-120b"].region == "Europe"
    assert set(kinds["stranger"]) == {"unknown"}
    assert kinds_fact(kinds) == "3 of 4; unknown: stranger"
    assert known_kinds(entries) == kinds
    closed = kind_of(read_models(ROOT / "data")["claude-opus-4.5"])
    assert (closed.size, closed.openness) == ("unknown", "closed")
    assert [size_class(one) for one in (None, 40, 40.1, 200, 397)] == [
        "unknown",
        "up to 40 billion",
        "40 to 200 billion",
        "40 to 200 billion",
        "over 200 billion",
    ]
