"""Correlations against their definitions and scipy; intervals against leaving out by hand."""

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polibias.stats.estimate import Estimate
from polibias.stats.ranks import kendall_tau_b, pearson, rankings, spearman

CASES: list[dict[str, Any]] = [
    case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
    if case["id"].startswith("ranks")
]
lists = st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), min_size=2, max_size=14)


def product_moment(x: list[float], y: list[float], clusters: list[str] | None = None) -> Estimate:
    return pearson(x, y, clusters, 20, 1, "row")


FUNCTIONS: dict[str, Callable[..., Estimate]] = {
    "spearman": spearman,
    "kendall_tau_b": kendall_tau_b,
    "pearson": product_moment,
}
SCIPY = {"spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau, "pearson": stats.pearsonr}


def naive(name: str, x: list[float], y: list[float]) -> float | None:
    """Each coefficient by its definition, in loops; None where it has none."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    if name == "kendall_tau_b":
        signs = [
            ((a > c) - (a < c), (b > d) - (b < d))
            for n, (a, b) in enumerate(zip(x, y, strict=True))
            for c, d in list(zip(x, y, strict=True))[:n]
        ]
        untied = sum(s != 0 for s, _ in signs) * sum(t != 0 for _, t in signs)
        return sum(s * t for s, t in signs) / math.sqrt(untied)
    if name == "spearman":
        x, y = ([sum(b < a for b in values) + sum(b == a for b in values) / 2 for a in values] for values in (x, y))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return top / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference(case: dict[str, Any]) -> None:
    for name, expected in case["expected"].items():
        assert FUNCTIONS[name](**case["input"]).value == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.parametrize("name", FUNCTIONS)
@given(pairs=lists)
@settings(max_examples=60, deadline=None)
def test_equals_the_definition_and_scipy(name: str, pairs: list[tuple[int, int]]) -> None:
    x, y = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    found, expected = FUNCTIONS[name](x, y), naive(name, x, y)
    if expected is None:
        assert (found.value, found.reason) == (None, "no variation: all values of one list are the same")
        return
    assert found.value == pytest.approx(expected, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found.value == pytest.approx(SCIPY[name](x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(pairs=lists)
@settings(max_examples=30, deadline=None)
def test_laws(name: str, pairs: list[tuple[int, int]]) -> None:
    """Exchanging the lists changes nothing, turning one changes the sign, and rising functions change no ranks."""
    x, y = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    found = FUNCTIONS[name](x, y)
    turned = FUNCTIONS[name](y, [-a for a in x]).value
    assert turned == (None if found.value is None else pytest.approx(-found.value))
    if name != "pearson":
        assert FUNCTIONS[name]([a**3 + 10 for a in x], y) == found
    if found.low is not None and found.high is not None and found.value is not None:
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("clustered", [False, True])
def test_interval_is_the_jackknife_of_fishers_z(name: str, clustered: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    x = rng.integers(0, 9, 30).astype(float)
    y = np.round(x + rng.normal(0, 3, 30))
    clusters = [f"c{n % 11}" if clustered else f"c{n:02d}" for n in range(30)]
    found = FUNCTIONS[name](x, y, clusters if clustered else None)
    names = sorted(set(clusters))
    left = [
        math.atanh(
            naive(name, *([float(v) for v, c in zip(z, clusters, strict=True) if c != out] for z in (x, y))) or 0
        )
        for out in names
    ]
    count = len(names)
    error = math.sqrt((count - 1) / count * sum((z - sum(left) / count) ** 2 for z in left))
    z, t = math.atanh(naive(name, x.tolist(), y.tolist()) or 0), stats.t.ppf(0.975, count - 1)
    assert (found.low, found.high) == pytest.approx((math.tanh(z - t * error), math.tanh(z + t * error)), abs=1e-9)
    assert (found.n, found.clusters) == (30, count)
    assert "Fisher's z" in found.method


def test_values_that_differ_by_rounding_only_are_ties() -> None:
    """0.1 + 0.2 is above 0.3 in binary; untied the coefficient would be 1/3."""
    assert kendall_tau_b([0.1 + 0.2, 0.3, 0.4], [1, 2, 3]).value == pytest.approx(2 / math.sqrt(6))
    assert spearman([0.1 + 0.2, 0.3, 0.4], [1, 2, 3]).value == pytest.approx(math.sqrt(0.75))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_degenerate(function: Callable[..., Estimate]) -> None:
    nan = float("nan")
    assert function([1, 2, 3], [4, 4, 4]).value is None
    assert function([0.1 + 0.2, 0.3], [1, 2]).reason == "no variation: all values of one list are the same"
    assert function([], []).reason == "fewer than 2 items have both values"
    assert function([1, nan, 2], [1, 2, nan]).reason == "fewer than 2 items have both values"
    two = function([1, 2, nan], [3, 5, 1])
    assert (two.value, two.low, two.n) == (pytest.approx(1), None, 2)
    assert "without one of the clusters" in two.reason
    perfect = function([1, 2, 3, 4], [2, 4, 6, 8])
    assert (perfect.value, perfect.low, perfect.reason) == (
        pytest.approx(1),
        None,
        "no interval: every cluster gives the same value",
    )
    assert function([1, 2, 3], [3, 1, 2], ["a"] * 3).reason == "no interval: 1 cluster; at least 2 are needed"


def test_large_offset_costs_no_digits() -> None:
    x, y = [1.0, 2.0, 4.0, 8.0], [1.0, 3.0, 2.0, 9.0]
    far = product_moment([a + 1e8 for a in x], y).value
    assert far == pytest.approx(product_moment(x, y).value, abs=1e-9)


def test_many_items_are_fast_enough() -> None:
    rng = np.random.Generator(np.random.PCG64(6))
    x = rng.integers(0, 30, 1_000) / 2
    y = x + rng.normal(0, 3, 1_000)
    for name, function in FUNCTIONS.items():
        assert function(x, y).value == pytest.approx(SCIPY[name](x, y).statistic, abs=1e-9)


def test_ranks_need_no_couples_of_items() -> None:
    """All couples of 20,000 items would be 400 million, and 3 GB as differences."""
    rng = np.random.Generator(np.random.PCG64(8))
    x = rng.integers(0, 30, 20_000) / 2
    y = x + rng.normal(0, 30, 20_000)
    found = spearman(x, y, [f"c{n % 7}" for n in range(20_000)])
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert None not in (found.low, found.value, found.high)
    assert found.low < found.value < found.high


def test_rankings_are_of_means_over_clusters() -> None:
    """Models are ranked by their means; a template left out changes the means of all models at once."""
    rng = np.random.Generator(np.random.PCG64(7))
    models, templates = np.repeat(list("abcde"), 24), [f"t{n % 12:02d}" for n in range(120)]
    first = rng.integers(0, 16, 120) + 0.2 * np.repeat(np.arange(5), 24)
    second = first + rng.integers(-9, 10, 120)
    second[3] = float("nan")
    found = rankings(first, second, models, templates, 50, 1, "row")

    def by_hand(name: str, out: str = "") -> float:
        kept = [n for n in range(120) if templates[n] != out and not math.isnan(second[n])]
        means = [[float(np.mean([z[n] for n in kept if models[n] == k])) for k in "abcde"] for z in (first, second)]
        return naive(name, *means) or 0.0

    for name, estimate in found.items():
        left = np.array([by_hand(name, out) for out in sorted(set(templates))])
        plain = "Fisher" not in estimate.method
        there, back = (np.asarray, np.asarray) if plain else (np.arctanh, np.tanh)
        half = stats.t.ppf(0.975, 11) * math.sqrt(11 * np.var(there(left)))
        centre = there(by_hand(name))
        assert estimate.value == pytest.approx(by_hand(name))
        assert (estimate.low, estimate.high) == pytest.approx((back(centre - half), back(centre + half)))
        assert (estimate.n, estimate.clusters) == (119, 12)
        assert len(set(left)) > 1


@given(lists)
@settings(max_examples=30, deadline=None)
def test_rankings_of_single_cases_are_plain_rank_correlations(pairs: list[tuple[int, int]]) -> None:
    x, y = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    names = [str(n) for n in range(len(pairs))]
    found = rankings(x, y, names, ["c"] * len(pairs), 20, 1, "row")
    for name, function in FUNCTIONS.items():
        expected = function(x, y).value
        assert found[name].value == (None if expected is None else pytest.approx(expected))


def test_rankings_without_two_items_are_not_estimable() -> None:
    found = rankings([1.0, 2.0], [1.0, 2.0], ["a", "a"], ["t", "u"], 20, 1, "row")
    assert found["spearman"].reason == "fewer than 2 items have both values"
    assert rankings([], [], [], [], 20, 1, "row")["spearman"].value is None
