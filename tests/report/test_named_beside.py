"""Reports of runs that took nothing over: the study names the run that its report compares with, if that is there.

All through the pipeline with the scripted adapter, and written as a reader gets them.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.documents import read_named
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run
from polibias.report.document import write_report
from tests.conftest import ROOT, study_text
from tests.report.parts import marks
from tests.report.test_beside import ITEMS, MODELS, findings, table
from tests.report.test_copies import of_single_ones

COMPARED = {"premise": {"ablations"}, "sycophancy": {"sycophancy_change"}}
ASKED = {
    "official": 'conditions = ["official"]\n',
    "premise": 'conditions = ["premise"]\nbeside = ["official"]\n',
    "sycophancy": 'conditions = ["sycophancy-net", "sycophancy-softening", "sycophancy-hardening"]\n'
    'primary_judge_only = true\nbeside = ["official"]\n',
}


def ask(folder: Path, name: str, *, asked: str = "", models: str = MODELS, data: Path = ROOT / "data",
        last: str = "seal") -> Run:  # fmt: skip
    path = folder / f"{name}.toml"
    text = study_text(id=name, items=(asked or ASKED[name]) + ITEMS, models=models)
    path.write_text(text.replace('judge_prompt = "pair"\n', ""), "utf-8")
    run = Run(folder / "runs" / name)
    flow.run_study(plan(str(path), data), run, QuietWatcher(), flow.Wanted(last=last))
    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs, the official one last: it need not be there when the others are asked."""
    folder: Path = tmp_path_factory.mktemp("named")
    for name in reversed(ASKED):
        ask(folder, name)
    return folder


@pytest.fixture(scope="module")
def reports(made: Path) -> dict[str, Run]:
    found = {name: Run(made / "runs" / name) for name in COMPARED}
    for run in found.values():
        write_report(run)
    return found


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Callable[[str], Run]:
    """A function that copies a run into an empty folder of runs, with the study files beside it."""

    def copy(name: str) -> Run:
        shutil.copytree(made / "runs" / name, tmp_path / "runs" / name)
        return Run(tmp_path / "runs" / name)

    return copy


def compared_notes(run: Run) -> list[str]:
    """What a report says of runs that it compares nothing with; it must not compare with any either."""
    write_report(run)
    found = findings(run)
    assert "Compared with" not in found["facts"]
    assert not [one for one in found["tables"] if one["id"] in ("ablations", "replication") and
                any("change on" in row["keys"].get("contrast", "change on") for row in one["rows"])]  # fmt: skip
    return [note for note in found["notes"] if "nothing is compared with it" in note]


@pytest.mark.parametrize("name", COMPARED)
def test_the_run_is_named_with_its_manifest(reports: dict[str, Run], made: Path, name: str) -> None:
    found = findings(reports[name])
    manifest = manifest_hash(made / "runs" / "official")
    assert found["facts"]["Compared with"] == f"official, manifest {manifest}"
    assert not [note for note in found["notes"] if "nothing is compared" in note]
    assert f"official, manifest {manifest}" in (reports[name].report / "index.html").read_text("utf-8")


@pytest.mark.parametrize("name", COMPARED)
def test_every_link_selects_exactly_its_pairs(reports: dict[str, Run], name: str) -> None:
    rows, told = marks(reports[name].report), set()
    for one in findings(reports[name])["tables"]:
        for row in one["rows"]:
            for column, cell in row["cells"].items():
                wanted = {f"{key}={value}" for key, value in cell["where"].items()}
                if wanted and not of_single_ones(one["id"], column):
                    assert sum(wanted <= words for words in rows) == cell["n"], (one["id"], row["keys"], column)
                    told |= {one["id"]} if cell["n"] else set()
    assert COMPARED[name] <= told


def test_an_ablation_compares_on_the_same_items(reports: dict[str, Run], made: Path) -> None:
    """Each difference is that of the two means, and equals what one run with both conditions shows."""
    both = ask(made, "both", asked='conditions = ["official", "premise"]\n')
    write_report(both)
    rows, again = (table(run, "ablations")["rows"] for run in (reports["premise"], both))
    assert len(rows) == len(again) == 2 * 3 * 3, "two judges; all models and two; two blocks and their gap"
    for row, other in zip(rows, again, strict=True):
        assert row["keys"] == other["keys"]
        for column, cell in row["cells"].items():
            for part in ("value", "n", "low", "high"):
                assert cell[part] == other["cells"][column][part], (row["keys"], column)
    assert any(row["cells"]["difference"]["value"] for row in rows)
    said = findings(reports["premise"])["summary"]
    assert [one for one in said if "premise accepted" in one.lower() and "official" in one.lower()]


def test_users_compare_with_the_official_pairs_of_the_same_items(reports: dict[str, Run]) -> None:
    rows = table(reports["sycophancy"], "sycophancy_change")["rows"]
    assert {row["keys"]["judge"] for row in rows} == {"judge"}
    for row in rows:
        cells = row["cells"]
        assert cells["swapped"]["value"] is not None
        assert cells["swapped"]["where"] == {}, "pairs of another run are not in this report"
    assert any(cell["value"] is not None for row in rows for name, cell in row["cells"].items() if name != "change")


def test_a_run_that_asked_more_models_brings_no_rows_of_them(copied: Callable[[str], Run], tmp_path: Path) -> None:
    copied("official")
    second = '[[models]]\nadapter = "scripted"\nname = "two"\nmax_tokens = 50\n'
    assert second in MODELS
    run = ask(tmp_path, "premise", models=MODELS.replace(second, ""))
    write_report(run)
    assert {row["keys"]["model"] for row in table(run, "ablations")["rows"]} == {"one"}


def test_without_the_run_nothing_is_compared(copied: Callable[[str], Run]) -> None:
    assert compared_notes(copied("premise")) == ["The run 'official' is not here: nothing is compared with it."]


def test_an_open_run_is_not_compared_with(copied: Callable[[str], Run]) -> None:
    copied("official").manifest.unlink()
    said = "The run 'official' is not sealed yet: nothing is compared with it."
    assert compared_notes(copied("sycophancy")) == [said]


@pytest.mark.parametrize("stream", ["responses/one.jsonl", "study.json"])
def test_a_changed_byte_is_not_compared_with(copied: Callable[[str], Run], stream: str) -> None:
    path = copied("official").folder / stream
    text = path.read_bytes()
    at = len(text) // 2
    path.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
    said = "The run 'official' is not as it was sealed: nothing is compared with it."
    assert compared_notes(copied("premise")) == [said]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "two"\n', 'name = "two"\ntemperature = 0.5\n', "asked model 'two' with other settings"),
        ('name = "two"\n', 'name = "two"\nseed = 5\n', "asked model 'two' with other parameters"),
        ('name = "other"\n', 'name = "other"\nfaults = 0.2\n', "asked judge 'other' in another revision"),
        ('name = "judge"\n', 'name = "strange"\n', ""),
    ],
)
def test_who_was_asked_otherwise_is_not_compared(
    copied: Callable[[str], Run], tmp_path: Path, old: str, new: str, said: str
) -> None:
    copied("premise")
    ask(tmp_path, "official", models=MODELS.replace(old, new))
    run = Run(tmp_path / "runs" / "premise")
    if said:
        assert compared_notes(run) == [f"The run 'official' {said}: nothing is compared with it."]
    else:
        write_report(run)
        assert {row["keys"]["judge"] for row in table(run, "ablations")["rows"]} == {"other"}


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("rubrics/poli-bias.toml", 'title = "', 'title = "Our ', "was scored by another rubric"),
        ("scenarios/war_crimes.toml", None, None, "made 4 of the items of both from other data"),
    ],
)
def test_other_data_are_not_compared_with(
    copied: Callable[[str], Run], tmp_path: Path, file: str, old: str | None, new: str | None, said: str
) -> None:
    copied("premise")
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data)
    path = data / file
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new) if old and new else reworded(text), "utf-8")
    ask(tmp_path, "official", data=data)
    assert compared_notes(Run(tmp_path / "runs" / "premise")) == [
        f"The run 'official' {said}: nothing is compared with it."
    ]


def reworded(text: str) -> str:
    """The scenario WC-DIS-001 in another word."""
    start = text.index('id = "WC-DIS-001"')
    end = text.index(" the ", start)
    return text[:end] + " every " + text[end + 5 :]


def test_what_stands_beside_may_change_and_is_read_where_it_is_declared(tmp_path: Path) -> None:
    """It decides no request, so a run goes on; runs of earlier versions name none."""
    run = ask(tmp_path, "premise", last="generate", asked='conditions = ["premise"]\n')
    assert read_named(run.study, STUDY_TAG)["beside"] == []
    again = ask(tmp_path, "premise")
    body: dict[str, Any] = read_named(again.study, STUDY_TAG)
    assert body["beside"] == ["official"]
    assert "beside" not in flow.identity(plan(str(tmp_path / "premise.toml"), ROOT / "data"))


def test_shipped_studies_that_name_it() -> None:
    named = {path.stem: plan(str(path), ROOT / "data", panel="scripted").study.beside
             for path in sorted((ROOT / "studies").glob("*.toml"))
             if "beside =" in path.read_text("utf-8")}  # fmt: skip
    assert named == dict.fromkeys(("grounded", "premise", "sycophancy", "year-2023"), ("official",))
