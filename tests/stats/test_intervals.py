"""The engine: jackknife, bootstrap and enumeration of any statistic of summed clusters, against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polibias.stats.clusters import Sums, cluster_sums
from polibias.stats.intervals import Defined, estimates, ratio
from polibias.stats.resampling import (
    Resampling,
    bootstrap_counts,
    enumerated,
    resampled_sums,
    weighted_quantile,
    weighted_quantiles,
)

MEAN = {"mean": Defined(lambda sums: ratio(sums[:, 0], sums[:, 1]), "no unit")}
DRAWS = Resampling(500, 1)
RNG = np.random.Generator(np.random.PCG64(5))


def sums_of(clusters: list[list[float]]) -> Sums:
    return np.array([[sum(values), len(values)] for values in clusters], dtype=float)


def test_jackknife_t_of_a_mean_is_students_interval() -> None:
    """One unit per cluster: exactly the t interval of a mean, by a second library."""
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]
    found = estimates(MEAN, sums_of([[value] for value in values]), 6, DRAWS)["mean"]
    expected = stats.t.interval(0.95, 5, loc=np.mean(values), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.method == "cluster jackknife-t, 5 degrees of freedom"


@given(st.lists(st.lists(st.floats(-9, 9), min_size=1, max_size=4), min_size=3, max_size=12))
@settings(max_examples=50, deadline=None)
def test_jackknife_equals_its_definition(clusters: list[list[float]]) -> None:
    found = estimates(MEAN, sums_of(clusters), 0, DRAWS)["mean"]
    without = [
        np.mean([x for other, values in enumerate(clusters) if other != n for x in values])
        for n in range(len(clusters))
    ]
    count = len(clusters)
    error = math.sqrt((count - 1) / count * sum((value - np.mean(without)) ** 2 for value in without))
    if error < 1e-9:
        return
    half = stats.t.ppf(0.975, count - 1) * error
    value = np.mean([x for values in clusters for x in values])
    assert (found.low, found.high) == pytest.approx((value - half, value + half), abs=1e-9)


def test_fishers_z_and_the_logit_are_scales_of_the_interval() -> None:
    """The interval of a share is made on the logit and stays inside; at an end it falls back to the plain scale."""
    clusters = [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    share = {"share": MEAN["mean"]._replace(scale="logit"), "plain": MEAN["mean"]}
    found = estimates(share, sums_of(clusters), 10, DRAWS)
    assert found["share"].high is not None
    assert 0 < (found["share"].low or 0) < 0.8 < found["share"].high < 1
    assert (found["plain"].high or 0) > 1
    ends = estimates(share, sums_of([[1.0], [1.0], [0.0]]), 3, DRAWS)["share"]
    assert ends.method == "cluster jackknife-t, 2 degrees of freedom"


def test_no_interval_has_no_width() -> None:
    """Clusters that do not differ say nothing about a spread: no interval, and the reason."""
    found = estimates(MEAN, sums_of([[2.0]] * 12), 12, DRAWS)["mean"]
    assert (found.value, found.low, found.reason) == (2.0, None, "no interval: every cluster gives the same value")
    assert (found.beside[0].low, found.beside[0].reason) == (None, "no interval: the resamples do not differ")


def test_detectable_effect_stands_where_zero_is_not_excluded() -> None:
    """(t.975 + t.80) standard errors: what such a study finds in 80 of 100 cases."""
    contrast = {"mean": MEAN["mean"]._replace(contrast=True)}
    values = [1.0, -1.0, 2.0, -2.5, 0.5]
    found = estimates(contrast, sums_of([[value] for value in values]), 5, DRAWS)["mean"]
    expected = (stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)) * stats.sem(values)
    assert found.detectable == pytest.approx(expected)
    shifted = estimates(contrast, sums_of([[value + 9] for value in values]), 5, DRAWS)["mean"]
    assert shifted.detectable is None


def test_every_resample_of_three_clusters_by_enumeration() -> None:
    """All 27 ordered resamples of a ratio mean: mean 1.28783, variance 0.05046, from 0.5 to 1.5."""
    sums = np.array([[6.0, 4.0], [1.0, 2.0], [9.0, 6.0]])
    counts, weights = enumerated(3)
    values = ratio((counts @ sums)[:, 0], (counts @ sums)[:, 1])
    mean = float(values @ weights)
    assert (len(counts), weights.sum()) == (10, pytest.approx(1.0))
    assert mean == pytest.approx(1.2878306878306878)
    assert float((values - mean) ** 2 @ weights) == pytest.approx(0.050461633212955964)
    ordered = [sum(sums[n] for n in drawn) for drawn in itertools.product(range(3), repeat=3)]
    assert mean == pytest.approx(np.mean([one[0] / one[1] for one in ordered]))
    assert (values.min(), values.max()) == (0.5, 1.5)


@pytest.mark.parametrize("clusters", [1, 5, 9])
def test_enumeration_is_complete(clusters: int) -> None:
    counts, weights = enumerated(clusters)
    assert len(counts) == math.comb(2 * clusters - 1, clusters)
    assert (counts.sum(axis=1) == clusters).all()
    assert weights.sum() == pytest.approx(1.0)


def test_too_many_clusters_cannot_be_enumerated() -> None:
    with pytest.raises(ValueError, match="at most 9"):
        enumerated(10)


@pytest.mark.parametrize(
    ("clusters", "columns", "highest"), [(10, 1, 1), (61, 4, 600), (61, 6, 9), (300, 2, 80), (20, 40, 3)]
)
def test_sums_of_half_points_are_those_of_counted_clusters(clusters: int, columns: int, highest: int) -> None:
    """However many columns share a word, or whether any does; also with a zero column and a negative one."""
    dice = np.random.default_rng(clusters)
    sums = dice.integers(0, highest + 1, (clusters, columns)) / 2
    for case in (sums, sums * [0.0, *[1.0] * (columns - 1)], -sums):
        counts = bootstrap_counts(np.random.PCG64(5), clusters, 700)
        assert (resampled_sums(case, Resampling(700, 5)) == counts @ case).all()


def test_quantiles_of_one_sorting_are_those_of_each() -> None:
    dice = np.random.default_rng(3)
    values, weights = dice.integers(0, 9, 200) / 2, dice.random(200)
    shares = (0.025, 0.5, 0.975)
    assert weighted_quantiles(values, weights, shares) == [weighted_quantile(values, weights, one) for one in shares]


def test_weighted_quantile_by_hand() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3])
    assert [weighted_quantile(values, weights, share) for share in (0.1, 0.5, 0.51, 0.8, 0.81)] == [1, 1, 2, 2, 3]


def test_strata_are_drawn_among_themselves() -> None:
    """With two strata every resample holds as many clusters of each as there are."""
    sums = np.column_stack([np.arange(12) < 7, np.arange(12) >= 7, np.arange(12.0)]).astype(float)
    drawn = resampled_sums(sums, DRAWS, np.array([0] * 7 + [1] * 5))
    assert (drawn[:, 0] == 7).all()
    assert (drawn[:, 1] == 5).all()
    assert len(set(drawn[:, 2])) > 20


def test_stratified_jackknife_adds_the_strata() -> None:
    """The difference of two means: Welch's interval, by a second library."""
    a, b = RNG.normal(size=7), RNG.normal(size=5)
    rows = np.zeros((12, 4))
    rows[:7, 0], rows[:7, 1], rows[7:, 2], rows[7:, 3] = a, 1, b, 1
    difference = {"d": Defined(lambda s: ratio(s[:, 0], s[:, 1]) - ratio(s[:, 2], s[:, 3]), "none")}
    found = estimates(difference, rows, 12, DRAWS, np.array([0] * 7 + [1] * 5))["d"]
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_many_clusters_are_not_bootstrapped_and_say_so() -> None:
    found = estimates(MEAN, sums_of([[float(n % 3)] for n in range(20_001)]), 20_001, DRAWS)["mean"]
    assert found.low is not None
    assert "above 20,000 clusters" in found.beside[0].reason


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
@settings(max_examples=50, deadline=None)
def test_cluster_sums_equal_a_loop(codes: list[int]) -> None:
    """Whole numbers, so that the order of addition cannot matter; numbers may miss in between."""
    used = {code: place for place, code in enumerate(sorted(set(codes)))}
    numbers = np.array([used[code] for code in codes])
    columns = RNG.integers(0, 9, (len(codes), 3)).astype(float)
    expected = np.zeros((len(used), 3))
    for number, row in zip(numbers, columns, strict=True):
        expected[number] += row
    assert (cluster_sums(columns, numbers, len(used)) == expected).all()


def test_a_cluster_that_says_nothing_is_no_cluster() -> None:
    """97 clusters without a unit of the statistic change neither its count, nor its freedom, nor its draws."""
    some = sums_of([[1.0], [3.0], [2.0], [5.0]])
    padded = np.vstack([some, np.zeros((97, 2))])
    alone, among = estimates(MEAN, some, 4, DRAWS)["mean"], estimates(MEAN, padded, 4, DRAWS)["mean"]
    assert alone == among
    assert (among.clusters, among.method) == (4, "cluster jackknife-t, 3 degrees of freedom")


def test_statistics_of_other_columns_have_clusters_of_their_own() -> None:
    """Where both say something everywhere they share draws; where one is silent it has fewer clusters."""
    first, second = sums_of([[1.0], [3.0], [2.0]]), np.vstack([sums_of([[4.0], [7.0]]), np.zeros((1, 2))])
    both = {"first": MEAN["mean"]._replace(columns=slice(0, 2)), "second": MEAN["mean"]._replace(columns=slice(2, 4))}
    found = estimates(both, np.hstack([first, second]), 3, DRAWS)
    assert {name: one.clusters for name, one in found.items()} == {"first": 3, "second": 2}
    assert found["first"] == estimates(MEAN, first, 3, DRAWS)["mean"]
