"""Rules beside the judge: the counts by their definition, kappa as another library has it, and the report's table."""

from typing import get_args

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from polibias.analysis.cases import Answered, Case, Judged, PairFacts
from polibias.analysis.detected import DETECTED, Readings, detected_table, readings
from polibias.analysis.first_report import analyse
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Tables
from polibias.detectors import premise, refusal
from polibias.detectors.signals import Behaviour, behaviour, signals
from polibias.domain.rows import Design, Response, Score, Verdict
from polibias.domain.sides import ORDERS, SIDES, Both
from polibias.domain.study import AnalysisSpec
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT

RUBRIC = read_rubric(ROOT / "data", "poli-bias", "tests")
EVEN = read_rubric(ROOT / "data", "even-handedness", "tests")
REFUSAL, PREMISE = RUBRIC.labels

Labels = tuple[str, str]


def case(number: int, rules: Labels, ab: Labels, ba: Labels, model: str = "m") -> Case:
    """A complete pair: the refusal of A and B by rules, and by the judge in each order; nobody rejects a premise."""
    design = Design(f"T-{number % 7}", "c", "a-b", "x", "main", "T1", "official", "swapped")
    facts = PairFacts(design, Both("a", "b"), Both("a", "b"), Both("b", "a"), 1.0, "", "", None)  # type: ignore[arg-type]
    answered = {
        side: Answered("ok", 0, None, Behaviour(read, "none"))  # type: ignore[arg-type]
        for side, read in zip(SIDES, rules, strict=True)
    }
    scores = {name: Score(0, "none") for name in RUBRIC.dimension_ids}
    judged = {
        order: Judged("ok", Verdict(scores, {"refusal": Both(*said), "premise": Both("none", "none")}), None)  # type: ignore[arg-type]
        for order, said in zip(ORDERS, (ab, ba), strict=True)
    }
    return Case(f"p{number}", facts, model, "j", answered, judged)


def test_the_rubric_and_the_rules_have_the_same_labels() -> None:
    assert {"refusal": get_args(refusal.Label), "premise": get_args(premise.Label)} == DETECTED
    assert {label.id: tuple(option.id for option in label.options) for label in RUBRIC.labels} == DETECTED


def test_a_partial_refusal_is_a_refusal_and_orders_that_disagree_are_left_out() -> None:
    found = readings(
        [
            case(0, ("full", "none"), ("full", "none"), ("partial", "none")),
            case(1, ("partial", "none"), ("none", "full"), ("none", "none")),
        ],
        REFUSAL,
        "template",
    )
    assert found == Readings([(True, True), (False, False), (True, False)], ["T-0", "T-0", "T-1"], 1, [])


def test_one_sided_is_what_the_rubric_counts_and_only_where_the_orders_agree_on_it() -> None:
    cases = [
        case(0, ("full", "none"), ("full", "partial"), ("full", "none")),
        case(1, ("partial", "none"), ("full", "none"), ("full", "none")),
        case(2, ("full", "full"), ("none", "none"), ("full", "none")),
        case(3, ("none", "full"), ("full", "full"), ("full", "full")),
    ]
    assert readings(cases, REFUSAL, "template").pairs == [(True, True), (False, True), (True, False)]


def test_an_incomplete_pair_says_nothing() -> None:
    half = case(0, ("full", "none"), ("full", "none"), ("full", "none"))
    half = half._replace(judgments={"AB": half.judgments["AB"]})
    assert readings([half], REFUSAL, "template") == Readings([], [], 0, [])


def crowd() -> list[Case]:
    dice = np.random.default_rng(7)

    def drawn() -> Labels:
        one, other = dice.choice(get_args(refusal.Label), 2, p=(0.6, 0.2, 0.2))
        return str(one), str(other)

    found = []
    for number in range(120):
        truth = drawn()
        rules, ab, ba = (truth if dice.random() < 0.7 else drawn() for _ in range(3))
        found.append(case(number, rules, ab, ba, "m" if number % 2 else "n"))
    return found


def test_the_table_by_definition_and_by_another_library() -> None:
    cases = crowd()
    rubrics = {"official": RUBRIC}
    spec = AnalysisSpec(resamples=200, cluster="template")
    table = detected_table(Tables(tidy(cases, rubrics), rubrics, spec), cases)
    assert table is not None
    rows = {(row.keys["model"], row.keys["behaviour"]): row.cells for row in table.rows}
    assert {model for model, _ in rows} == {"all models", "m", "n"}
    for model in ("all models", "m", "n"):
        own = [one for one in cases if model in (one.model, "all models")]
        rules, judged, unclear = [], [], 0
        for one in own:
            for side in SIDES:
                said = [row.verdict.labels["refusal"][side] for row in one.judgments.values() if row.verdict]
                if (said[0] == "none") != (said[1] == "none"):
                    unclear += 1
                else:
                    rules.append(one.responses[side].behaviour.refusal != "none")
                    judged.append(said[0] != "none")
        cells = rows[model, REFUSAL.title]
        assert cells["agreement"].value == pytest.approx(np.mean(np.equal(rules, judged)), abs=1e-12)
        assert cells["kappa"].value == pytest.approx(cohen_kappa_score(rules, judged), abs=1e-12)
        assert (cells["kappa"].n, cells["unclear"].value) == (len(rules), unclear)
        assert cells["kappa"].low is not None
        assert cells["kappa"].low < cells["kappa"].value < cells["kappa"].high  # type: ignore[operator]
        assert cells["kappa"].where.get("model") == (None if model == "all models" else model)
        nobody = rows[model, PREMISE.title]
        assert (nobody["agreement"].value, nobody["kappa"].value) == (1.0, None)
        assert "no variation" in nobody["kappa"].reason


def test_a_rubric_with_other_labels_has_no_such_table() -> None:
    rubrics = {"official": EVEN}
    cases = [case(0, ("none", "none"), ("none", "none"), ("none", "none"))]
    incomplete = [one._replace(judgments={}) for one in cases]
    assert detected_table(Tables(tidy(incomplete, rubrics), rubrics, AnalysisSpec()), incomplete) is None


def test_behaviour_is_what_all_signals_say() -> None:
    for text in ("", "I cannot help with that.", "No such attack took place. Rating: 9/10", "I won't rate it. 7/10"):
        for task in (None, "T1", "T2", "T4"):
            found = signals(text, task)
            assert behaviour(text, task) == (found.refusal.label, found.premise.label)


def test_the_report_has_the_table_and_counts_every_response(sealed_run: Run) -> None:
    table = next(one for one in analyse(sealed_run).findings.tables if one.id == "detected")
    texts = [entry.row for entry in read(sealed_run.responses("fake"))]
    assert all(isinstance(row, Response) for row in texts)
    for row in table.rows:
        cells = row.cells
        assert cells["agreement"].n + int(cells["unclear"].value or 0) == len(texts)
    page = (sealed_run.report / "index.html").read_text("utf-8")
    assert "Rules beside the judge" in page
