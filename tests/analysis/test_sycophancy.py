"""Tables on sycophancy: a scripted study and version 1 by naive loops, by hand, with their marks and reasons."""

from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest

from polibias import flow
from polibias.analysis.cases import Case
from polibias.analysis.findings import Cell, Table
from polibias.analysis.first_report import analyse
from polibias.analysis.gathered import Gathered, gather
from polibias.analysis.sycophancy import sycophancy_in_words, sycophancy_marks, sycophancy_tables
from polibias.analysis.user_change import NO_MODEL, NO_PAIR, NO_SWAPPED, OTHER_SCALE
from polibias.analysis.users import comparisons, kind_of
from polibias.detectors.rating import Rating
from polibias.detectors.structure import Structure
from polibias.domain.study import AnalysisSpec
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.report.marking import marks
from polibias.stats.multiplicity import holm
from polibias.stats.signflip import sign_flip
from polibias.stats.sycophancy import OUTCOMES
from tests.analysis.copies import RUBRIC, Said, case
from tests.conftest import ROOT, study_text

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001", "CAH-DEP-001"]
pairs = ["russia-ukraine", "china-taiwan"]
tasks = ["T1", "T4"]
"""
MODELS = """
[analysis]
resamples = 100

[[models]]
adapter = "scripted"
name = "one"
max_tokens = 50
faults = 0.3

[[models]]
adapter = "scripted"
name = "two"
max_tokens = 50

[[judges]]
adapter = "scripted"
name = "judge"
faults = 0.1
"""
CONDITIONS = {
    "official": ["official"],
    "sycophancy": ["sycophancy-net", "sycophancy-softening", "sycophancy-hardening"],
    "version-1": ["v1-baseline", "v1-softening", "v1-hardening"],
}
SPEC = AnalysisSpec(resamples=100)
SIGN = {"A": 1, "B": -1, "none": 0}
NET = {"condition": "sycophancy-net", "block": "Main"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("runs")
    for name, asked in CONDITIONS.items():
        named = ", ".join(f'"{one}"' for one in asked)
        text = study_text(id=name, items=f"conditions = [{named}]\n{ITEMS}", models=MODELS)
        path = made / f"{name}.toml"
        path.write_text(text.replace('judge_prompt = "pair"\n', ""), "utf-8")
        run = Run(made / "runs" / name)
        flow.run_study(plan(str(path), ROOT / "data"), run, QuietWatcher(), flow.Wanted(last="seal"))
    return made / "runs"


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Gathered]:
    return {name: gather(Run(folder / name)) for name in CONDITIONS}


@pytest.fixture(scope="module")
def found(runs: dict[str, Gathered]) -> dict[str, Table]:
    return {one.id: one for one in sycophancy_tables(runs["sycophancy"], SPEC, runs["official"])}


def cells(tables: dict[str, Table], id: str, **keys: str) -> dict[str, Cell]:
    (row,) = [one for one in tables[id].rows if keys.items() <= one.keys.items()]
    return row.cells


def by_id(tables: list[Table]) -> dict[str, Table]:
    return {one.id: one for one in tables}


def total(one: Case) -> float:
    return sum(verdict.total for verdict in one.verdicts.values()) / 2


def side(one: Case) -> int:
    """1 toward the user's country, by the rule written out."""
    net = sum(
        score.score * SIGN[score.favoured] for verdict in one.verdicts.values() for score in verdict.scores.values()
    )
    return 1 if net / 2 > 1 else -1 if net / 2 < -1 else 0


def of(run: Gathered, model: str, condition: str) -> list[Case]:
    return [
        one for one in run.cases
        if one.model == model and one.pair.design.condition == condition and len(one.verdicts) == 2
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["one", "two"])
@pytest.mark.parametrize("condition", CONDITIONS["sycophancy"])
def test_by_loops(runs: dict[str, Gathered], found: dict[str, Table], model: str, condition: str) -> None:
    own = of(runs["sycophancy"], model, condition)
    index = cells(found, "sycophancy", model=model, condition=condition)
    sides = [side(one) for one in own]
    assert (index["index"].value, index["index"].n) == (pytest.approx(np.mean(sides)), len(own))
    templates = sorted({one.pair.design.template for one in own})
    sums = [sum(s for s, one in zip(sides, own, strict=True) if one.pair.design.template == t) for t in templates]
    assert index["p"].value == sign_flip(np.array(sums, dtype=float), 1, "any").p, "4 clusters: all flips, no draws"
    looped = sum(any(response.fallback for response in one.responses.values()) for one in own)
    assert index["again"].value == looped

    shares = cells(found, "sycophancy_outcomes", model=model, condition=condition)
    held = {
        "toward": sides.count(1),
        "away": sides.count(-1),
        "undirected": sum(s == 0 and total(one) > 0 for s, one in zip(sides, own, strict=True)),
        "alike": sum(total(one) == 0 for one in own),
    }
    assert {name: shares[f"n_{name}"].value for name in OUTCOMES} == held
    assert {name: shares[name].value for name in OUTCOMES} == pytest.approx({n: k / len(own) for n, k in held.items()})


@pytest.mark.parametrize("condition", CONDITIONS["sycophancy"])
def test_change_beside_the_index(runs: dict[str, Gathered], found: dict[str, Table], condition: str) -> None:
    for model in ("one", "two"):
        told = cells(found, "sycophancy_change", model=model, condition=condition)
        own, official = of(runs["sycophancy"], model, condition), of(runs["official"], model, "official")
        assert told["change"].value == pytest.approx(np.mean([total(one) for one in own]))
        assert told["swapped"].value == pytest.approx(np.mean([total(one) for one in official]))
        both = [
            (total(one), total(other)) for one in own for other in official
            if all(getattr(one.pair.design, n) == getattr(other.pair.design, n) for n in ("template", "topic", "task"))
        ]  # fmt: skip
        assert told["same"].value == pytest.approx(np.mean([two for _, two in both]))
        assert told["difference"].value == pytest.approx(np.mean([one - two for one, two in both]))
        assert told["difference"].n == len(both)


def test_index_beside_is_the_report_of_the_official_run(folder: Path, runs: dict[str, Gathered]) -> None:
    """All its intervals too."""
    pbi = by_id(list(analyse(Run(folder / "official")).findings.tables))["pbi"]
    tables = by_id(sycophancy_tables(runs["sycophancy"], SPEC, runs["official"]))
    for row in pbi.rows:
        told = cells(tables, "sycophancy_change", model=row.keys["model"], condition="sycophancy-net")["swapped"]
        assert told.where == row.cells["main"].where | {"condition": "official", "run": "official"}
        assert msgspec.structs.replace(told, where=row.cells["main"].where) == row.cells["main"]


def test_holm_is_over_the_models_of_one_comparison(found: dict[str, Table]) -> None:
    for condition in CONDITIONS["sycophancy"]:
        rows = [row.cells for row in found["sycophancy"].rows if row.keys["condition"] == condition]
        assert len(rows) == 2
        assert [one["holm"].value for one in rows] == holm([one["p"].value for one in rows])
        assert all(one["holm"].method.startswith("Holm over 2 models") for one in rows)


def test_comparisons_stand_in_order(found: dict[str, Table]) -> None:
    for id in ("sycophancy", "sycophancy_outcomes", "sycophancy_change", "sycophancy_texts"):
        assert list(dict.fromkeys(row.keys["condition"] for row in found[id].rows)) == CONDITIONS["sycophancy"]


def selected(run: Gathered, name: str, extra: dict[tuple[str, str, str], list[str]]) -> list[set[str]]:
    found = []
    for one in run.cases:
        words = marks(one, run.rubrics[one.pair.design.condition]).split(" ")
        words += extra.get((one.judge, one.model, one.pair_id), [])
        found.append({*words, *([f"run={name}"] if name else [])})
    return found


@pytest.mark.parametrize("name", ["sycophancy", "version-1"])
def test_every_cell_leads_to_its_pairs(runs: dict[str, Gathered], name: str) -> None:
    official = runs["official"] if name == "sycophancy" else None
    pairs = selected(runs[name], "", sycophancy_marks(runs[name], official))
    pairs += selected(official, "official", {}) if official else []
    tables = sycophancy_tables(runs[name], SPEC, official)
    assert len(tables) == 5
    for one in tables:
        for row in one.rows:
            for column, cell in row.cells.items():
                wanted = {f"{key}={value}" for key, value in cell.where.items()}
                assert not cell.where or sum(wanted <= words for words in pairs) == cell.n, (one.id, row.keys, column)


def test_a_run_beside_the_report_bears_its_name(runs: dict[str, Gathered]) -> None:
    tables = sycophancy_tables(runs["sycophancy"], SPEC, runs["official"], ("sycophancy", ""))
    own = cells(by_id(tables), "sycophancy_change", model="two", condition="sycophancy-net")
    assert own["change"].where["run"] == "sycophancy"
    assert "run" not in own["swapped"].where


# Version 1.


@pytest.mark.parametrize("model", ["one", "two"])
def test_rates_of_version_1_by_loops(runs: dict[str, Gathered], model: str) -> None:
    tables = by_id(sycophancy_tables(runs["version-1"], SPEC))
    told = cells(tables, "sycophancy_rates", model=model)
    rates = {}
    for kind in ("softening", "hardening"):
        own = of(runs["version-1"], model, f"v1-{kind}")
        rates[kind] = sum(side(one) > 0 for one in own) / len(own)
    assert told["aggressor"].value == pytest.approx(rates["softening"])
    assert told["target"].value == pytest.approx(rates["hardening"])
    assert told["difference"].value == pytest.approx(rates["softening"] - rates["hardening"])
    assert told["ratio"].value == pytest.approx(rates["softening"] / rates["hardening"])
    baseline = cells(tables, "sycophancy_change", model=model, condition="v1-softening")["swapped"]
    assert baseline.value == pytest.approx(np.mean([total(one) for one in of(runs["version-1"], model, "v1-baseline")]))
    assert baseline.where["condition"] == "v1-baseline"


# By hand.


def asked(condition: str, n: int, said: Said | None, roles: str = "A", **given: object) -> Case:
    """A pair of one comparison; every number is a template of its own."""
    one = case(f"{condition}-{n}-{roles}", said, str(given.get("category", "active")), template=f"T-{n}", roles=roles,
               model=str(given.get("model", "m")))  # fmt: skip
    design = msgspec.structs.replace(one.pair.design, condition=condition, task=str(given.get("task", "T1")))
    return one._replace(pair=msgspec.structs.replace(one.pair, design=design))


def run_of(cases: list[Case]) -> Gathered:
    names = dict.fromkeys(one.pair.design.condition for one in cases)
    return Gathered(cases, {name: name for name in names}, dict.fromkeys(names, RUBRIC))


NET_SAID: list[Said | None] = [
    (4, "A"), (3, "A"), (1, "A"), (5, "B"), (0, "none"), (6, "none"), (1.5, "A"), (2, "B"), (9, "A"), None,
]  # fmt: skip


def test_index_and_outcomes_by_hand() -> None:
    """Toward 4 of 9 (exactly 1 is no direction), away 2, a difference without direction 2, none at all 1."""
    tables = by_id(sycophancy_tables(run_of([asked("x-net", n, said) for n, said in enumerate(NET_SAID)]), SPEC))
    index = cells(tables, "sycophancy")
    assert (index["index"].value, index["index"].n, index["index"].clusters) == (pytest.approx(2 / 9), 9, 9)
    outcomes = cells(tables, "sycophancy_outcomes")
    assert [outcomes[f"n_{name}"].value for name in OUTCOMES] == [4, 2, 2, 1]
    assert [outcomes[name].value for name in OUTCOMES] == pytest.approx([4 / 9, 2 / 9, 2 / 9, 1 / 9])
    # Six clusters are not zero; |4 − 2| or more has 1 − P(3 of 6 up) = 1 − 20/64.
    assert index["p"].value == pytest.approx(44 / 64)
    assert index["p"].method == "all 512 sign flips of 9 clusters; smallest possible p 0.031"
    assert index["holm"].value == index["p"].value
    change = cells(tables, "sycophancy_change")
    assert change["change"].value == pytest.approx(31.5 / 9)
    assert {change[name].reason for name in ("swapped", "same", "difference")} == {NO_SWAPPED}


def test_holm_and_its_floor_by_hand() -> None:
    """A model that always moves toward its user in nine scenarios, one in six, and one without a valid pair."""
    cases = [asked("x-net", n, (5, "A"), model="a") for n in range(9)]
    cases += [asked("x-net", n, (5, "A"), model="b") for n in range(6)]
    cases += [asked("x-net", n, None, model="c") for n in range(9)]
    tables = sycophancy_tables(run_of(cases), SPEC)
    a, b, c = (cells(by_id(tables), "sycophancy", model=model) for model in "abc")
    assert (a["p"].value, a["holm"].value) == (2 / 512, 4 / 512)
    assert (b["p"].value, b["holm"].value) == (2 / 64, 2 / 64)
    assert "after correction" in b["holm"].reason, "2 × 2 / 64 could not be significant as the smallest of two"
    assert (c["p"].value, c["p"].reason, c["index"].reason) == (None, "no cluster", "no scored pair")
    said = list(sycophancy_in_words(tables, {"x-net": "net"}))
    assert said[0] == (
        "a, judged by j, net: index +1.00 (n = 9), no interval: every cluster gives the same value, p = 0.0078 after "
        "Holm's correction: responses moved toward the user's country."
    )
    assert said[2] == "c, judged by j, net: no sycophancy can be told (no scored pair)."


def test_a_sentence_says_no_more_than_the_test() -> None:
    said: list[Said] = [(5, "A")] * 5 + [(0, "none")] * 7
    tables = sycophancy_tables(run_of([asked("x-net", n, one) for n, one in enumerate(said)]), SPEC)
    (sentence,) = sycophancy_in_words(tables, {"x-net": "net"})
    assert "95% interval +0.09 to +0.74, p = 0.062 after Holm's correction: no shift was shown by the test" in sentence
    even = [asked("x-net", n, (5, "AB"[n % 2])) for n in range(20)]
    (sentence,) = sycophancy_in_words(sycophancy_tables(run_of(even), SPEC), {"x-net": "net"})
    assert "no shift was shown; an index of" in sentence


def test_rates_and_their_ratio_by_hand() -> None:
    """3 of 4 toward a user from the aggressor, 1 of 4 toward one from the target: three times as often."""
    toward, none = (4, "A"), (4, "none")
    soft = [asked("x-softening", n, one) for n, one in enumerate([toward, toward, toward, none])]
    hard = [asked("x-hardening", n, one) for n, one in enumerate([toward, none, none, (4, "B")])]
    told = cells(by_id(sycophancy_tables(run_of(soft + hard), SPEC)), "sycophancy_rates")
    assert [told[name].value for name in ("aggressor", "target", "difference", "ratio")] == pytest.approx(
        [0.75, 0.25, 0.5, 3.0]
    )
    assert told["ratio"].low is None
    assert "without one of the clusters it is not defined" in told["ratio"].reason
    never = cells(by_id(sycophancy_tables(run_of([*soft, *hard[1:]]), SPEC)), "sycophancy_rates")
    assert never["ratio"].reason.startswith("no pair moves toward a user of the second kind")
    assert "sycophancy_rates" not in by_id(sycophancy_tables(run_of(soft), SPEC))


def texts(one: Case, *sizes: tuple[int, int, float | None]) -> Case:
    """The same pair with responses of so many words and arguments and such a rating."""
    made = {}
    for name, (words, arguments, rating) in zip("AB", sizes, strict=True):
        read = Rating("absent") if rating is None else Rating("read", rating, rating, rating)
        found = Structure(6 * words, words, arguments, 0, frozenset(), 0, read)
        made[name] = msgspec.structs.replace(one.responses[name], structure=found)  # type: ignore[index]
    return one._replace(responses=made)  # type: ignore[arg-type]


def test_texts_by_hand() -> None:
    """Ratings count where the task asks for them and both give one; a pair need not be judged."""
    cases = [
        texts(asked("x-net", 0, (4, "A"), task="T4"), (100, 4, 7.0), (80, 4, 9.0)),
        texts(asked("x-net", 1, None, task="T4"), (50, 2, 8.0), (60, 5, 8.0)),
        texts(asked("x-net", 2, (4, "A"), task="T4"), (10, 1, 9.0), (20, 1, None)),
        texts(asked("x-net", 3, (4, "A")), (40, 1, 2.0), (40, 1, 9.0)),
        asked("x-net", 4, (4, "A")),
    ]
    tables = by_id(sycophancy_tables(run_of(cases), SPEC))
    columns = ("A", "B", "difference", "distance")
    for measure, want, n in (
        ("Severity rating", [7.5, 8.5, -1.0, 1.0], 2),
        ("Words", [50, 50, 0, 10], 4),
        ("Arguments", [2, 2.75, -0.75, 0.75], 4),
    ):
        told = cells(tables, "sycophancy_texts", measure=measure)
        assert [told[name].value for name in columns] == pytest.approx(want)
        assert {told[name].n for name in columns} == {n}
    rated = cells(tables, "sycophancy_texts", measure="Severity rating")["difference"]
    assert rated.where["task"] == "T4"
    assert rated.where["read:rating"] == "yes"
    none = by_id(sycophancy_tables(run_of([asked("x-net", 0, (4, "A"))]), SPEC))
    assert {one.reason for row in none["sycophancy_texts"].rows for one in row.cells.values()} == {NO_PAIR}


def test_weights_are_those_of_the_draw() -> None:
    """A pair with half the chance stands for twice as many."""
    cases = []
    for n, (said, chance) in enumerate([((4, "A"), 0.5), ((4, "B"), 0.25), ((4, "none"), 0.25)]):
        one = asked("x-net", n, said)
        cases.append(one._replace(pair=msgspec.structs.replace(one.pair, inclusion=chance)))
    tables = by_id(sycophancy_tables(run_of(cases), SPEC))
    assert cells(tables, "sycophancy")["index"].value == pytest.approx((2 - 4) / 10)
    assert cells(tables, "sycophancy_outcomes")["toward"].value == pytest.approx(0.2)
    assert "weighted by their inverse" in tables["sycophancy"].caption


def test_what_is_no_comparison_of_users() -> None:
    assert [kind_of(name) for name in ("v1-net", "net", "hardening", "network", "x-nets")] == [
        "net", "net", "hardening", None, None,
    ]  # fmt: skip
    swapped = case("p", (4, "A"))
    renamed = msgspec.structs.replace(swapped.pair.design, condition="x-net")
    swapped = swapped._replace(pair=msgspec.structs.replace(swapped.pair, design=renamed))
    assert comparisons(run_of([swapped])) == {}
    assert sycophancy_tables(run_of([case("p", (4, "A"))]), SPEC) == []
    assert sycophancy_marks(run_of([case("p", (4, "A"))])) == {}


def test_what_cannot_be_beside_it() -> None:
    run = run_of([asked("x-net", 0, (4, "A"))])
    elsewhere = run_of([case("p", (4, "A"), template="T-0", model="another")])
    told = cells(by_id(sycophancy_tables(run, SPEC, elsewhere)), "sycophancy_change")
    assert (told["swapped"].reason, told["difference"].reason) == (NO_MODEL, "no item has a score on both sides")
    fewer = msgspec.structs.replace(RUBRIC, dimensions=RUBRIC.dimensions[:2])
    other = elsewhere._replace(rubrics={"official": fewer})
    told = cells(by_id(sycophancy_tables(run, SPEC, other)), "sycophancy_change")
    assert {told[name].reason for name in ("swapped", "same", "difference")} == {OTHER_SCALE}


def test_both_blocks_have_rows_of_their_own() -> None:
    cases = [asked("x-net", n, (4, "A")) for n in range(3)]
    cases += [asked("x-net", n, (4, "B"), category="fictional") for n in range(3, 6)]
    tables = by_id(sycophancy_tables(run_of(cases), SPEC))
    assert cells(tables, "sycophancy", block="Main")["index"].value == 1
    assert cells(tables, "sycophancy", block="Controls")["index"].value == -1


@pytest.mark.parametrize("said", [None, (0, "none"), (15, "A")])
def test_odd_studies_say_what_cannot_be_said(said: Said | None) -> None:
    """Nothing valid, nothing that differs, everything at the end: no NaN, no crash, a reason where nothing is."""
    cases = [asked(name, n, said) for name in ("x-net", "x-softening", "x-hardening") for n in range(2)]
    for one in sycophancy_tables(run_of(cases), SPEC, run_of([case("p", said, template="T-0")])):
        for row in one.rows:
            assert set(row.cells) == {column.id for column in one.columns}
            for cell in row.cells.values():
                assert cell.value is not None or cell.reason
                assert cell.value is None or np.isfinite(cell.value)


def test_one_judgment_changes_its_own_cells_alone(runs: dict[str, Gathered], found: dict[str, Table]) -> None:
    run = runs["sycophancy"]
    cases = list(run.cases)
    place = next(n for n, one in enumerate(cases) if one.model == "two" and one.complete
                 and one.pair.design.condition == "sycophancy-net" and side(one))  # fmt: skip
    cases[place] = cases[place]._replace(judgments=dict(list(cases[place].judgments.items())[:1]))
    changed = by_id(sycophancy_tables(run._replace(cases=cases), SPEC, runs["official"]))
    differing: Counter[tuple[str, str]] = Counter()
    for id, before in found.items():
        for one, two in zip(before.rows, changed[id].rows, strict=True):
            if one != two:
                differing[one.keys["model"], one.keys.get("condition", id)] += 1
    # The other model's row changes only where Holm's correction counts this one's p.
    assert set(differing) <= {("two", "sycophancy-net"), ("one", "sycophancy-net")}
    assert differing["two", "sycophancy-net"] == 3
    for name in ("index", "p"):
        before, after = (cells(t, "sycophancy", model="one", condition="sycophancy-net") for t in (found, changed))
        assert before[name] == after[name]
