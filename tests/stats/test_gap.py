"""The kappa gap against its definition in loops, scikit-learn, and resampling by hand."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from polibias.stats.estimate import Estimate
from polibias.stats.gap import JudgeScore, Pooling, confusion, intra_rater, kappa_gap, rater_matrix
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import bootstrap_counts, stream_seed

Floats = NDArray[np.float64]
SCALE = (0.0, 1.0, 2.0, 3.0)
NAN = float("nan")
CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
}
score = st.sampled_from(SCALE)
label = st.one_of(st.just(NAN), score, score, score)
tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.tuples(st.tuples(*[label] * raters), st.tuples(label, label)), min_size=1, max_size=12)
)


def naive_parts(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Observed and expected mean squared distance."""
    observed = sum((a - b) ** 2 for a, b in values) / len(values)
    return observed, sum((a - b) ** 2 for a, _ in values for _, b in values) / len(values) ** 2


def naive_kappa(values: list[tuple[float, float]]) -> float | None:
    observed, expected = naive_parts(values)
    return 1 - observed / expected if expected else None


def complete(*columns: Floats) -> list[tuple[float, ...]]:
    return [row for row in zip(*(column.tolist() for column in columns), strict=True) if not any(v != v for v in row)]


def mean_of(kappas: list[float | None]) -> float | None:
    known = [value for value in kappas if value is not None]
    return sum(known) / len(known) if known and len(known) == len(kappas) else None


def naive_judge(human: Floats, judge: Floats, judge_score: JudgeScore, pooling: Pooling) -> float | None:
    valid = ~np.isnan(judge).any(axis=1)
    judge, human = judge[valid], human[valid]
    calls = list(judge.T) if judge_score == "calls" else [judge.mean(axis=1)]
    each = [[pair for call in calls for pair in complete(call, rater)] for rater in human.T]
    if pooling == "pooled":
        stacked = [pair for pairs in each for pair in pairs]
        return naive_kappa(stacked) if stacked else None
    return mean_of([naive_kappa(pairs) for pairs in each if pairs])


def naive_human(human: Floats, pooling: Pooling) -> float | None:
    each = [pairs for couple in combinations(human.T, 2) if (pairs := complete(*couple))]
    if pooling == "mean":
        return mean_of([naive_kappa(pairs) for pairs in each])
    parts = [[len(pairs) * part for part in naive_parts(pairs)] for pairs in each]
    expected = sum(part[1] for part in parts)
    return 1 - sum(part[0] for part in parts) / expected if expected else None


def found_gap(
    human: Floats, judge: Floats, judge_score: JudgeScore = "calls", pooling: Pooling = "mean", resamples: int = 20
) -> dict[str, Estimate]:
    """Two units of every cluster, as two dimensions of a pair."""
    clusters = [f"p{n // 2:03d}" for n in range(len(human))]
    return kappa_gap(Ratings(human, SCALE, clusters), judge, resamples, 1, "row", judge_score, pooling)


@pytest.mark.parametrize("judge_score", ["calls", "mean"])
@pytest.mark.parametrize("pooling", ["mean", "pooled"])
@given(rows=tables)
@settings(max_examples=40, deadline=None)
def test_equals_the_definition(
    judge_score: JudgeScore, pooling: Pooling, rows: list[tuple[tuple[float, ...], tuple[float, float]]]
) -> None:
    human, judge = (np.array([row[part] for row in rows]) for part in (0, 1))
    found = found_gap(human, judge, judge_score, pooling)
    first, second = naive_judge(human, judge, judge_score, pooling), naive_human(human, pooling)
    gap = None if first is None or second is None else first - second
    for name, expected in (("judge_human", first), ("human_human", second), ("gap", gap)):
        assert found[name].value == (None if expected is None else pytest.approx(expected, abs=1e-9))
        assert found[name].value is not None or found[name].reason


def ratings(units: int, seed: int = 8) -> tuple[Floats, Floats]:
    rng = np.random.Generator(np.random.PCG64(seed))
    truth = rng.normal(1, 1, units)
    human = (truth[:, None] + rng.normal(0, 0.6, (units, 2))).round().clip(0, 3)
    judge = (truth[:, None] + 0.4 + rng.normal(0, 0.9, (units, 2))).round().clip(0, 3)
    return human, judge


def test_equals_sklearn() -> None:
    human, judge = ratings(60)
    found = found_gap(human, judge)
    kappas = [
        cohen_kappa_score(judge.T.ravel(), np.tile(rater, 2), labels=SCALE, weights="quadratic") for rater in human.T
    ]
    among = cohen_kappa_score(*human.T, labels=SCALE, weights="quadratic")
    assert found["judge_human"].value == pytest.approx(np.mean(kappas))
    assert found["gap"].value == pytest.approx(np.mean(kappas) - among)


def test_interval_is_of_the_difference_in_the_same_resamples() -> None:
    human, judge = ratings(60)
    found = found_gap(human, judge, resamples=200)["gap"]
    pairs = np.arange(60) // 2
    gaps = []
    for counts in bootstrap_counts(np.random.PCG64(stream_seed(1, "row")), 30, 200):
        drawn = np.repeat(np.arange(60), counts[pairs].astype(int))
        first = naive_judge(human[drawn], judge[drawn], "calls", "mean")
        gaps.append((first or 0) - (naive_human(human[drawn], "mean") or 0))
    (beside,) = found.beside
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(gaps, [0.025, 0.975])))
    left = []
    for pair in range(30):
        kept = pairs != pair
        first = naive_judge(human[kept], judge[kept], "calls", "mean")
        left.append((first or 0) - (naive_human(human[kept], "mean") or 0))
    half = 2.045230 * np.sqrt(29 * np.var(left))
    assert (found.low, found.high) == pytest.approx(((found.value or 0) - half, (found.value or 0) + half), abs=1e-6)
    assert (found.n, found.clusters) == (60, 30)


def test_a_gap_that_includes_zero_carries_what_would_have_been_seen() -> None:
    rng = np.random.Generator(np.random.PCG64(9))
    rated = (rng.normal(1, 1, (60, 1)) + rng.normal(0, 0.6, (60, 4))).round().clip(0, 3)
    found = found_gap(rated[:, :2], rated[:, 2:])
    assert found["gap"].detectable is not None
    assert found["gap"].detectable > 0
    assert found["judge_human"].detectable is None


def test_two_annotators_have_one_kappa_in_both_poolings() -> None:
    human, judge = ratings(40)
    among = [found_gap(human, judge, pooling=pooling)["human_human"].value for pooling in ("mean", "pooled")]
    assert among[0] == pytest.approx(among[1])


def test_half_points() -> None:
    case = CASES["gap_half_points"]
    x, y = (np.array(case["input"][name]) for name in "xy")
    found = rater_matrix(Ratings(np.column_stack([x, y]), tuple(case["input"]["scale"]), list("abcd")), 20, 1, "row")
    assert found[0, 1].value == pytest.approx(case["expected"]["kappa_quadratic"], abs=case["tolerance"])
    calls = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 2.0]])
    human = np.array([[0.0], [1.0], [2.0], [2.0]])
    found_mean = kappa_gap(Ratings(human, SCALE, list("abcd")), calls, 20, 1, "row", "mean")["judge_human"]
    assert found_mean.value == pytest.approx(naive_kappa([(0.5, 0), (1, 1), (1.5, 2), (2, 2)]))


def test_orders_of_units_annotators_and_calls_do_not_matter() -> None:
    human, judge = ratings(40)
    found = found_gap(human, judge)
    turned = found_gap(human[::-1, ::-1], judge[::-1, ::-1])
    for name, estimate in found.items():
        assert (turned[name].value, turned[name].low) == pytest.approx((estimate.value, estimate.low))


def test_a_unit_with_an_invalid_call_has_no_judge_score_but_keeps_its_annotators() -> None:
    human, judge = ratings(40)
    judge[:4, 1] = NAN
    found = found_gap(human, judge)
    assert (found["judge_human"].n, found["human_human"].n, found["gap"].n) == (36, 40, 40)
    assert found["human_human"].value == found_gap(human, ratings(40)[1])["human_human"].value
    human[:4] = NAN
    assert (found_gap(human, judge)["gap"].n, found_gap(human, judge)["gap"].clusters) == (36, 18)


def test_weights_count_like_repeated_units() -> None:
    human, judge = ratings(6)
    weights = np.array([1.0, 2, 3, 1, 2, 1])
    weighted = kappa_gap(Ratings(human, SCALE, list("abcdef"), weights), judge, 20, 1, "row")
    times = np.repeat(np.arange(6), weights.astype(int))
    repeated = kappa_gap(Ratings(human[times], SCALE, [str(n) for n in range(10)]), judge[times], 20, 1, "row")
    assert weighted["gap"].value == pytest.approx(repeated["gap"].value)
    assert weighted["gap"].effective_n == pytest.approx(100 / 20)


def test_not_estimable_says_which_term_is_missing() -> None:
    human, judge = np.ones((4, 1)), np.ones((4, 2))
    found = found_gap(human, judge)
    assert (found["judge_human"].value, found["judge_human"].reason[:12]) == (None, "no variation")
    assert (found["human_human"].reason, found["gap"].reason) == ("no unit was rated by two raters",) * 2
    human[0] = 2.0
    assert (
        found_gap(human, np.full((4, 2), NAN))["judge_human"].reason == "no unit has a judge score and an annotator's"
    )
    empty = found_gap(np.zeros((0, 2)), np.zeros((0, 2)))
    assert {name: estimate.value for name, estimate in empty.items()} == dict.fromkeys(empty)


def test_a_constant_judge_has_kappa_zero() -> None:
    assert found_gap(ratings(10)[0], np.ones((10, 2)))["judge_human"].value == pytest.approx(0)


def test_a_rating_off_the_scale_is_an_error() -> None:
    with pytest.raises(ValueError, match="not on the scale"):
        found_gap(np.zeros((1, 2)), np.full((1, 2), 4.0))
    with pytest.raises(ValueError, match="not on the scale"):
        found_gap(np.full((1, 2), 0.5), np.zeros((1, 2)))


def test_rater_matrix_has_each_couple_with_its_own_units() -> None:
    values = np.array([[0, 0, NAN], [1, 2, NAN], [2, 2, NAN], [3, 3, 3], [1, NAN, 1.0]])
    found = rater_matrix(Ratings(values, SCALE, list("abcde")), 20, 1, "row")
    assert {couple: (estimate.n, estimate.clusters) for couple, estimate in found.items()} == {
        (0, 1): (4, 4),
        (0, 2): (2, 2),
        (1, 2): (1, 1),
    }
    assert found[0, 1].value == pytest.approx(naive_kappa([(0, 0), (1, 2), (2, 2), (3, 3)]))
    assert found[0, 2].value == pytest.approx(1)
    assert found[1, 2].reason[:12] == "no variation"
    apart = rater_matrix(Ratings(np.array([[0, NAN], [NAN, 1.0]]), SCALE, list("ab")), 20, 1, "row")
    assert apart[0, 1].reason == "no unit was rated by two raters"


def test_intra_rater_is_agreement_with_oneself() -> None:
    first, again = np.array([0, 1, 2, 3, 1.0]), np.array([0, 2, NAN, 3, 1.0])
    found = intra_rater(first, again, SCALE, list("abcde"), 20, 1, "row")
    assert found["kappa_quadratic"].value == pytest.approx(naive_kappa([(0, 0), (1, 2), (3, 3), (1, 1)]))
    assert (found["exact"].value, found["exact"].n, found["mean_difference"].value) == (0.75, 4, -0.25)
    never = intra_rater(first, np.full(5, NAN), SCALE, list("abcde"), 20, 1, "row")
    assert {estimate.reason for estimate in never.values()} == {"no unit was rated by two raters"}


@given(st.lists(st.tuples(label, label), max_size=20))
@settings(max_examples=40, deadline=None)
def test_confusion_equals_sklearn(values: list[tuple[float, float]]) -> None:
    x, y = (np.array([pair[side] for pair in values], dtype=float) for side in (0, 1))
    found = confusion(x, y, SCALE)
    both = ~np.isnan(x) & ~np.isnan(y)
    assert found.sum() == both.sum()
    if both.any():
        assert (found == confusion_matrix(x[both].astype(int), y[both].astype(int), labels=[0, 1, 2, 3])).all()
    assert (confusion(y, x, SCALE) == found.T).all()
