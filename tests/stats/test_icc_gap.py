"""The gap of intraclass correlations: pingouin, resampling by hand, and what counts."""

from itertools import combinations

import numpy as np
import pandas as pd
import pingouin
import pytest
from numpy.typing import NDArray

from polibias.stats.agreement import agreement
from polibias.stats.icc import icc
from polibias.stats.icc_gap import icc_gap
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import bootstrap_counts, stream_seed

Floats = NDArray[np.float64]
ENDS = (0.0, 15.0)
PAIRS = np.arange(40) // 2
NAN = float("nan")
FORMS = {"icc_a_1": "ICC(A,1)", "icc_c_1": "ICC(C,1)"}


def numbers(annotators: int = 3, seed: int = 4) -> tuple[Ratings, Floats]:
    rng = np.random.Generator(np.random.PCG64(seed))
    truth = rng.normal(7, 3, 40)
    human = (truth[:, None] + rng.normal(0, 1.5, (40, annotators))).round().clip(0, 15)
    judge = (2 * (truth + 1 + rng.normal(0, 2, 40))).round().clip(0, 30) / 2
    return Ratings(human, ENDS, [f"p{pair:02d}" for pair in PAIRS.tolist()]), judge


def naive(x: Floats, y: Floats, form: str) -> float:
    """From sums of squares; n units, two raters."""
    both, n = np.column_stack([x, y]), len(x)
    unit = 2 * ((both.mean(axis=1) - both.mean()) ** 2).sum() / (n - 1)
    rater = n * ((both.mean(axis=0) - both.mean()) ** 2).sum()
    within = both - both.mean(axis=1, keepdims=True) - both.mean(axis=0) + both.mean()
    error = (within**2).sum() / (n - 1)
    return float((unit - error) / (unit + error + (2 / n * (rater - error) if form == "icc_a_1" else 0)))


def terms(human: Floats, judge: Floats, form: str) -> tuple[float, float]:
    first = np.mean([naive(judge, label, form) for label in human.T])
    return float(first), float(np.mean([naive(*couple, form) for couple in combinations(human.T, 2)]))


@pytest.mark.parametrize("form", FORMS)
def test_values_and_both_intervals_are_of_the_same_clusters(form: str) -> None:
    human, judge = numbers()
    found = icc_gap(human, judge, 200, 1, "row")
    first, second = terms(human.values, judge, form)
    assert found[f"{form}_judge_human"].value == pytest.approx(first)
    assert found[f"{form}_human_human"].value == pytest.approx(second)
    gap = found[f"{form}_gap"]
    gaps = []
    for counts in bootstrap_counts(np.random.PCG64(stream_seed(1, "row")), 20, 200):
        drawn = np.repeat(np.arange(40), counts[PAIRS].astype(int))
        gaps.append(np.subtract(*terms(human.values[drawn], judge[drawn], form)))
    (beside,) = gap.beside
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(gaps, [0.025, 0.975])))
    left = [np.subtract(*terms(human.values[pair != PAIRS], judge[pair != PAIRS], form)) for pair in range(20)]
    half = 2.093024 * np.sqrt(19 * np.var(left))
    assert (gap.low, gap.high) == pytest.approx((first - second - half, first - second + half), abs=1e-6)
    assert (gap.n, gap.clusters) == (40, 20)


@pytest.mark.filterwarnings("ignore")
def test_equals_pingouin() -> None:
    human, judge = numbers(2)
    frame = pd.DataFrame(
        {"unit": np.tile(np.arange(40), 2), "rater": np.repeat([0, 1], 40), "rating": human.values.T.ravel()}
    )
    theirs = pingouin.intraclass_corr(frame, "unit", "rater", "rating").set_index("Type")["ICC"]
    found = icc_gap(human, judge, 20, 1, "row")
    for form, title in FORMS.items():
        assert found[f"{form}_human_human"].value == pytest.approx(theirs[title], abs=1e-9)


def test_a_couple_alone_is_the_coefficient_of_two_raters() -> None:
    human, judge = numbers(1)
    both = agreement(human._replace(values=np.column_stack([judge, human.values])), 50, 1, (icc,), "row")
    found = icc_gap(human, judge, 50, 1, "row")
    for form in FORMS:
        one = found[f"{form}_judge_human"]
        assert (one.value, one.low, one.high) == pytest.approx((both[form].value, both[form].low, both[form].high))
        assert found[f"{form}_gap"].value is None


def test_a_shift_of_the_judge_costs_agreement_and_no_consistency() -> None:
    human, judge = numbers()
    before, after = (icc_gap(human, judge + shift, 20, 1, "row") for shift in (0.0, 4.0))
    assert after["icc_c_1_gap"].value == pytest.approx(before["icc_c_1_gap"].value)
    assert (after["icc_a_1_gap"].value or 0) < (before["icc_a_1_gap"].value or 0)


def test_what_a_unit_misses_leaves_it_in_the_other_term() -> None:
    human, judge = numbers()
    judge[:4] = NAN
    human.values[4:6] = NAN
    found = icc_gap(human, judge, 20, 1, "row")
    assert [found[f"icc_a_1_{name}"].n for name in ("judge_human", "human_human", "gap")] == [34, 38, 38]


def test_no_coefficient_has_a_reason() -> None:
    human, judge = numbers()
    constant = human._replace(values=np.full((40, 3), 2.0))
    assert icc_gap(constant, np.full(40, 2.0), 20, 1, "row")["icc_c_1_gap"].reason.startswith("no variation")
    single = human.values.copy()
    single[1:, 0] = NAN
    found = icc_gap(human._replace(values=single), judge, 20, 1, "row")
    assert {one.reason for one in found.values()} == {"a couple of raters shares one pair only"}
    assert icc_gap(human, np.full(40, NAN), 20, 1, "row")["icc_a_1_gap"].reason == "no pair has both totals"
