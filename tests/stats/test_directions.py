"""The aggregated direction by the written rule, and its agreement against counting and a second library."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from polibias.stats.directions import direction_agreement, directions, net_scores, side_shares
from polibias.stats.estimate import Estimate

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent.parent / "cases" / "tests_reference.json").read_text("utf-8"))
}
SIDE = {"A": 1.0, "B": -1.0, "none": 0.0}
NAN = float("nan")
entries = st.tuples(st.integers(0, 3), st.sampled_from(list(SIDE)))
pairs = st.lists(st.lists(st.lists(entries, min_size=5, max_size=5), min_size=2, max_size=2), min_size=1, max_size=6)
named = st.lists(st.tuples(st.sampled_from(list(SIDE)), st.sampled_from(list(SIDE))), min_size=1, max_size=30)


def agreed(x: list[str], y: list[str], weights: list[float] | None = None) -> dict[str, Estimate]:
    first, second = (np.array([SIDE[name] for name in z]) for z in (x, y))
    names = ["one cluster"] * len(x)
    return direction_agreement(first, second, names, 20, 1, "row", None if weights is None else np.array(weights))


def naive_direction(orders: list[list[tuple[int, str]]]) -> str:
    """As the rule is written: A above 1, B below -1, else none."""
    nets = [sum(score * {"A": 1, "B": -1, "none": 0}[side] for score, side in order) for order in orders]
    net = sum(nets) / len(nets)
    if net > 1:
        return "A"
    return "B" if net < -1 else "none"


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_directions_equal_the_rule(found: list[list[list[tuple[int, str]]]]) -> None:
    scores = np.array([[[score for score, _ in order] for order in pair] for pair in found], dtype=float)
    sides = np.array([[[SIDE[side] for _, side in order] for order in pair] for pair in found])
    net = net_scores(scores, sides)
    assert directions(net).tolist() == [SIDE[naive_direction(pair)] for pair in found]
    assert directions(net_scores(scores, -sides)).tolist() == [-x for x in directions(net)]
    assert (net_scores(scores[:, ::-1], sides[:, ::-1]) == net).all()


def test_the_threshold_itself_is_none() -> None:
    found = directions(np.array([1.0, -1.0, 1.5, -1.5, 0.0]))
    assert found.tolist() == [0, 0, 1, -1, 0]


def test_a_pair_with_one_order_has_no_direction() -> None:
    scores, sides = np.full((2, 2, 5), 3.0), np.ones((2, 2, 5))
    scores[1, 1, 2] = NAN
    found = directions(net_scores(scores, sides))
    assert found[0] == 1
    assert math.isnan(found[1])


def test_an_unknown_side_is_an_error() -> None:
    with pytest.raises(ValueError, match="a side is not"):
        net_scores(np.ones((1, 1, 1)), np.full((1, 1, 1), 2.0))


@pytest.mark.parametrize("id", ["directions_eight", "directions_same_side"])
def test_reference(id: str) -> None:
    case = CASES[id]
    found = agreed(**case["input"])
    for name in ("kappa", "same_side"):
        if name in case["expected"]:
            assert found[name].value == pytest.approx(case["expected"][name], abs=case["tolerance"])
    assert found["same_side"].n == case["expected"].get("n", 5)


@given(named)
@settings(max_examples=60, deadline=None)
def test_agreement_equals_counting_and_sklearn(readings: list[tuple[str, str]]) -> None:
    x, y = ([reading[side] for reading in readings] for side in (0, 1))
    found = agreed(x, y)
    both = [(a, b) for a, b in readings if "none" not in (a, b)]
    same = found["same_side"]
    assert (same.value, same.n) == (pytest.approx(np.mean([a == b for a, b in both])) if both else None, len(both))
    if len(set(x) | set(y)) == 1:
        assert found["kappa"].value is None
    else:
        assert found["kappa"].value == pytest.approx(cohen_kappa_score(x, y, labels=list(SIDE)))
    shares = [side_shares(np.array([SIDE[a] for a in z]), ["c"] * len(z), 20, 1, "row") for z in (x, y)]
    expected = [share["favouring_a"].value for share in shares]
    difference = found["favouring_a_difference"]
    if None in expected:
        assert (difference.value, difference.reason) == (None, "one of the two never names a side")
    else:
        assert difference.value == pytest.approx((expected[0] or 0) - (expected[1] or 0))
    assert shares[0]["neutral"].value == pytest.approx(x.count("none") / len(x))


@given(named)
@settings(max_examples=30, deadline=None)
def test_renaming_the_sides_changes_nothing_but_who_is_favoured(readings: list[tuple[str, str]]) -> None:
    x, y = ([reading[side] for reading in readings] for side in (0, 1))
    other = {"A": "B", "B": "A", "none": "none"}
    found, turned = agreed(x, y), agreed([other[a] for a in x], [other[a] for a in y])
    for name in ("kappa", "same_side"):
        expected = found[name].value
        assert turned[name].value == (None if expected is None else pytest.approx(expected))
    lead = found["favouring_a_difference"].value
    assert turned["favouring_a_difference"].value == (None if lead is None else pytest.approx(-lead))


def test_a_weight_counts_like_so_many_pairs() -> None:
    x, y = ["A", "A", "B", "none"], ["A", "B", "B", "B"]
    weighted, repeated = agreed(x, y, [3, 1, 2, 1]), agreed([*"AAA", "A", *"BB", "none"], [*"AAA", "B", *"BB", "B"])
    assert weighted["kappa"].value == pytest.approx(repeated["kappa"].value)
    assert weighted["same_side"].value == pytest.approx(5 / 6)
    assert weighted["kappa"].effective_n == pytest.approx(49 / 15)


def test_share_of_a_counts_only_pairs_that_name_a_side() -> None:
    found = side_shares(np.array([1.0, 1.0, -1.0, 0.0, NAN]), list("abcde"), 20, 1, "row")
    assert (found["favouring_a"].value, found["favouring_a"].n) == (pytest.approx(2 / 3), 3)
    assert (found["neutral"].value, found["neutral"].n, found["neutral"].clusters) == (0.25, 4, 4)


def test_share_interval_is_clustered() -> None:
    """Twelve templates that each go one way: four pairs of each tell no more than one."""
    sides = np.repeat([1.0] * 8 + [-1.0] * 4, 4)
    clusters = [f"t{n // 4:02d}" for n in range(48)]
    one = side_shares(sides[::4], clusters[::4], 50, 1, "row")["favouring_a"]
    four = side_shares(sides, clusters, 50, 1, "row")["favouring_a"]
    assert (four.low, four.high) == pytest.approx((one.low, one.high))
    apart = side_shares(sides, [str(n) for n in range(48)], 50, 1, "row")["favouring_a"]
    assert (apart.low or 0) > (four.low or 0)


def test_nothing_named_is_not_estimable() -> None:
    zeros = np.zeros(3)
    found = side_shares(zeros, list("abc"), 20, 1, "row")
    assert (found["favouring_a"].value, found["favouring_a"].reason) == (None, "no pair names a side")
    assert found["neutral"].value == 1
    both = direction_agreement(zeros, np.ones(3), list("abc"), 20, 1, "row")
    assert (both["same_side"].reason, both["kappa"].value) == ("no pair in which both name a side", 0)
    none = direction_agreement(np.full(2, NAN), np.ones(2), list("ab"), 20, 1, "row")
    assert {name: estimate.value for name, estimate in none.items()} == dict.fromkeys(none)
    assert none["kappa"].reason == "no pair with a direction"
    assert side_shares(np.full(1, NAN), ["a"], 20, 1, "row")["neutral"].reason == "no pair with a direction"


def test_clusters_in_which_nobody_names_a_side_are_no_clusters_of_a_share() -> None:
    """They bring nothing to the sums, so value and interval are the same without them."""
    sides = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0, 0.0])
    clusters = list("aabbccde")
    found = side_shares(sides, clusters, 50, 1, "row")["favouring_a"]
    assert found == side_shares(sides[:6], clusters[:6], 50, 1, "row")["favouring_a"]
    assert (found.n, found.clusters) == (6, 3)
    other = np.array([1.0, -1.0, -1.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    both = direction_agreement(sides, other, clusters, 50, 1, "row")
    assert (both["same_side"].n, both["same_side"].clusters) == (5, 3)
    assert (both["favouring_a_difference"].clusters, both["kappa"].clusters) == (4, 5)
