"""The corrected mean against its formula, leaving out by hand, and simulated truth."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from polibias.stats.prediction_powered import Corrected, corrected_mean

Floats = NDArray[np.float64]
NAN = float("nan")
CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
}
row = st.tuples(st.integers(0, 30), st.one_of(st.none(), st.integers(0, 30)), st.sampled_from([0.1, 0.25, 0.5, 1.0]))


def corrected(
    judge: Floats,
    human: Floats,
    probabilities: Floats | None,
    clusters: list[str] | None = None,
    tuning: float | None = None,
) -> Corrected:
    names = [f"p{n:04d}" for n in range(len(judge))] if clusters is None else clusters
    return corrected_mean(judge, human, probabilities, names, tuning)


def naive(judge: Floats, human: Floats, probabilities: Floats, tuning: float) -> float:
    """Weighted mean of human - λ judge where labelled, plus λ times the judge's mean."""
    labelled = [n for n in range(len(judge)) if human[n] == human[n]]
    weight = sum(1 / probabilities[n] for n in labelled)
    rest = sum((human[n] - tuning * judge[n]) / probabilities[n] for n in labelled) / weight
    return float(rest + tuning * sum(judge) / len(judge))


def made_up(pairs: int = 200, labelled: int = 40, seed: int = 11) -> tuple[Floats, Floats, Floats]:
    """Pairs in templates of four; the half with high judge scores is three times as likely to be labelled."""
    rng = np.random.Generator(np.random.PCG64(seed))
    truth = (rng.normal(5, 2, pairs) + np.repeat(rng.normal(0, 1, pairs // 4), 4)).round(1)
    judge = (truth + 1 + rng.normal(0, 1, pairs)).round(1)
    chance = np.where(judge > np.median(judge), 1.5, 0.5) * labelled / pairs
    return judge, np.where(rng.random(pairs) < chance, truth, NAN), chance


def templates(pairs: int) -> list[str]:
    return [f"t{n // 4:03d}" for n in range(pairs)]


def test_reference() -> None:
    case = CASES["corrected_mean"]
    judge = np.array(case["input"]["judge"] + case["input"]["judge_elsewhere"], dtype=float)
    human = np.array(case["input"]["human"] + [NAN] * 8)
    found = corrected(judge, human, np.full(12, 1 / 3), tuning=1.0)
    assert found.mean.value == pytest.approx(case["expected"]["mean"], abs=case["tolerance"])
    assert (found.mean.n, found.labelled, found.tuning) == (12, 4, 1)


@given(st.lists(row, min_size=1, max_size=9), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_equals_the_definition(rows: list[tuple[int, int | None, float]], tuning: float) -> None:
    judge, human, chance = (
        np.array([NAN if v is None else v for v in column], dtype=float) for column in zip(*rows, strict=True)
    )
    found = corrected(judge, human, chance, ["a", "b", "c"][: len(rows)] * len(rows), tuning)
    if np.isnan(human).all():
        assert (found.mean.value, found.mean.reason) == (None, "no labelled pair has a judge score")
    else:
        assert found.mean.value == pytest.approx(naive(judge, human, chance, tuning))


def test_lambda_zero_is_the_weighted_human_mean_and_one_corrects_in_full() -> None:
    judge, human, chance = made_up()
    known = ~np.isnan(human)
    weighted = np.average(human[known], weights=1 / chance[known])
    gap = np.average((human - judge)[known], weights=1 / chance[known])
    assert corrected(judge, human, chance, tuning=0).mean.value == pytest.approx(weighted)
    assert corrected(judge, human, chance, tuning=1).mean.value == pytest.approx(judge.mean() + gap)


def without(names: list[str], judge: Floats, human: Floats, chance: Floats, tuning: float) -> Floats:
    """The value without each cluster in turn."""
    clusters = np.array(names)
    kept = [clusters != out for out in sorted(set(names))]
    return np.array([naive(*(z[keep] for z in (judge, human, chance)), tuning) for keep in kept])


def variance(left: Floats) -> float:
    return (len(left) - 1) * float(np.var(left))


def test_tuning_makes_the_jackknife_variance_smallest() -> None:
    data, names = made_up(), templates(200)
    found = corrected(*data, names)
    assert found.tuning is not None
    assert 0 < found.tuning < 1.5
    least = variance(without(names, *data, found.tuning))
    assert least <= min(variance(without(names, *data, found.tuning + step)) for step in (-0.05, 0.05, -0.5, 0.5))
    assert found.mean.value == pytest.approx(naive(*data, found.tuning))


@pytest.mark.parametrize("tuning", [0.0, 1.0, None])
def test_interval_is_the_jackknife_of_the_whole_procedure(tuning: float | None) -> None:
    data, names = made_up(), templates(200)
    found = corrected(*data, names, tuning)
    left = []
    for out in sorted(set(names)):
        kept = np.array(names) != out
        rest = [z[kept] for z in data]
        left.append(corrected(*rest, [name for name in names if name != out], tuning).mean.value or 0.0)
    groups = len({name for name, label in zip(names, data[1], strict=True) if label == label})
    half = stats.t.ppf(0.975, groups - 1) * variance(np.array(left)) ** 0.5
    assert (found.mean.low, found.mean.high) == pytest.approx(
        ((found.mean.value or 0) - half, (found.mean.value or 0) + half)
    )
    assert found.mean.method.startswith(f"cluster jackknife-t, {groups - 1} degrees")
    alone = variance(without(names, *data, 0.0))
    assert found.worth == pytest.approx(found.labelled * alone / variance(np.array(left)))


def test_a_good_judge_is_worth_labels() -> None:
    found = corrected(*made_up(), templates(200))
    assert found.worth is not None
    assert found.worth > 2 * found.labelled


def test_a_useless_judge_costs_nothing_and_a_perfect_one_counts_all_pairs() -> None:
    judge, human, chance = made_up()
    noise = np.random.Generator(np.random.PCG64(12)).normal(0, 1, 200)
    assert abs(corrected(noise, human, chance).tuning or 0) < 1
    perfect = corrected(judge, np.where(np.isnan(human), NAN, judge), chance)
    assert (perfect.tuning, perfect.mean.value) == pytest.approx((1, judge.mean()), abs=0.1)


@given(st.floats(-3, 3), st.floats(0.5, 2))
@settings(max_examples=10, deadline=None)
def test_the_judges_zero_and_unit_do_not_matter(zero: float, unit: float) -> None:
    judge, human, chance = made_up(40, 15)
    found, moved = corrected(judge, human, chance), corrected(unit * judge + zero, human, chance)
    assert moved.mean.value == pytest.approx(found.mean.value)
    assert moved.mean.high == pytest.approx(found.mean.high)
    assert (moved.tuning or 0) * unit == pytest.approx(found.tuning)


def test_unknown_probabilities_are_a_biased_sample() -> None:
    judge, human, chance = made_up()
    chance[np.flatnonzero(~np.isnan(human))[0]] = NAN
    for probabilities in (None, chance):
        found = corrected(judge, human, probabilities)
        assert (found.mean.value, found.mean.reason[:13]) == (None, "biased sample")
        assert found.labelled == int((~np.isnan(human)).sum())
        assert found.tuning is None


@pytest.mark.parametrize("wrong", [0.0, -0.5, 1.5])
def test_an_impossible_probability_is_an_error(wrong: float) -> None:
    with pytest.raises(ValueError, match="inclusion probability"):
        corrected(np.ones(2), np.ones(2), np.array([0.5, wrong]))


def test_all_pairs_labelled_is_the_human_mean() -> None:
    judge, _, _ = made_up(40)
    human = judge - 1.0
    found = corrected(judge, human, np.ones(40))
    assert (found.mean.value, found.tuning) == (pytest.approx(human.mean()), 0)
    assert found.worth == pytest.approx(40)


def test_labels_in_one_cluster_have_no_interval() -> None:
    judge, human = np.array([1.0, 2, 3, 4]), np.array([2.0, NAN, NAN, NAN])
    found = corrected(judge, human, np.full(4, 0.3))
    assert (found.mean.value, found.tuning, found.mean.low) == (pytest.approx(3.5), 1, None)
    assert "1 cluster" in found.mean.reason


def test_labels_in_two_clusters_do_not_tune() -> None:
    judge, human = np.array([1.0, 2, 3, 4]), np.array([2.0, NAN, NAN, 4.5])
    found = corrected(judge, human, np.full(4, 0.5))
    assert (found.tuning, found.mean.value) == (1, pytest.approx(2.5 + 0.75))
    assert found.mean.low is not None


def test_a_labelled_pair_without_a_judge_score_does_not_count() -> None:
    judge, human = np.array([1.0, 2, 3, NAN]), np.array([2.0, 2, NAN, 9])
    found = corrected(judge, human, np.full(4, 0.5), tuning=1)
    assert (found.mean.value, found.mean.n, found.labelled) == (pytest.approx(2.5), 3, 2)
    nobody = corrected(np.full(2, NAN), np.ones(2), np.ones(2))
    assert (nobody.mean.value, nobody.mean.n) == (None, 0)


def test_the_interval_covers_the_truth() -> None:
    """100 samples of about 40 labelled pairs out of 200; the naive judge mean would be off by a whole point."""
    inside = 0
    for seed in range(100):
        judge, human, chance = made_up(seed=1000 + seed)
        found = corrected_mean(judge, human, chance, templates(200)).mean
        inside += (found.low or 0) <= 5 <= (found.high or 0)
    assert 0.89 <= inside / 100 <= 0.99
