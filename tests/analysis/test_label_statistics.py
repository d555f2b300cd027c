"""What a plan about people may name, against definitions in loops, other libraries, and laws."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.analysis.label_statistics import LABEL_STATISTICS, known_measures, measure_labels
from polibias.analysis.labelled import Calls, Labelled
from polibias.analysis.measured import Measured
from polibias.errors import InputError
from polibias.stats.estimate import Estimate
from tests.analysis import labelled_cases as cases
from tests.analysis.labelled_cases import NAN, made, planned, ruled, table_of

JUDGES = ("j1", "j2")
TABLES = [made(), made(raters=3, seed=6), made(14, 4, 0.2, 7)]
WEIGHTED = pytest.mark.parametrize("weighted", [False, True])
TABLE = pytest.mark.parametrize("labelled", TABLES, ids=["two", "three", "four, much missing"])
EVERY = pytest.mark.parametrize("statistic", list(LABEL_STATISTICS))


def rows(
    labelled: Labelled, statistic: str, judges: tuple[str, ...] = JUDGES, missing: str = "pairwise", **rules: object
) -> list[Measured]:
    return measure_labels(labelled, planned(statistic), ruled(**rules), judges, missing)[1]  # type: ignore[arg-type]


def row_of(found: list[Measured], **keys: str) -> dict[str, Estimate]:
    (row,) = [one for one in found if one.keys.items() >= keys.items()]
    return dict(row.estimates)


def close(estimate: Estimate, expected: float | None) -> bool:
    if expected is None:
        return estimate.value is None and bool(estimate.reason)
    return estimate.value == pytest.approx(expected, abs=1e-9)


def numbers(found: list[Measured]) -> list[object]:
    return [(dict(row.keys), {name: one.as_json() for name, one in row.estimates.items()}) for row in found]


def alike(first: list[Measured], second: list[Measured]) -> None:
    """The same rows, with the same values, intervals and counts but for rounding, whatever their order."""
    sides = [{tuple(sorted(row.keys.items())): row.estimates for row in found} for found in (first, second)]
    assert sides[0].keys() == sides[1].keys()
    for key, estimates in sides[0].items():
        for name, one in estimates.items():
            other = sides[1][key][name]
            assert (one.n, one.clusters, one.reason) == (other.n, other.clusters, other.reason), (key, name)
            for x, y in ((one.value, other.value), (one.low, other.low), (one.high, other.high)):
                assert x == (None if y is None else pytest.approx(y, abs=1e-9)), (key, name)


# What each one is


@WEIGHTED
@TABLE
@pytest.mark.parametrize("judge_score", ["calls", "mean"])
@pytest.mark.parametrize("pooling", ["mean", "pooled"])
def test_kappa_gap_is_the_definition(labelled: Labelled, weighted: bool, judge_score: str, pooling: str) -> None:
    found = rows(labelled, "kappa_gap", sampling_weights=weighted, judge_score=judge_score, pooling=pooling)
    raters, mean = range(len(labelled.raters)), judge_score == "mean"
    among = [cases.label_rows(labelled, a, b, weighted) for a, b in cases.couples_of(labelled)]
    for judge in JUDGES:
        each = [cases.judge_rows(labelled, judge, rater, weighted, mean) for rater in raters]
        if pooling == "mean":
            first = cases.mean_of([cases.kappa_of(one) for one in each])
            second = cases.mean_of([cases.kappa_of(one) for one in among])
            assert first is not None
            assert second is not None
            assert close(row_of(found, judge=judge)["human_human"], second)
            assert close(row_of(found, judge=judge)["gap"], first - second)
        else:
            first = cases.kappa_of([row for one in each for row in one])
        assert close(row_of(found, judge=judge)["judge_human"], first)


@WEIGHTED
@TABLE
@pytest.mark.parametrize(("weights", "power"), [("quadratic", 2), ("linear", 1), ("none", None)])
def test_kappa_of_each_couple_is_the_definition(
    labelled: Labelled, weighted: bool, weights: str, power: int | None
) -> None:
    found = rows(labelled, "kappa", sampling_weights=weighted, weights=weights)
    for place, rater in enumerate(labelled.raters):
        for judge in JUDGES:
            expected = cases.kappa_of(cases.judge_rows(labelled, judge, place, weighted), power)
            assert close(row_of(found, judge=judge, raters=rater)["kappa"], expected)
    for a, b in cases.couples_of(labelled):
        name = f"{labelled.raters[a]} – {labelled.raters[b]}"
        expected = cases.kappa_of(cases.label_rows(labelled, a, b, weighted), power)
        assert close(row_of(found, judge="annotators", raters=name)["kappa"], expected)


def test_kappa_of_one_annotator_is_the_one_in_the_gap() -> None:
    labelled = made(raters=1)
    single = row_of(rows(labelled, "kappa"), judge="j1", raters="ann0")["kappa"]
    gap = row_of(rows(labelled, "kappa_gap"), judge="j1")
    assert (single.value, single.low, single.n) == (gap["judge_human"].value, gap["judge_human"].low, single.n)
    assert gap["gap"].value is None


@pytest.mark.parametrize("weighted", [False, True])
def test_kappa_of_the_mean_of_calls(weighted: bool) -> None:
    labelled = TABLES[1]
    found = rows(labelled, "kappa", judge_score="mean", sampling_weights=weighted)
    for place, rater in enumerate(labelled.raters):
        expected = cases.kappa_of(cases.judge_rows(labelled, "j1", place, weighted, mean=True))
        assert close(row_of(found, judge="j1", raters=rater)["kappa"], expected)


def test_linear_and_unweighted_kappa_compare_calls_only() -> None:
    with pytest.raises(InputError, match="no point of the scale"):
        rows(made(), "kappa", weights="linear", judge_score="mean")
    assert rows(made(), "kappa", judge_score="mean")


@WEIGHTED
@TABLE
def test_shares_and_means_are_the_definition(labelled: Labelled, weighted: bool) -> None:
    found = rows(labelled, "agreement_shares", sampling_weights=weighted)
    means = rows(labelled, "mean_difference", sampling_weights=weighted)
    among = [cases.label_rows(labelled, a, b, weighted) for a, b in cases.couples_of(labelled)]
    for judge in JUDGES:
        each = [cases.judge_rows(labelled, judge, rater, weighted) for rater in range(len(labelled.raters))]
        row, mean = row_of(found, judge=judge), row_of(means, judge=judge)
        for prefix, couples in (("", each), ("annotators_", among)):
            for name, least in (("exact", 0), ("within_one", 1)):
                shares = [cases.weighted_mean([(abs(x - y) <= least, w) for x, y, w in one]) for one in couples]
                assert close(row[f"{prefix}{name}"], np.mean(shares))
        judged, labels = ([cases.weighted_mean([(one[p], one[2]) for one in part]) for part in each] for p in (0, 1))
        difference = float(np.mean(judged) - np.mean(labels))
        assert close(row["mean_difference"], difference)
        assert close(mean["difference"], difference)
        assert close(mean["judge_mean"], np.mean(judged))
        assert close(mean["annotators_mean"], np.mean(labels))
        assert row["exact"].n == len(
            {
                place
                for place, (calls, own) in enumerate(zip(labelled.judges[judge].scores, labelled.scores, strict=True))
                if not np.isnan(calls).any() and not np.isnan(own).all()
            }
        )


def test_a_mean_difference_near_zero_says_what_could_have_been_seen() -> None:
    labelled = table_of([[n % 4, n % 4] for n in range(12)], [((n + n % 2) % 4, n % 4) for n in range(12)])
    found = row_of(rows(labelled, "mean_difference", ("j",)), judge="j")["difference"]
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 0 <= found.high
    assert found.detectable is not None
    assert found.detectable > 0


@TABLE
def test_directions_are_the_rule(labelled: Labelled) -> None:
    found = rows(labelled, "direction_agreement")
    people = [
        cases.direction_of(labelled, labelled.scores[:, [n]], labelled.sides[:, [n]])
        for n in range(len(labelled.raters))
    ]
    for judge in JUDGES:
        calls = labelled.judges[judge]
        own = cases.direction_of(labelled, calls.scores, calls.sides)
        stacked = []
        for rater, person in zip(labelled.raters, people, strict=True):
            each = cases.direction_rows_of(own, person)
            _directed(row_of(found, judge=judge, raters=rater), each, len(each))
            stacked += each
        _directed(
            row_of(found, judge=judge, raters="all annotators"),
            stacked,
            len({k for k in own for p in people if k in p}),
        )
    kappas = []
    for a, b in cases.couples_of(labelled):
        each = cases.direction_rows_of(people[a], people[b])
        assert each
        _directed(row_of(found, judge="annotators", raters=f"ann{a} – ann{b}"), each, len(each))
        kappas.append(cases.kappa_of(each, None))
    assert close(row_of(found, judge="annotators", raters="all annotators")["kappa"], cases.mean_of(kappas))


def _directed(found: dict[str, Estimate], each: list[cases.Row], pairs: int) -> None:
    both = [x == y for x, y, _ in each if x and y]
    assert close(found["kappa"], cases.kappa_of(each, None))
    assert close(found["same_side"], sum(both) / len(both) if both else None)
    named = [[row[place] for row in each if row[place]] for place in (0, 1)]
    if all(named):
        first, second = (sum(side > 0 for side in sides) / len(sides) for sides in named)
        assert close(found["favouring_a_difference"], first - second)
    assert found["kappa"].n == pairs


def test_n_counts_pairs_and_never_readings() -> None:
    """The judge names a side in three pairs of four; of the two annotators one does in the first, both in the second,
    none in the third, and both in the fourth, in which the judge names none.
    """
    scores, calls = [[3.0, 3.0]] * 4, [(3.0, 3.0)] * 4
    sides = [[1.0, 0.0], [1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]
    labelled = table_of(scores, calls, sides, [(1.0, 1.0)] * 3 + [(0.0, 0.0)])
    found = rows(labelled, "direction_agreement", ("j",), sampling_weights=True)
    together, people = (
        row_of(found, judge="j", raters="all annotators"),
        row_of(found, judge="annotators", raters="all annotators"),
    )
    assert [together[name].n for name in ("kappa", "same_side", "favouring_a_difference")] == [4, 2, 4]
    assert [together[name].clusters for name in ("kappa", "same_side")] == [4, 2]
    # Readings with both sides: A A in the first pair, A A and A B in the second, which weighs four times as much.
    assert together["same_side"].value == pytest.approx(5 / 9)
    assert [people[name].n for name in ("kappa", "same_side")] == [4, 2]
    assert people["kappa"].effective_n == pytest.approx(10**2 / 34)
    assert together["same_side"].effective_n == pytest.approx(5**2 / 17)


def test_a_scale_that_asks_for_sides_has_no_threshold() -> None:
    """One side named in one dimension is a direction there, and none where scores are summed."""
    sides = [[1.0], [-1.0], [1.0], [0.0]]
    scores = [[abs(side)] for (side,) in sides]
    calls = [(abs(side), abs(side)) for (side,) in sides]
    labelled = table_of(scores, calls, sides, [(side, side) for (side,) in sides])
    asked = labelled._replace(asks_sides=True)
    assert row_of(rows(asked, "direction_agreement", ("j",)), raters="ann0")["same_side"].value == 1.0
    silent = row_of(rows(labelled, "direction_agreement", ("j",)), raters="ann0")["same_side"]
    assert silent.value is None
    assert silent.reason


@WEIGHTED
@TABLE
def test_icc_of_totals_is_the_definition(labelled: Labelled, weighted: bool) -> None:
    found = rows(labelled, "icc_totals", sampling_weights=weighted)
    people = [cases.totals(labelled, labelled.scores[:, [n]], weighted) for n in range(len(labelled.raters))]

    def coupled(
        x: dict[tuple[str, str], tuple[float, float]], y: dict[tuple[str, str], tuple[float, float]]
    ) -> list[cases.Row]:
        return [(x[key][0], y[key][0], x[key][1]) for key in x if key in y]

    among = [coupled(people[a], people[b]) for a, b in cases.couples_of(labelled)]
    for judge in JUDGES:
        own = cases.totals(labelled, labelled.judges[judge].scores, weighted)
        each = [coupled(own, person) for person in people]
        for form in ("icc_a_1", "icc_c_1"):
            first, second = (_mean_icc(couples, form) for couples in (each, among))
            row = row_of(found, judge=judge)
            assert close(row[f"{form}_judge_human"], first)
            assert close(row[f"{form}_human_human"], second)
            assert close(row[f"{form}_gap"], None if first is None or second is None else first - second)


def _mean_icc(couples: list[list[cases.Row]], form: str) -> float | None:
    return cases.mean_of([cases.icc_of(one, form) if len(one) > 1 else None for one in couples if one])


def test_validity_counts_pairs_with_both_orders() -> None:
    labelled = table_of([[1], [1], [1]], [(1, 1), (1, NAN), (NAN, NAN)])
    found = row_of(rows(labelled, "validity", ("j",)), judge="j")["valid"]
    assert (found.value, found.n, found.method) == (1 / 3, 3, "Wilson interval")
    two = table_of([[1]] * 4, [(1, 1), (1, 1), (1, 1), (1, NAN)], dimensions=("tone", "law"))
    assert row_of(rows(two, "validity", ("j",)), judge="j")["valid"].value == 0.5


def test_a_table_by_hand() -> None:
    """Four units: the judge's calls are 0 0, 1 2, 2 2, 3 3; both annotators say 0 1 2 3 but for one 2."""
    labelled = table_of([[0, 0], [1, 2], [2, 2], [3, 3]], [(0, 0), (1, 2), (2, 2), (3, 3)])
    row = row_of(rows(labelled, "agreement_shares", ("j",)), judge="j")
    assert (row["exact"].value, row["within_one"].value) == (7 / 8, 1.0)
    assert (row["annotators_exact"].value, row["mean_difference"].value) == (3 / 4, 0.0)
    # One squared point among four, expected 4 · (14 + 17) − 2 · 6 · 7 = 40 of 4²: 1 − 1/4 / (40/16).
    assert row_of(rows(labelled, "kappa_gap", ("j",)))["human_human"].value == pytest.approx(0.9)


# Other libraries


@WEIGHTED
@TABLE
@EVERY
def test_other_libraries_agree(labelled: Labelled, statistic: str, weighted: bool) -> None:
    found = measure_labels(labelled, planned(statistic), ruled(sampling_weights=weighted), JUDGES, check=True)[1]
    checks = [check for row in found for check in row.checks]
    assert all(check.agrees for check in checks), [check.line for check in checks if not check.agrees]
    assert all(check.ours == row.estimates[check.name].value for row in found for check in row.checks)
    if statistic not in ("mean_difference", "validity") and not (statistic == "icc_totals" and labelled is TABLES[2]):
        assert bool(checks) != (statistic == "icc_totals" and weighted)
    assert not any(row.checks for row in rows(labelled, statistic))


@pytest.mark.parametrize("weights", ["linear", "none"])
def test_other_libraries_agree_on_other_weights(weights: str) -> None:
    found = measure_labels(made(raters=3), planned("kappa"), ruled(weights=weights), JUDGES, check=True)[1]
    assert len(found) == 9
    assert all(len(row.checks) == 1 and row.checks[0].agrees for row in found)


@pytest.mark.parametrize("judge_score", ["calls", "mean"])
@pytest.mark.parametrize("pooling", ["mean", "pooled"])
def test_other_libraries_agree_on_half_points(judge_score: str, pooling: str) -> None:
    """The mean of two calls on a scale with half points is a quarter point."""
    labelled = made()
    halved = labelled._replace(
        scores=labelled.scores / 2,
        judges={name: Calls(calls.scores / 2, calls.sides) for name, calls in labelled.judges.items()},
        points=(0.0, 0.5, 1.0, 1.5),
    )
    rules = ruled(judge_score=judge_score, pooling=pooling)
    found = measure_labels(halved, planned("kappa_gap"), rules, JUDGES, check=True)[1]
    assert [[check.name for check in row.checks] for row in found] == [["judge_human", "human_human", "gap"]] * 2
    assert all(check.agrees for row in found for check in row.checks)


def test_no_library_pools_several_couples() -> None:
    found = measure_labels(made(raters=3), planned("kappa_gap"), ruled(pooling="pooled"), JUDGES, check=True)[1]
    assert [[check.name for check in row.checks] for row in found] == [["judge_human"]] * 2


def test_undefined_in_both_agrees() -> None:
    labelled = table_of([[1, 1]] * 6, [(1, 1)] * 6)
    for statistic in LABEL_STATISTICS:
        found = measure_labels(labelled, planned(statistic), ruled(), ("j",), check=True)[1]
        assert all(check.agrees for row in found for check in row.checks)


def test_without_the_libraries_there_are_no_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sklearn", "pingouin"):
        monkeypatch.setitem(sys.modules, module, None)
    for statistic in LABEL_STATISTICS:
        found = measure_labels(TABLES[0], planned(statistic), ruled(), JUDGES, check=True)[1]
        assert found
        assert not any(row.checks for row in found)


# Laws


@EVERY
def test_the_order_of_units_and_raters_does_not_matter(statistic: str) -> None:
    labelled = TABLES[1]
    rules = {"sampling_weights": True}
    units = np.random.Generator(np.random.PCG64(2)).permutation(len(labelled.units))
    shuffled = labelled._replace(
        units=tuple(labelled.units[n] for n in units),
        scores=labelled.scores[units],
        sides=labelled.sides[units],
        judges={name: Calls(calls.scores[units], calls.sides[units]) for name, calls in labelled.judges.items()},
    )
    turned = labelled._replace(
        raters=labelled.raters[::-1], scores=labelled.scores[:, ::-1], sides=labelled.sides[:, ::-1]
    )
    for other in (shuffled, turned):
        alike(rows(labelled, statistic, **rules), rows(other, statistic, **rules))


@EVERY
def test_the_order_of_calls_does_not_matter(statistic: str) -> None:
    labelled = TABLES[0]
    judges = {name: Calls(calls.scores[:, ::-1], calls.sides[:, ::-1]) for name, calls in labelled.judges.items()}
    alike(rows(labelled, statistic), rows(labelled._replace(judges=judges), statistic))


@EVERY
def test_swapping_the_names_of_the_sides_turns_directions_only(statistic: str) -> None:
    labelled = TABLES[1]
    judges = {name: Calls(calls.scores, -calls.sides) for name, calls in labelled.judges.items()}
    swapped = labelled._replace(sides=-labelled.sides, judges=judges)
    before, after = rows(labelled, statistic), rows(swapped, statistic)
    if statistic != "direction_agreement":
        assert numbers(before) == numbers(after)
        return
    for row, other in zip(before, after, strict=True):
        for name in ("kappa", "same_side"):
            assert close(other.estimates[name], row.estimates[name].value)
        turned = row.estimates["favouring_a_difference"].value
        assert close(other.estimates["favouring_a_difference"], None if turned is None else -turned)


@EVERY
def test_a_stratum_is_the_table_cut_to_it(statistic: str) -> None:
    labelled, rules = TABLES[1], ruled(sampling_weights=True)
    cut = labelled.among(np.array([unit.stratum == "even" for unit in labelled.units]))
    found = measure_labels(labelled, planned(statistic, strata=("even",)), rules, JUDGES)[1]
    assert numbers(found) == numbers(measure_labels(cut, planned(statistic), rules, JUDGES)[1])
    both = measure_labels(labelled, planned(statistic, strata=("even", "hard")), rules, JUDGES)[1]
    assert numbers(both) == numbers(measure_labels(labelled, planned(statistic), rules, JUDGES)[1])


@EVERY
def test_a_dimension_is_the_table_cut_to_it(statistic: str) -> None:
    labelled = TABLES[1]
    measures, found = measure_labels(labelled, planned(statistic, by="dimension"), ruled(), JUDGES)
    assert measures.keys == (*LABEL_STATISTICS[statistic].measures.keys, "dimension")
    assert list(dict.fromkeys(row.keys["dimension"] for row in found)) == list(labelled.dimensions)
    cut = labelled.among(np.array([unit.dimension == "law" for unit in labelled.units]))
    alone = rows(cut._replace(dimensions=("law",)), statistic)
    own = [row for row in found if row.keys["dimension"] == "law"]
    assert [one.value for row in own for one in row.estimates.values()] == [
        one.value for row in alone for one in row.estimates.values()
    ]


@EVERY
def test_no_row_depends_on_another(statistic: str) -> None:
    """Draws follow from the comparison, the judge, the dimension and the rater, never from what else is computed."""
    labelled = TABLES[0]
    found = rows(labelled, statistic)
    assert numbers(found) == numbers(rows(labelled, statistic))
    alone = rows(labelled, statistic, ("j2",))
    assert numbers([row for row in found if row.keys["judge"] != "j1"]) == numbers(alone)
    named = measure_labels(labelled, planned(statistic, judges=("j2",)), ruled(), JUDGES)[1]
    assert numbers(named) == numbers(alone)
    if statistic != "validity":
        other = measure_labels(labelled, planned(statistic, id="c2"), ruled(), JUDGES)[1]
        assert [one.value for row in other for one in row.estimates.values()] == [
            one.value for row in found for one in row.estimates.values()
        ]
        assert numbers(other) != numbers(found)


@EVERY
def test_each_dimension_has_draws_of_its_own(statistic: str) -> None:
    """Two dimensions with the very same scores have the same values from other draws."""
    labelled = TABLES[0]
    one = labelled.among(np.array([unit.dimension == "tone" for unit in labelled.units]))
    twice = Labelled(
        one.units + tuple(unit._replace(dimension="law") for unit in one.units),
        one.raters,
        np.vstack([one.scores, one.scores]),
        np.vstack([one.sides, one.sides]),
        {name: Calls(np.vstack([c.scores, c.scores]), np.vstack([c.sides, c.sides])) for name, c in one.judges.items()},
        one.points,
        ("tone", "law"),
    )
    found = measure_labels(twice, planned(statistic, by="dimension"), ruled(), JUDGES)[1]
    halves = [
        [one for row in found if row.keys["dimension"] == name for one in row.estimates.values()]
        for name in twice.dimensions
    ]
    assert [one.value for one in halves[0]] == [one.value for one in halves[1]]
    seeds = [{beside.method for one in half for beside in one.beside if "seed" in beside.method} for half in halves]
    assert not seeds[0] & seeds[1]
    assert seeds[0] or statistic == "validity"


@EVERY
def test_equal_weights_are_no_weights(statistic: str) -> None:
    labelled = TABLES[0]
    even = labelled._replace(units=tuple(unit._replace(inclusion=0.5) for unit in labelled.units))
    alike(rows(even, statistic, sampling_weights=True), rows(labelled, statistic))


@pytest.mark.parametrize(("cluster", "count"), [("pair", 12), ("template", 6), ("topic", 3)])
def test_clusters_are_those_of_the_rules(cluster: str, count: int) -> None:
    labelled = made(missing=0.0)
    for statistic in LABEL_STATISTICS:
        if statistic not in ("validity",):
            estimates = [one for row in rows(labelled, statistic, cluster=cluster) for one in row.estimates.values()]
            named = [one.clusters for one in estimates if one.reason == ""]
            assert named
            assert max(named) == count


def test_listwise_keeps_what_every_rater_gave() -> None:
    labelled = TABLES[2]
    whole = ~np.isnan(labelled.scores).any(axis=1)
    assert 0 < whole.sum() < len(whole)
    cut = labelled._replace(
        scores=np.where(whole[:, None], labelled.scores, NAN), sides=np.where(whole[:, None], labelled.sides, NAN)
    )
    for statistic in ("kappa_gap", "kappa", "agreement_shares", "mean_difference", "icc_totals", "validity"):
        found = rows(labelled, statistic, missing="listwise")
        assert numbers(found) == numbers(rows(cut, statistic))
        if statistic == "kappa_gap":
            assert numbers(found) != numbers(rows(labelled, statistic))


def test_listwise_directions_are_of_the_pairs_that_every_rater_has() -> None:
    """A score without a side leaves the unit in, and takes the direction from every rater."""
    scores, calls = [[3.0, 3.0]] * 4, [(3.0, 3.0)] * 4
    sides = [[1.0, 1.0], [-1.0, -1.0], [1.0, NAN], [-1.0, 1.0]]
    labelled = table_of(scores, calls, sides, [(1.0, 1.0)] * 4)
    for missing, n in (("pairwise", 4), ("listwise", 3)):
        found = rows(labelled, "direction_agreement", ("j",), missing)
        assert row_of(found, raters="ann0")["same_side"].n == n


# Edges and errors


@EVERY
def test_estimates_are_the_columns(statistic: str) -> None:
    measures, found = measure_labels(TABLES[0], planned(statistic), ruled(), JUDGES)
    assert measures == LABEL_STATISTICS[statistic].measures
    assert measures.caption
    assert found == LABEL_STATISTICS[statistic].function(TABLES[0], planned(statistic), ruled(), JUDGES)
    for row in found:
        assert tuple(row.estimates) == known_measures(statistic)
        assert tuple(row.keys) == measures.keys


value = st.sampled_from([NAN, 0.0, 0.0, 1.0, 3.0])
side = st.sampled_from([-1.0, 0.0, 1.0])
units = st.integers(0, 3).flatmap(
    lambda raters: st.lists(
        st.tuples(
            st.tuples(*[value] * raters), st.tuples(value, value), st.tuples(*[side] * raters), st.tuples(side, side)
        ),
        max_size=5,
    )
)


@EVERY
@given(drawn=units, weighted=st.booleans(), missing=st.sampled_from(["pairwise", "listwise"]), twos=st.booleans())
@settings(max_examples=25, deadline=None)
def test_whatever_is_missing_has_a_reason(
    statistic: str, drawn: list[tuple[tuple[float, ...], ...]], weighted: bool, missing: str, twos: bool
) -> None:
    dimensions = ("tone", "law") if twos else ("tone",)
    whole = drawn[: len(drawn) // len(dimensions) * len(dimensions)]
    scores, calls, sides, call_sides = ([unit[part] for unit in whole] for part in range(4))
    labelled = table_of(scores, calls, sides, call_sides, dimensions)  # type: ignore[arg-type]
    rules = ruled(sampling_weights=weighted)
    found = measure_labels(labelled, planned(statistic), rules, ("j",), missing, check=True)[1]  # type: ignore[arg-type]
    assert found
    for row in found:
        assert all(check.agrees for check in row.checks), [check.line for check in row.checks]
        for name, one in row.estimates.items():
            assert one.reason if one.value is None else math.isfinite(one.value), name
            assert (one.low is None) == (one.high is None)
            assert one.low is not None or one.reason
            assert tuple(row.estimates) == known_measures(statistic)


@pytest.mark.parametrize(
    ("labelled", "statistic", "measure", "reason"),
    [
        (made(raters=1), "kappa_gap", "gap", "no unit was rated by two raters"),
        (made(raters=1), "icc_totals", "icc_a_1_gap", "fewer than two raters"),
        (made(raters=0), "icc_totals", "icc_a_1_judge_human", "no annotator"),
        (made(raters=0), "agreement_shares", "exact", "no unit has a judge score and an annotator's"),
        (made(raters=2, missing=1.0), "mean_difference", "difference", "no unit has a judge score and an annotator's"),
        (made(raters=2, missing=1.0), "icc_totals", "icc_c_1_human_human", "no pair has both totals"),
        (made(pairs=1, missing=0.0, models=1), "icc_totals", "icc_c_1_gap", "a couple of raters shares one pair only"),
        (made(pairs=0), "validity", "valid", "no pair"),
    ],
)
def test_reasons(labelled: Labelled, statistic: str, measure: str, reason: str) -> None:
    found = row_of(rows(labelled, statistic), judge="j1")[measure]
    assert (found.value, found.reason) == (None, reason)


def test_annotators_who_share_nothing_have_no_row() -> None:
    scores = [[1, NAN, 2], [2, NAN, 1], [NAN, 1, 3], [NAN, 0, 0]]
    labelled = table_of(scores, [(1, 2), (2, 2), (1, 0), (0, 0)])
    for statistic in ("kappa", "direction_agreement"):
        found = [row.keys["raters"] for row in rows(labelled, statistic, ("j",)) if row.keys["judge"] == "annotators"]
        assert [name for name in found if name != "all annotators"] == ["ann0 – ann2", "ann1 – ann2"]
    apart = table_of([[1, NAN], [2, NAN], [NAN, 1]], [(1, 2), (2, 2), (1, 0)])
    (row,) = [row for row in rows(apart, "kappa", ("j",)) if row.keys["judge"] == "annotators"]
    assert row.estimates["kappa"].reason == "no unit was rated by two raters"


@pytest.mark.parametrize(
    ("labelled", "statistic", "rules", "judges", "said"),
    [
        (TABLES[0], "kappa_gap", {"weights": "linear"}, JUDGES, "kappa_gap has quadratic weights"),
        (TABLES[0], "gap", {}, JUDGES, "no statistic of labels 'gap'; there are kappa_gap, kappa,"),
        (TABLES[0], "kappa", {}, ("j9",), "no calls of judge 'j9'; there are j1, j2"),
        (TABLES[0]._replace(points=(0.0, 1.0)), "validity", {}, JUDGES, "is not on the scale 0, 1"),
    ],
)
def test_errors_are_one_line(
    labelled: Labelled, statistic: str, rules: dict[str, object], judges: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError, match=said) as caught:
        rows(labelled, statistic, judges, **rules)
    assert "\n" not in str(caught.value)


@EVERY
def test_a_pair_without_cluster_or_probability_is_named(statistic: str) -> None:
    for part, rules in (({"template": ""}, {"cluster": "template"}), ({"inclusion": 0.0}, {"sampling_weights": True})):
        units = tuple(unit._replace(**part) for unit in TABLES[0].units)
        with pytest.raises(InputError, match="pair p00"):
            rows(TABLES[0]._replace(units=units), statistic, **rules)


def test_an_unknown_statistic_has_no_measures() -> None:
    assert known_measures("kappa_gap") == ("judge_human", "human_human", "gap")
    with pytest.raises(InputError, match="no statistic of labels"):
        known_measures("nothing")
