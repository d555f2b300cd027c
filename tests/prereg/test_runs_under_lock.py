"""Plans about runs: what they predict is begun after the lock, and every stream of it begins with the lock's hash."""

import json

import pytest

from polibias.analysis.plan_locks import locks_fact
from polibias.analysis.validated import PlanFolders, folders_of, validations_of
from polibias.cli import main
from polibias.records.documents import read_named, write_named
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import verify
from tests.conftest import ROOT, study_text
from tests.prereg.validation import ITEMS, JUDGES, MODELS, Places

COPIES = """
reuse = ["small"]

[[copies]]
name = "retest"
title = "Judged a second time"
replicate = 1
items = 8
over = ["topic_category"]

[draw]
seed = 7
"""
PLAN = """
id = "again"
title = "The same pairs judged a second time"
run = "small"
outcomes = ["twice"]

[analysis]
seed = 5
resamples = 200
cluster = "template"

[[comparisons]]
id = "agreement"
title = "Agreement of the second reading with the first"
role = "primary"
statistic = "copied_agreement"
condition = "retest"
measure = "icc"

[comparisons.decision]
bound = "low"
above = 0.9
holds = "The judge gives a pair nearly the same score again."
fails = "It was not shown that the judge gives a pair nearly the same score again."
"""


@pytest.fixture
def planned(places: Places) -> Places:
    """A plan about a second reading, not locked yet."""
    places.prereg.mkdir()
    places.plan("again").write_text(PLAN, "utf-8")
    text = study_text("twice", ITEMS, MODELS + JUDGES).replace(
        'judge_prompt = "pair"', f'judge_prompt = "pair"{COPIES}'
    )
    (places.folder / "twice.toml").write_text(text, "utf-8")
    return places


def read_again(places: Places, *more: str) -> int:
    where = ["--data", str(ROOT / "data"), "--runs", str(places.run.folder.parent), "--quiet", "--stage", "seal"]
    return main(["run", str(places.folder / "twice.toml"), *where, *more])


def under_lock(places: Places) -> Run:
    assert places.prereg_command("lock", id="again") == 0
    assert read_again(places, "--plan", str(places.plan("again"))) == 0
    return Run(places.run.folder.parent / "twice")


def test_every_stream_begins_with_the_lock(planned: Places) -> None:
    run = under_lock(planned)
    lock = json.loads((planned.prereg / "again.lock.json").read_text("utf-8"))["hash"]
    files = [path for path in run.folder.rglob("*.jsonl") if path.stat().st_size]
    assert files
    for path in files:
        assert json.loads(path.read_bytes().split(b"\n", 1)[0])["prev"] == lock, path
    assert not verify(run)
    assert planned.prereg_command("run", id="again") == 0
    assert planned.findings("again")["results"][0]["table"]["rows"]
    assert planned.findings("again")["inputs"].keys() == {"small", "twice"}
    assert locks_fact(run, folders_of(run)) == f"plan again, lock {lock} (the run was begun under it)"
    elsewhere = PlanFolders(planned.folder / "none", planned.folder / "none")
    assert locks_fact(run, elsewhere).startswith(f"a plan that is not in the folder of plans, lock {lock} (")
    found = validations_of(run, folders_of(run))
    assert (found.taken, found.left) == ((), ())  # it compares no people


def test_a_lock_that_is_written_into_a_run_afterwards_is_found_out(planned: Places) -> None:
    assert read_again(planned) == 0
    run = Run(planned.run.folder.parent / "twice")
    body = {name: part for name, part in read_named(run.study, STUDY_TAG).items() if name != "hash"}
    write_named(run.study, STUDY_TAG, body | {"lock": "a" * 64})
    seal(run, run.folder, read_manifest(run.folder).about)
    assert any("pairs.jsonl" in problem for problem in verify(run))


def test_answers_that_came_before_the_lock_are_refused(planned: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_again(planned) == 0
    capsys.readouterr()
    assert planned.prereg_command("lock", id="again") == 2
    assert "must come after the lock" in capsys.readouterr().err


def test_a_run_that_was_begun_without_the_lock_is_refused(planned: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned.prereg_command("lock", id="again") == 0
    assert read_again(planned, "--limit", "3") == 0
    capsys.readouterr()
    assert read_again(planned, "--plan", str(planned.plan("again"))) == 2
    assert "before the plan was locked" in capsys.readouterr().err
    assert read_again(planned) == 0
    assert planned.prereg_command("run", id="again") == 2
    assert "not begun under this lock" in capsys.readouterr().err
