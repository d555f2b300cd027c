"""Krippendorff's alpha against its definition over pairs of ratings, and the krippendorff package."""

from collections.abc import Callable

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.stats.agreement import agreement
from polibias.stats.alpha import NEGATIVE, alphas
from polibias.stats.ratings import Family, Ratings

SCALE = (0.0, 1.0, 2.0, 3.5)
LEVELS = ("nominal", "ordinal", "interval", "ratio")

Rows = list[list[float | None]]


def rows(scale: tuple[float, ...] = SCALE, missing: bool = True, most: int = 8) -> st.SearchStrategy[Rows]:
    """Small tables of 2 to 4 raters, with missing ratings."""
    rating = st.sampled_from([*scale, *([None] if missing else [])])
    return st.integers(2, 4).flatmap(
        lambda k: st.lists(st.lists(rating, min_size=k, max_size=k), min_size=1, max_size=most)
    )


def rated(table: Rows, scale: tuple[float, ...] = SCALE, weights: list[float] | None = None) -> Ratings:
    """The table as ratings, each unit a cluster of its own."""
    values = np.array(table, dtype=float)
    return Ratings(
        values, scale, [f"{n:03d}" for n in range(len(table))], None if weights is None else np.array(weights)
    )


def turned(table: Rows) -> Rows:
    """The same ratings with units and raters in another order."""
    return [[*row[1:], row[0]] for row in reversed(table)]


NOTHING = Ratings(np.zeros((0, 2)), SCALE, [])


def values(family: Family) -> dict[str, float | None]:
    """The family's statistics over all units, None where undefined."""
    total = family.columns.sum(axis=0, keepdims=True)
    found = {name: float(defined.statistic(total)[0]) for name, defined in family.statistics.items()}
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def close(expected: dict[str, float | None]) -> dict[str, object]:
    return {name: None if value is None else pytest.approx(value, abs=1e-9) for name, value in expected.items()}


def naive(table: Rows, level: str) -> float | None:
    """One minus the mean distance of ratings within units over that of ratings drawn from all units."""
    units = [[value for value in row if value is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    pool = [value for unit in units for value in unit]

    def ordinal(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(1 for value in pool if low <= value <= high)
        return (between - (pool.count(low) + pool.count(high)) / 2) ** 2 if a != b else 0.0

    distance: dict[str, Callable[[float, float], float]] = {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: 0.0 if a == b else ((a - b) / (a + b)) ** 2,
    }
    apart = distance[level]
    expected = sum(apart(a, b) for i, a in enumerate(pool) for j, b in enumerate(pool) if i != j)
    if expected == 0:
        return None
    observed = sum(
        apart(a, b) / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    return 1 - (len(pool) - 1) * observed / expected


@given(rows())
@settings(max_examples=150, deadline=None)
def test_equals_the_definition_and_the_krippendorff_package(table: Rows) -> None:
    found = values(alphas(rated(table)))
    assert found == close({f"alpha_{level}": naive(table, level) for level in LEVELS})
    for level in LEVELS:
        if found[f"alpha_{level}"] is not None:
            data = np.array(table, dtype=float).T
            other = krippendorff.alpha(reliability_data=data, level_of_measurement=level, value_domain=list(SCALE))
            assert found[f"alpha_{level}"] == pytest.approx(other, abs=1e-9)


@given(rows())
@settings(max_examples=60, deadline=None)
def test_order_of_units_and_raters_and_empty_units_change_nothing(table: Rows) -> None:
    found = values(alphas(rated(table)))
    assert values(alphas(rated(turned(table)))) == close(found)
    assert values(alphas(rated([*table, [None] * len(table[0])]))) == close(found)


@given(rows())
@settings(max_examples=60, deadline=None)
def test_equal_weights_of_any_size_change_nothing(table: Rows) -> None:
    assert values(alphas(rated(table, weights=[7.3] * len(table)))) == close(values(alphas(rated(table))))


def test_doubling_unequal_weights_changes_nothing_but_they_matter() -> None:
    table: Rows = [[0, 1], [1, 1], [2, 3.5], [0, 0]]
    weights = [1.0, 2.5, 0.4, 1.0]
    found = values(alphas(rated(table, weights=weights)))
    assert values(alphas(rated(table, weights=[2 * weight for weight in weights]))) == close(found)
    assert found != close(values(alphas(rated(table))))


def test_a_unit_with_one_rating_does_not_count() -> None:
    family = alphas(rated([[0, 1, None], [None, 2, None], [1, 1, 3.5]]))
    assert values(family) == close(values(alphas(rated([[0, 1, None], [1, 1, 3.5]]))))
    assert {defined.n for defined in family.statistics.values()} == {2}


@pytest.mark.parametrize("missing", [None, 2.0])
def test_perfect_agreement_is_1(missing: float | None) -> None:
    table: Rows = [[0, 0, 0], [3.5, 3.5, 3.5], [2, 2, missing]]
    assert values(alphas(rated(table))) == close(dict.fromkeys(("alpha_" + level for level in LEVELS), 1.0))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 1], [1, 1]], "no variation"),
        ([[1, None], [None, 2]], "no unit was rated by two raters"),
        ([[None, None]], "no unit was rated by two raters"),
        ([[1], [2]], "no unit was rated by two raters"),
    ],
)
def test_undefined_says_why(table: Rows, reason: str) -> None:
    found = agreement(rated(table), 10, 1)
    assert {found[f"alpha_{level}"].value for level in LEVELS} == {None}
    assert all(reason in found[f"alpha_{level}"].reason for level in LEVELS)


def test_no_unit_at_all_is_undefined() -> None:
    assert set(values(alphas(NOTHING)).values()) == {None}


def test_ratio_distances_have_no_meaning_below_zero() -> None:
    found = agreement(rated([[-1, 0], [0, 0], [1, 1]], (-1.0, 0.0, 1.0)), 10, 1)
    assert (found["alpha_ratio"].value, found["alpha_ratio"].reason) == (None, NEGATIVE)
    assert found["alpha_interval"].value == pytest.approx(naive([[-1, 0], [0, 0], [1, 1]], "interval"))


def test_ordinal_distances_are_those_of_each_resample() -> None:
    """The mid-ranks come from the resampled margins: every row of sums is its own table."""
    tables: list[Rows] = [[[0, 1], [1, 1], [2, 3.5]], [[3.5, 3.5], [0, 2], [0, 1]], [[2, 0], [2, 2], [0, 0]]]
    families = [alphas(rated(table)) for table in tables]
    sums = np.vstack([family.columns.sum(axis=0) for family in families])
    found = families[0].statistics["alpha_ordinal"].statistic(sums)
    assert found == pytest.approx([naive(table, "ordinal") for table in tables])


def test_without_the_only_unit_that_varies_there_is_no_interval() -> None:
    """What is left of other categories when their only unit is subtracted is 0, not a rest of rounding."""
    table: Rows = [[0, 1, 1, 2], [1, 1, 1, 1], [1, 1, 1, None], [1, 1, 1, 1]]
    found = agreement(rated(table, weights=[0.1, 0.7, 0.3, 1.1]), 10, 1)
    for name in ("alpha_nominal", "alpha_ordinal", "fleiss_kappa"):
        assert "without one of the clusters" in found[name].reason
