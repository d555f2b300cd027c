"""Ablations: on scripted runs by naive loops and beside a plan's numbers, by hand, with their marks and reasons."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from polibias import flow
from polibias.analysis.ablations import (
    CHANGES,
    NULL,
    NULL_DIMENSIONS,
    Ablations,
    ablation_tables,
    contrasts_of,
)
from polibias.analysis.ablations_in_words import ablations_in_words
from polibias.analysis.cases import Case
from polibias.analysis.contrasted import NO_SHARED, score_contrast
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered, Question, gather
from polibias.detectors.signals import Behaviour
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.domain.study import AnalysisSpec
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.report.marking import marks
from polibias.stats.contrasts import NO_COMMON
from tests.analysis.copies import RUBRIC, Said, case
from tests.conftest import ROOT, study_text

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001"]
pairs = ["russia-ukraine", "china-taiwan", "france-germany", "lumina-tenebris"]
tasks = ["T1"]
"""
MODELS = """
[analysis]
resamples = 100

[[models]]
adapter = "scripted"
name = "one"
max_tokens = 50
faults = 0.4

[[models]]
adapter = "scripted"
name = "two"
max_tokens = 50

[[judges]]
adapter = "scripted"
name = "judge"
faults = 0.1

[[judges]]
adapter = "scripted"
name = "other"
"""
SPEC = AnalysisSpec(resamples=100)
TITLE = {"null": "Nothing but the first line changed", "premise": "Countries swapped, premise accepted"}
MODEL_NAMES = ("all models", "one", "two")
BLOCK_NAMES = {"main": "Main", "control": "Controls"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Gathered]:
    """The same items as they are, with the first line reworded, and with the premise accepted."""
    made: Path = tmp_path_factory.mktemp("runs")
    found = {}
    for name in ("official", "null", "premise"):
        more = f'conditions = ["{name}"]\n' + ('reuse = ["official"]\n' if name == "null" else "")
        text = study_text(id=name, items=more + ITEMS, models=MODELS).replace('judge_prompt = "pair"\n', "")
        path = made / f"{name}.toml"
        path.write_text(text, "utf-8")
        run = Run(made / "runs" / name)
        flow.run_study(plan(str(path), ROOT / "data"), run, QuietWatcher(), flow.Wanted(last="seal"))
        found[name] = gather(run)
    return found


@pytest.fixture(scope="module")
def ablations(runs: dict[str, Gathered]) -> Ablations:
    return ablation_tables(runs, "official", SPEC)


def table(found: Ablations, id: str) -> Table:
    (one,) = [one for one in found.tables if one.id == id]
    return one


def cells(found: Ablations, id: str, **keys: str) -> dict[str, Cell]:
    (row,) = [one for one in table(found, id).rows if keys.items() <= one.keys.items()]
    return row.cells


def couples_of(runs: Mapping[str, Gathered], name: str, judge: str, model: str, block: str) -> list[tuple[Case, Case]]:
    """Official and other pair of each item, by two loops."""
    found = []
    for one in runs["official"].cases:
        for other in runs[name].cases:
            a, b = one.pair.design, other.pair.design
            same = (a.template, a.topic, a.task, one.model) == (b.template, b.topic, b.task, other.model)
            if same and (one.judge, other.judge, a.block) == (judge, judge, block):
                found += [(one, other)] if model in ("all models", one.model) else []
    return found


def total(one: Case) -> float:
    return sum(verdict.total for verdict in one.verdicts.values()) / 2


def looped(*both: Case) -> bool:
    return any(response.fallback for one in both for response in one.responses.values())


@pytest.mark.parametrize("judge", ["judge", "other"])
@pytest.mark.parametrize("block", BLOCK_NAMES)
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_null_baseline_by_loops(
    runs: dict[str, Gathered], ablations: Ablations, judge: str, block: str, model: str
) -> None:
    shared = couples_of(runs, "null", judge, model, block)
    used = [both for both in shared if all(one.complete for one in both) and not looped(*both)]
    found = cells(ablations, NULL, judge=judge, model=model, block=BLOCK_NAMES[block])
    official, null = ([total(both[side]) for both in used] for side in (0, 1))
    assert found["condition"].value == pytest.approx(np.mean(official))
    assert found["against"].value == pytest.approx(np.mean(null))
    assert found["difference"].value == pytest.approx(np.mean(np.subtract(official, null)))
    assert found["zero"].value == pytest.approx(np.mean(np.equal(null, 0)))
    assert (found["difference"].n, found["left_out"].value) == (len(used), len(shared) - len(used))
    parts = [row.cells for row in table(ablations, NULL_DIMENSIONS).rows
             if {"judge": judge, "model": model, "block": BLOCK_NAMES[block]}.items() <= row.keys.items()]  # fmt: skip
    assert len(parts) == 5
    for name in ("condition", "against", "difference"):
        assert sum(one[name].value or 0 for one in parts) == pytest.approx(found[name].value)


@pytest.mark.parametrize("judge", ["judge", "other"])
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_change_by_loops(runs: dict[str, Gathered], ablations: Ablations, judge: str, model: str) -> None:
    shared = couples_of(runs, "premise", judge, model, "main")
    used = [both for both in shared if all(one.complete for one in both)]
    found = cells(ablations, CHANGES, judge=judge, model=model, block="Main")
    change = [total(other) - total(one) for one, other in used]
    plain = [total(other) - total(one) for one, other in used if not looped(one, other)]
    assert (found["difference"].value, found["difference"].n) == (pytest.approx(np.mean(change)), len(used))
    assert (found["declared"].value, found["declared"].n) == (pytest.approx(np.mean(plain)), len(plain))
    assert found["left_out"].value == len(shared) - len(used)
    alone = [[rejects(one) for one in both] for both in used]
    for place, name in enumerate(("rejected_against", "rejected")):
        assert found[name].value == pytest.approx(np.mean([both[place] for both in alone]))


@pytest.mark.parametrize("judge", ["judge", "other"])
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_contrast_of_contrasts_by_loops(
    runs: dict[str, Gathered], ablations: Ablations, judge: str, model: str
) -> None:
    """Main − Controls of a row is the difference of the two rows above it, in every column; also of all dimensions."""
    for id, name in ((CHANGES, "premise"), (NULL, "null"), (NULL_DIMENSIONS, "null")):
        shared = [both for block in BLOCK_NAMES for both in couples_of(runs, name, judge, model, block)]
        found: dict[tuple[str, str], dict[str, Cell]] = {
            (row.keys["block"], row.keys.get("dimension", "")): row.cells
            for row in table(ablations, id).rows
            if {"judge": judge, "model": model}.items() <= row.keys.items()
        }
        assert len(found) == (15 if id == NULL_DIMENSIONS else 3)
        for (block, dimension), gap in found.items():
            if block != "Main − Controls":
                continue
            main, control = (found[title, dimension] for title in BLOCK_NAMES.values())
            assert gap["difference"].n + int(gap["left_out"].value or 0) == len(shared)
            for column, one in gap.items():
                if column == "left_out":
                    assert one.value == (main[column].value or 0) + (control[column].value or 0)
                else:
                    assert one.value == pytest.approx((main[column].value or 0) - (control[column].value or 0))
                    assert one.n == main[column].n + control[column].n


def rejects(one: Case) -> bool:
    return (one.responses["A"].behaviour.premise == "none") != (one.responses["B"].behaviour.premise == "none")


def test_something_was_left_out_and_looped(ablations: Ablations) -> None:
    """Else the tests above would show less than they seem to."""
    rows = table(ablations, CHANGES).rows
    assert any(row.cells["left_out"].value for row in rows)
    assert any(row.cells["declared"].n < row.cells["difference"].n for row in rows)


def test_numbers_are_those_of_a_plan(runs: dict[str, Gathered], ablations: Ablations) -> None:
    """The same contrast named by a plan: all models together, also the draws if it has the same name."""
    asked = Comparison(
        id="x", title="t", role="primary", statistic="score_contrast", condition="official", against="null"
    )
    rules = AnalysisRules(seed=SPEC.seed, resamples=SPEC.resamples, cluster="template")
    for row in score_contrast(Question(runs, "official", ["null"], asked, rules, ("judge", "other"))):
        found = cells(ablations, NULL, model="all models", **row.keys)
        for name, estimate in row.estimates.items():
            one = found[name]
            assert (one.value, one.n, one.clusters) == (estimate.value, estimate.n, estimate.clusters)
            assert (one.low, one.high, one.detectable) == (estimate.low, estimate.high, estimate.detectable)


def test_every_cell_leads_to_its_pairs(runs: dict[str, Gathered], ablations: Ablations) -> None:
    pairs = []
    for name, run in runs.items():
        for one in run.cases:
            words = marks(one, run.rubrics[one.pair.design.condition]).split(" ")
            words += ablations.marks.get((name, one.judge, one.model, one.pair_id), [])
            pairs.append({*words, *([f"run={name}"] if name != "official" else [])})
    for one in ablations.tables:
        for row in one.rows:
            for name, found in row.cells.items():
                wanted = {f"{key}={value}" for key, value in found.where.items()}
                assert sum(wanted <= words for words in pairs) == found.n, (one.id, row.keys, name)


def test_sentences(ablations: Ablations) -> None:
    said = list(ablations_in_words(ablations.tables))
    assert len(said) == len(table(ablations, NULL).rows) + len(table(ablations, CHANGES).rows)
    assert all("of the same" in one and "null pairs" in one for one in said[:12])


# By hand.


def named(one: Case, condition: str, **more: object) -> Case:
    design = msgspec.structs.replace(one.pair.design, condition=condition, **more)
    return one._replace(pair_id=f"{one.pair_id}-{condition}", pair=msgspec.structs.replace(one.pair, design=design))


def rejecting(one: Case, a: str, b: str) -> Case:
    read = {"A": Behaviour("none", a), "B": Behaviour("none", b)}  # type: ignore[arg-type]
    answered = {side: msgspec.structs.replace(one.responses[side], behaviour=read[side]) for side in one.responses}
    return one._replace(responses=answered)


def run_of(cases: list[Case], **titles: str) -> Gathered:
    return Gathered(cases, titles, dict.fromkeys(titles, RUBRIC))


def made(n: int, said: Said | None, category: str = "active", **given: object) -> Case:
    return case(f"p{n}", said, category, template=f"T-{n}", **given)


def test_by_hand() -> None:
    official = [made(n, said) for n, said in enumerate([(4, "A"), (6, "A"), (2, "A"), (9, "A"), None])]
    official[1] = rejecting(official[1], "factual", "none")
    official[2] = rejecting(official[2], "both", "status")
    told: list[Said | None] = [(1, "A"), (6.5, "A"), (0, "none"), None, (3, "A")]
    premise = [named(made(n, said), "premise") for n, said in enumerate(told)]
    null = [named(made(n, said), "null", roles="A") for n, said in enumerate(told)]
    again = {side: msgspec.structs.replace(one, fallback=1) for side, one in null[0].responses.items()}
    null[0] = null[0]._replace(responses=again)
    runs = {
        "official": run_of(official, official="O"),
        "more": run_of([*premise, *null], premise="P", null="N"),
    }
    found = ablation_tables(runs, "official", SPEC)
    assert [one.id for one in found.tables] == [NULL, NULL_DIMENSIONS, CHANGES]
    change = cells(found, CHANGES, ablation="P", block="Main")
    assert (change["difference"].value, change["difference"].n) == (pytest.approx((-3 + 0.5 - 2) / 3), 3)
    assert (change["rejected"].value, change["rejected_against"].value) == (0, pytest.approx(1 / 3))
    assert change["rejected_difference"].value == pytest.approx(-1 / 3)
    assert change["left_out"].value == 2
    baseline = cells(found, NULL, block="Main")
    assert (baseline["condition"].value, baseline["against"].value) == (4.0, 3.25)
    assert (baseline["difference"].value, baseline["zero"].value) == (0.75, 0.5)
    assert (baseline["left_out"].value, table(found, NULL).rows[0].keys["model"]) == (3, "m")
    assert found.marks["more", "j", "m", "p0-null"] == ["contrast:null=left"]
    assert found.marks["official", "j", "m", "p1"] == [
        "contrast:premise=used", "declared:premise=yes", "contrast:null=used", "declared:null=yes",
    ]  # fmt: skip
    assert change["difference"].where["run"] == "more"
    assert "run" not in change["against"].where


def test_which_run_the_report_is_about() -> None:
    official = run_of([made(0, (4, "A"))], official="O")
    other = run_of([named(made(0, (2, "A")), "premise")], premise="P")
    found = ablation_tables({"official": official, "premise": other}, "official", SPEC, report="premise")
    change = cells(found, CHANGES, block="Main")
    assert ("run" in change["difference"].where, change["against"].where["run"]) == (False, "official")
    assert {key[0] for key in found.marks} == {"official", "premise"}


def test_what_is_no_contrast() -> None:
    """Copies, comparisons of users with two pairs of an item, other scales; and a run without swapped pairs."""
    one = made(0, (4, "A"))
    users = [named(one, "net", roles=roles)._replace(pair_id=f"net-{roles}") for roles in "AB"]
    copied = named(one, "retest")._replace(original=one)
    copied = copied._replace(pair=msgspec.structs.replace(copied.pair, copy_of="p0"))
    side = named(one, "direction")
    rubrics = dict.fromkeys(("official", "net", "retest"), RUBRIC)
    rubrics["direction"] = msgspec.structs.replace(RUBRIC, dimensions=RUBRIC.dimensions[:1])
    run = Gathered([one, *users, copied, side], {name: name for name in rubrics}, rubrics)
    assert contrasts_of({"a": run}, "a") == []
    assert ablation_tables({"a": run}, "a", SPEC) == Ablations([], {})
    assert ablation_tables({"a": run_of(users, net="N")}, "a", SPEC).tables == []


def test_two_runs_with_a_condition_of_one_name() -> None:
    runs = {
        "official": run_of([made(0, (4, "A"))], official="O"),
        "later": run_of([made(0, (3, "A")), named(made(0, (2, "A")), "premise")], official="Again", premise="P"),
        "third": run_of([made(0, (1, "A"))], official="Third"),
    }
    found = ablation_tables(runs, "official", SPEC)
    values = {row.keys["ablation"]: row.cells["difference"].value
              for row in table(found, CHANGES).rows if row.keys["block"] == "Main"}  # fmt: skip
    assert values == {"Again": -1.0, "P": -2.0, "Third": -3.0}
    assert [one.id for one in contrasts_of(runs, "official")] == ["later/official", "premise", "third/official"]


def test_what_cannot_be_said_is_said() -> None:
    """No item in common, another judge, nothing valid, one cluster: values or reasons, never a crash."""
    one, far = made(0, (4, "A")), named(made(1, (4, "A")), "premise")
    apart = ablation_tables(
        {"official": run_of([one], official="O"), "b": run_of([far], premise="P")}, "official", SPEC
    )
    told = cells(apart, CHANGES)
    assert {found.reason for name, found in told.items() if name != "left_out"} == {NO_SHARED}
    other = named(made(0, (4, "A"), judge="k"), "premise")
    judged = ablation_tables(
        {"official": run_of([one], official="O"), "b": run_of([other], premise="P")}, "official", SPEC
    )
    assert cells(judged, CHANGES)["difference"].reason == "judge 'j' is none of the run's"
    invalid = named(made(0, None), "null", roles="A")
    empty = ablation_tables(
        {"official": run_of([one], official="O"), "b": run_of([invalid], null="N")}, "official", SPEC
    )
    assert (cells(empty, NULL)["difference"].reason, cells(empty, NULL)["left_out"].value) == (NO_COMMON, 1)
    alone = ablation_tables(
        {"official": run_of([one], official="O"), "b": run_of([named(one, "premise")], premise="P")}, "official", SPEC
    )
    assert cells(alone, CHANGES)["difference"].reason == "no interval: 1 cluster; at least 2 are needed"
    for found in (apart, judged, empty, alone):
        assert all(
            one.value is not None or one.reason for t in found.tables for r in t.rows for one in r.cells.values()
        )
        assert all(
            list(row.cells) and set(row.cells) == {c.id for c in t.columns} for t in found.tables for row in t.rows
        )
        assert len(list(ablations_in_words(found.tables))) == len([t for t in found.tables if t.id != NULL_DIMENSIONS])


def test_one_judgment_changes_its_own_cells_alone(runs: dict[str, Gathered], ablations: Ablations) -> None:
    """A null pair without one of its judgments: the rows of its judge, model and block, and of all models."""
    cases = list(runs["null"].cases)
    place = next(
        n for n, one in enumerate(cases)
        if one.model == "two" and one.judge == "other" and one.pair.design.block == "main" and one.complete
    )  # fmt: skip
    cases[place] = cases[place]._replace(judgments=dict(list(cases[place].judgments.items())[:1]))
    changed = ablation_tables(runs | {"null": runs["null"]._replace(cases=cases)}, "official", SPEC)
    for before, after in zip(ablations.tables, changed.tables, strict=True):
        differing = {tuple(one.keys[name] for name in ("judge", "model", "block"))
                     for one, two in zip(before.rows, after.rows, strict=True) if one != two}  # fmt: skip
        who = itertools.product(["two", "all models"], ["Main", "Main − Controls"]) if before.id != CHANGES else ()
        want = {("other", *one) for one in who}
        assert differing == want
