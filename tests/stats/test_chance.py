"""AC1, AC2 and Fleiss's kappa against their definitions, statsmodels and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from statsmodels.stats.inter_rater import fleiss_kappa

from polibias.stats.agreement import agreement
from polibias.stats.alpha import category_counts
from polibias.stats.chance import ONE_CATEGORY, chance_corrected
from tests.stats.test_alpha import NOTHING, SCALE, Rows, close, rated, rows, turned, values

NAMES = ("ac1", "ac2_quadratic", "fleiss_kappa")


def naive(table: Rows, scale: tuple[float, ...], name: str) -> float | None:
    """(observed - chance agreement) / (1 - chance agreement), with agreement weights from the scale."""
    size, longest = len(scale), max(scale) - min(scale)

    def weight(a: float, b: float) -> float:
        return 1 - ((a - b) / longest) ** 2 if name == "ac2_quadratic" else float(a == b)

    units = [[value for value in row if value is not None] for row in table]
    agreed = [
        sum(weight(a, b) for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j)
        / len(unit)
        / (len(unit) - 1)
        for unit in units
        if len(unit) > 1
    ]
    if not agreed:
        return None
    shares = [[unit.count(category) / len(unit) for unit in units if unit] for category in scale]
    prevalence = [sum(share) / len(share) for share in shares]
    if name == "fleiss_kappa":
        chance = sum(p**2 for p in prevalence)
    else:
        total = sum(weight(a, b) for a in scale for b in scale)
        chance = total / (size * (size - 1)) * sum(p * (1 - p) for p in prevalence)
    return None if abs(1 - chance) < 1e-12 else (sum(agreed) / len(agreed) - chance) / (1 - chance)


@given(rows())
@settings(max_examples=150, deadline=None)
def test_equals_the_definition(table: Rows) -> None:
    assert values(chance_corrected(rated(table))) == close({name: naive(table, SCALE, name) for name in NAMES})


@given(rows(missing=False))
@settings(max_examples=60, deadline=None)
def test_complete_ratings_give_the_fleiss_kappa_of_statsmodels(table: Rows) -> None:
    ratings = rated(table)
    found = values(chance_corrected(ratings))["fleiss_kappa"]
    if found is not None:
        assert found == pytest.approx(fleiss_kappa(category_counts(ratings)), abs=1e-9)


@given(rows())
@settings(max_examples=60, deadline=None)
def test_order_of_units_and_raters_and_empty_units_and_equal_weights_change_nothing(table: Rows) -> None:
    found = values(chance_corrected(rated(table)))
    assert values(chance_corrected(rated(turned(table)))) == close(found)
    assert values(chance_corrected(rated(table, weights=[7.3] * len(table)))) == close(found)
    assert values(chance_corrected(rated([*table, [None] * len(table[0])]))) == close(found)


def test_a_weight_of_two_is_the_unit_twice() -> None:
    """No factor for small samples is in them, so weights are frequencies too."""
    once: Rows = [[0, 1, None], [2, 2, 2], [None, 3.5, None]]
    weighted = values(chance_corrected(rated(once, weights=[2, 1, 3])))
    assert weighted == close(values(chance_corrected(rated([once[0], *once, once[2], once[2]]))))


def test_perfect_agreement_is_1() -> None:
    table: Rows = [[0, 0, 0], [3.5, 3.5, None], [2, 2, 2]]
    assert values(chance_corrected(rated(table))) == close(dict.fromkeys(NAMES, 1.0))


def test_constant_ratings_leave_fleiss_kappa_undefined_and_gwets_coefficients_1() -> None:
    found = agreement(rated([[1, 1], [1, 1], [1, 1]]), 10, 1)
    assert [found[name].value for name in NAMES] == [1.0, 1.0, None]
    assert "no variation" in found["fleiss_kappa"].reason


@pytest.mark.parametrize("table", [[[None, None]], [[1], [2]], [[1, None], [None, 2]]])
def test_no_unit_with_two_ratings_is_undefined(table: Rows) -> None:
    found = agreement(rated(table), 10, 1)
    assert {(found[name].value, found[name].reason) for name in NAMES} == {(None, "no unit was rated by two raters")}


def test_no_unit_at_all_is_undefined() -> None:
    assert set(values(chance_corrected(NOTHING)).values()) == {None}


def test_one_unit_has_values_but_no_interval() -> None:
    """AC1 = (0 - 2/12) / (1 - 2/12) on four categories, each rating alone in its own."""
    found = agreement(rated([[0, 1]]), 10, 1)
    assert found["ac1"].value == pytest.approx(-0.2)
    assert (found["fleiss_kappa"].value, found["fleiss_kappa"].low) == (-1.0, None)


def test_a_scale_of_one_category_has_no_chance() -> None:
    found = agreement(rated([[1, 1], [1, 1]], (1.0,)), 10, 1)
    assert [found[name].value for name in NAMES] == [None, None, None]
    assert found["ac1"].reason == ONE_CATEGORY


def test_an_unused_category_counts() -> None:
    """Chance agreement spreads over the whole scale, used or not."""
    table: Rows = [[0, 1], [1, 1], [0, 0]]
    wide, narrow = (values(chance_corrected(rated(table, scale))) for scale in ((0.0, 1.0, 2.0), (0.0, 1.0)))
    assert wide["ac1"] != pytest.approx(narrow["ac1"])
    assert wide["fleiss_kappa"] == pytest.approx(narrow["fleiss_kappa"])


def test_disagreement_of_two_raters_who_prefer_different_categories_is_what_gwet_says() -> None:
    """The kappa paradox: 85% agreement and one rare category; AC1 stays near the agreement, kappa does not."""
    table: Rows = [[1, 1]] * 80 + [[0, 1]] * 10 + [[1, 0]] * 5 + [[0, 0]] * 5
    found = agreement(rated(table, (0.0, 1.0)), 10, 1)
    assert (found["kappa"].value, found["ac1"].value) == pytest.approx((0.31818, 0.80801), abs=1e-5)
    assert np.isclose(found["exact"].value or 0, 0.85)
