"""Plans against closed forms, brute simulation and the planning table that the design rests on."""

from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from sklearn.metrics import cohen_kappa_score

from polibias.stats.power import (
    DENSITY,
    MARGINALS,
    TRUTH,
    Panel,
    chances,
    clustering_factor,
    clusters_for_sign_flip,
    kappa_between,
    loading_alike,
    loading_beside,
    normals,
    pair_error,
    pairs_needed,
    planned,
    planned_by_simulation,
    planning_table,
    precision,
    sign_flip_floor,
    simulated_values,
    thresholds,
    uniforms,
)

POINTS = np.arange(4.0)
CUTS = thresholds(MARGINALS)
MEDIAN_CUT = thresholds((0.5, 0.5))
shares = st.lists(st.integers(1, 50), min_size=2, max_size=6).map(lambda n: tuple(x / sum(n) for x in n))


def alike(loading: float, points: np.ndarray, cuts: np.ndarray) -> float:
    rater = chances(loading, loading * TRUTH, cuts)
    return kappa_between(rater, rater, points)


@given(st.floats(0.05, 0.97))
@settings(max_examples=30, deadline=None)
def test_two_categories_cut_at_the_median_have_sheppards_kappa(loading: float) -> None:
    """Sheppard (1899): P(both above) = 1/4 + arcsin(ρ) / 2π, so kappa = 2 arcsin(ρ) / π."""
    assert alike(loading, np.arange(2.0), MEDIAN_CUT) == pytest.approx(2 / np.pi * np.arcsin(loading**2), abs=1e-9)


@given(shares, st.floats(0, 0.99), st.floats(-2, 2))
@settings(max_examples=30, deadline=None)
def test_chances_sum_to_one_and_give_the_marginals(marginals: tuple[float, ...], loading: float, shift: float) -> None:
    cuts = thresholds(marginals)
    found = chances(loading, loading * TRUTH, cuts)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert DENSITY @ found == pytest.approx(marginals, abs=1e-9)
    shifted = DENSITY @ chances(loading, loading * TRUTH + shift, cuts)
    assert np.cumsum(shifted)[:-1] == pytest.approx(ndtr(cuts - shift), abs=1e-9)


@given(shares, st.floats(0.02, 0.95), st.floats(0.5, 0.99))
@settings(max_examples=30, deadline=None)
def test_declared_kappa_is_the_kappa_of_the_loading(marginals: tuple[float, ...], kappa: float, other: float) -> None:
    points, cuts = np.arange(float(len(marginals))), thresholds(marginals)
    assert alike(loading_alike(kappa, points, cuts), points, cuts) == pytest.approx(kappa, abs=1e-9)
    beside = chances(other, other * TRUTH, cuts)
    wanted = 0.9 * kappa_between(chances(0.9999, 0.9999 * TRUTH, cuts), beside, points) * kappa
    found = loading_beside(wanted, other, points, cuts)
    assert kappa_between(chances(found, found * TRUTH, cuts), beside, points) == pytest.approx(wanted, abs=1e-9)


def test_kappa_by_integration_is_the_kappa_of_simulated_raters() -> None:
    """Against scikit-learn on a million simulated ratings."""
    rng = np.random.Generator(np.random.PCG64(3))
    truth = rng.standard_normal(1_000_000)
    panel = Panel(0.5, 0.75)
    judge, human, _ = panel.loadings()
    x, y = (
        np.searchsorted(CUTS, loading * truth + sqrt(1 - loading**2) * rng.standard_normal(len(truth)))
        for loading in (judge, human)
    )
    assert cohen_kappa_score(x, y, weights="quadratic", labels=[0, 1, 2, 3]) == pytest.approx(0.5, abs=0.004)


def test_a_judge_cannot_agree_better_than_the_annotators_noise_allows() -> None:
    with pytest.raises(ValueError, match=r"no latent rater has the kappa 0\.95 here"):
        Panel(0.95, 0.5).loadings()


@pytest.mark.parametrize("marginals", [(1.0,), (0.5, 0.4), (1.2, -0.2), (0.0, 1.0), (float("nan"), 1.0)])
def test_impossible_marginals_are_errors(marginals: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="marginals are shares"):
        thresholds(marginals)


TABLE = [(25, 0.083, 0.058), (50, 0.058, 0.041), (100, 0.040, 0.028), (200, 0.030, 0.020), (400, 0.020, 0.013)]


@pytest.mark.parametrize(("n", "low", "high"), TABLE)
def test_the_planning_table(n: int, low: float, high: float) -> None:
    """Errors of the gap for judge kappas .50 and .69 beside annotators' .75, five dimensions, two annotators."""
    for kappa, error in ((0.50, low), (0.69, high)):
        assert planned(Panel(kappa, 0.75), n, 1, design_factor=1.0).error == pytest.approx(error, rel=0.09)


def test_the_formula_agrees_with_simulated_studies() -> None:
    panel = Panel(0.5, 0.75, dimension_correlation=0.3)
    formula = planned(panel, 100, 1, design_factor=1.0)
    simulated = planned_by_simulation(panel, 100, 2, design_factor=1.0, simulations=1000)
    assert simulated.error == pytest.approx(formula.error, rel=0.08)
    assert simulated.method == "1,000 simulated studies"
    assert simulated_values(panel, 100, "human", 2, 1000).mean() == pytest.approx(0.75, abs=0.005)


def test_the_gap_of_simulated_studies_is_the_mean_kappa_with_the_judge_minus_the_annotators() -> None:
    """All three quantities come from the same studies of one seed."""
    panel = Panel(0.5, 0.7, dimensions=3, annotators=3)
    gap, judge, human = (simulated_values(panel, 30, what, 4, 20) for what in ("gap", "judge", "human"))
    assert gap == pytest.approx(judge - human, abs=1e-12)


def test_a_table_is_its_rows() -> None:
    panel, sizes = Panel(0.69, 0.75), (25, 50, 800)
    assert planning_table(panel, sizes, 1) == [planned(panel, n, 1) for n in sizes]


def test_n_for_a_target_is_the_smallest() -> None:
    panel = Panel(0.5, 0.75)
    found = pairs_needed(panel, 1, detectable=0.10)
    assert found.detectable <= 0.10 < planned(panel, found.n - 1, 1).detectable
    assert 200 <= found.n <= 240
    width = pairs_needed(panel, 1, "judge", half_width=0.08)
    assert width.half_width <= 0.08 < planned(panel, width.n - 1, 1, "judge").half_width
    both = pairs_needed(panel, 1, half_width=0.05, detectable=0.10)
    assert both.n == pairs_needed(panel, 1, half_width=0.05).n > found.n


def test_few_clusters_cost_more_than_their_pairs() -> None:
    """Twenty annotators with ten pairs each: t quantiles with 19 degrees of freedom."""
    many, few = precision(1.0, 200), precision(1.0, 200, clusters=20)
    assert few.error == many.error == pytest.approx(1.3 / sqrt(200))
    assert few.half_width == pytest.approx(2.093024 * few.error, rel=1e-6)
    assert few.detectable == pytest.approx((2.093024 + 0.860951) * few.error, rel=1e-6)


def test_a_target_that_millions_do_not_reach_is_an_error() -> None:
    with pytest.raises(ValueError, match="more than 10,000,000 pairs"):
        pairs_needed(Panel(0.5, 0.75), 1, half_width=1e-6)


@pytest.mark.parametrize(("error", "n", "clusters"), [(1.0, 1, None), (1.0, 10, 11), (0.0, 10, None), (1.0, 10, 1)])
def test_impossible_plans_are_errors(error: float, n: int, clusters: int | None) -> None:
    with pytest.raises(ValueError, match="no plan"):
        precision(error, n, clusters=clusters)


def test_one_annotator_has_no_gap() -> None:
    with pytest.raises(ValueError, match="needs two of them"):
        pair_error(Panel(0.5, 0.75, annotators=1), "gap", 1)
    assert pair_error(Panel(0.5, 0.75, annotators=1), "judge", 1, 2_000) > 0


def test_a_plan_holds_everything_it_rests_on_and_is_the_same_again() -> None:
    panel = Panel(0.5, 0.75)
    found = planned(panel, 50, 7)
    assert found == planned(panel, 50, 7)
    assert found.pair_error != planned(panel, 50, 8).pair_error
    printed = found.as_json()
    assert (printed["seed"], printed["design_factor"], printed["panel"]["kappa_human"]) == (7, 1.3, 0.75)
    assert printed["method"] == "formula, with the error of one pair from 20,000 simulated pairs"


@pytest.mark.parametrize("clusters", range(1, 13))
def test_the_floor_is_one_sign_pattern_and_its_mirror(clusters: int) -> None:
    """Of all 2^C patterns the observed one and its mirror are as extreme."""
    patterns = sum(comb(clusters, k) for k in range(clusters + 1))
    assert sign_flip_floor(clusters) == min(1.0, 2 / patterns)


def test_clusters_for_sign_flips() -> None:
    assert (clusters_for_sign_flip(), clusters_for_sign_flip(tests=7)) == (6, 9)
    for tests in range(1, 40):
        fewest = clusters_for_sign_flip(tests=tests)
        assert tests * sign_flip_floor(fewest) < 0.05 <= tests * sign_flip_floor(fewest - 1)
    assert clusters_for_sign_flip(0.25) == 4
    with pytest.raises(ValueError, match="no such test"):
        clusters_for_sign_flip(0.0)


def test_clustering_widens_as_kish_says() -> None:
    assert clustering_factor(1, 0.5) == 1.0
    assert clustering_factor(13, 0.0575) == pytest.approx(1.3)


def test_draws_are_pinned_and_standard_normal() -> None:
    """A change of algorithm would change every stored plan."""
    assert uniforms(np.random.PCG64(1), 3).tolist() == GOLDEN
    drawn = normals(np.random.PCG64(2), (200_000,))
    assert (drawn.mean(), drawn.std()) == pytest.approx((0.0, 1.0), abs=0.01)


GOLDEN = [0.5118216247002567, 0.9504636963259354, 0.1441596127196338]
