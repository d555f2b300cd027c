"""Intraclass correlations against an analysis of variance in exact fractions, and pingouin."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f

from polibias.stats.agreement import agreement
from polibias.stats.icc import FEW_RATERS, FEW_UNITS, NO_LIMITS, NO_SPREAD, UNEQUAL, f_intervals, icc
from tests.stats.test_alpha import NOTHING, Rows, close, rated, rows, turned, values

SCALE = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
NAMES = {"icc_1_1": "ICC(1,1)", "icc_a_1": "ICC(A,1)", "icc_c_1": "ICC(C,1)"}
NAMES |= {"icc_1_k": "ICC(1,k)", "icc_a_k": "ICC(A,k)", "icc_c_k": "ICC(C,k)"}


def over(top: Fraction, bottom: Fraction) -> float | None:
    return float(top / bottom) if bottom else None


def naive(table: Rows) -> dict[str, float | None]:
    """The six forms from the four mean squares of the complete units, without rounding."""
    data = [[Fraction(value) for value in row if value is not None] for row in table if None not in row]
    n, k = len(data), len(table[0]) if table else 0
    if n < 2 or k < 2:
        return dict.fromkeys(NAMES)
    mean = sum(map(sum, data), Fraction()) / (n * k)
    unit, rater = [sum(row) / k for row in data], [sum(column) / n for column in zip(*data, strict=True)]
    msr = k * sum((m - mean) ** 2 for m in unit) / Fraction(n - 1)
    msc = n * sum((m - mean) ** 2 for m in rater) / Fraction(k - 1)
    msw = sum((data[i][j] - unit[i]) ** 2 for i in range(n) for j in range(k)) / Fraction(n * (k - 1))
    rest = sum((data[i][j] - unit[i] - rater[j] + mean) ** 2 for i in range(n) for j in range(k))
    mse = rest / Fraction((n - 1) * (k - 1))
    return {
        "icc_1_1": over(msr - msw, msr + (k - 1) * msw),
        "icc_a_1": over(msr - mse, msr + (k - 1) * mse + Fraction(k, n) * (msc - mse)),
        "icc_c_1": over(msr - mse, msr + (k - 1) * mse),
        "icc_1_k": over(msr - msw, msr),
        "icc_a_k": over(msr - mse, msr + (msc - mse) / n),
        "icc_c_k": over(msr - mse, msr),
    }


@given(rows(SCALE))
@settings(max_examples=150, deadline=None)
def test_equals_the_analysis_of_variance(table: Rows) -> None:
    assert values(icc(rated(table, SCALE))) == close(naive(table))


@st.composite
def plausible(draw: st.DrawFn) -> Rows:
    """Units that differ, with raters who differ a little: no mean square is 0."""
    seed = draw(st.integers(0, 10_000))
    generator = np.random.Generator(np.random.PCG64(seed))
    n, k = draw(st.integers(5, 15)), draw(st.integers(2, 4))
    level = generator.normal(1.5, 1.2, (n, 1)) + generator.normal(0, 0.5, (n, k)) + generator.normal(0, 0.2, (1, k))
    rounded: Rows = np.clip(np.round(level * 2) / 2, 0, 3).tolist()
    return rounded


FINE = tuple(np.arange(0, 3.5, 0.5).tolist())


def by_pingouin(table: Rows) -> pd.DataFrame:
    long = [(unit, rater, value) for unit, row in enumerate(table) for rater, value in enumerate(row)]
    frame = pd.DataFrame(long, columns=["unit", "rater", "value"])
    return pingouin.intraclass_corr(frame, "unit", "rater", "value").set_index("Type")


@pytest.mark.filterwarnings("ignore")
@given(plausible())
@settings(max_examples=25, deadline=None)
def test_values_and_f_intervals_are_those_of_pingouin(table: Rows) -> None:
    """Pingouin rounds limits to two places, and prints limits that leave the value out where we give none."""
    ratings, other = rated(table, FINE), by_pingouin(table)
    limits = f_intervals(ratings)
    for name, value in values(icc(ratings)).items():
        assert value == pytest.approx(other["ICC"][NAMES[name]], abs=1e-9)
        low, high = other["CI95"][NAMES[name]]
        if limits[name].low is None:
            assert not low <= value <= high
        else:
            assert (limits[name].low, limits[name].high) == pytest.approx((low, high), abs=0.00501)


def test_f_interval_of_one_way_and_consistency_is_that_of_the_ratio_of_mean_squares() -> None:
    """F limits of C,k: 1 - F(.975; 5, 15) / F and 1 - 1 / (F · F(.975; 15, 5)), F = 11.24 / 1.02."""
    table: Rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = f_intervals(rated(table, tuple(map(float, range(1, 11)))))["icc_c_k"]
    ratio = 11.241666666666667 / 1.0194444444444444
    low, high = 1 - f.ppf(0.975, 5, 15) / ratio, 1 - 1 / (ratio * f.ppf(0.975, 15, 5))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_f_interval_stands_beside_the_engines() -> None:
    ratings = rated([[0, 1], [1, 1], [2, 3], [3, 3], [0, 0]], SCALE)
    found = agreement(ratings, 10, 1)["icc_a_1"]
    assert [interval.method.split()[0] for interval in found.beside] == ["percentile", "F"]
    assert found.beside[1] == f_intervals(ratings)["icc_a_1"]
    assert found.method.startswith("cluster jackknife-t of Fisher's z")


@given(rows(SCALE))
@settings(max_examples=60, deadline=None)
def test_order_of_units_and_raters_and_empty_units_and_equal_weights_change_nothing(table: Rows) -> None:
    found = values(icc(rated(table, SCALE)))
    assert values(icc(rated(turned(table), SCALE))) == close(found)
    assert values(icc(rated(table, SCALE, weights=[7.3] * len(table)))) == close(found)
    assert values(icc(rated([*table, [None] * len(table[0])], SCALE))) == close(found)


def test_doubling_unequal_weights_changes_nothing_but_they_matter_and_end_the_f_interval() -> None:
    table: Rows = [[0, 1], [1, 1], [2, 3], [3, 3], [0, 0]]
    weights = [1.0, 2.5, 0.4, 1.0, 3.0]
    found = values(icc(rated(table, SCALE, weights=weights)))
    assert values(icc(rated(table, SCALE, weights=[2 * weight for weight in weights]))) == close(found)
    assert found != close(values(icc(rated(table, SCALE))))
    assert {interval.reason for interval in f_intervals(rated(table, SCALE, weights=weights)).values()} == {UNEQUAL}


def test_a_scale_far_from_zero_loses_no_digit() -> None:
    """Sums of squares of raw values around a million would keep two."""
    far = tuple(value + 1e6 for value in SCALE)
    table: Rows = [[0, 1, 0.5], [1, 1, 2], [2, 3, 3], [3, 3, 1.5], [0, 0, 1]]
    moved: Rows = [[value + 1e6 for value in row if value is not None] for row in table]
    assert values(icc(rated(moved, far))) == values(icc(rated(table, SCALE)))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 1], [1, 1], [1, 1]], NO_SPREAD),
        ([[0, 1], [None, 1], [2, None]], FEW_UNITS),
        ([[0, 1]], FEW_UNITS),
        ([[None, None], [None, None]], FEW_UNITS),
        ([[0], [1], [2]], FEW_RATERS),
    ],
)
def test_undefined_says_why_and_has_no_interval_beside(table: Rows, reason: str) -> None:
    found = agreement(rated(table, SCALE), 10, 1)
    assert {(found[name].value, found[name].reason, found[name].beside) for name in NAMES} == {(None, reason, ())}


def test_no_unit_at_all_is_undefined() -> None:
    assert set(values(icc(NOTHING)).values()) == {None}
    assert f_intervals(NOTHING) == {}


def test_units_with_equal_means_leave_the_mean_of_raters_undefined() -> None:
    found = agreement(rated([[0, 3], [3, 0], [1, 2]], SCALE), 10, 1)
    assert (found["icc_1_1"].value, found["icc_c_1"].value) == pytest.approx((-1.0, -1.0))
    assert (found["icc_1_k"].value, found["icc_c_k"].value) == (None, None)
    assert found["icc_1_k"].reason == NO_SPREAD


def test_perfect_agreement_is_1_without_f_limits() -> None:
    ratings = rated([[0, 0], [3, 3], [2, 2], [1, None]], SCALE)
    assert values(icc(ratings)) == close(dict.fromkeys(NAMES, 1.0))
    assert {interval.reason for interval in f_intervals(ratings).values()} == {NO_LIMITS}
    assert agreement(ratings, 10, 1)["icc_a_1"].n == 3
