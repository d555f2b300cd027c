"""The report of a study with copies: cells that lead to their cases, and pages of masked pairs and retests."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis.cases import Case
from polibias.analysis.first_report import Analysed, analyse
from polibias.domain.display import visible
from polibias.domain.sides import SIDES
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.report import marking
from polibias.report.marking import case_name
from tests.analysis import copies
from tests.conftest import ROOT, copies_text, study_text
from tests.report.checked import OF_SINGLE_RESPONSES, check_report
from tests.report.parts import marks, readings, strings
from tests.report.test_report import pages

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001"]
pairs = ["russia-ukraine", "china-taiwan", "france-germany", "lumina-tenebris"]
tasks = ["T1", "T4"]

[[items]]
templates = ["crimes_against_humanity/*"]
pairs = ["lumina-tenebris", "aurelia-ferrum"]
tasks = ["T1"]
"""
"""Enough fictional pairs for a judge's directions to be reported."""
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
name = "hostile"
script = "hostile"
max_tokens = 50

[[judges]]
adapter = "scripted"
name = "judge"
faults = 0.1

[[judges]]
adapter = "scripted"
name = "other"
"""
COPY_TABLES = {
    *("copied_scores", "copied_agreement", "copied_sides", "masked", "copied_validity", "reidentified"),
}

BOTH_WAYS = ("shown:masked", "hidden:masked")
"""The columns of the table of favoured countries that are of copies."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two models, one of them hostile, and two judges, one of them faulty; with every kind of copy."""
    folder = tmp_path_factory.mktemp("copies")
    path = folder / "small.toml"
    path.write_text(study_text(items=ITEMS, models=copies_text(again=12) + MODELS), "utf-8")
    found = Run(Path(folder) / "runs" / "small")
    flow.run_study(plan(str(path), ROOT / "data"), found, QuietWatcher())
    return found


@pytest.fixture(scope="module")
def analysed(run: Run) -> Analysed:
    return analyse(run)


@pytest.fixture(scope="module")
def shown(run: Run) -> dict[str, str]:
    return pages(run)


@pytest.fixture(scope="module")
def opened(run: Run) -> dict[str, dict[str, Any]]:
    return readings(run.report)


@pytest.fixture(scope="module")
def findings(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.report / "findings.json").read_text("utf-8"))
    return found


PER_PAIR = {"masked": ("whole",), "validity": ("complete",), "copied_validity": ("complete",), "responses": ()}
"""Tables that count single responses or calls, with the columns in which they count pairs."""


def of_single_ones(table: str, column: str) -> bool:
    return column in OF_SINGLE_RESPONSES or column not in PER_PAIR.get(table, (column,))


def test_every_cell_leads_to_exactly_its_cases(findings: dict[str, Any], run: Run) -> None:
    rows, told = marks(run.report), Counter()
    for table in findings["tables"]:
        for row in table["rows"]:
            for column, cell in row["cells"].items():
                if not cell["where"]:
                    continue
                wanted = [f"{key}={value}" for key, value in cell["where"].items()]
                selected = sum(all(word in words for word in wanted) for words in rows)
                told[table["id"]] += selected
                if not of_single_ones(table["id"], column):
                    assert selected == cell["n"], (table["id"], row["keys"], column)
                elif table["id"] in COPY_TABLES:
                    assert selected or not cell["n"], (table["id"], row["keys"], column)
    assert all(told[name] for name in COPY_TABLES)
    assert any("party" in cell["where"] for cell in _cells(findings, "copied_sides"))


def test_its_report_holds_what_every_report_must(run: Run) -> None:
    check_report(run)


def _cells(findings: dict[str, Any], id: str) -> list[dict[str, Any]]:
    (table,) = [one for one in findings["tables"] if one["id"] == id]
    return [cell for row in table["rows"] for cell in row["cells"].values()]


def test_only_cells_of_countries_and_of_chance_lead_nowhere(findings: dict[str, Any]) -> None:
    for table in findings["tables"]:
        for row in table["rows"]:
            for column, cell in row["cells"].items():
                if cell["value"] is not None and not cell["where"]:
                    known = {("copied_agreement", "towards"), ("copied_sides", "change")}
                    told = table["id"] == "replication_totals" or "by chance" in row["keys"].values()
                    assert told or (table["id"], column) in known


def test_tables_that_are_not_on_copies_are_of_originals_alone(findings: dict[str, Any], analysed: Analysed) -> None:
    for table in findings["tables"]:
        for row in table["rows"]:
            for column, cell in row["cells"].items():
                if table["id"] == "favoured" and column in BOTH_WAYS:
                    assert cell["where"].get("copy", "masked") == "masked"
                elif any(row["keys"].get("contrast", "").startswith(one) for one in ("Countries", "Judged")):
                    assert cell["where"].get("copy") != "original"
                elif table["id"] not in COPY_TABLES:
                    assert cell["where"].get("copy", "original") == "original"
                    assert "condition" not in row["keys"]
                elif cell["where"]:
                    assert cell["where"]["copy"] != "original"
    first = [case for case in analysed.cases if case.original is None]
    tables = {table.id: table for table in analysed.findings.tables}
    for row in tables["validity"].rows:
        own = [case for case in first if {"judge": case.judge, "model": case.model} == row.keys]
        assert row.cells["complete"].n == len(own) == 62
    for row in tables["pbi"].rows:
        own = [case for case in first if {"judge": case.judge, "model": case.model} == row.keys and case.complete]
        scored = [case.total(analysed.rubrics["official"]) for case in own if case.pair.design.block == "main"]
        assert (row.cells["main"].value, row.cells["main"].n) == (pytest.approx(sum(scored) / len(scored)), len(scored))


def test_facts_tell_pairs_from_copies(findings: dict[str, Any]) -> None:
    assert (findings["facts"]["Pairs per model"], findings["facts"]["Copies of pairs per model"]) == (
        "62",
        "Countries hidden: 62; Names alone hidden: 62; Judged a second time: 12",
    )


def of(analysed: Analysed, name: str) -> list[Case]:
    found = [case for case in analysed.cases if case.pair.design.condition == name]
    assert found
    return found


@pytest.mark.parametrize("name", ["masked", "names-masked", "retest"])
def test_pages_of_copies(name: str, analysed: Analysed, opened: dict[str, dict[str, Any]]) -> None:
    """Each leads to its original, says what was guessed, and names the countries in its heading alone."""
    guesses = Counter()
    for case in of(analysed, name):
        found = opened[case_name(case)]
        assert case.original is not None
        assert found["reading"]["original"] == case_name(case.original)
        assert case_name(case) in opened[case_name(case.original)]["reading"]["copies"]
        assert (case.original.pair_id, case.original.model, case.original.judge) == (
            case.pair.copy_of, case.model, case.judge,
        )  # fmt: skip
        assert found["title"] == f"{case.original.pair.acting.A} – {case.original.pair.acting.B}"
        assert found["pair"]["level"] == case.pair.level
        about = strings([found["reading"]["orders"], found["answered"]["responses"]])
        if name == "retest":
            assert found["reading"]["guess"] is None
            assert any(text.startswith("Outcome: ") for text in about) or None in found["answered"]["responses"]
            continue
        assert not any("Counted in it" in text for text in about)
        assert "Country X" in "".join(found["pair"]["prompts"])
        if case.guess is not None:
            guesses[found["reading"]["guess"][0].partition(".")[0].partition(" (")[0]] += 1
    if name != "retest":
        assert {"both countries named", "no valid answer", "neither country named in its place"} & guesses.keys()
        assert guesses.total() > 40


def test_masked_pages_hold_what_was_read(run: Run, analysed: Analysed, opened: dict[str, dict[str, Any]]) -> None:
    """The masked texts, whole, and none of the words they hide."""
    rows = {
        (entry.row.pair, entry.row.side, model): entry.row
        for model in ("fake", "hostile")
        for entry in read(run.masked(model))
    }
    for case in of(analysed, "masked"):
        for side, row in zip(SIDES, opened[case_name(case)]["answered"]["responses"], strict=True):
            assert (row is None) == (side not in case.responses)
            assert row is None or row["text"] == visible(rows[case.pair_id, side, case.model].text)


def test_hostile_text_is_inert_in_copies(run: Run, analysed: Analysed, opened: dict[str, dict[str, Any]]) -> None:
    names = [case_name(case) for case in analysed.cases if case.original is not None and case.model == "hostile"]
    everything = "\n".join(strings([opened[name] for name in names]))
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\ud800-\udfff]", everything)
    texts = {entry.row.text for entry in read(run.masked("hostile"))}
    assert sum("alert(" in text for text in texts) > 0
    for text in texts:
        assert visible(text) in everything


def test_links_of_copies_lead_somewhere(run: Run, shown: dict[str, str]) -> None:
    for name, page in shown.items():
        for link in re.findall(r'href="([^"]*)"', page):
            path = link.split("#")[0]
            assert not path or ((run.report / name).parent / path).resolve().is_file(), (name, link)


def test_countries_are_called_by_their_names(shown: dict[str, str], findings: dict[str, Any]) -> None:
    assert findings["titles"]["country:china"] == "China"
    assert findings["titles"]["country:new-zealand"] == "New Zealand", "a guess may name any candidate"
    assert '<th scope="row">lumina</th>' not in shown["index.html"]


def test_names_with_spaces_make_no_marks() -> None:
    """Parties of imported pairs are names; only masked pairs, whose parties are ids, are selected by them."""
    first = copies.case("p", (3, "A"), parties=("New Land", "Old Land"))
    again = copies.copy(first, (4, "B"), "retest")
    words = marking.marks(again, copies.RUBRIC).split(" ")
    assert "directed=yes" in words
    assert not [word for word in words if word.startswith(("party=", "placed="))]
    kept = copies.copy(copies.case("p", (3, "A"), roles="A"), (4, "B"))
    assert "party=a" not in marking.marks(kept, copies.RUBRIC).split(" ")
    assert {"party=a", "party=b", "placed=yes"} <= {
        *marking.marks(copies.copy(copies.case("p", None), (4, "B")), copies.RUBRIC).split(" ")
    }
