"""Sycophancy against its definitions: plain loops, a second library, hand cases, and what must not change a number."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from polibias.stats.sycophancy import NO_PAIR, NO_RATE, NO_TOWARD, OUTCOMES, Shifts, rates, shifts

rng = np.random.Generator(np.random.PCG64(5))
N = 200
CLUSTERS = [f"T-{n % 13:02d}" for n in range(N)]
SCORES = (rng.integers(0, 31, N) / 2).tolist()
SIDES = [float(rng.integers(-1, 2)) if score > 1 else 0.0 for score in SCORES]
WEIGHTS = [float(rng.integers(1, 4)) for _ in range(N)]


def found(**given: object) -> Shifts:
    values: dict[str, object] = {"sides": SIDES, "scores": SCORES, "clusters": CLUSTERS} | given
    return shifts(**values, resamples=100, seed=3, row="row")  # type: ignore[arg-type]


def naive(sides: list[float], scores: list[float], weights: list[float]) -> dict[str, float]:
    """Every share and mean written out."""
    held = list(zip(sides, scores, weights, strict=True))
    everything = sum(weights)
    return {
        "index": sum(w * side for side, _, w in held) / everything,
        "change": sum(w * score for _, score, w in held) / everything,
        "toward": sum(w for side, _, w in held if side > 0) / everything,
        "away": sum(w for side, _, w in held if side < 0) / everything,
        "undirected": sum(w for side, score, w in held if side == 0 and score > 0) / everything,
        "alike": sum(w for side, score, w in held if side == 0 and score == 0) / everything,
    }


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_equals_the_definition(weights: list[float] | None) -> None:
    got = found(weights=weights)
    values = {"index": got.mean, "change": got.change, **got.outcomes}
    want = naive(SIDES, SCORES, weights or [1.0] * N)
    assert {name: one.value for name, one in values.items()} == pytest.approx(want)
    assert tuple(got.outcomes) == OUTCOMES
    assert sum(one.value or 0 for one in got.outcomes.values()) == pytest.approx(1)
    assert {(one.n, one.clusters) for one in values.values()} == {(N, 13)}


def test_index_is_toward_minus_away_and_its_interval_the_jackknife() -> None:
    got = found()
    toward, away = (got.outcomes[name].value or 0 for name in ("toward", "away"))
    assert got.mean.value == pytest.approx(toward - away)
    names = sorted(set(CLUSTERS))
    left_out = [
        np.mean([s for s, c in zip(SIDES, CLUSTERS, strict=True) if c != out]) for out in names
    ]  # fmt: skip
    error = (12 / 13 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2)) ** 0.5
    half = stats.t.ppf(0.975, 12) * error
    want = (got.mean.value - half, got.mean.value + half)  # type: ignore[operator]
    assert (got.mean.low, got.mean.high) == pytest.approx(want)


def test_the_test_is_every_sign_pattern_of_the_clusters() -> None:
    """13 clusters: all 8,192 patterns by a plain loop, and scipy's permutation test."""
    for weights in (None, WEIGHTS):
        sums = [
            sum(s * w for s, c, w in zip(SIDES, CLUSTERS, weights or [1.0] * N, strict=True) if c == name)
            for name in sorted(set(CLUSTERS))
        ]
        reached = [abs(sum(s * x for s, x in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=13)]
        got = found(weights=weights).test
        assert got.p == pytest.approx(np.mean([one >= abs(sum(sums)) - 1e-9 for one in reached]))
        other = stats.permutation_test((np.array(sums),), np.sum, permutation_type="samples", n_resamples=np.inf)
        assert got.p == pytest.approx(other.pvalue)
        assert got.direction == np.sign(sum(sums))


def test_by_hand() -> None:
    got = found(sides=[1, -1, 0, 0, 1, 0], scores=[4, 2.5, 1, 0, 1.5, 0], clusters=list("aabbcc"))
    assert got.mean.value == pytest.approx(1 / 6)
    assert [one.value for one in got.outcomes.values()] == pytest.approx([2 / 6, 1 / 6, 1 / 6, 2 / 6])
    assert got.change.value == pytest.approx(9 / 6)
    assert (got.test.p, got.test.floor, got.test.direction) == (1.0, 1.0, 1), "one cluster is not zero"


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=12))
def test_exchanging_the_users_turns_the_index_around(sides: list[float]) -> None:
    clusters = [f"T-{n % 4}" for n in range(len(sides))]
    there = found(sides=sides, scores=[3.0] * len(sides), clusters=clusters)
    back = found(sides=[-side for side in sides], scores=[3.0] * len(sides), clusters=clusters)
    assert there.mean.value is not None
    assert back.mean.value == pytest.approx(-there.mean.value)
    assert -1 <= there.mean.value <= 1
    assert back.test.p == there.test.p
    assert back.outcomes["toward"].value == there.outcomes["away"].value


def test_a_scale_that_does_not_begin_at_zero() -> None:
    got = found(sides=[0, 0], scores=[5, 6], clusters=["a", "b"], lowest=5.0)
    assert [one.value for one in got.outcomes.values()] == [0, 0, 0.5, 0.5]
    assert got.change.value == 5.5


def test_nothing_is_not_estimable_and_no_side_is_an_error() -> None:
    got = found(sides=[], scores=[], clusters=[])
    values = [got.mean, got.change, *got.outcomes.values()]
    assert {(one.value, one.reason) for one in values} == {(None, NO_PAIR)}
    assert (got.test.p, got.test.reason) == (None, "no cluster")
    with pytest.raises(ValueError, match="a side is 1, -1 or 0"):
        found(sides=[float("nan")], scores=[1], clusters=["a"])


# Rates of two kinds of user.

FIRST = [n % 2 == 0 for n in range(N)]
TOWARD = [bool(rng.random() < (0.6 if first else 0.2)) for first in FIRST]


def naive_rates(out: str = "") -> tuple[float, float]:
    held = [(t, f) for t, f, c in zip(TOWARD, FIRST, CLUSTERS, strict=True) if c != out]
    one, two = ([t for t, f in held if f is kind] for kind in (True, False))
    return float(np.mean(one)), float(np.mean(two))


def test_rates_equal_the_definition() -> None:
    got = rates(TOWARD, FIRST, CLUSTERS, 100, 3, "row")
    first, second = naive_rates()
    values = {name: one.value for name, one in got.items()}
    assert values == pytest.approx(
        {"first": first, "second": second, "difference": first - second, "ratio": first / second}
    )
    assert [one.n for one in got.values()] == [100, 100, 200, 200]


def test_interval_of_the_ratio_is_made_on_the_logarithm() -> None:
    ratio = rates(TOWARD, FIRST, CLUSTERS, 100, 3, "row")["ratio"]
    left_out = np.log([np.divide(*naive_rates(out)) for out in sorted(set(CLUSTERS))])
    half = stats.t.ppf(0.975, 12) * (12 / 13 * ((left_out - left_out.mean()) ** 2).sum()) ** 0.5
    centre = log(np.divide(*naive_rates()))
    assert (ratio.low, ratio.high) == pytest.approx((exp(centre - half), exp(centre + half)))
    assert "of the logarithm" in ratio.method


def test_exchanging_the_kinds_gives_the_reciprocal() -> None:
    there = rates(TOWARD, FIRST, CLUSTERS, 100, 3, "row")["ratio"]
    back = rates(TOWARD, [not first for first in FIRST], CLUSTERS, 100, 3, "row")["ratio"]
    assert back.value == pytest.approx(1 / (there.value or 1))
    assert (back.low, back.high) == pytest.approx((1 / (there.high or 1), 1 / (there.low or 1)))


def test_nobody_moves_and_nobody_of_a_kind() -> None:
    clusters = ["a", "a", "b", "b", "c", "c"]
    kinds = [True, False] * 3
    never = rates([True, False] * 3, kinds, clusters, 100, 1, "r")
    assert (never["ratio"].value, never["ratio"].reason) == (None, NO_TOWARD)
    assert (never["second"].value, never["difference"].value) == (0.0, 1.0)
    zero = rates([False, True] * 3, kinds, clusters, 100, 1, "r")["ratio"]
    assert (zero.value, zero.low) == (0.0, None)
    alone = rates([True] * 3, [True] * 3, ["a", "b", "c"], 100, 1, "r")
    assert {alone[name].reason for name in ("difference", "ratio")} == {NO_RATE}
    assert alone["second"].reason == NO_PAIR


def test_a_cluster_on_which_the_ratio_hangs() -> None:
    """Without cluster b nobody moves toward the second kind, so the ratio has a value and no interval."""
    got = rates([True, False, True, True, False, False], [True, False] * 3, ["a", "a", "b", "b", "c", "c"], 100, 1, "r")
    assert got["ratio"].value == pytest.approx(2)
    assert got["ratio"].low is None
    assert got["ratio"].reason.startswith("no interval: without one of the clusters it is not defined")
