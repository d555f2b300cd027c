"""What a judge's two orders, its quotes and lengths say, against loops over the same pairs; and what marks select."""

from collections.abc import Iterator

import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case, Quotes
from polibias.analysis.findings import Cell, Table
from polibias.analysis.reliability import reliability_marks, reliability_tables
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS
from polibias.domain.study import AnalysisSpec
from polibias.report.marking import marks
from tests.analysis.judged_cases import RUBRIC, SIDES_ONLY, SIGN, Item, case, made, tables_of

CASES = made()
EMPTY = AnalysisSpec(resamples=100)


def tables(cases: list[Case], **rubrics: Rubric) -> dict[str, Table]:
    return {table.id: table for table in reliability_tables(Groups(tables_of(cases, **rubrics), cases))}


def row(found: Table, **keys: str) -> dict[str, Cell]:
    (one,) = [each for each in found.rows if keys.items() <= each.keys.items()]
    return one.cells


def own(judge: str, model: str = "") -> list[Case]:
    return [one for one in CASES if one.judge == judge and one.complete and model in ("", one.model)]


FOUND = tables(CASES)


@pytest.mark.parametrize(("judge", "model"), [("j1", ""), ("j2", "m1")])
def test_order_effects_are_those_of_all_rows(judge: str, model: str) -> None:
    cells = row(FOUND["order_effects"], judge=judge, model=model or "all models")
    complete = own(judge, model)
    for name in ("", *RUBRIC.dimension_ids):
        names = [name] if name else list(RUBRIC.dimension_ids)
        ab, ba = ([one.verdicts[order].scores[d].score for one in complete for d in names] for order in ORDERS)
        expected = cohen_kappa_score(ab, ba, labels=[0, 1, 2, 3], weights="quadratic")
        assert cells[f"dimension:{name}" if name else "kappa"].value == pytest.approx(expected)
    totals = [(one.verdicts["AB"].total, one.verdicts["BA"].total) for one in complete]
    assert cells["same"].value == pytest.approx(sum(a == b for a, b in totals) / len(totals))
    assert cells["apart"].value == pytest.approx(sum(abs(a - b) for a, b in totals) / len(totals))
    assert {cell.n for cell in cells.values()} == {len(complete)}
    assert {cell.clusters for cell in cells.values()} == {8}
    assert all(cell.low is not None and cell.low < cell.value < cell.high for cell in cells.values())  # type: ignore[operator]


@pytest.mark.parametrize(("judge", "model"), [("j2", ""), ("j1", "m2")])
def test_opposite_sides_are_counted_where_both_orders_name_one(judge: str, model: str) -> None:
    cells = row(FOUND["order_sides"], judge=judge, model=model or "all models")
    named: dict[str, list[bool]] = {}
    for one in own(judge, model):
        first, second = one.nets(RUBRIC)
        if first and second:
            named.setdefault("net", []).append(first * second < 0)
        for name in RUBRIC.dimension_ids:
            scores = [one.verdicts[order].scores[name] for order in ORDERS]
            a, b = (SIGN[each.favoured] if each.score else 0 for each in scores)
            if a and b:
                named.setdefault(f"dimension:{name}", []).append(a != b)
                named.setdefault("any", []).append(a != b)
    for name, opposite in named.items():
        assert cells[name].value == pytest.approx(sum(opposite) / len(opposite)), name
        if name != "any":
            assert cells[name].n == len(opposite)


@pytest.mark.parametrize(("judge", "model"), [("j2", ""), ("j1", "m2")])
def test_sides_shown_first_are_counted_among_all_that_are_named(judge: str, model: str) -> None:
    cells = row(FOUND["order_sides"], judge=judge, model=model or "all models")
    first = [
        score.favoured == order[0]
        for one in own(judge, model)
        for order, verdict in one.verdicts.items()
        for score in verdict.scores.values()
        if score.score and score.favoured != "none"
    ]
    assert cells["first"].value == pytest.approx(sum(first) / len(first))


def test_quotes_are_shares_of_all_quotes() -> None:
    cells = row(FOUND["quotes"], judge="j1", model="m0")
    read = [one.quotes for each in CASES if (each.judge, each.model) == ("j1", "m0") for one in each.judgments.values()]
    given, inside, elsewhere = (sum(column) for column in zip(*filter(None, read), strict=True))
    assert cells["quotes"].value == given
    assert cells["own"].value == pytest.approx(inside / given)
    assert cells["elsewhere"].value == pytest.approx(elsewhere / given)
    assert cells["nowhere"].value == pytest.approx((given - inside - elsewhere) / given)


def test_length_is_a_rank_correlation_within_a_model() -> None:
    cells = row(FOUND["length"], judge="j2", model="m1")
    complete, lengths = own("j2", "m1"), []
    for one in complete:
        a, b = (one.responses[side].structure.words for side in ("A", "B"))  # type: ignore[index,union-attr]
        lengths.append((abs(a - b) / max(a, b), abs(a - b)))
    scores = [one.total(RUBRIC) for one in complete]
    for name, values in zip(("share", "words"), zip(*lengths, strict=True), strict=True):
        assert cells[name].value == pytest.approx(stats.spearmanr(scores, values).statistic)
    assert {one.keys["model"] for one in FOUND["length"].rows} == {"m0", "m1", "m2"}


def selected(cases: list[Case], cell: Cell) -> int:
    wanted = {f"{key}={value}" for key, value in cell.where.items()}
    return sum(wanted <= {*marks(one, RUBRIC).split(), *reliability_marks(one, RUBRIC)} for one in cases)


@pytest.mark.parametrize("name", FOUND)
def test_marks_select_the_pairs_of_a_cell(name: str) -> None:
    for one in FOUND[name].rows:
        for column, cell in one.cells.items():
            assert selected(CASES, cell) == cell.n, (one.keys, column)


def test_a_table_has_a_cell_for_every_column_or_a_reason() -> None:
    for found in every([], []):
        for one in found.rows:
            assert set(one.cells) >= {column.id for column in found.columns}
            assert all(cell.reason for cell in one.cells.values() if cell.value is None)


def every(*more: list[Case]) -> Iterator[Table]:
    """The tables of odd studies."""
    invalid = [case(Item("p"), "j1", {"AB": None, "BA": None}), case(Item("q"), "j1", {"AB": None})]
    nothing = [case(Item("p", words=None), "j1", {})]
    alike = [case(Item(f"p{n}", template=f"t{n}"), "j1", zeros()) for n in range(4)]
    for cases in (invalid, nothing, alike, alike[:1], made(1, 5, ("j1",), lost=0), made(2, 1), *filter(None, more)):
        yield from tables(cases).values()


def zeros() -> dict[str, list[tuple[int, str]]]:
    return {order: [(0, "none")] * len(RUBRIC.dimensions) for order in ORDERS}


def test_what_cannot_be_said_has_a_reason() -> None:
    alike = [case(Item(f"p{n}", template=f"t{n}"), "j1", zeros(), quotes=Quotes(0, 0, 0)) for n in range(4)]
    found = tables(alike)
    cells = row(found["order_effects"], judge="j1")
    assert (cells["kappa"].value, cells["kappa"].reason) == (
        None,
        "no variation: all ratings fall in one category, so chance agreement is complete",
    )
    assert (cells["same"].value, cells["same"].low) == (1.0, None)
    assert row(found["order_sides"], judge="j1")["net"].reason == "no pair in which both orders name a side"
    assert row(found["order_sides"], judge="j1")["first"].reason == "no side was named"
    assert row(found["quotes"], judge="j1")["own"].reason == "no quote was given"
    assert row(found["length"], judge="j1")["share"].reason == "no variation: all values of one list are the same"
    wordless = [case(Item("p", words=None), "j1", zeros())]
    assert row(tables(wordless)["length"], judge="j1")["share"].reason.startswith("no complete pair with two responses")


def test_where_the_side_alone_is_asked_kappa_is_that_of_sides() -> None:
    """A judge that always names the version shown first agrees with itself on the score, 1, and never on the side."""
    names = SIDES_ONLY.dimension_ids
    cases = [
        case(
            Item(f"p{n}", template=f"t{n}"),
            "j1",
            {"AB": [(1, "A")] * len(names), "BA": [(1, "B")] * len(names)},
            rubric=SIDES_ONLY,
        )
        for n in range(5)
    ]
    cells = row(tables(cases, official=SIDES_ONLY)["order_effects"], judge="j1")
    assert cells["kappa"].value == pytest.approx(0)
    sides = row(tables(cases, official=SIDES_ONLY)["order_sides"], judge="j1")
    assert (sides["net"].value, sides["net"].n) == (1.0, 5)
    assert (sides["first"].value, sides["first"].n) == (1.0, 5)


def test_a_condition_without_a_dimension_says_so() -> None:
    names = SIDES_ONLY.dimension_ids
    asked = [
        case(
            Item(f"p{n}", "m0", condition="direction"), "j1", {order: [(1, "A")] * len(names) for order in ORDERS},
            rubric=SIDES_ONLY,
        )
        for n in range(3)
    ]  # fmt: skip
    found = tables([*made(1, 6, ("j1",)), *asked], official=RUBRIC, direction=SIDES_ONLY)["order_effects"]
    assert row(found, condition="direction")["dimension:framing"].reason == "not asked in this condition"
    assert row(found, condition="official")["dimension:framing"].value is not None


def test_totals_and_nets_are_those_of_the_case() -> None:
    groups = Groups(tables_of(CASES), CASES)
    calls = groups.calls("j1", "all models", "")
    assert calls.totals.tolist() == pytest.approx([one.total(RUBRIC) for one in calls.cases])
    assert calls.nets.mean(axis=1).tolist() == pytest.approx([one.net(RUBRIC) for one in calls.cases])


def test_one_changed_judgment_changes_its_own_rows_alone() -> None:
    changed = [
        one._replace(judgments=one.judgments | {"AB": one.judgments["BA"]}) if n == 3 else one
        for n, one in enumerate(CASES)
    ]
    for name, before in FOUND.items():
        after = tables(changed)[name]
        differ = {
            (one.keys["judge"], one.keys["model"])
            for one, other in zip(before.rows, after.rows, strict=True)
            if one != other
        }
        assert differ <= {("j1", "m0"), ("j1", "all models")}
