"""Paired contrasts and two ways of clustering against plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.contrasts import Paired, both_ways, gaps, paired, wider
from polibias.stats.estimate import Estimate
from polibias.stats.resampling import bootstrap_counts, stream_seed

rng = np.random.Generator(np.random.PCG64(11))
ITEMS = [f"p{n:03d}" for n in range(120)]
FIRST = dict(zip(ITEMS, (rng.integers(0, 31, 120) / 2).tolist(), strict=True))
SECOND = {item: FIRST[item] + float(rng.integers(-4, 7)) / 2 for item in ITEMS[10:]}
CLUSTER = {item: f"t{rng.integers(0, 25):02d}" for item in ITEMS}
WEIGHT = {item: float(rng.integers(1, 5)) for item in ITEMS}


def contrast(first: dict[str, float], second: dict[str, float], resamples: int = 50, **options: object) -> Paired:
    return paired(first, second, CLUSTER, resamples, 3, "row", **options)  # type: ignore[arg-type]


def difference(counts: dict[str, float]) -> float:
    """Weighted mean of the items' differences, each cluster taken so many times, by plain loops."""
    top = bottom = 0.0
    for item in ITEMS:
        if item in FIRST and item in SECOND:
            top += counts[CLUSTER[item]] * WEIGHT[item] * (FIRST[item] - SECOND[item])
            bottom += counts[CLUSTER[item]] * WEIGHT[item]
    return top / bottom


def test_equals_the_definition() -> None:
    """Value, jackknife-t and percentile interval of a weighted contrast over the common items."""
    found = contrast(FIRST, SECOND, 300, weights=WEIGHT)
    names = sorted({CLUSTER[item] for item in SECOND})
    value = difference(dict.fromkeys(names, 1.0))
    left_out = [difference({name: float(name != out) for name in names}) for out in names]
    error = ((len(names) - 1) / len(names) * sum((one - np.mean(left_out)) ** 2 for one in left_out)) ** 0.5
    drawn = bootstrap_counts(np.random.PCG64(stream_seed(3, "row")), len(names), 300)
    resampled = [difference(dict(zip(names, counts, strict=True))) for counts in drawn]

    assert found.difference.value == pytest.approx(value, abs=1e-12)
    half = 2.063899 * error
    assert len(names) == 25
    assert (found.difference.low, found.difference.high) == pytest.approx((value - half, value + half), abs=1e-6)
    (beside,) = found.difference.beside
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=1e-12)


def test_counts_the_common_items_only() -> None:
    found = contrast(FIRST, {**SECOND, "elsewhere": 3.0})
    assert (found.difference.n, found.first.n, found.only_first, found.only_second) == (110, 110, 10, 1)
    common = [FIRST[item] for item in SECOND]
    assert found.first.value == pytest.approx(np.mean(common))
    assert found.difference.value == pytest.approx((found.first.value or 0) - (found.second.value or 0))


def test_a_condition_against_itself_is_exactly_zero_and_has_no_interval() -> None:
    found = contrast(FIRST, dict(FIRST), weights=WEIGHT).difference
    assert (found.value, found.low, found.high, found.detectable) == (0.0, None, None, None)
    assert found.reason == "no interval: every cluster gives the same value"
    assert [(beside.low, beside.high) for beside in found.beside] == [(None, None)]


def test_a_contrast_that_excludes_nothing_says_what_it_could_have_seen() -> None:
    """And one that does carries no such number."""
    noise = {item: value + (-1) ** place / 2 for place, (item, value) in enumerate(FIRST.items())}
    found = contrast(FIRST, noise).difference
    assert found.low is not None
    assert found.low <= 0 <= (found.high or 0)
    assert found.detectable == pytest.approx((2.063899 + 0.856855) * ((found.high or 0) - found.low) / 2 / 2.063899)
    assert (
        contrast(FIRST, {item: value + 3 + rng.random() for item, value in FIRST.items()}).difference.detectable is None
    )


def test_exchanging_the_sides_changes_only_the_sign() -> None:
    there, back = contrast(FIRST, SECOND).difference, contrast(SECOND, FIRST).difference
    assert (back.low, back.high) == pytest.approx((-(there.high or 0), -(there.low or 0)))


def test_nothing_in_common_is_not_zero() -> None:
    found = contrast({"p000": 1.0}, {"p001": 1.0})
    assert (found.difference.value, found.difference.reason) == (None, "no item has a score on both sides")
    assert (found.only_first, found.only_second) == (1, 1)


def test_an_item_without_a_cluster_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cluster key"):
        paired({"x": 1.0}, {"x": 2.0}, {}, 10, 1, "row")


def test_certain_items_are_held() -> None:
    """Ten items taken with certainty move the value as they are, and every cluster that is drawn leaves them in."""
    sure = sorted(SECOND)[:10]
    weights = {item: 1.0 if item in sure else 3.0 for item in ITEMS}
    found = contrast(FIRST, SECOND, weights=weights, certain=sure).difference
    top = sum(weights[item] * (FIRST[item] - SECOND[item]) for item in SECOND)
    assert found.value == pytest.approx(top / sum(weights[item] for item in SECOND))
    assert (found.n, found.clusters) == (110, len({CLUSTER[item] for item in SECOND if item not in sure}))


scores = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5), st.integers(1, 4)), min_size=2, max_size=30
)


@given(scores, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_of_items_and_a_common_factor_of_the_weights_change_nothing(
    rows: list[tuple[int, int, int, int]], shuffler: object
) -> None:
    def found(order: list[int], factor: float) -> Estimate:
        first = {f"i{n:02d}": float(rows[n][0]) for n in order}
        second = {f"i{n:02d}": float(rows[n][1]) for n in order}
        clusters = {f"i{n:02d}": f"c{rows[n][2]}" for n in order}
        weights = {f"i{n:02d}": factor * rows[n][3] for n in order}
        return paired(first, second, clusters, 20, 1, "row", weights).difference

    order = list(range(len(rows)))
    plain = found(order, 1.0)
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    assert found(order, 1.0) == plain
    assert found(order, 2.0) == plain


MAIN = [n % 3 > 0 for n in range(120)]
TEMPLATES = [f"t{n:02d}" for n in rng.integers(0, 30, 120)]
TOPICS = [f"{'m' if inside else 'c'}{n}" for inside, n in zip(MAIN, rng.integers(0, 8, 120), strict=True)]
TOTALS = [score + 2 * int(topic[1]) for score, topic in zip(rng.random(120).tolist(), TOPICS, strict=True)]


def test_both_ways_are_the_index_either_way_and_the_wider_is_marked() -> None:
    """Scores that go with the topic: the topic way is the wider one."""
    found = both_ways(TOTALS, MAIN, TEMPLATES, TOPICS, 100, 5, "row")
    by_template = bias_index(TOTALS, MAIN, TEMPLATES, 100, 5, "row")
    by_topic = bias_index(TOTALS, MAIN, TOPICS, 100, 5, "row", SampleDesign(within_blocks=True))
    for name, ways in found.items():
        assert ways.ways == {"template": by_template[name], "topic": by_topic[name]}
        assert ways.wider == "topic"
    primary = found["difference"].primary
    assert primary.method == "by topic: cluster jackknife-t, 13.96 degrees of freedom"
    assert (primary.low, primary.high) == (by_topic["difference"].low, by_topic["difference"].high)
    assert primary.beside[0] == by_topic["difference"].beside[0]
    assert primary.beside[1].low == by_template["difference"].low
    assert primary.beside[1].method.startswith("by template: cluster jackknife-t")


def test_a_way_without_an_interval_is_passed_over() -> None:
    ways = {"topic": Estimate(1.0, 5, 1, "point estimate", reason="1"), "template": Estimate(1.0, 5, 5, "t", 0.0, 2.0)}
    assert wider(ways).wider == "template"
    assert wider({"topic": ways["topic"]}).wider == ""
    assert wider({"topic": ways["topic"]}).primary.reason == "1"


@pytest.mark.parametrize("other", [2.0, None])
def test_ways_of_different_statistics_are_refused(other: float | None) -> None:
    with pytest.raises(ValueError, match="not one statistic"):
        wider({"a": Estimate(1.0, 5, 5, "t", 0.0, 2.0), "b": Estimate(other, 5, 5, "t")})


@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHT])
def test_gaps_are_the_index_of_each_value(within: bool, weights: dict[str, float] | None) -> None:
    """Also the contrast of contrasts: the index of the items' own differences, value, both intervals and all counts."""
    first = {item: FIRST[item] for item in SECOND}
    apart = {item: FIRST[item] - SECOND[item] for item in SECOND}
    values = {"first": first, "second": SECOND, "difference": apart}
    clusters = {item: f"{CLUSTER[item]}{'m' if n % 3 and within else ''}" for n, item in enumerate(ITEMS)}
    main = {item for n, item in enumerate(ITEMS) if n % 3}
    found = gaps(values, main, clusters, 60, 3, "row", weights, within)
    items = list(SECOND)
    for name, one in values.items():
        design = SampleDesign(None if weights is None else [weights[item] for item in items], within_blocks=within)
        scores, inside = [one[item] for item in items], [item in main for item in items]
        expected = bias_index(scores, inside, [clusters[item] for item in items], 60, 3, "row", design)["difference"]
        assert found[name].n == len(items)
        for field in ("value", "low", "high", "detectable", "effective_n"):
            assert getattr(found[name], field) == pytest.approx(getattr(expected, field), abs=1e-12), (name, field)
        assert (found[name].clusters, found[name].reason) == (expected.clusters, expected.reason)
        both = [[end for side in one.beside for end in (side.low, side.high)] for one in (found[name], expected)]
        assert both[0] == pytest.approx(both[1], abs=1e-12)
    if weights is None:
        for name, one in values.items():
            sides = [np.mean([one[item] for item in items if (item in main) is side]) for side in (True, False)]
            assert found[name].value == pytest.approx(sides[0] - sides[1])


def test_gaps_without_a_block_have_none() -> None:
    found = gaps({"x": SECOND}, SECOND.keys(), CLUSTER, 10, 3, "row")["x"]
    assert (found.value, found.reason) == (None, "one of the two blocks has no scored pair")
