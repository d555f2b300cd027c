"""The alternative annotator test against its published form, loops and scipy's t-test."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from polibias.stats.alternative import AlternativeTest, Scoring, alternative_test

Floats = NDArray[np.float64]
NAN = float("nan")
CASES: list[dict[str, Any]] = [
    case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
    if case["id"].startswith("alternative")
]
label = st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])
rows = st.lists(st.tuples(label, st.tuples(label, label, label)), min_size=1, max_size=25)


def found_test(human: Any, judge: Any, clusters: list[str] | None = None, **options: Any) -> AlternativeTest:
    human, judge = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    return alternative_test(human, judge, clusters, 20, 1, "row", **options)


def naive_differences(human: Floats, judge: Floats, column: int, scoring: Scoring) -> list[tuple[int, int]]:
    """For each unit that counts, whether judge and annotator match the others at least as well as each other."""

    def match(value: float, others: list[float]) -> float:
        if scoring == "accuracy":
            return sum(value == other for other in others) / len(others)
        return -math.sqrt(sum((value - other) ** 2 for other in others) / len(others))

    wins = []
    for labels, made in zip(human.tolist(), judge.tolist(), strict=True):
        others = [value for n, value in enumerate(labels) if n != column and value == value]
        if others and made == made and labels[column] == labels[column]:
            scores = match(made, others), match(labels[column], others)
            wins.append((int(scores[0] >= scores[1]), int(scores[1] >= scores[0])))
    return wins


def made_up(units: int = 60, annotators: int = 4) -> tuple[Floats, Floats]:
    rng = np.random.Generator(np.random.PCG64(10))
    truth = rng.normal(1.5, 1, (units, 1))
    human = (truth + rng.normal(0, 0.7, (units, annotators))).round().clip(0, 3)
    return human, (truth[:, 0] + rng.normal(0, 0.8, units)).round().clip(0, 3)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference(case: dict[str, Any]) -> None:
    found, expected = found_test(**case["input"]), case["expected"]
    assert found.winning_rate == expected["winning_rate"]
    assert found.advantage.value == pytest.approx(expected["advantage"], abs=case["tolerance"] or 1e-12)
    assert [one.p for one in found.comparisons] == pytest.approx(expected["p"], abs=case["tolerance"])


@pytest.mark.parametrize("scoring", ["accuracy", "rmse"])
@given(values=rows, epsilon=st.sampled_from([0.0, 0.1, 0.2]))
@settings(max_examples=60, deadline=None)
def test_equals_the_definition_and_a_t_test(
    scoring: Scoring, values: list[tuple[float, tuple[float, ...]]], epsilon: float
) -> None:
    judge, human = np.array([row[0] for row in values]), np.array([row[1] for row in values])
    found = alternative_test(human, judge, None, 1, 1, "row", epsilon, scoring)
    shares = []
    for column, one in enumerate(found.comparisons):
        wins = naive_differences(human, judge, column, scoring)
        assert one.n == len(wins)
        if not wins:
            assert (one.p, one.judge, one.reason != "") == (None, None, True)
            continue
        shares.append(np.mean([judge_wins for judge_wins, _ in wins]))
        assert (one.judge, one.annotator) == pytest.approx((shares[-1], np.mean([wins_ for _, wins_ in wins])))
        differences = [annotator - judge_wins for judge_wins, annotator in wins]
        if len(set(differences)) > 1:
            expected = stats.ttest_1samp(differences, epsilon, alternative="less").pvalue
            assert one.p == pytest.approx(expected, abs=1e-9)
        elif len(wins) > 1 and differences[0] != epsilon:
            assert one.p == float(differences[0] > epsilon)
        else:
            assert (one.p, one.wins) == (None, None)
    assert found.advantage.value == (pytest.approx(np.mean(shares)) if shares else None)


def test_clusters_of_one_unit_are_the_published_test() -> None:
    human, judge = made_up()
    alone = found_test(human, judge)
    named = found_test(human, judge, [f"u{n:02d}" for n in range(60)])
    assert [one.p for one in alone.comparisons] == pytest.approx([one.p for one in named.comparisons], abs=1e-12)


def test_repeated_units_do_not_count_as_new_ones() -> None:
    """Four copies of every unit: as units p shrinks, as clusters it stays."""
    human, judge = made_up(20)
    once = found_test(human, judge)
    clusters = [f"c{n:02d}" for n in np.repeat(np.arange(20), 4)]
    copied = found_test(np.repeat(human, 4, axis=0), np.repeat(judge, 4), clusters)
    assert [one.p for one in copied.comparisons] == pytest.approx([one.p for one in once.comparisons])
    assert (copied.comparisons[0].n, copied.comparisons[0].clusters) == (80, 20)
    naive = found_test(np.repeat(human, 4, axis=0), np.repeat(judge, 4))
    assert (naive.comparisons[0].p or 0) < (once.comparisons[0].p or 0)


def test_winning_counts_adjusted_p_values() -> None:
    human, judge = made_up()
    found = found_test(human, judge)
    expected = stats.false_discovery_control([one.p for one in found.comparisons], method="by")
    assert [one.adjusted for one in found.comparisons] == pytest.approx(expected)
    assert [one.wins for one in found.comparisons] == [p <= 0.05 for p in expected]
    assert found.winning_rate == np.mean([p <= 0.05 for p in expected])
    assert found.passes is (found.winning_rate >= 0.5)


def test_a_larger_epsilon_never_hurts() -> None:
    human, judge = made_up()
    ps = [[one.p for one in found_test(human, judge, epsilon=epsilon).comparisons] for epsilon in (0, 0.1, 0.2)]
    assert all(a > b > c for a, b, c in zip(*ps, strict=True))


def test_order_of_annotators_does_not_matter() -> None:
    human, judge = made_up()
    found, turned = found_test(human, judge), found_test(human[:, ::-1], judge)
    assert [one.p for one in turned.comparisons][::-1] == pytest.approx([one.p for one in found.comparisons])
    assert turned.advantage.value == pytest.approx(found.advantage.value)


def test_rmse_wins_by_distance_where_accuracy_ties() -> None:
    human, judge = np.array([[3.0, 0.0, 0.0]] * 30), np.full(30, 1.0)
    assert found_test(human, judge, scoring="accuracy").comparisons[0].annotator == 1.0
    assert found_test(human, judge, scoring="rmse").comparisons[0].annotator == 0.0


def test_too_little_blocks_the_verdict_not_the_numbers() -> None:
    few = found_test([[1, 1], [0, 0], [1, 0]], [1, 0, 1])
    assert few.notes == (
        "2 annotators; at least 3 are needed",
        "annotator 1 shares 3 units; at least 30 are needed",
        "annotator 2 shares 3 units; at least 30 are needed",
    )
    assert few.passes is None
    assert few.advantage.value == 1


def test_zero_variance_is_decided_or_not_estimable_but_never_nan() -> None:
    same = [[n % 2] * 3 for n in range(30)]
    judge = [n % 2 for n in range(30)]
    assert [one.p for one in found_test(same, judge).comparisons] == [0.0] * 3
    assert found_test(same, judge).passes is True
    tied = found_test(same, judge, epsilon=0.0)
    assert (tied.winning_rate, tied.reason) == (None, "no annotator has a p-value")
    assert tied.comparisons[0].reason == "every cluster differs by epsilon exactly"
    wrong = found_test(same, [3.0] * 30)
    assert ([one.p for one in wrong.comparisons], wrong.winning_rate, wrong.passes) == ([1.0] * 3, 0.0, False)


def test_one_cluster_and_no_unit_have_no_p_value() -> None:
    human, judge = made_up()
    found = found_test(human, judge, ["one"] * 60)
    assert found.comparisons[0].reason == "1 cluster; at least 2 are needed"
    assert (found.winning_rate, found.passes) == (None, None)
    nobody = found_test(human, np.full(60, NAN))
    assert (nobody.advantage.value, nobody.comparisons[0].n) == (None, 0)
    alone = found_test(human[:, :1], judge)
    assert alone.comparisons[0].reason == "no unit with a judge score, an annotator's and another's"
    assert found_test(np.zeros((5, 0)), np.zeros(5)).notes == ("0 annotators; at least 3 are needed",)
