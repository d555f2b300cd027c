"""A sealed run is read once, by however many processes, and what is read is what was sealed."""

import multiprocessing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis import first_report
from polibias.analysis.frames import collect
from polibias.analysis.gathered import gather
from polibias.analysis.reading import read_study
from polibias.errors import DamagedRecord
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records import segments, sharing
from polibias.records.documents import read_named, write_named
from polibias.records.ledger import read
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import require_whole, verify
from polibias.records.whole import stages
from tests.conftest import ITEMS, ROOT, SCRIPTED, copies_text

TABLE: Mapping[str, set[str]] = {"Rome Statute": {"8"}}


@pytest.fixture
def run(write_study: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two tasks and copies, masked ones too, in streams of many files."""
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 20_000)
    items = ITEMS.replace('tasks = ["T1"]', 'tasks = ["T1", "T2"]')
    study = plan(str(write_study(items=items, models=copies_text(4) + SCRIPTED)), ROOT / "data")
    made = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, made, QuietWatcher())
    return made


def about(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = read_named(run.study, STUDY_TAG)
    return found


def use(monkeypatch: pytest.MonkeyPatch, workers: int, method: str = "fork") -> None:
    monkeypatch.setattr(sharing, "SMALL", 0)
    monkeypatch.setattr(sharing, "usable_cores", lambda: workers)
    monkeypatch.setattr(sharing, "multiprocessing", multiprocessing.get_context(method))


@pytest.mark.parametrize(("workers", "method"), [(2, "fork"), (3, "fork"), (2, "spawn")])
def test_cases_are_the_same_however_many_processes_read_them(
    run: Run, monkeypatch: pytest.MonkeyPatch, workers: int, method: str
) -> None:
    expected = collect(run, about(run), TABLE)
    assert any(len(stage) > 2 for stage in stages(run))
    assert any(judged.quotes for case in expected.cases for judged in case.judgments.values())
    use(monkeypatch, workers, method)
    assert collect(run, about(run), TABLE) == expected
    assert verify(run) == []


def test_a_sealed_run_is_read_as_an_open_one_is(run: Run) -> None:
    """The one pass that checks gives what reading stream by stream gives."""
    expected = collect(run, about(run), TABLE)
    run.manifest.unlink()
    assert collect(run, about(run), TABLE) == expected


def test_damage_is_told_in_the_words_of_verify_by_whichever_process_meets_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 2)
    for path in sorted(path for path in run.folder.rglob("*.jsonl")):
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"block":"main"', b'"block":"mean"', 1))
        with pytest.raises(DamagedRecord) as by_verify:
            require_whole(run)
        with pytest.raises(DamagedRecord) as by_reading:
            collect(run, about(run), TABLE)
        assert str(by_reading.value) == str(by_verify.value) == verify(run)[0]
        assert str(path) in str(by_reading.value)
        path.write_bytes(whole)


def resealed(run: Run) -> None:
    before = read_manifest(run.folder)
    run.manifest.unlink()
    seal(run, run.folder, before.about, before.sealed_at)


def test_rows_are_derived_anew_in_a_run_that_was_sealed_again(run: Run) -> None:
    """Every file is as its manifest says, and a row in it is not."""
    path = run.responses("fake").path
    path.write_bytes(path.read_bytes().replace(b'"seen":{"at":"2', b'"seen":{"at":"1', 1))
    resealed(run)
    with pytest.raises(DamagedRecord, match=r"fake\.jsonl:1: "):
        collect(run, about(run))


def test_a_study_that_is_another_is_refused_before_it_is_followed(run: Run) -> None:
    other = about(run) | {"models": [], "judges": 7}
    other.pop("hash", None)
    write_named(run.study, STUDY_TAG, other)
    for reader in (read_study, gather, first_report.analyse):
        with pytest.raises(DamagedRecord, match=r"study\.json: changed after it was sealed"):
            reader(run)


def test_a_file_of_nobody_is_refused(run: Run) -> None:
    (run.folder / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DamagedRecord, match=r"notes\.txt: not in the manifest"):
        collect(run, about(run))


def test_each_file_follows_the_one_before(run: Run) -> None:
    """What a file's first line must follow is known before the file before it is read."""
    for stage in stages(run):
        for piece in stage:
            entries = [entry for entry in read(piece.stream) if entry.where.path == piece.path]
            assert len(entries) == piece.listed.rows
