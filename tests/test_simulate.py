"""Simulated raters are what was declared, say that they are simulated, and are drawn the same everywhere."""

from collections import Counter
from itertools import combinations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from polibias.simulate import RaterSpec, SimulatedRating, Simulation, recovered, simulate

GOOD = RaterSpec(name="simulated-good", kappa=0.75)
ALSO = RaterSpec(name="simulated-also", kappa=0.75, unsure=0.05)
FAULTY = RaterSpec(name="simulated-faulty", correlation=0.4, shift=0.4, drift=-0.6, side=0.3)


def simulation(*raters: RaterSpec, seed: int = 1, units: int = 3000, clusters: int = 100, **more: float) -> Simulation:
    return Simulation(seed=seed, units=units, clusters=clusters, raters=raters, **more)  # type: ignore[arg-type]


def values(rows: list[SimulatedRating], rater: RaterSpec) -> list[float | None]:
    return [row.value for row in rows if row.rater == rater.name]


WHOLE = simulation(GOOD, ALSO, FAULTY, cluster_correlation=0.3)
ROWS = simulate(WHOLE)


def test_what_was_declared_is_recovered() -> None:
    found = recovered(WHOLE, ROWS)
    assert len(found) == 3 * 5 + 3
    assert [one.what for one in found if not one.holds] == []
    assert all(one.allowed is not None for one in found)


@pytest.mark.parametrize("seed", range(2, 12))
def test_it_is_recovered_for_other_seeds_too(seed: int) -> None:
    declared = simulation(GOOD, FAULTY, seed=seed, units=1000, clusters=50, cluster_correlation=0.2)
    assert [one for one in recovered(declared, simulate(declared)) if not one.holds] == []


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"correlation": 0.8}, "kappa of simulated-good and simulated-faulty"),
        ({"shift": 0.0}, "simulated-faulty: mean"),
        ({"drift": 0.0}, "simulated-faulty: later half − earlier half"),
        ({"side": -0.3}, "simulated-faulty: A first − B first"),
        ({"unsure": 0.1}, "simulated-faulty: unsure"),
    ],
)
def test_what_was_not_declared_is_noticed(wrong: dict[str, float], what: str) -> None:
    """Each fault of a declaration shows in the row that is about it."""
    said = msgspec.structs.replace(WHOLE, raters=(GOOD, ALSO, msgspec.structs.replace(FAULTY, **wrong)))
    assert what in [one.what for one in recovered(said, ROWS) if not one.holds]


def test_a_wrong_correlation_within_clusters_is_noticed() -> None:
    said = msgspec.structs.replace(WHOLE, cluster_correlation=0.0)
    assert "simulated-good: correlation within clusters" in [r.what for r in recovered(said, ROWS) if not r.holds]


def test_declared_kappa_against_scikit_learn() -> None:
    declared = simulation(GOOD, RaterSpec(name="simulated-other", kappa=0.75), units=20_000, clusters=20_000)
    rows = simulate(declared)
    x, y = (values(rows, rater) for rater in declared.raters)
    assert cohen_kappa_score(x, y, weights="quadratic", labels=[0, 1, 2, 3]) == pytest.approx(0.75, abs=0.02)


def test_marginals_positions_sides_and_missing_values() -> None:
    """An unbiased rater uses the scale as declared; every position once; both sides first about equally often."""
    own = [row for row in ROWS if row.rater == ALSO.name]
    kept = [row.value for row in own if row.value is not None]
    used = Counter(kept)
    assert [used[point] / len(kept) for point in WHOLE.scale] == pytest.approx(WHOLE.marginals, abs=0.05)
    assert sorted(row.position for row in own) == list(range(1, 3001))
    assert Counter(row.first for row in own)["A"] == pytest.approx(1500, abs=150)
    assert 1 - len(kept) / 3000 == pytest.approx(0.05, abs=0.016)


def test_every_row_says_that_it_is_simulated() -> None:
    assert all(row.simulated is True and row.rater.startswith("simulated-") for row in ROWS)
    assert len(ROWS) == 3 * 3000
    assert len({(row.unit, row.rater) for row in ROWS}) == len(ROWS)
    assert set(Counter(row.cluster for row in ROWS).values()) == {90}


def test_another_rater_changes_nobody() -> None:
    alone = simulate(msgspec.structs.replace(WHOLE, raters=(ALSO,)))
    assert alone == [row for row in ROWS if row.rater == ALSO.name]


def test_seeds_tell_simulations_apart_and_repeat_them() -> None:
    assert simulate(WHOLE) == ROWS
    assert values(simulate(msgspec.structs.replace(WHOLE, seed=2)), GOOD) != values(ROWS, GOOD)


def test_golden_rows() -> None:
    """Pinned: a change of algorithm would change every simulated study."""
    rows = simulate(simulation(GOOD, FAULTY, seed=20280101, units=6, clusters=2, cluster_correlation=0.5))
    assert [(r.unit, r.cluster, r.value, r.position, r.first) for r in rows if r.rater == FAULTY.name] == GOLDEN


GOLDEN = [
    ("u1", "c1", 0.0, 3, "B"),
    ("u2", "c2", 2.0, 4, "B"),
    ("u3", "c1", 0.0, 6, "B"),
    ("u4", "c2", 1.0, 2, "A"),
    ("u5", "c1", 2.0, 5, "A"),
    ("u6", "c2", 1.0, 1, "A"),
]


def test_no_noise_and_no_bias_is_perfect_agreement() -> None:
    sure = [RaterSpec(name=f"simulated-{letter}", correlation=1.0) for letter in "ab"]
    rows = simulate(simulation(*sure))
    assert sum(a != b for a, b in zip(*(values(rows, rater) for rater in sure), strict=True)) < 60


def test_no_reliability_is_chance() -> None:
    blind = RaterSpec(name="simulated-blind", kappa=0.0)
    declared = simulation(GOOD, blind)
    (kappa,) = [one for one in recovered(declared, simulate(declared)) if one.what.startswith("kappa")]
    assert kappa.expected == pytest.approx(0, abs=1e-9)
    assert kappa.holds


@given(
    st.integers(0, 2**53 - 1), st.integers(1, 12), st.integers(1, 12), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)
)
@settings(max_examples=40, deadline=None)
def test_small_and_extreme_simulations_work(
    seed: int, units: int, clusters: int, correlation: float, unsure: float, within: float
) -> None:
    raters = (GOOD, RaterSpec(name="simulated-x", correlation=correlation, unsure=unsure, drift=2.0, side=-1.0))
    declared = simulation(*raters, seed=seed, units=units, clusters=min(units, clusters), cluster_correlation=within)
    rows = simulate(declared)
    assert len(rows) == 2 * units
    assert {row.value for row in rows} <= {None, *declared.scale}
    assert len(recovered(declared, rows)) == (2 * 5 if clusters < units else 2 * 4) + 1


def test_all_unsure_is_nothing_to_tell() -> None:
    silent = RaterSpec(name="simulated-silent", kappa=0.5, unsure=1.0)
    declared = simulation(silent, GOOD, units=50, clusters=10)
    found = {one.what: one for one in recovered(declared, simulate(declared))}
    assert found["simulated-silent: mean"].found is None
    assert found["kappa of simulated-silent and simulated-good"].allowed is None
    assert found["simulated-silent: unsure"].found == 1.0


def test_rows_of_another_simulation_are_refused() -> None:
    with pytest.raises(ValueError, match="not one row for every unit"):
        recovered(WHOLE, ROWS[:-1])


def test_a_declaration_can_be_read_and_is_the_same_again() -> None:
    read = msgspec.convert(msgspec.to_builtins(WHOLE), Simulation)
    assert read == WHOLE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"raters": []}, "a simulation needs raters"),
        ({"raters": [{"name": "simulated-a", "kappa": 0.5}] * 2}, "a name of its own"),
        ({"raters": [{"name": "ann", "kappa": 0.5}]}, "starts with 'simulated-'"),
        ({"raters": [{"name": "simulated-a"}]}, "either kappa or correlation"),
        ({"raters": [{"name": "simulated-a", "kappa": 0.5, "correlation": 0.5}]}, "either kappa or correlation"),
        ({"raters": [{"name": "simulated-a", "kappa": 1.5}]}, "kappa"),
        ({"scale": [0, 2, 1, 3]}, "the scale is ascending"),
        ({"scale": [0, 1, 2]}, "one marginal share per point"),
        ({"marginals": [0.5, 0.5, 0.5, 0.5]}, "marginals are shares"),
        ({"clusters": 4000}, "cannot fill"),
        ({"units": 0}, "units"),
        ({"cluster_correlation": 2}, "cluster_correlation"),
    ],
)
def test_impossible_declarations_are_errors(change: dict[str, object], said: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.convert({**msgspec.to_builtins(WHOLE), **change}, Simulation)


def test_all_pairs_of_raters_are_checked_once() -> None:
    said = [one.what for one in recovered(WHOLE, ROWS) if one.what.startswith("kappa")]
    assert said == [f"kappa of {a.name} and {b.name}" for a, b in combinations(WHOLE.raters, 2)]


def test_shift_moves_the_mean_as_the_normal_does() -> None:
    """On two points cut at the median a shift of one standard deviation gives Φ(1) = .841."""
    high = RaterSpec(name="simulated-high", kappa=0.5, shift=1.0)
    declared = Simulation(seed=3, units=20_000, clusters=20_000, raters=(high,), scale=(0.0, 1.0), marginals=(0.5, 0.5))
    assert np.mean([row.value for row in simulate(declared) if row.value is not None]) == pytest.approx(
        0.841, abs=0.012
    )
