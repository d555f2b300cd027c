"""The index and its intervals against the definition written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import ttest_ind

from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share
from polibias.stats.resampling import Resampling, bootstrap_counts, bounded, resampled_sums, stream_seed

rng = np.random.Generator(np.random.PCG64(7))
SCORES = (rng.integers(0, 31, 240) / 2).tolist()
CLUSTERS = [f"t{n:02d}" for n in rng.integers(0, 40, 240)]
MAIN = (rng.random(240) < 0.7).tolist()


def mean(scores: list[float], clusters: list[str], resamples: int = 10, seed: int = 1, row: str = "row") -> Estimate:
    return bias_index(scores, [True] * len(scores), clusters, resamples, seed, row)["main"]


def naive(seed: int, resamples: int) -> list[float]:
    """Main minus Controls in each resample, templates drawn with replacement, by plain loops."""
    names = sorted(set(CLUSTERS))
    out = []
    for counts in bootstrap_counts(np.random.PCG64(seed), len(names), resamples):
        drawn = dict(zip(names, counts, strict=True))
        sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
        for score, main, cluster in zip(SCORES, MAIN, CLUSTERS, strict=True):
            sums[main][0] += drawn[cluster] * score
            sums[main][1] += drawn[cluster]
        out.append(sums[True][0] / sums[True][1] - sums[False][0] / sums[False][1])
    return out


def test_difference_equals_the_definition() -> None:
    found = bias_index(SCORES, MAIN, CLUSTERS, 300, 5, "row")["difference"]
    resampled = naive(stream_seed(5, "row"), 300)
    main = np.mean([score for score, inside in zip(SCORES, MAIN, strict=True) if inside])
    control = np.mean([score for score, inside in zip(SCORES, MAIN, strict=True) if not inside])
    assert found.value == pytest.approx(main - control, abs=1e-12)
    (beside,) = found.beside
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=1e-12)
    assert (found.n, found.clusters) == (240, len(set(CLUSTERS)))


def test_mean_is_a_ratio_of_sums() -> None:
    """Templates with more pairs weigh more; it is not a mean of template means."""
    assert mean([0.0, 0.0, 3.0], ["a", "a", "b"]).value == 1.0


def test_few_clusters_have_a_wide_primary_interval_and_a_percentile_one_that_is_called_too_short() -> None:
    """Three equal clusters of one pair: the jackknife-t is the t interval of a mean, 2 ± 4.303 / sqrt(3)."""
    found = mean([1.0, 2.0, 3.0], ["a", "b", "c"])
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    (beside,) = found.beside
    assert beside.reason == "3 clusters: too short"
    assert "all 10 resamples" in beside.method


def test_one_cluster_has_no_interval_and_says_why() -> None:
    found = mean([1.0, 2.0], ["a", "a"])
    assert (found.value, found.low, found.reason) == (1.5, None, "no interval: 1 cluster; at least 2 are needed")


def test_nothing_is_not_zero() -> None:
    assert mean([], []).value is None
    found = bias_index([1.0], [True], ["a"], 10, 1, "row")["difference"]
    assert (found.value, found.reason) == (None, "one of the two blocks has no scored pair")


def test_undefined_resamples_refuse_the_interval() -> None:
    """Controls in 1 of 12 templates: a third of the resamples have none, so no interval is printed."""
    clusters = [f"t{n}" for n in range(12)]
    found = bias_index([1.0] * 12, [True] * 11 + [False], clusters, 1000, 1, "row")["difference"]
    assert found.beside[0].low is None
    assert "resamples" in found.beside[0].reason
    assert (found.low, "without one of the clusters" in found.reason) == (None, True)


def test_missing_cluster_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cluster key"):
        mean([1.0], [""])


def test_rows_have_streams_of_their_own() -> None:
    """Adding a table row never changes another row's draws; the same row draws the same again."""
    assert mean(SCORES, CLUSTERS, 200, 1, "a") == mean(SCORES, CLUSTERS, 200, 1, "a")
    assert mean(SCORES, CLUSTERS, 200, 1, "a").beside != mean(SCORES, CLUSTERS, 200, 1, "b").beside


def test_blocks_of_draws_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is saved by drawing in blocks; the resamples are the same."""
    sums = np.arange(24.0).reshape(12, 2)
    whole = resampled_sums(sums, Resampling(100, 3))
    monkeypatch.setattr("polibias.stats.resampling.BLOCK_DRAWS", 100)
    assert (resampled_sums(sums, Resampling(100, 3)) == whole).all()


@pytest.mark.parametrize("largest", [3.5, 2.0**19 - 1, 2.0**19 + 0.5, 2.0**24 + 1, 0.1])
def test_sums_are_added_without_error(largest: float) -> None:
    """Half points are added in single precision as far as that holds every digit; beyond it, and for tenths, never."""
    sums = np.array([[largest, 0.5], [0.0, 1.0]] * 8)
    counts = bootstrap_counts(np.random.PCG64(3), 16, 200)
    assert (resampled_sums(sums, Resampling(200, 3)) == counts @ sums).all()


def test_hand_computed_main_minus_controls() -> None:
    """Totals 6.5 and 1.5 in Main, .5 and 3.5 in Controls, each the mean of two orders' sums: 4 − 2."""
    orders = [
        ([1, 2, 0, 1, 3], [1, 1, 0, 1, 3]),
        ([0, 0, 1, 0, 0], [0, 1, 1, 0, 0]),
        ([0, 0, 1, 0, 0], [0, 0, 0, 0, 0]),
        ([1, 0, 2, 0, 0], [1, 1, 2, 0, 0]),
    ]
    totals = [(sum(first) + sum(second)) / 2 for first, second in orders]
    found = bias_index(totals, [True, True, False, False], ["a", "b", "a", "b"], 10, 1, "row")
    assert [found[name].value for name in ("main", "control", "difference")] == [4.0, 2.0, 2.0]


TOPICS = [f"topic{n:02d}" for n in rng.integers(0, 14, 240)]
WEIGHTS = rng.integers(1, 6, 240).astype(float).tolist()
CERTAIN = (rng.random(240) < 0.2).tolist()
ORDER = rng.permutation(240).tolist()


def weighted_difference(take: dict[tuple[bool, str], float], weights: list[float], certain: list[bool]) -> float:
    """Main minus Controls by plain loops, each block's topic taken so many times and certain pairs once."""
    sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
    for score, main, topic, weight, sure in zip(SCORES, MAIN, TOPICS, weights, certain, strict=True):
        times = 1.0 if sure else take[main, topic]
        sums[main][0] += times * weight * score
        sums[main][1] += times * weight
    return sums[True][0] / sums[True][1] - sums[False][0] / sums[False][1]


@pytest.mark.parametrize("sure", [False, True])
def test_topics_within_blocks_with_weights_equal_the_definition(sure: bool) -> None:
    """A topic is left out, or drawn, among the topics of its block only; pairs taken with certainty always stay."""
    certain = CERTAIN if sure else [False] * 240
    weights = [1.0 if held else weight for weight, held in zip(WEIGHTS, certain, strict=True)]
    design = SampleDesign(weights, certain, within_blocks=True)
    found = bias_index(SCORES, MAIN, TOPICS, 200, 5, "row", design)["difference"]
    keys = sorted({(main, topic) for main, topic, held in zip(MAIN, TOPICS, certain, strict=True) if not held})
    blocks = [[key for key in keys if key[0] is block] for block in (False, True)]

    value = weighted_difference(dict.fromkeys(keys, 1.0), weights, certain)
    variances = []
    for block in blocks:
        left_out = [weighted_difference({k: float(k != out) for k in keys}, weights, certain) for out in block]
        variances.append((len(block) - 1) / len(block) * sum((one - np.mean(left_out)) ** 2 for one in left_out))
    freedom = sum(variances) ** 2 / sum(v**2 / (len(block) - 1) for v, block in zip(variances, blocks, strict=True))
    half = float(stdtrit(freedom, 0.975)) * sum(variances) ** 0.5
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((value - half, value + half), abs=1e-9)
    assert (found.n, found.clusters) == (240, len(keys))

    bits = np.random.PCG64(stream_seed(5, "row"))
    drawn = [bootstrap_counts(bits, len(block), 200) for block in blocks]
    resampled = [
        weighted_difference(
            dict(zip(blocks[0], one, strict=True)) | dict(zip(blocks[1], other, strict=True)), weights, certain
        )
        for one, other in zip(*drawn, strict=True)
    ]
    (beside,) = found.beside
    assert (beside.low, beside.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=1e-9)


def close(one: Estimate, other: Estimate) -> bool:
    """Equal but for the last digits and the effective n."""
    pairs = [(one.value, other.value), (one.low, other.low), (one.high, other.high)]
    pairs += [(a.low, b.low) for a, b in zip(one.beside, other.beside, strict=True)]
    return (one.n, one.clusters, one.method) == (other.n, other.clusters, other.method) and all(
        a == b if a is None or b is None else a == pytest.approx(b, abs=1e-9) for a, b in pairs
    )


@given(st.integers(1, 10**6), st.booleans())
@settings(max_examples=15, deadline=None)
def test_equal_weights_are_none_and_a_common_factor_changes_nothing(factor: int, within: bool) -> None:
    plain = bias_index(SCORES, MAIN, CLUSTERS, 50, 1, "row", SampleDesign(within_blocks=within))
    equal = bias_index(SCORES, MAIN, CLUSTERS, 50, 1, "row", SampleDesign([factor / 7] * 240, None, within))
    once = bias_index(SCORES, MAIN, CLUSTERS, 50, 1, "row", SampleDesign(WEIGHTS, None, within))
    times = bias_index(
        SCORES, MAIN, CLUSTERS, 50, 1, "row", SampleDesign([factor * weight for weight in WEIGHTS], None, within)
    )
    for name in plain:
        assert close(plain[name], equal[name])
        assert equal[name].effective_n == pytest.approx(plain[name].n)
        assert close(once[name], times[name])
        assert once[name].effective_n == pytest.approx(times[name].effective_n)


def test_order_of_rows_changes_nothing() -> None:
    design = SampleDesign([1.0 if held else w for w, held in zip(WEIGHTS, CERTAIN, strict=True)], CERTAIN, True)
    there = bias_index(SCORES, MAIN, TOPICS, 50, 1, "row", design)
    columns = [[column[n] for n in ORDER] for column in (SCORES, MAIN, TOPICS, design.weights or [], CERTAIN)]
    back = bias_index(columns[0], columns[1], columns[2], 50, 1, "row", SampleDesign(columns[3], columns[4], True))  # type: ignore[arg-type]
    assert all(close(there[name], back[name]) for name in there)


def test_a_whole_weight_is_a_pair_that_stands_for_so_many() -> None:
    """A pair of weight 3 counts as three equal pairs of its cluster, in value, intervals and draws."""
    times = [n for n in range(240) for _ in range(int(WEIGHTS[n]))]
    repeated = bias_index(
        [SCORES[n] for n in times], [MAIN[n] for n in times], [CLUSTERS[n] for n in times], 50, 1, "r"
    )
    found = bias_index(SCORES, MAIN, CLUSTERS, 50, 1, "r", SampleDesign(WEIGHTS))
    assert (found["difference"].low, found["difference"].high) == pytest.approx(
        (repeated["difference"].low, repeated["difference"].high), abs=1e-9
    )
    assert (found["difference"].n, repeated["difference"].n) == (240, len(times))


def test_effective_n_is_kishs_and_the_blocks_add_up() -> None:
    found = bias_index(
        [1.0, 2.0, 3.0, 4.0], [True, True, False, False], list("abcd"), 10, 1, "r", SampleDesign([1, 3, 9, 9])
    )
    assert found["main"].effective_n == pytest.approx(16 / 10)
    assert found["control"].effective_n == pytest.approx(2)
    assert found["difference"].effective_n == pytest.approx(3.6)
    assert mean([1.0], ["a"]).effective_n is None


def test_two_halves_one_certain_one_drawn_combine_to_the_whole() -> None:
    """The paper's design: the hard half is taken whole, of the 8 others 4 are drawn and stand for two each."""
    scores, certain = [9.0, 8.0, 7.0, 8.0, 1.0, 2.0, 3.0, 2.0], [True] * 4 + [False] * 4
    design = SampleDesign([1.0] * 4 + [2.0] * 4, certain)
    found = bias_index(scores, [True] * 8, [f"t{n}" for n in range(8)], 10, 1, "row", design)["main"]
    assert found.value == pytest.approx((32 + 2 * 8) / 12)
    assert (found.n, found.clusters, found.effective_n) == (8, 4, pytest.approx(144 / 20))
    others = [(32 + 2 * (8 - out)) / 10 for out in (1.0, 2.0, 3.0, 2.0)]
    error = (3 / 4 * sum((one - np.mean(others)) ** 2 for one in others)) ** 0.5
    assert (found.high or 0) - (found.value or 0) == pytest.approx(3.182446 * error, rel=1e-6)


def test_where_everything_is_certain_nothing_was_drawn() -> None:
    found = bias_index([1.0, 2.0], [True, True], ["a", "b"], 10, 1, "row", SampleDesign(certain=[True, True]))
    assert (found["main"].value, found["main"].low, found["main"].clusters) == (1.5, None, 0)
    assert found["main"].reason == "no interval: every unit was taken with certainty, so nothing was drawn"
    assert found["difference"].reason == "one of the two blocks has no scored pair"


def test_one_topic_in_a_block_has_no_interval() -> None:
    found = bias_index(
        [1.0, 2.0, 3.0], [True, True, False], ["a", "b", "c"], 10, 1, "r", SampleDesign(within_blocks=True)
    )
    assert found["difference"].reason == "no interval: a stratum of 1 cluster; at least 2 are needed"


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (SampleDesign([1.0, 0.0]), "not a positive number"),
        (SampleDesign([1.0, float("nan")]), "not a positive number"),
        (SampleDesign([1.0, float("inf")]), "not a positive number"),
        (SampleDesign([1.0]), "one entry per row"),
        (SampleDesign(certain=[True]), "one entry per row"),
        (SampleDesign([1.0, 2.0], [False, True]), "certainty has the weight 1"),
    ],
)
def test_impossible_designs_are_errors(design: SampleDesign, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bias_index([1.0, 2.0], [True, True], ["a", "b"], 10, 1, "row", design)


def test_golden_draws() -> None:
    """Pinned: a change of algorithm would change every published interval."""
    assert bounded(np.random.PCG64(20280101), 61, 12).tolist() == GOLDEN
    assert stream_seed(20280101, "row") == 131402164298338404125954071709937611593


GOLDEN = [32, 2, 47, 57, 57, 21, 35, 35, 44, 36, 59, 0]


@given(st.integers(1, 100), st.integers(0, 2**64))
@settings(max_examples=30, deadline=None)
def test_draws_are_bounded_and_even(limit: int, seed: int) -> None:
    draws = bounded(np.random.PCG64(seed), limit, 20_000)
    counts = np.bincount(draws, minlength=limit)
    assert len(counts) == limit
    expected = 20_000 / limit
    assert ((counts - expected) ** 2 / expected).sum() < limit + 12 * np.sqrt(2 * limit) + 20


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(0, 10, 0.0, 0.2775), (81, 263, 0.2553, 0.3662), (10, 10, 0.7225, 1.0)]
)
def test_wilson_interval_published(hits: int, n: int, low: float, high: float) -> None:
    """81 of 263 is Newcombe's (1998) worked example: 0.2553 to 0.3662."""
    found = share(hits, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_share_of_nothing_is_undefined() -> None:
    assert share(0, 0, "pair").value is None


def difference(main: list[float], control: list[float]) -> Estimate:
    """Every pair is a cluster of its own."""
    clusters = [f"t{n}" for n in range(len(main) + len(control))]
    inside = [True] * len(main) + [False] * len(control)
    return bias_index([*main, *control], inside, clusters, 50, 1, "row")["difference"]


def test_few_control_pairs_that_are_all_alike_hide_how_control_pairs_spread() -> None:
    """Main varies, four control pairs happen to agree: an interval would be that of Main alone, and too short."""
    main = [5.0, 6.0, 7.0, 5.0, 6.0, 8.0, 5.0, 7.0]
    found = difference(main, [5.0] * 4)
    assert (found.value, found.low, found.high) == (pytest.approx(1.125), None, None)
    assert found.reason == "no interval: one side's 4 clusters all give the same value"
    assert difference(main, [5.0] * 20).low is not None
    assert difference([5.0] * 8, [4.0, 5.0, 6.0, 7.0]).reason.startswith("no interval: one side's 8 clusters")


def test_a_small_block_lends_the_degrees_of_freedom_of_its_own() -> None:
    """Where every cluster lies in one block, they are Welch's; a second library says the same."""
    main, control = [5.0, 6.0, 7.0, 5.0, 6.0, 8.0, 5.0, 7.0, 6.0, 6.5], [3.0, 9.0, 5.0]
    welch = ttest_ind(main, control, equal_var=False)
    assert difference(main, control).method == f"cluster jackknife-t, {welch.df:.4g} degrees of freedom"


def test_clusters_in_both_blocks_keep_the_degrees_of_freedom_of_all() -> None:
    rng = np.random.default_rng(7)
    scores, clusters = rng.normal(5, 1, 60), [f"t{n % 15}" for n in range(60)]
    found = bias_index(scores.tolist(), [n < 30 for n in range(60)], clusters, 50, 1, "row")["difference"]
    assert found.method == "cluster jackknife-t, 14 degrees of freedom"
