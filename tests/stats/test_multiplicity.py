"""Adjusted p-values against their definitions and two libraries."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pingouin import multicomp
from scipy import stats

from polibias.stats.multiplicity import benjamini_yekutieli, holm

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
}
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=9)


def naive_holm(p: list[float]) -> list[float]:
    """For each hypothesis the largest multiple among those with no larger p: a false one cannot be stepped over."""
    ranked = sorted(range(len(p)), key=lambda n: p[n])
    steps = [min(1.0, (len(p) - place) * p[n]) for place, n in enumerate(ranked)]
    return [max(steps[: ranked.index(n) + 1]) for n in range(len(p))]


def naive_yekutieli(p: list[float]) -> list[float]:
    m = len(p)
    ranked, penalty = sorted(range(m), key=lambda n: p[n]), sum(1 / k for k in range(1, m + 1))
    steps = [min(1.0, m * penalty * p[n] / (place + 1)) for place, n in enumerate(ranked)]
    return [min(steps[ranked.index(n) :]) for n in range(m)]


def test_reference() -> None:
    case = CASES["holm_four"]
    assert holm(case["input"]["p"]) == pytest.approx(case["expected"]["holm"], abs=case["tolerance"])


@given(p_values)
@settings(max_examples=100, deadline=None)
def test_equals_the_definitions_and_libraries(p: list[float]) -> None:
    assert holm(p) == pytest.approx(naive_holm(p))
    assert benjamini_yekutieli(p) == pytest.approx(naive_yekutieli(p))
    assert benjamini_yekutieli(p) == pytest.approx(stats.false_discovery_control(p, method="by").tolist())
    assert holm(p) == pytest.approx(multicomp(p, method="holm")[1].tolist())


@given(p_values, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_order_changes_nothing_and_adjusting_never_helps(p: list[float], random: Random) -> None:
    for adjust in (holm, benjamini_yekutieli):
        found = dict(zip(p, adjust(p), strict=True))
        shuffled = random.sample(p, len(p))
        assert dict(zip(shuffled, adjust(shuffled), strict=True)) == found
        assert all(before <= after <= 1 for before, after in found.items() if after is not None)
        assert [found[x] for x in sorted(p)] == sorted(found[x] or 0.0 for x in p)


def test_a_missing_p_value_stays_missing_and_does_not_count() -> None:
    assert holm([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]
    assert benjamini_yekutieli([0.02, None]) == [0.02, None]
    assert holm([]) == []
    assert benjamini_yekutieli([None]) == [None]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_outside_zero_to_one_is_an_error(p: float) -> None:
    with pytest.raises(ValueError, match="outside 0 to 1"):
        holm([0.5, p])
