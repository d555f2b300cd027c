"""Bounds for missing labels against listing every way to fill them in."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from polibias.stats.bounds import Bounds, kappa_bounds, mean_bounds
from polibias.stats.ratings import Ratings

Floats = NDArray[np.float64]
SCALE = (0.0, 1.0, 2.0, 3.0)
NAN = float("nan")
label = st.sampled_from(SCALE)


def bounds(values: Floats, weights: Floats | None = None) -> Bounds:
    return kappa_bounds(Ratings(np.asarray(values, dtype=float), SCALE, ["c"] * len(values), weights))


def fillings(values: Floats) -> list[Floats]:
    missing = np.argwhere(np.isnan(values))
    found = []
    for labels in product(SCALE, repeat=len(missing)):
        filled = values.copy()
        filled[missing[:, 0], missing[:, 1]] = labels
        found.append(filled)
    return found


def naive_kappa(values: Floats) -> float:
    x, y = values.T
    expected = ((x[:, None] - y[None, :]) ** 2).mean()
    return float(1 - ((x - y) ** 2).mean() / expected) if expected else NAN


@given(st.lists(st.one_of(st.just(NAN), label), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_bounds_of_the_mean_are_exact(values: list[float]) -> None:
    found = mean_bounds(np.array(values), 0, 3)
    means = [filled.mean() for filled in fillings(np.array(values)[:, None])]
    assert (found.low, found.high) == pytest.approx((min(means), max(means)))
    assert (found.filled, found.labels) == (sum(v != v for v in values), len(values))


def test_mean_outside_the_scale_is_an_error_and_nothing_is_not_estimable() -> None:
    with pytest.raises(ValueError, match="outside 0 to 3"):
        mean_bounds(np.array([4.0]), 0, 3)
    assert mean_bounds(np.array([]), 0, 3) == (None, None, 0, 0, "no value")


def listed(seed: int) -> tuple[Floats, list[float]]:
    """Two raters of some units, up to four labels missing, and kappa for every way to fill them in."""
    rng = np.random.Generator(np.random.PCG64(seed))
    units = int(rng.integers(8, 25))
    x = rng.integers(0, 4, units)
    values = np.column_stack([x, (x + rng.integers(-1, 2, units)).clip(0, 3)]).astype(float)
    for unit in rng.choice(units, int(rng.integers(1, 5)), replace=False):
        values[unit, rng.integers(0, 2)] = NAN
    return values, [naive_kappa(filled) for filled in fillings(values)]


def test_bounds_of_kappa_are_fillings_and_nearly_always_the_ends() -> None:
    """Over 60 small tables: never outside what can be, and the end itself in at least 57."""
    ends = 0
    for seed in range(60):
        values, kappas = listed(seed)
        found = bounds(values)
        assert found.low is not None
        assert found.high is not None
        assert min(abs(found.low - k) for k in kappas) < 1e-9
        assert min(abs(found.high - k) for k in kappas) < 1e-9
        ends += abs(found.low - np.nanmin(kappas)) < 1e-9 and abs(found.high - np.nanmax(kappas)) < 1e-9
    assert ends >= 57


def test_bounds_reach_at_least_agreement_and_its_opposite() -> None:
    for seed in range(20):
        values, _ = listed(seed)
        found, missing = bounds(values), np.isnan(values)
        other = values[:, ::-1]
        agreeing = naive_kappa(np.where(missing, other, values))
        opposite = naive_kappa(np.where(missing, np.where(other < 1.5, 3.0, 0.0), values))
        assert (found.high or 0) >= agreeing - 1e-12
        assert (found.low or 0) <= opposite + 1e-12


def test_nothing_missing_is_kappa_itself() -> None:
    values = np.array([[0, 0], [1, 2], [3, 3], [1, 1.0], [2, 1]])
    found = bounds(values)
    expected = cohen_kappa_score(*values.T, labels=SCALE, weights="quadratic")
    assert (found.low, found.high) == pytest.approx((expected, expected))
    assert (found.filled, found.labels) == (0, 10)


def test_three_raters_and_weights() -> None:
    values = np.array([[0, 0, 1], [1, 2, NAN], [3, 3, 2], [NAN, 1, NAN], [NAN, NAN, NAN]])
    found = bounds(values)
    assert (found.filled, found.labels) == (3, 12)
    assert (found.low or 0) < (found.high or 0)
    doubled = bounds(np.repeat(values, 2, axis=0))
    weighted = bounds(values, np.full(5, 2.0))
    assert (weighted.low, weighted.high) == pytest.approx((found.low, found.high))
    assert (doubled.low or 0) <= (found.low or 0) + 1e-9


def test_more_missing_labels_are_never_narrower() -> None:
    values = np.array([[0, 0], [1, 2], [3, 3], [1, 1.0], [2, 1], [0, 1]])
    before = bounds(values)
    for unit in range(4):
        values[unit, unit % 2] = NAN
        after = bounds(values)
        assert (after.low or 0) <= (before.low or 0) + 1e-12
        assert (after.high or 0) >= (before.high or 0) - 1e-12
        before = after


def test_degenerate() -> None:
    assert bounds(np.full((2, 2), NAN)) == (None, None, 0, 0, "no unit was rated by two raters")
    assert bounds(np.ones((2, 1))).reason == "no unit was rated by two raters"
    assert bounds(np.ones((2, 2))).reason[:12] == "no variation"
    with pytest.raises(ValueError, match="not on the scale"):
        bounds(np.array([[0.5, 1.0]]))
