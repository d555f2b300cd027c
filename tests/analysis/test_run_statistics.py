"""Statistics of plans about runs: on scripted runs by naive loops and beside the report, by hand, and their reasons."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from polibias import flow
from polibias.analysis.cases import Case, Guessed, Judged
from polibias.analysis.cells import cell
from polibias.analysis.contrasted import NO_ORDERS, NO_SHARED, OTHER_SCALE
from polibias.analysis.direction_pilot import NO_LABELS, NO_PAIR, direction_pilot_agreement
from polibias.analysis.findings import Cell, Table
from polibias.analysis.first_report import analyse
from polibias.analysis.gathered import Question, Reading
from polibias.analysis.labelled import Calls, Labelled, LabelUnit
from polibias.analysis.measured import Measured
from polibias.analysis.run_statistics import (
    NO_AGAINST,
    NO_COPY,
    NOBODY,
    RUN_STATISTICS,
    Gathered,
    gather,
    known_measures,
    measure_runs,
)
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.domain.rows import Score, Verdict
from polibias.domain.sides import ORDERS
from polibias.errors import InputError
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.sources.plans import read_plan
from polibias.sources.studies import read_study
from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.contrasts import NO_COMMON
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share
from tests.analysis.copies import RUBRIC, RUBRICS, TITLES, both, case, copy, verdict
from tests.conftest import ROOT, copies_text, study_text

SHIPPED = sorted((ROOT / "prereg").glob("*.toml"))
ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001"]
pairs = ["russia-ukraine", "china-taiwan", "france-germany", "lumina-tenebris"]
tasks = ["T1"]

[[items]]
templates = ["crimes_against_humanity/*"]
pairs = ["lumina-tenebris", "aurelia-ferrum"]
tasks = ["T1"]
"""
MODELS = """
[analysis]
resamples = 100

[[models]]
adapter = "scripted"
name = "fake"
max_tokens = 50
faults = 0.1

[[models]]
adapter = "scripted"
name = "second"
max_tokens = 50

[[judges]]
adapter = "scripted"
name = "judge"
faults = 0.1

[[judges]]
adapter = "scripted"
name = "other"
"""
JUDGES = ("judge", "other")
RULES = AnalysisRules(seed=20280101, resamples=100, cluster="template")
BEFORE_ITEMS = {
    "official": "",
    "null": 'conditions = ["null"]\nreuse = ["official"]\n',
    "direction": 'reuse = ["official"]\nprimary_judge_only = true\n',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of the same items: official with every kind of copy, null, and asked for the side alone."""
    made: Path = tmp_path_factory.mktemp("runs")
    for name, more in BEFORE_ITEMS.items():
        copied = copies_text(again=12) if name == "official" else ""
        text = study_text(id=name, items=more + ITEMS, models=copied + MODELS)
        if name == "direction":
            text = text.replace('judge_prompt = "pair"', 'judge_prompt = "direction"')
        if name == "null":
            text = text.replace('judge_prompt = "pair"\n', "")
        path = made / f"{name}.toml"
        path.write_text(text, "utf-8")
        flow.run_study(
            plan(str(path), ROOT / "data"), Run(made / "runs" / name), QuietWatcher(), flow.Wanted(last="seal")
        )
    return made / "runs"


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Gathered]:
    return {name: gather(Run(folder / name)) for name in BEFORE_ITEMS}


@pytest.fixture(scope="module")
def reported(folder: Path) -> dict[str, Table]:
    return {table.id: table for table in analyse(Run(folder / "official")).findings.tables}


def compare(statistic: str, id: str = "x", **fields: object) -> Comparison:
    return Comparison(id=id, title="t", role="primary", statistic=statistic, **fields)  # type: ignore[arg-type]


def measured(
    runs: dict[str, Gathered],
    statistic: str,
    rules: AnalysisRules = RULES,
    judges: tuple[str, ...] = (),
    **fields: object,
) -> list[Measured]:
    """The rows, each with all measures that the statistic declares and with its keys."""
    outcomes = [name for name in runs if name != "official"]
    measures, rows = measure_runs(runs, "official", outcomes, compare(statistic, **fields), rules, judges)
    for row in rows:
        assert tuple(row.keys) == measures.keys
        assert sorted(row.estimates) == sorted(column.id for column in measures.columns)
        assert all(one.value is None or np.isfinite(one.value) for one in row.estimates.values())
        assert all(one.value is not None or one.reason for one in row.estimates.values())
    return rows


def of(rows: list[Measured], **keys: str) -> dict[str, Estimate]:
    (row,) = [one for one in rows if keys.items() <= one.keys.items()]
    return dict(row.estimates)


def hand(cases: list[Case]) -> dict[str, Gathered]:
    return {"official": Gathered(cases, TITLES, RUBRICS)}


def same(estimate: Estimate, found: Cell) -> None:
    """The estimate is the very number that the report prints, with all its intervals."""
    assert cell(estimate, found.where) == found


# The shipped plans.


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_plan_names_statistics_and_measures_that_exist(path: Path) -> None:
    found = read_plan(path)
    assert len({one.id for one in found.comparisons}) == len(found.comparisons)
    for one in found.comparisons if found.outcomes else ():
        known = known_measures(one.statistic)
        assert one.title
        assert one.judges
        assert (one.decision is None) == (not one.measure)
        assert one.measure in ("", *known)
    assert not found.outcomes or (found.analysis is not None and found.question)


def test_shipped_plans_name_runs_and_conditions_that_their_studies_have() -> None:
    """Each name of a comparison is found in runs that hold what the shipped studies declare."""
    for path in SHIPPED:
        found = read_plan(path)
        shaped = {}
        for name in (found.run, *found.outcomes):
            study, _ = read_study(ROOT / "studies" / f"{name}.toml")
            copies = [one.name for one in study.copies]
            titles = dict.fromkeys([*study.conditions, *copies], "t")
            first = [case("p", (3, "A"), judge="j")]
            cases = [condition_of(first[0], one) for one in study.conditions]
            cases += [copy(cases[0], (3, "A"), one) for one in copies]
            shaped[name] = Gathered(cases, titles, dict.fromkeys(titles, RUBRIC))
        for one in found.comparisons if found.outcomes else ():
            if one.statistic in RUN_STATISTICS:
                _, rows = measure_runs(shaped, found.run, found.outcomes, one, AnalysisRules(seed=1, resamples=100), ())
                assert {row.keys["judge"] for row in rows} == set(one.judges)


def condition_of(one: Case, name: str, **more: object) -> Case:
    """The same pair in another condition."""
    design = msgspec.structs.replace(one.pair.design, condition=name, **more)
    return one._replace(pair_id=f"{one.pair_id}-{name}", pair=msgspec.structs.replace(one.pair, design=design))


# What copies change, beside the report.


@pytest.mark.parametrize("condition", ["masked", "retest"])
def test_changes_and_agreement_are_those_of_the_report(
    runs: dict[str, Gathered], reported: dict[str, Table], condition: str
) -> None:
    title = runs["official"].titles[condition]
    changes = measured(runs, "copied_change", condition=condition)
    agreements = measured(runs, "copied_agreement", condition=condition)
    assert [row.keys["judge"] for row in changes] == list(JUDGES)
    for id, rows in (("copied_scores", changes), ("copied_agreement", agreements)):
        for line in reported[id].rows:
            if line.keys["copy"] == title:
                for name, estimate in of(rows, judge=line.keys["judge"]).items():
                    same(estimate, line.cells[name])


def test_change_by_a_loop(runs: dict[str, Gathered]) -> None:
    rows = measured(runs, "copied_change", condition="masked")
    for judge in JUDGES:
        shifts: dict[str, list[float]] = {"all": [], "main": [], "fictional": []}
        for one in runs["official"].cases:
            first = one.original
            if one.judge != judge or one.pair.design.condition != "masked" or first is None:
                continue
            if len(one.verdicts) == len(first.verdicts) == 2:
                shift = (
                    sum(v.total for v in one.verdicts.values()) / 2 - sum(v.total for v in first.verdicts.values()) / 2
                )
                shifts["all"].append(shift)
                for name in (one.pair.design.block, one.pair.design.topic_category):
                    shifts.setdefault(name, []).append(shift)
        found = of(rows, judge=judge)
        assert found["all"].value == pytest.approx(np.mean(shifts["all"]))
        assert found["main"].value == pytest.approx(np.mean(shifts["main"]))
        assert found["identity"].value == pytest.approx(np.mean(shifts["main"]) - np.mean(shifts["fictional"]))
        assert found["identity"].n == len(shifts["main"]) + len(shifts["fictional"])


def test_change_by_hand_and_why_there_may_be_none() -> None:
    cases = [
        *both("p", (5, "A"), (4, "A"), "active"), *both("q", (5, "A"), (3, "A"), "tension"),
        *both("r", (5, "A"), (4.5, "A"), "fictional"), *both("s", (5, "A"), None, "fictional"),
    ]  # fmt: skip
    found = of(measured(hand(cases), "copied_change", condition="masked"))
    assert {name: one.value for name, one in found.items()} == {"all": -3.5 / 3, "main": -1.5, "identity": -1.0}
    found = of(measured(hand(cases), "copied_change", condition="masked", block="main"))
    assert (found["all"].value, found["identity"].value) == (-1.5, None)
    assert found["identity"].reason == "no fictional pair"
    nothing = of(measured(hand(both("p", (5, "A"), None)), "copied_change", condition="masked"))
    assert [one.value for one in nothing.values()] == [None] * 3
    agreement = of(measured(hand(both("p", (5, "A"), None)), "copied_agreement", condition="masked"))
    assert all(one.value is None and one.reason for one in agreement.values())
    first = of(measured(hand(cases), "copied_change", condition="official"))
    assert {one.reason for one in first.values()} == {NO_COPY}


def test_pairs_are_drawn_within_their_blocks() -> None:
    cases = [
        one for n in range(30) for one in both(f"p{n}", (5, "A"), (n % 7 / 2, "A"), ("active", "fictional")[n % 2])
    ]
    found = of(
        measured(hand(cases), "copied_change", msgspec.structs.replace(RULES, cluster="pair"), condition="masked")
    )
    changes, main = [n % 7 / 2 - 5 for n in range(30)], [n % 2 == 0 for n in range(30)]
    names = [f"p{n}" for n in range(30)]
    want = bias_index(changes, main, names, 100, 1, "x", SampleDesign(within_blocks=True))["difference"]
    assert (found["identity"].value, found["identity"].clusters) == (pytest.approx(want.value), 30)
    assert (found["identity"].low, found["identity"].high) == (pytest.approx(want.low), pytest.approx(want.high))
    across = bias_index(changes, main, names, 100, 1, "x")["difference"]
    assert found["identity"].low != pytest.approx(across.low)


def test_withheld_directions_stay_withheld() -> None:
    """A judge that always names X where names are hidden, in enough fictional pairs."""
    cases = []
    for number in range(24):
        said = "AB"[number % 2]
        cases += both(f"p{number}", (5, said), (5, "A"), "fictional", template=f"T-{number % 12}")
    found = of(measured(hand(cases), "copied_agreement", condition="masked"))
    assert found["same_side"].value is None
    assert found["same_side"].reason.startswith("withheld: in fictional pairs the judge prefers the placeholder")
    assert found["icc"].reason
    again = of(
        measured(hand([copy(one, (5, "A"), "retest") for one in cases[::2]]), "copied_agreement", condition="retest")
    )
    assert again["same_side"].value == 0.5


# Guesses.


def test_guesses_are_those_of_the_report(runs: dict[str, Gathered], reported: dict[str, Table]) -> None:
    rows = measured(runs, "reidentified", condition="masked", against="names-masked")
    title = runs["official"].titles["masked"]
    lines = [line for line in reported["reidentified"].rows if line.keys["copy"] == title]
    for row in rows:
        (line,) = [one for one in lines if row.keys.items() <= one.keys.items()]
        same(row.estimates["both"], line.cells["both"])
        same(row.estimates["invalid"], line.cells["invalid"])
    assert {row.keys["pair category"] for row in rows} == {"active", "tension", "all pairs"}


def guess(result: str) -> Guessed:
    return Guessed("ok" if result else "schema_invalid", result or None, 9, None)  # type: ignore[arg-type]


def test_guesses_by_hand() -> None:
    cases: list[Case] = []
    for number, (masked, names) in enumerate(
        [("both", "both"), ("none", "both"), ("none", "none"), ("", "both"), ("both", ""), ("swapped", "both")]
    ):
        first = case(f"p{number}", (3, "A"), "active" if number < 4 else "fictional", template=f"T-{number}")
        cases += [
            first,
            copy(first, (3, "A"), "masked", guess=guess(masked)),
            copy(first, None, "names", guess=guess(names)),
        ]
    rows = measured(hand(cases), "reidentified", condition="masked", against="names")
    found = of(rows, **{"pair category": "all pairs"})
    assert found["both"] == share(2, 5)
    assert (found["invalid"].value, found["hidden"].n) == (1, 4)
    assert (found["hidden"].value, found["against"].value, found["difference"].value) == (0.25, 0.75, -0.5)
    active = of(rows, **{"pair category": "active"})
    assert active["both"] == share(1, 3)
    assert active["difference"].value == pytest.approx(-1 / 3)
    alone = of(measured(hand(cases), "reidentified", condition="masked", block="main"), **{"pair category": "Main"})
    assert (alone["both"].n, alone["difference"].reason) == (3, NO_AGAINST)
    nobody = measured(hand(both("p", (3, "A"), (3, "A"))), "reidentified", condition="masked")
    assert {one.reason for one in of(nobody).values() if one.value is None} == {NOBODY}


# Two conditions on the same items.


def naive_contrast(runs: dict[str, Gathered], judge: str, block: str) -> tuple[list[float], list[float], int]:
    first, second, left = [], [], 0
    for one in runs["official"].cases:
        for other in runs["null"].cases:
            a, b = one.pair.design, other.pair.design
            if (a.template, a.topic, a.task, one.model) != (b.template, b.topic, b.task, other.model):
                continue
            if (one.judge, other.judge, a.block, a.condition) != (judge, judge, block, "official"):
                continue
            again = [r.fallback for c in (one, other) for r in c.responses.values()]
            if len(one.verdicts) < 2 or len(other.verdicts) < 2 or any(again):
                left += 1
                continue
            first.append(sum(v.total for v in one.verdicts.values()) / 2)
            second.append(sum(v.total for v in other.verdicts.values()) / 2)
    return first, second, left


def test_null_baseline_by_a_loop(runs: dict[str, Gathered]) -> None:
    rows = measured(runs, "score_contrast", condition="official", against="null")
    assert [tuple(row.keys.values()) for row in rows] == [(j, b) for j in JUDGES for b in ("Main", "Controls")]
    for judge, (block, title) in [(j, b) for j in JUDGES for b in (("main", "Main"), ("control", "Controls"))]:
        first, second, left = naive_contrast(runs, judge, block)
        found = of(rows, judge=judge, block=title)
        assert found["condition"].value == pytest.approx(np.mean(first))
        assert found["against"].value == pytest.approx(np.mean(second))
        assert found["difference"].value == pytest.approx(np.mean(np.subtract(first, second)))
        assert found["zero"].value == pytest.approx(np.mean(np.equal(second, 0)))
        assert (found["difference"].n, found["left_out"].value) == (len(first), left)
    assert any(row.estimates["left_out"].value for row in rows)
    assert any(r.fallback for one in runs["null"].cases for r in one.responses.values()), "nothing was asked again"


def test_dimensions_add_up_to_the_pair_score(runs: dict[str, Gathered]) -> None:
    whole = measured(runs, "score_contrast", condition="official", against="null", judges=("other",))
    rows = measured(runs, "score_contrast", condition="official", against="null", judges=("other",), by="dimension")
    assert [row.keys["dimension"] for row in rows[::2]] == list(RUBRIC.dimension_ids)
    for block in ("Main", "Controls"):
        own = [row.estimates for row in rows if row.keys["block"] == block]
        for name in ("condition", "against", "difference"):
            total = of(whole, block=block)[name]
            assert sum(one[name].value for one in own) == pytest.approx(total.value)  # type: ignore[misc]


def test_a_contrast_of_one_model_has_the_means_of_the_report(
    runs: dict[str, Gathered], reported: dict[str, Table]
) -> None:
    """Where nothing was left out; the jackknife needs no draws, so it is the same."""
    alone = {
        name: run._replace(cases=[one for one in run.cases if one.model == "second"]) for name, run in runs.items()
    }
    rows = measured(alone, "score_contrast", condition="official", against="null", judges=("other",))
    (line,) = [one for one in reported["pbi"].rows if one.keys == {"judge": "other", "model": "second"}]
    for block, title in (("main", "Main"), ("control", "Controls")):
        found, told = of(rows, block=title), line.cells[block]
        assert found["left_out"].value == 0
        mean = found["condition"]
        assert (mean.value, mean.n, mean.clusters) == (pytest.approx(told.value), told.n, told.clusters)
        assert (mean.low, mean.high) == (pytest.approx(told.low), pytest.approx(told.high))


def test_contrast_by_hand_with_unequal_chances() -> None:
    cases = []
    for number, (official, null, chance) in enumerate([(4, 1, 0.5), (6, 6, 0.25), (2, 0, 0.25), (9, None, 0.5)]):
        first = case(f"p{number}", (official, "A"), template=f"T-{number}", inclusion=0.5)
        said = None if null is None else (null, "A")
        other = condition_of(case(f"p{number}", said, template=f"T-{number}", inclusion=chance), "masked")
        cases += [first, other]
    found = of(measured(hand(cases), "score_contrast", condition="official", against="masked", block="main"))
    assert found["difference"].value == pytest.approx((2 * 3 + 4 * 0 + 4 * 2) / 10)
    assert (found["zero"].value, found["left_out"].value, found["difference"].n) == (pytest.approx(0.4), 1, 3)


def test_fallback_pairs_are_left_out() -> None:
    first = case("p", (4, "A"))
    again = {side: msgspec.structs.replace(one, fallback=1) for side, one in first.responses.items()}
    other = condition_of(case("p", (3, "A")), "masked")._replace(responses=again)
    found = of(measured(hand([first, other]), "score_contrast", condition="official", against="masked", block="main"))
    assert (found["left_out"].value, found["difference"].reason, found["zero"].reason) == (1, NO_COMMON, NO_COMMON)


def test_why_conditions_cannot_be_contrasted(runs: dict[str, Gathered]) -> None:
    rows = measured(runs, "score_contrast", condition="official", against="direction")
    assert {one.reason for row in rows for name, one in row.estimates.items() if name != "left_out"} == {OTHER_SCALE}
    main = [case("p", (4, "A")), condition_of(case("p", (3, "A")), "masked")]
    found = of(measured(hand(main), "score_contrast", condition="official", against="masked"), block="Controls")
    assert found["difference"].reason == NO_SHARED
    twice = [*main, condition_of(case("q", (3, "A")), "masked")]
    with pytest.raises(InputError, match="'masked' has several pairs of one item") as raised:
        measured(hand(twice), "score_contrast", condition="official", against="masked")
    assert "\n" not in str(raised.value)


# Contradictions between orders.


def test_contradictions_by_a_loop(runs: dict[str, Gathered]) -> None:
    found = of(measured(runs, "order_contradictions", condition="direction", against="official", judges=("judge",)))
    told: dict[str, dict[tuple[str, str], float]] = {"direction": {}, "official": {}}
    for name, run in ((name, runs[name]) for name in told):
        for one in run.cases:
            if one.judge != "judge" or one.pair.copy_of or len(one.verdicts) < 2:
                continue
            nets = [sum(s.score * {"A": 1, "B": -1, "none": 0}[s.favoured] for s in v.scores.values())
                    for v in one.verdicts.values()]  # fmt: skip
            if nets[0] and nets[1]:
                told[name][one.pair_id, one.model] = float((nets[0] > 0) != (nets[1] > 0))
    shared = told["direction"].keys() & told["official"].keys()
    assert len(shared) > 10
    for name, own in (("condition", told["direction"]), ("against", told["official"])):
        assert (found[name].value, found[name].n) == (pytest.approx(np.mean([*own.values()])), len(own))
    difference = np.mean([told["direction"][name] - told["official"][name] for name in shared])
    assert (found["difference"].value, found["difference"].n) == (pytest.approx(difference), len(shared))


def orders(one: Case, *said: tuple[int, str]) -> Case:
    judged = {order: Judged("ok", verdict(*each), None) for order, each in zip(ORDERS, said, strict=True)}  # type: ignore[arg-type]
    return one._replace(judgments=judged)


def test_contradictions_by_hand() -> None:
    """Opposed, agreeing, one order without a side, and both without: only the first two count."""
    said = [((4, "A"), (1, "B")), ((4, "A"), (2, "A")), ((4, "A"), (0, "none")), ((0, "none"), (0, "none"))]
    first = [orders(case(f"p{n}", (3, "A"), template=f"T-{n}"), *each) for n, each in enumerate(said)]
    beside = [condition_of(orders(one, (3, "B"), (3, "B")), "masked") for one in first]
    found = of(measured(hand(first + beside), "order_contradictions", condition="official", against="masked"))
    assert [(one.value, one.n) for one in found.values()] == [(0.5, 2), (0.0, 4), (0.5, 2)]
    quiet = [case("p", (0, "none")), condition_of(case("p", (0, "none")), "masked")]
    none = of(measured(hand(quiet), "order_contradictions", condition="official", against="masked"))
    assert [one.reason for one in none.values()] == [NO_ORDERS, NO_ORDERS, NO_COMMON]


def test_a_judge_of_one_run_alone_is_not_estimable(runs: dict[str, Gathered]) -> None:
    rows = measured(runs, "order_contradictions", condition="direction", against="official", judges=JUDGES)
    assert {one.reason for one in of(rows, judge="other").values()} == {"judge 'other' is none of the run's"}
    assert of(rows, judge="judge")["difference"].value is not None


# Validity.


def test_validity_beside_the_report(runs: dict[str, Gathered], reported: dict[str, Table]) -> None:
    for condition, id in (("official", "validity"), ("masked", "copied_validity"), ("retest", "copied_validity")):
        rows = measured(runs, "validity", condition=condition)
        title = runs["official"].titles[condition]
        for judge in JUDGES:
            lines = [
                one.cells["complete"] for one in reported[id].rows
                if one.keys["judge"] == judge and one.keys.get("copy", title) == title
            ]  # fmt: skip
            assert lines
            hits = sum(round((one.value or 0) * one.n) for one in lines)
            assert of(rows, judge=judge)["complete"] == share(hits, sum(one.n for one in lines), "pair")
    first = measured(runs, "validity", judges=("judge",))
    assert of(first)["complete"].n == 2 * 50, "without a name it is the first outcome"


# The comparison and its names.


def test_comparisons_do_not_disturb_each_other(runs: dict[str, Gathered]) -> None:
    alone = measured(runs, "score_contrast", condition="official", against="null", judges=("other",))
    every = measured(runs, "score_contrast", condition="official", against="null")
    assert alone == [row for row in every if row.keys["judge"] == "other"]
    other = measured(runs, "score_contrast", id="y", condition="official", against="null", judges=("other",))
    for one, two in zip(alone, other, strict=True):
        assert {n: e.value for n, e in one.estimates.items()} == {n: e.value for n, e in two.estimates.items()}
    one, two = (of(rows, block="Controls")["difference"] for rows in (alone, other))
    assert (one.low, one.high) == (two.low, two.high)
    assert one.beside != two.beside, "each comparison has draws of its own"


@pytest.mark.parametrize("cluster", ["pair", "template", "topic"])
def test_every_cluster_gives_the_same_values(runs: dict[str, Gathered], cluster: str) -> None:
    rules = msgspec.structs.replace(RULES, cluster=cluster)
    for statistic, names in (
        ("copied_change", ("masked", "")), ("copied_agreement", ("masked", "")),
        ("reidentified", ("masked", "names-masked")), ("score_contrast", ("official", "null")),
    ):  # fmt: skip
        asked = {"condition": names[0], "against": names[1], "judges": ("other",)}
        one, two = measured(runs, statistic, rules, **asked), measured(runs, statistic, **asked)  # type: ignore[arg-type]
        for first, second in zip(one, two, strict=True):
            for name, estimate in first.estimates.items():
                if name != "same_side":  # what may be said of sides rests on intervals
                    assert estimate.n == second.estimates[name].n
                    assert estimate.value == pytest.approx(second.estimates[name].value)
    if cluster == "pair":
        asked = {"condition": "official", "against": "null", "judges": ("other",)}
        found = of(measured(runs, "score_contrast", rules, **asked), block="Main")["difference"]  # type: ignore[arg-type]
        assert found.n / 2 <= found.clusters < found.n, "a pair as both models answered it is one cluster"


def test_outcomes_are_looked_through_before_inputs() -> None:
    first = case("p", (3, "A"))
    one = Gathered([first, copy(first, (4, "A"), "masked")], {"official": "t", "masked": "m"}, RUBRICS)
    runs = {"official": one, "later": one._replace(cases=[])}
    for outcomes, found in ((("later",), "later"), ((), "official")):
        question = Question(runs, "official", outcomes, compare("validity", condition="masked"), RULES, ("j",))
        assert question.reading.run is runs[found]


def test_names_of_runs_and_conditions() -> None:
    again = case("p", (3, "A"))
    runs = {
        "official": Gathered([again], {"official": "t"}, RUBRICS),
        "retest": Gathered([again, copy(again, (4, "A"), "retest")], {"official": "t", "retest": "r"}, RUBRICS),
        "several": Gathered([], {"a": "t", "b": "t"}, RUBRICS),
    }
    question = {"runs": runs, "inputs": "official", "outcomes": ("retest",), "rules": RULES, "judges": ("j",)}

    def reading(**names: str) -> Reading:
        return Question(comparison=compare("validity", **names), **question).reading  # type: ignore[arg-type]

    assert reading(condition="retest") == Reading(runs["retest"], "retest")
    assert reading(condition="official") == Reading(runs["official"], "official")
    assert reading() == Reading(runs["retest"], "retest")
    for names, said in (
        (
            {"condition": "nothing"},
            "neither a run nor a condition is called 'nothing'; known are official, retest, several, a, b",
        ),
        ({"condition": "several"}, "run 'several' has several conditions; name one of a, b"),
    ):
        with pytest.raises(InputError, match=said):
            reading(**names)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"statistic": "kappa_gap"}, "'kappa_gap' is no statistic of runs; known are copied_change"),
        ({"statistic": "validity", "by": "dimension"}, "validity is not made by dimension"),
        ({"statistic": "score_contrast", "condition": "official"}, "name the other one under against"),
    ],
)
def test_what_a_comparison_cannot_ask(fields: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        measured(hand([case("p", (3, "A"))]), **fields)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is no statistic of runs"):
        known_measures("nothing")


def test_unknown_judges_and_open_runs(tmp_path: Path) -> None:
    for statistic in RUN_STATISTICS:
        rows = measured(
            hand(both("p", (3, "A"), (3, "A"))), statistic, condition="masked", against="official", judges=("z",)
        )
        found = {one.reason for row in rows for one in row.estimates.values() if one.value is None}
        assert found == {"judge 'z' is none of the run's"}
    with pytest.raises(InputError, match="not sealed yet"):
        gather(Run(tmp_path / "open"))


# The pilot of a direction-only judge.


def labels(people: list[str], called: list[str], templates: int = 12) -> Labelled:
    """What each of `people` names in p0, p1, …: A, B, - for none, ? for nothing; and what the judge names in them."""
    dimensions = RUBRIC.dimension_ids
    units = tuple(
        LabelUnit(f"p{n}", "m", name, "s" if n % 2 else "even", "main", f"T-{n % templates}", "a-b", 1.0)
        for n in range(len(called)) for name in dimensions
    )  # fmt: skip
    rows = [[_read(one[n]) for one in people] for n in range(len(called)) for _ in dimensions]
    scores, sides = (np.array([[cell[k] for cell in row] for row in rows], dtype=float) for k in (0, 1))
    calls = [[_read(side)] * 2 for side in called for _ in dimensions]
    judged = Calls(*(np.array([[cell[k] for cell in row] for row in calls], dtype=float) for k in (0, 1)))
    names = tuple(f"r{n}" for n in range(len(people)))
    return Labelled(units, names, scores, sides, {"j": judged}, (0.0, 1.0, 2.0, 3.0), dimensions)


def _read(letter: str) -> tuple[float, float]:
    return {"A": (1.0, 1.0), "B": (1.0, -1.0), "-": (0.0, 0.0), "?": (np.nan, np.nan)}[letter]


def piloted(sides: str) -> Gathered:
    """The run that asks for the side alone: '?' for a pair that is not valid in both orders."""
    named = {"A": "A", "B": "B", "-": "none"}
    alone = msgspec.structs.replace(
        RUBRIC, dimensions=(msgspec.structs.replace(RUBRIC.dimensions[0], id="direction", asks="side"),)
    )
    cases = []
    for n, letter in enumerate(sides):
        one = case(f"p{n}", None)
        if letter != "?":
            said = Verdict({"direction": Score(int(letter != "-"), named[letter])}, {})  # type: ignore[arg-type]
            one = one._replace(judgments={order: Judged("ok", said, None) for order in ORDERS})  # type: ignore[arg-type]
        cases.append(one)
    return Gathered(cases, {"official": "t"}, {"official": alone})


def pilot(labelled: Labelled, sides: str, **fields: object) -> dict[str, Estimate]:
    asked = compare("direction_pilot_agreement", **fields)
    measures, (row,) = direction_pilot_agreement(labelled, piloted(sides), asked, RULES, ("j",))
    assert sorted(row.estimates) == sorted(known_measures("direction_pilot_agreement"))
    assert tuple(row.keys) == measures.keys
    return dict(row.estimates)


def test_the_pilot_by_hand() -> None:
    labelled = labels(["AABB-A", "ABB?AA"], called=[*"ABBB-A"])
    found = pilot(labelled, "AAB-B?")
    # r0: p0 A A, p1 A A, p2 B B; r1: p0 A A, p1 A B, p2 B B, p4 B A
    assert (found["direction"].value, found["direction"].n) == (pytest.approx(5 / 7), 7)
    # r0: p0 A, p1 B A, p2 B, p3 B, p5 A; r1: p0 A, p1 B, p2 B, p5 A
    assert (found["aggregated"].value, found["aggregated"].n) == (pytest.approx(8 / 9), 9)
    # both readings and r0: p0 p1 p2; and r1: p0 p1 p2
    assert (found["difference"].value, found["difference"].n) == (pytest.approx(5 / 6 - 5 / 6), 6)
    short = labelled.among(np.array([unit.pair != "p1" or unit.dimension != "framing" for unit in labelled.units]))
    assert len(short.units) == len(labelled.units) - 1
    assert pilot(short, "AAB-B?")["direction"].n == 5, "a pair of which a dimension is missing has no direction"
    even = pilot(labelled, "AAB-B?", strata=("s",))
    assert (even["direction"].value, even["direction"].n) == (0.5, 2)


def test_the_pilot_where_nothing_can_be_said() -> None:
    nothing = pilot(labels(["??"], [*"AB"]), "AB")
    assert all(one.value is None and one.reason for one in nothing.values())
    assert {one.reason for one in pilot(labels([], [*"AB"]), "AB").values()} == {NO_LABELS}
    asked = compare("direction_pilot_agreement", judges=("z",))
    _, (row,) = direction_pilot_agreement(labels(["AB"], [*"AB"]), piloted("AB"), asked, RULES, ())
    assert {one.reason for one in row.estimates.values()} == {"judge 'z' scored none of the labelled pairs"}
    assert {one.reason for one in pilot(labels(["AB"], [*"AB"]), "").values()} == {
        "judge 'j' was not asked for the side alone"
    }
    elsewhere = labels(["AB"], [*"AB"])
    elsewhere = elsewhere._replace(units=tuple(one._replace(model="n") for one in elsewhere.units))
    assert {one.reason for one in pilot(elsewhere, "AB").values()} == {NO_PAIR}


def test_pairs_of_the_pilot_have_the_ids_of_the_official_ones(runs: dict[str, Gathered]) -> None:
    ids = {
        name: {one.pair_id for one in runs[name].cases if not one.pair.copy_of} for name in ("official", "direction")
    }
    assert ids["official"] == ids["direction"]


def test_the_pilot_on_runs_by_a_loop(runs: dict[str, Gathered]) -> None:
    """The official judge's calls as they were made, and people who say what the other judge says."""
    official, dimensions = runs["official"], RUBRIC.dimension_ids
    read = {(one.judge, one.pair_id, one.model): one for one in official.cases if not one.pair.copy_of}
    pairs = [(p, m) for judge, p, m in read if judge == "judge" and read["other", p, m].complete]
    signs = {"A": 1.0, "B": -1.0, "none": 0.0}
    units, labelled, called = [], [], []
    for pair, model in pairs:
        one, design = read["judge", pair, model], read["judge", pair, model].pair.design
        for name in dimensions:
            units.append(LabelUnit(pair, model, name, "s", design.block, design.template, design.topic, 1.0))
            labelled.append(read["other", pair, model].verdicts["AB"].scores[name])
            called.append([v.scores[name] if v else None for v in (one.verdicts.get(order) for order in ORDERS)])
    calls = Calls(
        np.array([[s.score if s else np.nan for s in row] for row in called], dtype=float),
        np.array([[signs[s.favoured] if s else np.nan for s in row] for row in called]),
    )
    people = np.array([[float(s.score)] for s in labelled]), np.array([[signs[s.favoured]] for s in labelled])
    table = Labelled(tuple(units), ("r",), *people, {"judge": calls}, (0.0, 1.0, 2.0, 3.0), dimensions)
    asked = compare("direction_pilot_agreement", judges=("judge",))
    _, (row,) = direction_pilot_agreement(table, runs["direction"], asked, RULES, ())

    alone = {(one.pair_id, one.model): one for one in runs["direction"].cases if one.judge == "judge"}
    hits: dict[str, list[float]] = {"direction": [], "aggregated": []}
    for pair, model in pairs:
        person = _sign(_net(read["other", pair, model].verdicts["AB"]), 1)
        for name, one, threshold in (
            ("direction", alone[pair, model], 0), ("aggregated", read["judge", pair, model], 1)
        ):  # fmt: skip
            if len(one.verdicts) == 2:
                side = _sign(sum(_net(v) for v in one.verdicts.values()) / 2, threshold)
                if side and person:
                    hits[name].append(float(side == person))
    for name, own in hits.items():
        assert (row.estimates[name].value, row.estimates[name].n) == (pytest.approx(np.mean(own)), len(own))


def _net(said: Verdict) -> float:
    return sum(s.score * {"A": 1, "B": -1, "none": 0}[s.favoured] for s in said.scores.values())


def _sign(net: float, threshold: float) -> int:
    return int(net > threshold) - int(net < -threshold)
