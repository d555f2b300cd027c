"""Scores beside the ratings that texts give: which pairs count, and the correlation by a second library."""

import msgspec
import pytest
from scipy import stats

from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Tables
from polibias.analysis.rating_relation import rating_relation_table
from polibias.detectors.rating import Rating
from polibias.detectors.signals import RATED
from polibias.domain.sides import SIDES, Side
from polibias.domain.study import AnalysisSpec
from polibias.report.marking import marks
from tests.analysis.judged_cases import RUBRIC, made

replace = msgspec.structs.replace


def rated(case: Case, a: int | None, b: int | None) -> Case:
    """The pair as answers to the task that asks for ratings; None is a text without one."""
    responses = dict(case.responses)
    values: dict[Side, int | None] = {"A": a, "B": b}
    for side in SIDES:
        own = responses[side]
        assert own.structure is not None
        rating = Rating("absent") if values[side] is None else Rating("found", values[side])
        responses[side] = replace(own, structure=own.structure._replace(rating=rating))
    design = replace(case.pair.design, task=RATED)
    return case._replace(responses=responses, pair=replace(case.pair, design=design))


CASES = [
    rated(one, n * 7 % 10 + 1, None if n % 5 == 0 else n * 3 % 10 + 1) if one.responses and n % 3 else one
    for n, one in enumerate(made(models=2, pairs=60, judges=("j1",)))
]


def groups(cases: list[Case]) -> Groups:
    rubrics = {"official": RUBRIC}
    return Groups(Tables(tidy(cases, rubrics), rubrics, AnalysisSpec(resamples=50, seed=1)), cases)


def read(case: Case) -> float | None:
    if case.pair.design.task != RATED or not case.complete:
        return None
    a, b = (case.responses[side].structure.rating.value for side in SIDES)  # type: ignore[union-attr]
    return None if a is None or b is None else abs(a - b)


@pytest.mark.parametrize("model", ["m0", "m1"])
def test_each_dimension_is_correlated_with_the_distance_of_ratings(model: str) -> None:
    table = rating_relation_table(groups(CASES))
    assert table is not None
    (row,) = [one for one in table.rows if one.keys["model"] == model]
    own = [(case, gap) for case in CASES if case.model == model and (gap := read(case)) is not None]
    assert 10 < len(own) < 60
    for dimension in RUBRIC.dimensions:
        cell = row.cells[f"dimension:{dimension.id}"]
        scores = [case.score(dimension) for case, _ in own]
        assert cell.value == pytest.approx(stats.spearmanr(scores, [gap for _, gap in own]).statistic)
        wanted = {f"{key}={value}" for key, value in cell.where.items()}
        assert sum(wanted <= {*marks(case, RUBRIC).split()} for case in CASES) == cell.n == len(own)


def test_without_ratings_it_says_so_and_without_the_task_there_is_no_table() -> None:
    table = rating_relation_table(groups([rated(case, None, 3) for case in CASES if case.responses]))
    assert table is not None
    assert {cell.reason for row in table.rows for cell in row.cells.values()} == {
        "no complete pair whose two texts give a rating"
    }
    assert rating_relation_table(groups(made(models=1, pairs=8, judges=("j1",)))) is None
