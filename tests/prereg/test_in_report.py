"""What a run's report takes up of plans: findings that rest on that very run, as they are, and no others."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from polibias.analysis.validated import folders_of, validations_of
from polibias.cli import main
from polibias.records.documents import write_named
from polibias.records.manifest import read_manifest, seal
from polibias.records.verify import verify
from tests.prereg.conftest import copied
from tests.prereg.test_confirmatory import read_all
from tests.prereg.validation import Places

NONE = "No findings of a planned validation of the judge are beside this run"
LEFT = "Findings of a plan lie in 'mine' and were not taken up: "


def report(places: Places, *more: str) -> dict[str, Any]:
    """Write the run's report and return its findings."""
    assert main(["report", str(places.run.folder), *more]) == 0
    return written(places)


def rows(places: Places, table: str) -> list[dict[str, str]]:
    text = (places.run.report / "tables" / f"{table}.csv").read_text("utf-8")
    return [*csv.DictReader(text.splitlines())]


@pytest.fixture(scope="module")
def told(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A validation whose plan was run, and the run's report after it, which no test may change."""
    found = copied(finished / "open", tmp_path_factory.mktemp("told") / "told")
    assert found.prereg_command("deviate", "--what", "Bob was late.", "--reason", "a <strike>") == 0
    assert found.prereg_command("publish", "--where", "a newspaper") == 0
    assert found.prereg_command("run") == 0
    report(found)
    return found


@pytest.fixture
def confirmed(told: Places, tmp_path: Path) -> Places:
    """A copy of it."""
    return copied(told.folder, tmp_path / "confirmed")


def written(places: Places) -> dict[str, Any]:
    """The findings of the report as it is."""
    found: dict[str, Any] = json.loads(places.run.findings.read_text("utf-8"))
    return found


def left(places: Places) -> str:
    """Why the one thing that was found was not taken up; nothing of it is in the findings then."""
    found = validations_of(places.run, folders_of(places.run))
    assert found.taken == ()
    (why,) = found.left
    assert why.startswith(LEFT)
    assert str(places.folder) not in why
    return why.removeprefix(LEFT)


def rewrite(places: Places, **changed: Any) -> None:
    """Other findings in their place, with a hash that holds."""
    path = places.validations / "mine" / "findings.json"
    body = {name: value for name, value in (places.findings() | changed).items() if name != "hash"}
    write_named(path, "planned-findings/1", body)


def test_planned_numbers_stand_as_they_are(told: Places) -> None:
    findings, planned = written(told), told.findings()
    tables = {table["id"]: table for table in findings["tables"]}
    taken = [row for id in ("people", "people_shares") for row in tables[id]["rows"]]
    wanted = [
        (result["title"], row["keys"]["judge"], column["title"], row["cells"][column["id"]])
        for result in planned["results"]
        if result["role"] != "exploratory"
        for row in result["table"]["rows"]
        for column in result["table"]["columns"]
    ]
    found = [
        (row["keys"]["comparison"], row["keys"]["judge"], row["keys"]["measure"], row["cells"]["value"])
        for row in taken
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)
    assert "Pair totals" not in {row["keys"]["comparison"] for row in taken}
    for row in rows(told, "people"):
        assert row["n"]
        assert row["reason"] or (row["low"] and row["high"])


def test_what_was_decided_stands_beside_the_number_that_decided(told: Places) -> None:
    planned = {one["keys"]["judge"]: one for one in told.findings()["results"][0]["decisions"]}
    decided = {row["judge"]: row["decided"] for row in rows(told, "people") if row["measure"] == "Gap"}
    assert decided == {judge: f"{one['outcome']}: {one['said']}" for judge, one in planned.items()}
    assert {row["decided"] for row in rows(told, "people") if row["measure"] != "Gap"} == {"nothing"}


def test_the_section_names_lock_labels_and_deviations(told: Places) -> None:
    (one,) = written(told)["people"]
    page = (told.run.report / "index.html").read_text("utf-8")
    lock = json.loads((told.prereg / "mine.lock.json").read_text("utf-8"))
    for part in (lock["hash"], lock["at"][:19].replace("T", " "), "a newspaper", "it holds none out", one["findings"]):
        assert part in page
    assert "Bob was late. Reason: a &lt;strike&gt;" in page
    assert one["deviations"][0].startswith("Bob was late. Reason: a <strike> (")
    assert one["facts"]["Labels"] == "24 done, 24 planned"
    assert page.count('id="people"') == 1


def test_the_report_and_its_seal_name_the_findings(told: Places) -> None:
    findings, name = written(told), told.findings()["hash"]
    assert read_manifest(told.run.report).about["planned"] == {"mine": name}
    assert findings["facts"]["Agreement with people"] == f"findings {name} of plan mine"
    assert verify(told.run) == []


def test_the_first_page_says_what_was_decided(told: Places) -> None:
    sentences = [one for one in written(told)["summary"] if one.startswith("Agreement with people (plan mine), ")]
    assert len(sentences) == len(("one", "two"))
    assert all(": Gap " in one and "n = " in one for one in sentences)


def test_favoured_sides_say_which_judge_agrees_better(told: Places) -> None:
    captions = {table["id"]: table["caption"] for table in written(told)["tables"]}
    (directions,) = (one for one in told.findings()["results"] if one["id"] == "directions")
    kappas = {
        row["keys"]["judge"]: row["cells"]["kappa"]["value"]
        for row in directions["table"]["rows"]
        if row["keys"]["raters"] == "all annotators" and row["keys"]["judge"] != "annotators"
    }
    assert kappas.keys() == {"one", "two"}
    better = max(kappas, key=lambda judge: kappas[judge])
    for name in ("directions", "favoured"):
        assert f"{better} agrees better with blind annotators on the favoured side, by the plan mine" in captions[name]
        for judge, kappa in kappas.items():
            assert f"{judge} kappa {kappa:.2f}".replace("-", "−") in captions[name]


def test_same_files_give_the_same_bytes_elsewhere(
    confirmed: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read_all(confirmed.run.report)
    report(confirmed)
    assert read_all(confirmed.run.report) == first
    shutil.rmtree(confirmed.run.report)
    confirmed.folder.rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere" / "runs")
    assert main(["report", "small"]) == 0
    assert read_all(Path("small") / "report") == first


def test_other_folders_can_be_named(confirmed: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("prereg", "validations"):
        (confirmed.folder / name).rename(tmp_path / f"other-{name}")
    assert NONE in " ".join(report(confirmed)["summary"])
    named = [f"--{name}={tmp_path / f'other-{name}'}" for name in ("prereg", "validations")]
    assert [one["plan"] for one in report(confirmed, *named)["people"]] == ["mine"]
    assert main(["report", str(confirmed.run.folder), "--validations", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err == f"polibias: {tmp_path / 'nowhere'}: no such folder\n"


def test_without_a_plan_the_judge_is_unvalidated(places: Places) -> None:
    findings = report(places)
    assert findings["people"] == []
    assert sum(one.startswith(NONE) for one in findings["summary"]) == 1
    assert findings["facts"]["Plan locks"] == "none"
    assert not any(table["id"].startswith("people") for table in findings["tables"])
    captions = {table["id"]: table["caption"] for table in findings["tables"]}
    for name in ("directions", "favoured"):
        assert "Which judge agrees better with blind annotators on the favoured side is not known" in captions[name]
    assert read_manifest(places.run.report).about["planned"] == {}


def test_labels_alone_are_named_and_not_used(labelled: Places) -> None:
    findings = report(labelled)
    told = "Labels of people were exported into this run (project mine, 24 labels), but no confirmatory findings are"
    assert any(one.startswith(told) and one.endswith("nothing was computed from them.") for one in findings["summary"])
    lock = json.loads((labelled.prereg / "mine.lock.json").read_text("utf-8"))["hash"]
    assert findings["facts"]["Plan locks"] == f"plan mine, lock {lock} (the labels of project mine came after it)"


def test_a_rehearsal_is_no_finding(labelled: Places) -> None:
    assert labelled.prereg_command("rehearse") == 0
    assert len([*labelled.validations.iterdir()]) > 0
    found = validations_of(labelled.run, folders_of(labelled.run))
    assert (found.taken, found.left) == ((), ())


def test_changed_findings_are_told_and_left(confirmed: Places) -> None:
    path = confirmed.validations / "mine" / "findings.json"
    path.write_bytes(path.read_bytes().replace(b"A small validation", b"A large validation"))
    findings = report(confirmed)
    why = "they were changed after they were written, or are of another version."
    assert LEFT + why in findings["notes"]
    assert NONE in " ".join(findings["summary"])
    assert "but the findings beside it do not fit: nothing was computed" in " ".join(findings["summary"])


def test_findings_with_a_new_hash_are_unknown_to_the_log(confirmed: Places) -> None:
    rewrite(confirmed, title="A large validation")
    assert left(confirmed) == "the plan's log does not know them."


def test_findings_of_another_state_of_the_run_are_told_and_left(confirmed: Places) -> None:
    seal(confirmed.run, confirmed.run.folder, read_manifest(confirmed.run.folder).about)
    (old,) = confirmed.findings()["inputs"].values()
    assert left(confirmed) == f"they were made from another manifest than this run's ({old})."


def test_findings_of_another_run_are_no_business_of_this_one(confirmed: Places) -> None:
    rewrite(confirmed, inputs={"elsewhere": "0" * 64})
    found = validations_of(confirmed.run, folders_of(confirmed.run))
    assert (found.taken, found.left) == ((), ())


def test_findings_that_name_no_manifest_are_told_and_left(confirmed: Places) -> None:
    rewrite(confirmed, inputs={})
    assert left(confirmed).startswith("they do not say from which manifests they were made")


def test_older_findings_are_superseded(confirmed: Places) -> None:
    old = (confirmed.validations / "mine" / "findings.json").read_bytes()
    assert confirmed.prereg_command("deviate", "--what", "Something.", "--reason", "It was.") == 0
    assert confirmed.prereg_command("run") == 0
    assert validations_of(confirmed.run, folders_of(confirmed.run)).taken
    (confirmed.validations / "mine" / "findings.json").write_bytes(old)
    assert left(confirmed) == "the plan has newer findings, which supersede them."


def test_findings_without_their_lock_are_left(confirmed: Places) -> None:
    for path in confirmed.prereg.glob("mine.*.json*"):
        path.unlink()
    assert left(confirmed) == "the lock of their plan is not in the folder of plans."


def test_findings_whose_plan_was_changed_are_left(confirmed: Places) -> None:
    confirmed.plan().write_text(confirmed.plan().read_text("utf-8") + "\n", "utf-8")
    assert left(confirmed).startswith("their plan, its lock or its log is gone or was changed")


def test_findings_under_another_name_are_left(confirmed: Places) -> None:
    (confirmed.validations / "mine").rename(confirmed.validations / "yours")
    (why,) = validations_of(confirmed.run, folders_of(confirmed.run)).left
    assert why.endswith("they are of another plan than their folder is named after.")


def test_labels_that_changed_since_are_told(confirmed: Places) -> None:
    about = read_manifest(confirmed.run.annotations_folder).about
    about["projects"]["mine"]["head"] = "0" * 64
    seal(confirmed.run, confirmed.run.annotations_folder, about)
    assert left(confirmed).startswith("labels were exported anew since")


def test_held_out_labels_count_until_they_are_opened_again(boxed: Places) -> None:
    opening = ("--key", str(boxed.key))
    assert boxed.prereg_command("freeze") == 0
    assert boxed.prereg_command("open", *opening) == 0
    assert boxed.prereg_command("run") == 0
    (one,) = report(boxed)["people"]
    assert one["labels"].startswith("held out: ")
    assert boxed.prereg_command("open", *opening, "--reason", "a typing error") == 0
    assert left(boxed) == "they are tainted: the held-out labels were opened 2 times."
    assert boxed.prereg_command("run") == 0
    assert left(boxed) == "they are tainted: the held-out labels were opened 2 times."


def test_labels_that_are_not_as_they_were_exported_end_the_report_before_anything_is_replaced(
    told: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = copied(told.folder, tmp_path / "cut")
    before = (places.run.report / "index.html").read_bytes()
    path = next(places.run.annotations_folder.glob("*.jsonl"))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    capsys.readouterr()
    assert main(["report", str(places.run.folder)]) == 2
    assert path.name in capsys.readouterr().err
    assert (places.run.report / "index.html").read_bytes() == before
