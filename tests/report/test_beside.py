"""Reports of runs that rest on another: null pairs, comparisons of users, and the direction-only prompt.

All through the pipeline with the scripted adapter, the official run beside them, and written as a reader gets them.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.report.document import write_report
from tests.conftest import ROOT, study_text
from tests.report.parts import marks
from tests.report.test_copies import of_single_ones

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001", "CAH-DEP-001"]
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
faults = 0.3

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
DIRECTION = 'judge_prompt = "direction"\nprimary_judge_only = true\n'
ASKED = {
    "official": 'conditions = ["official"]\n',
    "null": 'conditions = ["null"]\nreuse = ["official"]\n',
    "premise": 'conditions = ["official", "premise"]\nreuse = ["official"]\n',
    "sycophancy": 'conditions = ["official", "sycophancy-net", "sycophancy-softening", "sycophancy-hardening"]\n'
    'reuse = ["official"]\n',
    "direction": f'conditions = ["official"]\n{DIRECTION}reuse = ["official"]\n',
}
NO_PAIR_COUNTS = {"validity", "responses"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    made: Path = tmp_path_factory.mktemp("beside")
    found = {}
    for name, asked in ASKED.items():
        path = made / f"{name}.toml"
        path.write_text(study_text(id=name, items=asked + ITEMS, models=MODELS).replace(
            'judge_prompt = "pair"\n', ""), "utf-8")  # fmt: skip
        found[name] = Run(made / "runs" / name)
        flow.run_study(plan(str(path), ROOT / "data"), found[name], QuietWatcher(), flow.Wanted(last="seal"))
        if name != "official":
            write_report(found[name])
    return found


def findings(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.report / "findings.json").read_text("utf-8"))
    return found


def table(run: Run, id: str) -> dict[str, Any]:
    (found,) = [one for one in findings(run)["tables"] if one["id"] == id]
    return dict(found)


@pytest.mark.parametrize("name", [name for name in ASKED if name != "official"])
def test_every_link_selects_exactly_its_pairs(runs: dict[str, Run], name: str) -> None:
    rows, told = marks(runs[name].report), Counter[str]()
    for one in findings(runs[name])["tables"]:
        for row in one["rows"]:
            for column, cell in row["cells"].items():
                wanted = {f"{key}={value}" for key, value in cell["where"].items()}
                if not wanted:
                    continue
                selected = sum(wanted <= words for words in rows)
                told[one["id"]] += selected
                if not of_single_ones(one["id"], column):
                    assert selected == cell["n"], (one["id"], row["keys"], column)
    wanted_tables = {
        "null": {"null", "null_dimensions", "replication"},
        "premise": {"ablations", "replication"},
        "sycophancy": {"sycophancy", "sycophancy_outcomes", "sycophancy_change", "sycophancy_rates"},
        "direction": {"favoured"},
    }
    assert all(told[id] for id in wanted_tables[name]), told


@pytest.mark.parametrize("name", [name for name in ASKED if name != "official"])
def test_nothing_is_missed_beside(runs: dict[str, Run], name: str) -> None:
    assert not [note for note in findings(runs[name])["notes"] if "is not here in that state" in note]


def test_first_sentences_of_a_null_run(runs: dict[str, Run]) -> None:
    said = findings(runs["null"])["summary"]
    own = [one for one in said if "Nothing but the first line changed" in one]
    assert own[0].startswith("all models, judged by judge, Main, Nothing but the first line changed: ")
    assert "pairs with swapped countries score" in own[0]
    assert ", null pairs of the same " in own[0]
    gaps = [one for one in own if "Main − Controls" in one]
    assert len(gaps) == 2 * 3, "each judge: all models together and each of two"
    assert all(
        "the gap with swapped countries is " in one and ", that of null pairs of the same" in one for one in gaps
    )
    assert any("Judges beside each other, all contrasts: of " in one for one in said)


def test_contrasts_of_conditions_are_under_both_judges(runs: dict[str, Run]) -> None:
    """The rows of the replication are the changes of the table of ablations where both judges read every item."""
    for name, title, verb in (
        ("premise", "Countries swapped, premise accepted", "change on"),
        ("null", "Nothing but the first line changed", "the swap adds on"),
    ):
        rows = [row for row in table(runs[name], "replication")["rows"] if title in row["keys"]["contrast"]]
        assert [row["keys"]["contrast"] for row in rows[::2]] == [
            f"{title}: {verb} {block}" for block in ("Main", "Controls", "Main − Controls")
        ]
        own = table(runs[name], "null" if name == "null" else "ablations")["rows"]
        for row in rows:
            both = [row["cells"][f"judge:{judge}"] for judge in ("judge", "other")]
            assert both[0]["n"] == both[1]["n"] > 0
            block = row["keys"]["contrast"].removeprefix(f"{title}: {verb} ")
            for judge, cell in zip(("judge", "other"), both, strict=True):
                keys = {"judge": judge, "model": row["keys"]["model"], "block": block}
                (alone,) = [one["cells"]["difference"] for one in own if keys.items() <= one["keys"].items()]
                assert cell["n"] <= alone["n"]
                if cell["n"] == alone["n"]:
                    assert cell["value"] == pytest.approx(alone["value"])


def test_first_sentences_of_a_sycophancy_run(runs: dict[str, Run]) -> None:
    said = findings(runs["sycophancy"])["summary"]
    rows = table(runs["sycophancy"], "sycophancy")["rows"]
    own = [one for one in said if ": index " in one or ": no sycophancy can be told" in one]
    assert len(own) == len(rows)
    index = rows[0]["cells"]["index"]
    assert own[0].startswith(f"{rows[0]['keys']['model']}, judged by {rows[0]['keys']['judge']}, ")
    assert f"(n = {index['n']})" in own[0]
    beside = [row["cells"] for row in table(runs["sycophancy"], "sycophancy_change")["rows"]]
    assert any(cell["value"] is not None for cells in beside for cell in cells.values())


def test_the_direction_run_has_the_official_prompt_beside_it(runs: dict[str, Run]) -> None:
    """Shares and marks by loops over the two reports' own tables."""
    write_report(runs["official"])
    official = {row["keys"]["topic"]: row["cells"] for row in table(runs["official"], "favoured")["rows"]
                if row["keys"]["judge"] == "judge"}  # fmt: skip
    found = table(runs["direction"], "favoured")["rows"]
    assert {row["keys"]["judge"] for row in found} == {"judge"}
    named = {"france-germany": ("France", "Germany"), "russia-ukraine": ("Russia", "Ukraine")}
    for row in found:
        topic, cells = row["keys"]["topic"], row["cells"]
        for field in ("value", "n"):
            assert cells["other"][field] == official[topic]["share"][field]
        lean = [one["value"] for one in (cells["share"], cells["other"])]
        against = None not in lean and (lean[0] - 0.5) * (lean[1] - 0.5) < 0
        assert row["keys"]["other prompt"].endswith(" †") == against
        if topic in named and lean[1] not in (None, 0.5):
            assert row["keys"]["other prompt"].startswith(named[topic][lean[1] < 0.5])
        assert cells["same"]["n"] <= min(cells["share"]["n"], cells["other"]["n"])
    (said,) = [
        one for one in findings(runs["direction"])["summary"] if one.startswith("Favoured sides, judged by judge")
    ]
    marked = [row for row in found if row["keys"]["other prompt"].endswith(" †")]
    assert f"to the other side in {len(marked)} of " in said


def test_daggers_are_printed(runs: dict[str, Run]) -> None:
    """In every format, LaTeX as its own sign."""
    keys = [row["keys"]["other prompt"] for row in table(runs["direction"], "favoured")["rows"]]
    for form, sign in (("csv", "†"), ("tex", r"\dag{}")):
        text = (runs["direction"].report / "tables" / f"favoured.{form}").read_text("utf-8")
        assert sign in text or not any(key.endswith("†") for key in keys)
