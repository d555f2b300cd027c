"""Stacked calls beside labels: resampling by hand, scikit-learn, and what counts. Values: tests of label statistics."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from polibias.stats.kappa import NO_PAIR
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import bootstrap_counts, stream_seed
from polibias.stats.stacked import complete_calls, kish, stacked_agreement, stacked_kappa

Floats = NDArray[np.float64]
SCALE = (0.0, 1.0, 2.0, 3.0)
NAN = float("nan")
PAIRS = np.arange(60) // 2
T_29 = 2.045230


def ratings(annotators: int = 2, seed: int = 8) -> tuple[Ratings, Floats]:
    """Two units of every cluster."""
    rng = np.random.Generator(np.random.PCG64(seed))
    truth = rng.normal(1, 1, 60)
    human = (truth[:, None] + rng.normal(0, 0.6, (60, annotators))).round().clip(0, 3)
    judge = (truth[:, None] + 0.4 + rng.normal(0, 0.9, (60, 2))).round().clip(0, 3)
    return Ratings(human, SCALE, [f"p{pair:02d}" for pair in PAIRS.tolist()]), judge


def difference(human: Floats, judge: Floats) -> float:
    return float(judge.mean() - human.mean())


def kappa(label: Floats, judge: Floats, weights: str | None) -> float:
    return float(cohen_kappa_score(judge.T.ravel(), np.tile(label, 2), labels=SCALE, weights=weights))


def test_intervals_are_of_whole_clusters() -> None:
    human, judge = ratings()
    found = stacked_agreement(human, judge, 200, 1, "row")["mean_difference"]
    drawn = [
        np.repeat(np.arange(60), counts[PAIRS].astype(int))
        for counts in bootstrap_counts(np.random.PCG64(stream_seed(1, "row")), 30, 200)
    ]
    (beside,) = found.beside
    values = [difference(human.values[chosen], judge[chosen]) for chosen in drawn]
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))
    left = [difference(human.values[pair != PAIRS], judge[pair != PAIRS]) for pair in range(30)]
    half, value = T_29 * np.sqrt(29 * np.var(left)), difference(human.values, judge)
    assert (found.low, found.value, found.high) == pytest.approx((value - half, value, value + half), abs=1e-6)
    assert (found.n, found.clusters) == (60, 30)


@pytest.mark.parametrize(("power", "weights"), [(None, None), (1, "linear"), (2, "quadratic")])
def test_kappa_and_its_interval_equal_scikit_learn_in_the_same_resamples(power: int | None, weights: str) -> None:
    human, judge = ratings(1)
    found = stacked_kappa(judge, human, power, 200, 1, "row")
    label = human.values[:, 0]
    values = []
    for counts in bootstrap_counts(np.random.PCG64(stream_seed(1, "row")), 30, 200):
        chosen = np.repeat(np.arange(60), counts[PAIRS].astype(int))
        values.append(kappa(label[chosen], judge[chosen], weights))
    (beside,) = found.beside
    assert found.value == pytest.approx(kappa(label, judge, weights))
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_a_call_more_is_no_unit_more() -> None:
    """Two calls that are the same tell what one tells."""
    human, judge = ratings()
    once, twice = (stacked_agreement(human, judge[:, calls], 50, 1, "row") for calls in ([0], [0, 0]))
    for name, one in once.items():
        assert (twice[name].value, twice[name].low, twice[name].n) == pytest.approx((one.value, one.low, one.n))
    first, second = (stacked_kappa(judge[:, calls], ratings(1)[0], 1, 50, 1, "row") for calls in ([0], [0, 0]))
    assert (second.value, second.low, second.n) == pytest.approx((first.value, first.low, first.n))


def test_a_unit_with_a_missing_call_has_no_judge_score() -> None:
    human, judge = ratings()
    judge[:4, 1] = NAN
    found = stacked_agreement(human, judge, 20, 1, "row")
    assert (found["exact"].n, found["exact"].clusters) == (56, 28)
    assert (found["annotators_exact"].n, found["annotators_exact"].clusters) == (60, 30)
    assert np.isnan(complete_calls(judge)[:4]).all()
    assert stacked_kappa(judge, ratings(1)[0], 1, 20, 1, "row").n == 56


def test_no_unit_has_a_reason_of_its_own() -> None:
    empty = Ratings(np.full((3, 1), NAN), SCALE, list("abc"))
    ones = np.ones((3, 2))
    assert stacked_kappa(ones, empty, 1, 20, 1, "row").reason == "no unit has a judge score and an annotator's"
    assert stacked_kappa(ones, empty, 1, 20, 1, "row", NO_PAIR).reason == NO_PAIR
    constant = empty._replace(values=np.ones((3, 1)))
    assert stacked_kappa(ones, constant, 1, 20, 1, "row").reason.startswith("no variation")
    assert stacked_agreement(constant, ones, 20, 1, "row")["exact"].value == 1.0


def test_a_rating_off_the_scale_is_an_error() -> None:
    human, judge = ratings()
    with pytest.raises(ValueError, match=r"1\.5 is not on the scale"):
        stacked_agreement(human, judge + 1.5, 20, 1, "row")


def test_unequal_weights_have_an_effective_n() -> None:
    human, judge = ratings()
    weighted = human._replace(weights=np.repeat([1.0, 4.0], 30))
    found = stacked_agreement(weighted, judge, 20, 1, "row")["exact"]
    assert found.effective_n == pytest.approx((30 + 120) ** 2 / (30 + 30 * 16))
    judge[:10] = NAN
    found = stacked_agreement(weighted, judge, 20, 1, "row")
    assert found["exact"].effective_n == pytest.approx((20 + 120) ** 2 / (20 + 30 * 16))
    assert found["annotators_exact"].effective_n == pytest.approx((30 + 120) ** 2 / (30 + 30 * 16))
    assert kish(None) is None
    assert kish(np.zeros(0)) is None
