"""The sign-flip test against counting by hand, and its random flips against the exact ones."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polibias.stats import signflip
from polibias.stats.signflip import sign_flip

CASES: list[dict[str, Any]] = [
    case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
    if case["id"].startswith("sign_flip")
]
whole_sums = st.lists(st.integers(-6, 6), min_size=1, max_size=8)


def naive(sums: list[int]) -> float:
    """The share of all flips whose total is as far from zero, in whole numbers."""
    totals = [abs(sum(s * x for s, x in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=len(sums))]
    return sum(total >= abs(sum(sums)) for total in totals) / len(totals)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference(case: dict[str, Any]) -> None:
    found = sign_flip(case["input"]["cluster_sums"], 1, "row")
    assert (found.p, found.floor) == pytest.approx((case["expected"]["p"], case["expected"]["floor"]))


@given(whole_sums)
@settings(max_examples=60, deadline=None)
def test_equals_the_definition(sums: list[int]) -> None:
    found = sign_flip([float(x) for x in sums], 1, "row")
    assert found.p == naive(sums)
    assert (found.clusters, found.flips, found.direction) == (len(sums), 2 ** len(sums), np.sign(sum(sums)))


def test_equals_scipy() -> None:
    sums = np.array([3.0, 1.0, -1.0, 2.0, 4.0, 0.5])
    other = stats.permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(sums, 1, "row").p == pytest.approx(other.pvalue)


@given(whole_sums, st.floats(0.01, 100))
@settings(max_examples=40, deadline=None)
def test_sign_and_unit_do_not_matter_and_rounding_breaks_no_tie(sums: list[int], unit: float) -> None:
    found = sign_flip([float(x) for x in sums], 1, "row")
    other = sign_flip([-unit * x / 3 for x in sums], 1, "row")
    assert (other.p, other.floor, other.direction) == (found.p, found.floor, -found.direction)
    assert found.p is not None
    assert found.floor <= found.p <= 1


def test_rounding_error_is_a_tie_not_a_direction() -> None:
    """0.1 + 0.2 - 0.3 is not zero in binary; it has to count as zero."""
    found = sign_flip([0.1, 0.2, -0.3], 1, "row")
    assert (found.p, found.direction) == (1.0, 0)


def test_a_zero_cluster_raises_the_floor() -> None:
    """It flips to itself, so five clusters one of which is zero can reach only what four can."""
    found = sign_flip([1.0, 1.0, 1.0, 1.0, 0.0], 1, "row")
    assert (found.p, found.floor, found.clusters) == (0.125, 0.125, 5)


def test_random_flips_come_near_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.random.Generator(np.random.PCG64(3)).normal(0.3, 1, 14)
    exact = sign_flip(sums, 1, "row")
    monkeypatch.setattr(signflip, "MOST_EXACT", 10)
    random = sign_flip(sums, 1, "row", 40_000)
    assert exact.p is not None
    assert random.p == pytest.approx(exact.p, abs=4 * (exact.p * (1 - exact.p) / 40_000) ** 0.5)
    assert random.p != exact.p


def test_random_p_is_never_zero_and_says_its_floor() -> None:
    found = sign_flip(np.ones(70), 1, "row", 999)
    assert (found.p, found.floor, found.flips) == (0.001, 0.001, 999)


def test_random_flips_have_a_stream_per_row_and_no_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.random.Generator(np.random.PCG64(4)).normal(0.1, 1, 70)
    found = sign_flip(sums, 1, "row", 5_000)
    assert sign_flip(sums, 1, "other", 5_000).p != found.p
    monkeypatch.setattr(signflip, "BLOCK", 700)
    assert sign_flip(sums, 1, "row", 5_000) == found


def test_golden_random_flips() -> None:
    """Pinned: a change of algorithm would change published p-values."""
    assert sign_flip(np.arange(-8.0, 12.0), 20280101, "row", 999).p == GOLDEN


GOLDEN = 0.294


def test_random_flips_are_even() -> None:
    blocks = np.concatenate(list(signflip._random_flips(9, 65, 20_000)))
    assert blocks.shape == (20_000, 65)
    assert np.abs(blocks.mean(axis=0) - 0.5).max() < 5 * 0.5 / 20_000**0.5
    assert np.abs(np.corrcoef(blocks[:, ::8].T) - np.eye(9)).max() < 6 / 20_000**0.5


def test_nothing_is_not_a_p_value() -> None:
    assert sign_flip([], 1, "row")[::6] == (None, "no cluster")


def test_not_a_number_is_an_error() -> None:
    with pytest.raises(ValueError, match="not finite"):
        sign_flip([1.0, float("nan")], 1, "row")
