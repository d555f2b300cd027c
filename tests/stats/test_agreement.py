"""Agreement against the definition, published values and a second library."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from polibias.stats.agreement import agreement
from polibias.stats.ratings import Ratings

SCALE = (0.0, 1.0, 2.0, 3.0)
pairs = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=1, max_size=40)


def rated(values: list[tuple[float, ...]], scale: tuple[float, ...] = SCALE) -> dict[str, float | None]:
    ratings = Ratings(np.array(values, dtype=float), scale, [str(n) for n in range(len(values))])
    return {name: found.value for name, found in agreement(ratings, 10, 1).items()}


def naive_kappa(values: list[tuple[float, float]], power: int | None) -> float | None:
    """Cohen's weighted kappa as he defines it: one minus observed over chance disagreement."""

    def apart(a: float, b: float) -> float:
        return float(a != b) if power is None else abs(a - b) ** power

    n = len(values)
    observed = sum(apart(a, b) for a, b in values) / n
    expected = sum(apart(a, b) for a, _ in values for _, b in values) / n**2
    return None if expected == 0 else 1 - observed / expected


@given(pairs)
@settings(max_examples=100, deadline=None)
def test_equals_the_definition_and_sklearn(values: list[tuple[float, float]]) -> None:
    found = rated(values)
    x, y = ([int(pair[side]) for pair in values] for side in (0, 1))
    for name, power, weights in (
        ("kappa", None, None),
        ("kappa_linear", 1, "linear"),
        ("kappa_quadratic", 2, "quadratic"),
    ):
        expected = naive_kappa(values, power)
        if expected is None:
            assert found[name] is None
            continue
        assert found[name] == pytest.approx(expected, abs=1e-12)
        assert found[name] == pytest.approx(cohen_kappa_score(x, y, labels=[0, 1, 2, 3], weights=weights), abs=1e-12)
    assert found["exact"] == pytest.approx(np.mean([a == b for a, b in values]))
    assert found["within_one"] == pytest.approx(np.mean([abs(a - b) <= 1 for a, b in values]))
    assert found["mean_difference"] == pytest.approx(np.mean([a - b for a, b in values]))


@given(pairs)
@settings(max_examples=30, deadline=None)
def test_exchanging_raters_changes_nothing_but_the_sign(values: list[tuple[float, float]]) -> None:
    there, back = rated(values), rated([(b, a) for a, b in values])
    assert there.pop("mean_difference") == pytest.approx(-(back.pop("mean_difference") or 0.0))
    assert there == {name: value if value is None else pytest.approx(value) for name, value in back.items()}


def test_absent_category_keeps_its_weight() -> None:
    """A category that nobody used must not shrink the scale: 22/31, not 16/21."""
    x, y = [0, 0, 1, 1, 3, 3, 3, 0, 1, 3], [0, 1, 1, 3, 3, 3, 1, 0, 1, 3]
    assert rated(list(zip(x, y, strict=True)))["kappa_quadratic"] == pytest.approx(22 / 31)


def test_published_value_cohen_1960() -> None:
    """Cohen's (1960) table of 200 cases in three categories: kappa 0.492 after rounding of its proportions."""
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    values = [(float(i), float(j)) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    assert rated(values, (0.0, 1.0, 2.0))["kappa"] == pytest.approx(0.492, abs=5e-4)


@pytest.mark.parametrize("values", [[(1.0, 1.0)] * 4, [(0.0, 0.0)]])
def test_constant_ratings_are_undefined_not_perfect(values: list[tuple[float, float]]) -> None:
    found = rated(values)
    assert (found["kappa"], found["exact"]) == (None, 1.0)


def test_one_constant_rater_has_kappa_zero() -> None:
    assert rated([(1.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0)])["kappa_quadratic"] == 0.0


def test_three_raters_are_averaged_over_their_pairs_and_missing_is_left_out() -> None:
    nan = float("nan")
    values = [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (2.0, 3.0, nan), (3.0, nan, nan), (3.0, 3.0, 2.0)]
    columns = list(zip(*values, strict=True))
    each = [
        naive_kappa([(a, b) for a, b in zip(columns[i], columns[j], strict=True) if a == a and b == b], 2)
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert rated(values)["kappa_quadratic"] == pytest.approx(np.mean([value for value in each if value is not None]))


def test_value_off_the_scale_is_an_error() -> None:
    with pytest.raises(ValueError, match="9 is not on the scale 0, 1, 2, 3"):
        rated([(0.0, 9.0)])
