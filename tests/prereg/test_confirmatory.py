"""A plan from its lock to its report: what it refuses, what it finds, and that it finds the same again."""

import json
from pathlib import Path

from tests.prereg.validation import Places


def read_all(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_locked_plan_is_run_and_gives_the_same_bytes_again(labelled: Places) -> None:
    assert labelled.prereg_command("run") == 0
    first = read_all(labelled.validations / "mine")
    log = (labelled.prereg / "mine.log.jsonl").read_bytes()
    assert labelled.prereg_command("run") == 0
    assert read_all(labelled.validations / "mine") == first
    assert (labelled.prereg / "mine.log.jsonl").read_bytes() == log
    findings = labelled.findings()
    assert [one["role"] for one in findings["results"]] == ["primary", "secondary", "exploratory"]
    assert findings["kind"] == "confirmatory"
    assert findings["facts"]["Labels"] == "24 done, 24 planned"
    assert {"index.html", "tables/gap.csv", "tables/gap.tex", "plan.md", "environment.json"} <= first.keys()


def test_findings_name_the_lock_that_the_chain_began_with(labelled: Places) -> None:
    assert labelled.prereg_command("run") == 0
    lock_file = json.loads((labelled.prereg / "mine.lock.json").read_text("utf-8"))
    assert labelled.findings()["lock"] == lock_file["hash"] == labelled.store().project.genesis
