"""Looking before the end, and leaving: what is told for ever after, and what is taken back."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlmodel import col, select

from annotate_app import chain
from annotate_app.cli import main
from annotate_app.export import export
from annotate_app.schema import Event
from annotate_app.store import Store
from polibias.cli import main as polibias
from polibias.errors import DamagedRecord, InputError
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash, seal
from polibias.records.openings import Opening, openings, openings_of
from polibias.records.runs import Run
from polibias.records.verify import verify
from polibias.report.document import write_report
from tests.app.conftest import WITHOUT_TERMS, Place, annotator_id, enrol, full, make_project
from tests.app.exporting import (
    about,
    answer,
    answer_all,
    close,
    codebook,
    leave,
    older_copy,
    put_back,
    row_of,
    rows_of,
    table,
)
from tests.app.projects import invited, rules

REASON = 'first\nlook \u202e=cmd|"x" <b>**now**</b> [y](http://attacker.invalid) \ud800 \x07'


def last_event(store: Store) -> tuple[str, dict[str, Any], str]:
    """Kind, body and time of the newest event."""
    with store.reading() as session:
        event = session.exec(select(Event).order_by(col(Event.number).desc()).limit(1)).one()
        return event.kind, chain.body(event), event.at


def test_a_look_before_the_end_takes_a_reason(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    before = last_event(store)
    with pytest.raises(InputError, match="still open; close it with: polibias-annotate close first"):
        export(store, project.sealed, project.run)
    for empty in ("", "  ", "\x00\u200b\n"):
        with pytest.raises(InputError, match="say why"):
            export(store, project.sealed, project.run, empty)
    assert not project.run.annotations_folder.exists()
    assert last_event(store) == before


def test_after_the_end_no_reason_is_taken(project: Place, store: Store) -> None:
    close(store)
    with pytest.raises(InputError, match="without --interim"):
        export(store, project.sealed, project.run, "a look")


def test_a_look_is_told_to_the_chain_with_what_was_seen(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    leave(store, "bob", 1, "skipped", "other")
    with store.reading() as session:
        head = session.exec(select(Event.hash).order_by(col(Event.number).desc()).limit(1)).one()
        number = session.exec(select(Event.number).order_by(col(Event.number).desc()).limit(1)).one()
    done = export(store, project.sealed, project.run, "to see how it goes")
    kind, body, at = last_event(store)
    assert (kind, body["reason"], body["annotations"]) == ("interim", "to see how it goes", 2)
    assert (body["head"], body["events"], body["counts"]) == (head, number, done.counts)
    assert done.interims == (Opening(at, "to see how it goes", 2),)
    assert about(project)["interim"] == {"first": [{"at": at, "reason": "to see how it goes", "annotations": 2}]}
    assert not done.closed


def test_every_later_export_tells_of_all_looks(
    project: Place, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        answer_all(store, name, full(len(name) % 3))
    export(store, project.sealed, project.run, "one")
    export(store, project.sealed, project.run, REASON)
    close(store)
    done = export(store, project.sealed, project.run)
    assert [one.reason for one in done.interims] == ["one", REASON]
    assert [one["reason"] for one in about(project)["interim"]["first"]] == ["one", REASON]
    assert "Opened before the study closed, 2 times" in codebook(project).splitlines()[2]
    assert "\\*\\*now\\*\\*" in codebook(project)
    assert verify(project.run) == []
    for file in (done.files.csv, done.files.jsonl, done.files.parquet):
        said = agreement(capsys, file, "--where", "dimension=framing")
        assert "Human annotations of project first were opened 2 times before the study closed: " in said.out
        assert ", one; " in said.out
        assert "first look ⟨U+202E⟩=cmd" in said.out
        assert "\x07" not in said.out
        in_json = agreement(capsys, file, "--where", "dimension=framing", "--json")
        assert "opened 2 times" in in_json.err
        assert "kappa" in json.loads(in_json.out)


def agreement(capsys: pytest.CaptureFixture[str], file: Path, *more: str) -> Any:
    assert polibias(["agreement", str(file), *more, "--resamples", "100"]) == 0
    return capsys.readouterr()


def test_a_study_that_nobody_opened_early_is_not_said_to_be(
    project: Place, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        answer_all(store, name, full(len(name) % 3))
    close(store)
    done = export(store, project.sealed, project.run)
    said = agreement(capsys, done.files.csv, "--where", "dimension=framing")
    assert "opened" not in said.out + said.err


def test_the_command_says_how_often_and_how_much(
    project: Place, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)
    answer(store, "ann", 1)
    leave(store, "ann", 2, "unsure", "no_basis")
    assert main(["export", "first"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["export", "first", "--interim", REASON, "--bom"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Human annotations of project first were opened once before the study closed: ")
    assert "2 annotations, 2 rows new" in out
    assert "16 first showings as in the database: 14 open, 1 submitted, 1 unsure" in out
    assert "0 repeat showings as in the database: none" in out
    assert not {"\x07", "\u202e", "\ud800"} & {*out}


def test_a_look_that_fails_leaves_no_trace(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    export(store, project.sealed, project.run, "one")
    stream = project.run.annotations("first").path
    stream.write_bytes(stream.read_bytes().replace(b'"ann"', b'"eve"'))
    before = last_event(store)
    with pytest.raises(DamagedRecord, match="not as it was sealed"):
        export(store, project.sealed, project.run, "two")
    assert last_event(store) == before


def test_a_look_is_not_forgotten_with_an_older_copy(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    copy = older_copy(store)
    looked = export(store, project.sealed, project.run, "one").interims
    put_back(store, copy)
    done = export(project.store, project.sealed, project.run, "two")
    assert done.interims[:1] == looked
    assert [one.reason for one in done.interims] == ["one", "two"]
    close(project.store)
    assert export(project.store, project.sealed, project.run).interims == done.interims
    assert [one["reason"] for one in about(project)["interim"]["first"]] == ["one", "two"]
    assert "Opened before the study closed, 2 times" in codebook(project)


@pytest.mark.parametrize("later", ["revised", "withdrawn"])
def test_an_older_copy_does_not_supersede_what_came_later(tmp_path: Path, later: str) -> None:
    place = withdrawing(tmp_path, "remove")
    store = place.store
    answer(store, "ann", 1)
    export(store, place.sealed, place.run, "one")
    copy = older_copy(store)
    if later == "revised":
        answer(store, "ann", 1, full(3, "B"))
    else:
        store.withdraw(annotator_id(store, "ann"))
    export(store, place.sealed, place.run, "two")
    before = rows_of(place)
    put_back(store, copy)
    with pytest.raises(DamagedRecord, match="it is an older copy; restore a newer one, or move") as refused:
        export(place.store, place.sealed, place.run, "three")
    assert "\n" not in str(refused.value)
    assert rows_of(place) == before


def test_the_report_of_the_run_says_it_too(sealed_run: Run) -> None:
    told = {"demo": [{"at": "2028-01-01T10:00:00.000Z", "reason": REASON, "annotations": 3}]}
    sealed_run.annotations_folder.mkdir()
    seal(sealed_run, sealed_run.annotations_folder, {"run": manifest_hash(sealed_run.folder), "interim": told})
    page = write_report(sealed_run).read_text("utf-8")
    assert "Human annotations of project demo were opened once before the study closed: 2028-01-01 10:00 UTC" in page
    assert "&lt;b&gt;" in page
    assert "<b>**now" not in page


def test_a_manifest_of_something_else_beside_a_file_is_nobody_s_business(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    assert openings_of(tmp_path / "first.csv") == {}
    folder = tmp_path / "annotations"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"name": "a web app"}')
    with pytest.raises(DamagedRecord, match="changed after it was written"):
        openings_of(folder / "first.csv")
    assert openings(tmp_path / "nowhere") == {}


def withdrawing(folder: Path, rule: str) -> Place:
    """A project whose withdrawn answers are kept or removed, with ann and bob."""
    place = make_project(folder, protocol=msgspec.structs.replace(WITHOUT_TERMS, withdrawal=rule))
    enrol(place.store, "ann", "bob")
    return place


def test_withdrawn_answers_are_left_out_and_earlier_ones_taken_back(tmp_path: Path) -> None:
    place = withdrawing(tmp_path, "remove")
    store = place.store
    answer(store, "ann", 1)
    answer(store, "bob", 1, full(3, "B", "my words"))
    store.flag(annotator_id(store, "bob"), row_of(store, "bob")[0].presentation, "seen", "more of my words")
    export(store, place.sealed, place.run, "a look")
    store.withdraw(annotator_id(store, "bob"))
    close(store)
    done = export(store, place.sealed, place.run)
    assert (done.rows, done.new) == (1, 1)
    assert done.counts == {"first": {"open": 7, "submitted": 1, "withdrawn": 8}, "repeat": {}}
    entries = list(read(place.run.annotations("first")))
    elder, last = (entry for entry in entries if entry.row.annotator == "bob")
    assert elder.row.status == "submitted"
    assert last.row == msgspec.structs.replace(
        elder.row, status="withdrawn", scores={}, comments={}, flags=(), supersedes=elder.id
    )
    lines = [line for line in table(place) if line["annotator"] == "bob"]
    assert {(line["status"], line["score"], line["comment"], line["flags"]) for line in lines} == {
        ("withdrawn", "", "", "")
    }
    for path in done.files:
        assert path == done.files.jsonl or b"my words" not in path.read_bytes()
    person = next(line for line in table(place, "annotators.csv") if line["annotator"] == "bob")
    assert (person["stage"], person["submitted"], person["withdrawn"]) == ("withdrawn", "0", "8")
    assert person["withdrawn_at"]
    assert person["checks_passed"] == person["active_seconds_median"] == person["flags"] == ""
    assert "1 annotator withdrew, and what they answered is left out" in codebook(place)
    assert "stay in `first.jsonl`, which only grows, superseded but readable" in codebook(place)
    assert export(store, place.sealed, place.run).new == 0
    assert verify(place.run) == []


def test_withdrawn_answers_that_nobody_exported_leave_no_row(tmp_path: Path) -> None:
    place = withdrawing(tmp_path, "remove")
    answer(place.store, "bob", 1)
    place.store.withdraw(annotator_id(place.store, "bob"))
    close(place.store)
    assert export(place.store, place.sealed, place.run).rows == 0
    assert rows_of(place) == []


def test_withdrawn_answers_are_kept_where_the_protocol_says_so(tmp_path: Path) -> None:
    place = withdrawing(tmp_path, "keep")
    store = place.store
    answer(store, "bob", 1)
    export(store, place.sealed, place.run, "a look")
    store.withdraw(annotator_id(store, "bob"))
    close(store)
    done = export(store, place.sealed, place.run)
    assert (done.rows, done.new) == (1, 0)
    assert done.counts["first"] == {"open": 8, "submitted": 1, "withdrawn": 7}
    assert [row.status for row in rows_of(place)] == ["submitted"]
    assert "1 annotator withdrew, and what they answered is kept" in codebook(place)


def test_agreement_reads_a_stream_without_what_was_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = withdrawing(tmp_path, "remove")
    store = place.store
    enrol(store, "cay")
    for name in ("ann", "bob", "cay"):
        answer_all(store, name, full({"ann": 1, "bob": 2, "cay": 1}[name]))
    export(store, place.sealed, place.run, "a look")
    store.withdraw(annotator_id(store, "bob"))
    close(store)
    done = export(store, place.sealed, place.run)
    for file in (done.files.jsonl, done.files.csv):
        assert (
            "ann and cay gave the same rating to 100% of 8 units"
            in agreement(capsys, file, "--where", "dimension=framing").out
        )


def test_places_given_up_are_told_of_as_released(tmp_path: Path) -> None:
    place = make_project(tmp_path, protocol=rules(overlap=1, items_each=8))
    store = place.store
    invited(store, "ann")
    answer(store, "ann", 1)
    invited(store, "bob", hours=100)
    answer(store, "bob", 1)
    close(store)
    done = export(store, place.sealed, place.run)
    assert done.counts == {"first": {"open": 6, "released": 7, "submitted": 2}, "repeat": {}}
    assert done.rows == 2
    ann = next(line for line in table(place, "annotators.csv") if line["annotator"] == "ann")
    assert [ann[name] for name in ("items", "submitted", "released", "open", "stage")] == ["8", "1", "7", "0", "done"]


def test_a_place_of_who_withdrew_is_withdrawn_even_if_somebody_has_it_now(tmp_path: Path) -> None:
    place = make_project(tmp_path, protocol=rules(overlap=1, items_each=8))
    store = place.store
    invited(store, "ann")
    answer(store, "ann", 1)
    export(store, place.sealed, place.run, "a look")
    store.withdraw(annotator_id(store, "ann"))
    invited(store, "bob")
    answer_all(store, "bob")
    close(store)
    done = export(store, place.sealed, place.run)
    assert done.counts == {"first": {"submitted": 8, "withdrawn": 8}, "repeat": {}}
    assert [row.status for row in rows_of(place) if row.annotator == "ann"] == ["submitted", "withdrawn"]
    assert done.rows == 8
