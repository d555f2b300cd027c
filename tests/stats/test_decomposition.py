"""The parts of the judge's error against regression, and that they add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from polibias.stats.decomposition import decomposition, order_effect
from polibias.stats.estimate import Estimate

Floats = NDArray[np.float64]
NAN = float("nan")
score = st.one_of(st.just(NAN), *[st.integers(0, 6).map(lambda n: n / 2)] * 4)
scores = st.lists(st.tuples(score, score), min_size=1, max_size=20)


def parts(judge: list[float], human: list[float], clusters: list[str] | None = None) -> dict[str, Estimate]:
    names = ["one cluster"] * len(judge) if clusters is None else clusters
    return decomposition(np.array(judge), np.array(human), names, 20, 1, "row")


def naive(judge: list[float], human: list[float]) -> dict[str, float | None]:
    """By least squares: what a linear correction of the judge's scores saves, and what it leaves."""
    x, y = np.array(judge), np.array(human)
    offset, mse = float((x - y).mean()), float(((x - y) ** 2).mean())
    if len(set(judge)) == 1:
        return {"offset": offset, "slope": None, "mse": mse, "scale": 0.0, "residual": float(np.var(y))}
    slope, intercept = np.polyfit(x, y, 1)
    residual = float(((y - slope * x - intercept) ** 2).mean())
    return {"offset": offset, "slope": slope, "mse": mse, "scale": mse - offset**2 - residual, "residual": residual}


@given(scores)
@settings(max_examples=100, deadline=None)
def test_equals_least_squares_and_adds_up(values: list[tuple[float, float]]) -> None:
    found = parts([x for x, _ in values], [y for _, y in values])
    both = [(x, y) for x, y in values if x == x and y == y]
    if not both:
        assert {estimate.value for estimate in found.values()} == {None}
        assert {estimate.reason for estimate in found.values()} == {"no unit has both scores"}
        return
    expected = naive([x for x, _ in both], [y for _, y in both])
    for name, value in expected.items():
        assert found[name].value == (None if value is None else pytest.approx(value, abs=1e-9))
        assert found[name].n == len(both)
    total = sum(found[name].value or 0.0 for name in ("scale", "residual"))
    assert found["mse"].value == pytest.approx((found["offset"].value or 0.0) ** 2 + total, abs=1e-12)


def test_slope_equals_scipy() -> None:
    judge, human = [0.0, 1, 1, 2, 3, 3], [0.0, 0, 1, 1, 1, 2]
    assert parts(judge, human)["slope"].value == pytest.approx(stats.linregress(judge, human).slope)


@pytest.mark.parametrize(
    ("judge", "human", "offset", "scale", "residual"),
    [
        ([1.0, 2, 3, 4], [0.0, 1, 2, 3], 1, 0, 0),
        ([0.0, 2, 4, 6], [0.0, 1, 2, 3], 1.5, 1.25, 0),
        ([0.0, 0, 1, 1], [0.0, 1, 0, 1], 0, 0.25, 0.25),
    ],
)
def test_each_part_alone(judge: list[float], human: list[float], offset: float, scale: float, residual: float) -> None:
    """A judge one point too high; one with doubled scores; one that knows nothing."""
    found = parts(judge, human)
    values = [found[name].value for name in ("offset", "scale", "residual")]
    assert values == pytest.approx([offset, scale, residual])


def test_a_judge_with_one_score_has_no_slope() -> None:
    found = parts([0.3, 0.3, 0.1 + 0.2], [0.0, 1, 3])
    assert (found["slope"].value, found["slope"].reason[:12]) == (None, "no variation")
    assert (found["scale"].value, found["residual"].value) == pytest.approx((0, np.var([0, 1, 3])))


def test_a_large_offset_costs_no_digits() -> None:
    near, far = parts([0.0, 1, 3], [0.0, 2, 2]), parts([1e6, 1e6 + 1, 1e6 + 3], [1e6, 1e6 + 2, 1e6 + 2])
    assert all(far[name].value == pytest.approx(estimate.value, abs=1e-9) for name, estimate in near.items())


def test_offset_interval_is_a_t_interval_of_independent_differences() -> None:
    rng = np.random.Generator(np.random.PCG64(13))
    judge, human = rng.integers(0, 4, 30) + 0.0, rng.integers(0, 4, 30) + 0.0
    found = parts(judge.tolist(), human.tolist(), [f"p{n:02d}" for n in range(30)])["offset"]
    expected = stats.ttest_1samp(judge - human, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    effect = order_effect(judge, human, [f"p{n:02d}" for n in range(30)], 20, 1, "row")
    assert (effect.value, effect.low) == pytest.approx((found.value, found.low))


def test_order_effect_needs_both_orders() -> None:
    first, second = np.array([3.0, 2, NAN, 1]), np.array([1.0, 2, 3, NAN])
    found = order_effect(first, second, list("abcd"), 20, 1, "row")
    assert (found.value, found.n, found.clusters) == (1.0, 2, 2)
    assert order_effect(second, first, list("abcd"), 20, 1, "row").value == -1
    none = order_effect(first[2:], second[2:], list("cd"), 20, 1, "row")
    assert (none.value, none.reason) == (None, "no unit has both orders")
