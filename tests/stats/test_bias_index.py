"""The index and its intervals against the definition written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.stats.bias_index import bias_index
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
