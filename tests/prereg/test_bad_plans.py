"""What a plan, a key, a clock or a hurry can get wrong: refused in one line, with nothing lost and nothing opened."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotate_app.cli import main as annotate
from polibias.cli import main
from polibias.domain.ids import canonical, tagged_hash
from polibias.domain.lock import ENTRY_TAG
from polibias.errors import DamagedRecord
from polibias.records import boxes, locks
from polibias.records.locks import log_path, read_lock
from polibias.records.samples import sample_path
from tests.prereg.validation import Places, create, finish, label, lock, write_plan

HOSTILE = "\x1b[31mred\x07 <script>alert(1)</script> | `a` [x](http://e) \\textbf{b} $\n# Head\u202e\u2028 end \udcff"

BAD = {
    "judge": ('statistic = "kappa_gap"', 'statistic = "kappa_gap"\njudges = ["three"]', "unknown judge 'three'"),
    "statistic": ('"direction_agreement"', '"nosuch"', "unknown statistic"),
    "measure": ('measure = "gap"', 'measure = "nosuch"', "unknown measure"),
    "stratum": ('"icc_totals"', '"icc_totals"\nstrata = ["none"]', "unknown stratum"),
    "comparison twice": ('id = "directions"', 'id = "gap"', "two comparisons are called"),
    "judge twice": ('"icc_totals"', '"icc_totals"\njudges = ["one", "one"]', "twice"),
    "stratum twice": ('"icc_totals"', '"icc_totals"\nstrata = ["even", "even"]', "twice"),
    "condition of labels": ('"icc_totals"', '"icc_totals"\ncondition = "official"', "are of runs"),
    "nan": ("above = -0.1", "above = nan", "finite"),
    "inf": ("[labels]", "[labels]\nleast_seconds = inf", "finite"),
    "rater twice": ("each_pair = 2", 'each_pair = 2\nnames = ["ann", "ann"]', "twice"),
    "too few raters": ("each_pair = 2", 'each_pair = 2\nnames = ["ann"]', "wants 2"),
    "simulated rater": ("each_pair = 2", 'each_pair = 2\nnames = ["simulated-1", "ann"]', "simulated"),
    "older project": ('run = "small"', 'run = "small"\nolder = ["none"]', "no such labels"),
    "run": ('run = "small"', 'run = "none"', "no such run"),
    "two kinds": ('run = "small"', 'run = "small"\noutcomes = ["later", "last"]', "at most one outcome"),
}


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said on stderr, which is one line and no fault."""
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1, told
    assert "fault" not in told
    return told


@pytest.mark.parametrize("wrong", BAD)
def test_a_plan_that_names_what_is_not_there_is_not_locked(
    wrong: str, places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_plan(places)
    old, new, said = BAD[wrong]
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    capsys.readouterr()
    assert places.prereg_command("lock") == 2
    assert said in one_line(capsys)
    assert sorted(one.name for one in places.prereg.iterdir()) == ["mine.sample.json", "mine.toml"]


def test_a_plan_without_its_sample_is_not_locked(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    sample_path(write_plan(places)).unlink()
    capsys.readouterr()
    assert places.prereg_command("lock") == 2
    assert "no sample yet" in one_line(capsys)


@pytest.mark.parametrize("holder", ["0" * 64, "01" + "0" * 62, "xyz", "AB" * 32])
def test_labels_are_held_out_for_nobody_but_a_key(
    holder: str, places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(places, split=True)
    capsys.readouterr()
    assert places.prereg_command("lock", "--holder", holder) == 2
    assert "--holder" in one_line(capsys)


def test_a_split_needs_people_whose_labels_it_holds_out(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    text = write_plan(places, split=True).read_text("utf-8").replace('run = "small"', 'run = "small"\noutcomes = ["x"]')
    text = text.replace('[raters]\nproject = "mine"\neach_pair = 2\n', "")
    places.plan().write_text(text, "utf-8")
    capsys.readouterr()
    assert places.prereg_command("lock", "--holder", "ab" * 32) == 2
    assert "[split]" in one_line(capsys)


def test_no_two_plans_hold_out_the_same_pair(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(places, split=True)
    lock(places, split=True)
    write_plan(places, split=True, id="again")
    capsys.readouterr()
    assert places.prereg_command("lock", "--holder", "ab" * 32, id="again") == 2
    assert "that plan 'mine' holds out" in one_line(capsys)


def test_no_two_plans_take_the_labels_of_one_project(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(places)
    lock(places)
    text = write_plan(places, id="again").read_text("utf-8").replace('project = "again"', 'project = "mine"')
    places.plan("again").write_text(text, "utf-8")
    capsys.readouterr()
    assert places.prereg_command("lock", id="again") == 2
    assert "is that of plan 'mine'" in one_line(capsys)


def test_a_flag_that_nobody_can_raise_makes_no_project(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_plan(places)
    path.write_text(path.read_text("utf-8").replace('flags = ["broken"]', 'flags = ["nosuch"]'), "utf-8")
    lock(places)
    wanted = ["create", str(places.run.folder), "--project", "mine", "--plan", str(path)]
    capsys.readouterr()
    assert annotate([*wanted, *places.app_options]) == 2
    assert "nobody can report" in one_line(capsys)
    assert not (places.folder / "projects" / "mine").exists()


def test_labels_that_came_before_or_under_another_lock_are_refused(
    labelled: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (log_path(labelled.plan()), locks.lock_path(labelled.plan())):
        path.unlink()
    assert labelled.prereg_command("lock") == 2
    assert "must come after the lock" in one_line(capsys)
    labelled.run.annotations_folder.rename(labelled.folder / "aside")
    assert labelled.prereg_command("lock") == 0
    (labelled.folder / "aside").rename(labelled.run.annotations_folder)
    capsys.readouterr()
    assert labelled.prereg_command("run") == 2
    assert "do not come after this lock" in one_line(capsys)


def test_a_project_without_the_plan_gives_it_nothing(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(places)
    lock(places)
    wanted = ["create", str(places.run.folder), "--project", "mine", "--seed", "7"]
    assert annotate([*wanted, "--sample", str(sample_path(places.plan())), *places.app_options]) == 0
    finish(places)
    capsys.readouterr()
    assert places.prereg_command("run") == 2
    assert "do not come after this lock" in one_line(capsys)


@pytest.mark.parametrize(("names", "said"), [(["ann"], "12 of 24 planned"), (["ann", "simulated-b"], "simulated")])
def test_too_few_labels_and_simulated_ones_confirm_nothing(
    names: list[str], said: str, places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(places)
    lock(places)
    store = create(places, names)
    for name in names:
        label(store, name)
    finish(places)
    capsys.readouterr()
    assert places.prereg_command("run") == 2
    assert said in one_line(capsys)
    assert not places.validations.exists()


def test_a_clock_that_runs_backwards_writes_nothing(
    labelled: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = log_path(labelled.plan()).read_bytes()
    monkeypatch.setattr(locks, "utc_now", lambda: "2020-01-01T00:00:00.000Z")
    capsys.readouterr()
    for arguments in (["deviate", "--what", "a", "--reason", "b"], ["publish", "--where", "there"], ["run"]):
        assert labelled.prereg_command(*arguments) == 2
        assert "the clock says" in one_line(capsys)
    assert log_path(labelled.plan()).read_bytes() == before


def test_hostile_words_reach_no_terminal_and_break_no_report(
    labelled: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert labelled.prereg_command("deviate", "--what", HOSTILE, "--reason", HOSTILE + "x" * 5000) == 0
    assert labelled.prereg_command("publish", "--where", HOSTILE) == 0
    assert labelled.prereg_command("run") == 0
    assert main(["prereg", "status", *labelled.options]) == 0
    assert labelled.prereg_command("export", "--out", str(labelled.folder / "plan.md")) == 0
    said = capsys.readouterr().out
    page = (labelled.validations / "mine" / "index.html").read_text("utf-8")
    for text in (said, page, (labelled.folder / "plan.md").read_text("utf-8")):
        assert not {"\x1b", "\x07", "\u202e", "\u2028", "\udcff"} & {*text}
    assert "\n# Head" not in said
    assert "<script>alert" not in page


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 3000, b"polibias-holder-key-1 " + b"g" * 64, b"a" * 5_000_000])
def test_a_file_that_is_no_key_opens_nothing(data: bytes, boxed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert boxed.prereg_command("freeze") == 0
    (boxed.folder / "bad.key").write_bytes(data)
    capsys.readouterr()
    assert boxed.prereg_command("open", "--key", str(boxed.folder / "bad.key")) == 2
    assert "not the key" in one_line(capsys)
    assert not read_lock(boxed.plan()).entries("opened")


def test_a_key_without_an_end_is_not_read_to_it() -> None:
    with pytest.raises(Exception, match="not the key"):
        boxes.read_key(Path("/dev/zero"))


def _deviate(options: list[str], plan: str, number: int) -> None:
    sys.exit(main(["prereg", "deviate", plan, "--what", f"deviation {number}", "--reason", "why", *options]))


def _open(options: list[str], plan: str, key: str) -> None:
    sys.exit(main(["prereg", "open", plan, "--key", key, *options]))


def _lock(options: list[str], plan: str) -> None:
    sys.exit(main(["prereg", "lock", plan, *options]))


def together(target: object, arguments: list[tuple[object, ...]]) -> list[int | None]:
    """The exit codes of processes that run at once."""
    context = multiprocessing.get_context("fork")
    found = [context.Process(target=target, args=one) for one in arguments]  # type: ignore[arg-type]
    for process in found:
        process.start()
    for process in found:
        process.join()
    return sorted(process.exitcode or 0 for process in found)


def test_what_several_do_at_once_is_done_one_after_the_other(places: Places, boxed: Places) -> None:
    plan = str(write_plan(places))
    assert together(_lock, [(places.options, plan)] * 3) == [0, 2, 2]
    assert together(_deviate, [(places.options, plan, number) for number in range(4)]) == [0, 0, 0, 0]
    said = {entry.body["what"] for entry in read_lock(places.plan()).entries("deviation")}
    assert said == {f"deviation {number}" for number in range(4)}
    assert boxed.prereg_command("freeze") == 0
    assert together(_open, [(boxed.options, str(boxed.plan()), str(boxed.key))] * 3) == [0, 2, 2]
    assert len(read_lock(boxed.plan()).entries("opened")) == 1


KILLED = """
import os, signal, sys
from polibias.cli import main
left = int(sys.argv[1])
def count(event, arguments):
    global left
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if (writes or event in ("os.rename", "os.remove")) and sys.argv[2] in str(arguments[0]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.parametrize("step", [2, 4, 6, 8, 10, 12, 13])
def test_an_opening_that_was_killed_is_finished_and_told_once(step: int, boxed: Places) -> None:
    assert boxed.prereg_command("freeze") == 0
    opening = ["prereg", "open", str(boxed.plan()), "--key", str(boxed.key), *boxed.options]
    found = subprocess.run(
        [sys.executable, "-c", KILLED, str(step), str(boxed.folder), *opening],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert found.returncode == -signal.SIGKILL
    assert main(opening) == 0
    assert len(read_lock(boxed.plan()).entries("opened")) == 1
    assert boxed.prereg_command("run") == 0
    assert boxed.findings()["deviations"] == []


def test_an_export_that_was_cut_short_is_said_when_it_is_opened(
    boxed: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert boxed.prereg_command("freeze") == 0
    (boxed.run.annotations_folder / "manifest.json").unlink()
    capsys.readouterr()
    assert boxed.prereg_command("open", "--key", str(boxed.key)) == 2
    assert "interrupted" in one_line(capsys)
    assert not read_lock(boxed.plan()).entries("opened")


def test_an_entry_that_says_nothing_its_kind_says_is_damage(labelled: Places) -> None:
    path = log_path(labelled.plan())
    entry = json.loads(path.read_bytes())
    for kind, body in (("opened", {}), ("locked", {"more": 1}), ("deviation", {"what": 1, "reason": "b"})):
        made = {"at": entry["at"], "body": body, "kind": kind, "number": 2, "prev": entry["hash"]}
        made["hash"] = tagged_hash(ENTRY_TAG, made)
        path.write_bytes(canonical(entry) + b"\n" + canonical(made) + b"\n")
        with pytest.raises(DamagedRecord):
            read_lock(labelled.plan())


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prereg", "deviate", str(tmp_path / "none" / "a.toml"), "--what", "a", "--reason", "b"]) == 2
    one_line(capsys)
    assert not (tmp_path / "none").exists()


def test_what_was_published_is_what_lock_printed_unless_another_hash_of_the_log_is_named(
    labelled: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert labelled.prereg_command("deviate", "--what", "a", "--reason", "b") == 0
    locked = read_lock(labelled.plan())
    assert labelled.prereg_command("publish", "--where", "a newspaper") == 0
    assert labelled.prereg_command("publish", "--where", "another", "--fingerprint", locked.head) == 0
    recorded = [entry.body["fingerprint"] for entry in read_lock(labelled.plan()).entries("published")]
    assert recorded == [locked.hash, locked.head]
    capsys.readouterr()
    assert labelled.prereg_command("publish", "--where", "there", "--fingerprint", "0" * 64) == 2
    assert "is neither the lock's fingerprint nor" in one_line(capsys)


def test_more_people_than_planned_are_told_as_a_deviation(places: Places) -> None:
    write_plan(places)
    lock(places)
    people = ("ann", "bob", "cid")
    store = create(places, people)
    for name in people:
        label(store, name)
    finish(places)
    assert places.prereg_command("run") == 0
    told = [one["what"] for one in places.findings()["deviations"]]
    assert told == ["Of 12 pairs 12 have labels of more people than the 2 of the plan."]


def test_a_project_that_a_locked_plan_waits_for_is_not_made_without_the_plan(
    places: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(places)
    lock(places)
    monkeypatch.chdir(places.folder)
    capsys.readouterr()
    assert annotate(["create", str(places.run.folder), "--project", "mine", *places.app_options]) == 2
    assert "give --plan mine, or another name" in one_line(capsys)
    assert annotate(["create", str(places.run.folder), "--project", "other", *places.app_options]) == 0
