"""Kappa over calls and dimensions against its definition and scikit-learn; ratios against sums by hand."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from polibias.stats.agreement import agreement, side_by_side
from polibias.stats.bias_index import Sample, drawn
from polibias.stats.calls import Floats, Ratio, call_kappas, ratios, unit_estimates
from polibias.stats.estimate import Estimate
from polibias.stats.kappa import NO_PAIR, NO_VARIATION, kappas
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import Resampling
from polibias.stats.stacked import stacked_kappa
from tests.analysis.labelled_cases import kappa_of

POINTS = (0.0, 1.0, 2.0, 3.0)
DRAWS = Resampling(50, 7)


def made(units: int = 40, calls: int = 2, dimensions: int = 3, seed: int = 3) -> tuple[Floats, Floats, list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    level = rng.normal(1.2, 1, (units, 1, dimensions))
    first, second = (
        (level + shift + rng.normal(0, 0.7, (units, calls, dimensions))).round().clip(0, 3) for shift in (0, 0.5)
    )
    return first, second, [f"c{n % 11:02d}" for n in range(units)]


def found(first: Floats, second: Floats, clusters: list[str], weights: Floats | None = None) -> dict[str, Estimate]:
    sample = drawn(clusters, None if weights is None else list(weights), None)
    return unit_estimates([call_kappas(first, second, POINTS)], sample, DRAWS)


def test_kappas_are_those_of_all_rows_and_of_each_dimension() -> None:
    first, second, clusters = made()
    estimates = found(first, second, clusters)
    for name, chosen in (("kappa", slice(None)), ("kappa:0", [0]), ("kappa:2", [2])):
        x, y = first[:, :, chosen].ravel(), second[:, :, chosen].ravel()
        expected = cohen_kappa_score(x.astype(int), y.astype(int), labels=[0, 1, 2, 3], weights="quadratic")
        assert estimates[name].value == pytest.approx(expected, abs=1e-12)
        assert estimates[name].value == pytest.approx(kappa_of([(a, b, 1.0) for a, b in zip(x, y, strict=True)]))
        assert (estimates[name].n, estimates[name].clusters) == (40, 11)


def test_one_call_of_one_dimension_is_the_kappa_of_two_raters() -> None:
    """Interval and all, from the same stream."""
    first, second, clusters = made(calls=1, dimensions=1)
    ratings = Ratings(np.column_stack([first[:, 0, 0], second[:, 0, 0]]), POINTS, clusters)
    plain = agreement(ratings, 50, 7, (kappas,), "row")["kappa_quadratic"]
    stacked = stacked_kappa(first[:, :, 0], ratings._replace(values=second[:, :, 0]), 2, 50, 7, "row")
    assert stacked == plain
    one = found(first, second, clusters)["kappa"]
    assert (one.value, one.low, one.high, one.n) == (plain.value, plain.low, plain.high, plain.n)


def test_the_interval_leaves_out_whole_clusters() -> None:
    first, second, clusters = made()
    one = found(first, second, clusters)["kappa"]
    left = []
    for out in sorted(set(clusters)):
        kept = np.array([cluster != out for cluster in clusters])
        rows = zip(first[kept].ravel(), second[kept].ravel(), strict=True)
        left.append(np.arctanh(kappa_of([(a, b, 1.0) for a, b in rows])))
    error = float(np.sqrt(10 / 11 * ((np.array(left) - np.mean(left)) ** 2).sum()))
    assert one.value is not None
    half = 2.2281388519649385 * error
    assert (one.low, one.high) == pytest.approx(
        (np.tanh(np.arctanh(one.value) - half), np.tanh(np.arctanh(one.value) + half))
    )


def test_weights_count_as_copies_of_units() -> None:
    first, second, clusters = made(units=12)
    twice = np.repeat(np.arange(12), [1 + n % 3 for n in range(12)])
    weighted = found(first, second, clusters, np.array([1.0 + n % 3 for n in range(12)]))
    copied = found(first[twice], second[twice], [clusters[n] for n in twice])
    assert weighted["kappa"].value == pytest.approx(copied["kappa"].value)
    assert weighted["kappa"].effective_n == pytest.approx(24**2 / (4 * (1 + 4 + 9)))


def test_missing_scores_leave_their_partners_out() -> None:
    first, second, clusters = made()
    first[0], first[1, 0, 1] = np.nan, np.nan
    known = ~np.isnan(first)
    rows = [(a, b, 1.0) for a, b in zip(first[known], second[known], strict=True)]
    one = found(first, second, clusters)["kappa"]
    assert (one.value, one.n) == (pytest.approx(kappa_of(rows)), 39)


def test_degenerate() -> None:
    same = np.ones((4, 2, 2))
    constant = found(same, same, list("abcd"))["kappa"]
    assert (constant.value, constant.reason) == (None, NO_VARIATION)
    nothing = found(np.zeros((0, 2, 2)), np.zeros((0, 2, 2)), [])["kappa:1"]
    assert (nothing.value, nothing.n, nothing.reason) == (None, 0, NO_PAIR)
    with pytest.raises(ValueError, match="not on the scale"):
        found(same + 0.5, same, list("abcd"))


def test_ratios_are_of_sums_and_count_their_units() -> None:
    top, bottom = np.array([1.0, 0.0, 3.0, 0.0]), np.array([2.0, 0.0, 4.0, 1.0])
    family = ratios({"one": Ratio(top, bottom, "none"), "none": Ratio(top, 0 * top, "nobody")})
    estimates = unit_estimates([family], Sample(list("aabb"), None, np.zeros(4, dtype=bool)), DRAWS)
    assert (estimates["one"].value, estimates["one"].n, estimates["one"].clusters) == (4 / 7, 3, 2)
    assert (estimates["none"].value, estimates["none"].reason, estimates["none"].n) == (None, "nobody", 0)


def test_families_side_by_side_keep_their_statistics() -> None:
    """Together or alone, from one stream, nothing changes."""
    first, second, clusters = made()
    share = ratios({"share": Ratio((first > 1).any(axis=(1, 2)) * 1.0, np.ones(40), "none", "logit")})
    kappa, sample = call_kappas(first, second, POINTS), drawn(clusters, None, None)
    both = unit_estimates([share, kappa, share._replace(statistics={})], sample, DRAWS)
    assert both == unit_estimates([share], sample, DRAWS) | unit_estimates([kappa], sample, DRAWS)
    assert list(side_by_side([share, kappa]).statistics) == ["share", "kappa", "kappa:0", "kappa:1", "kappa:2"]
