"""Export: exact rows, once, from the sealed side, and tables that say what became of every place."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotate_app.export import COLUMNS, export
from annotate_app.progress import status
from annotate_app.questions import Entry, Quote
from annotate_app.store import Store
from polibias.domain.ids import tagged_hash
from polibias.domain.rows import Annotation, Flagged, Score
from polibias.domain.rows import Quote as Quoted
from polibias.errors import InputError
from polibias.records.ledger import line_hash, read
from polibias.records.manifest import manifest_hash
from polibias.records.segments import Head, head_path
from polibias.records.verify import verify
from tests.app.conftest import (
    HOSTILE,
    JUDGE,
    RUBRIC,
    WITHOUT_TERMS,
    Place,
    annotator_id,
    build_run,
    enrol,
    full,
    make_on,
    make_project,
    said,
)
from tests.app.exporting import (
    about,
    answer,
    answer_all,
    close,
    closed_export,
    codebook,
    draft,
    forge,
    leave,
    row_of,
    rows_of,
    table,
)


def test_rows_join_the_answers_to_their_pairs(project: Place, store: Store) -> None:
    answers = {
        **said("framing", 3, "B"),
        **said("severity", 0),
        **said("argument", 1, "none"),
        **said("normative", 2, "A"),
        **said("attribution", 0, "A"),
    }
    view = store.view(row_of(store, "ann")[0])
    origin = project.sealed.items[view.item.code]
    passage = view.item.responses.B[2:9]
    comments = {"": HOSTILE, "severity": "=1+1"}
    answer(store, "ann", 1, Entry(answers, comments, {"framing": (Quote("B", passage),)}))
    store.flag(annotator_id(store, "ann"), row_of(store, "ann")[0].presentation, "seen", HOSTILE)
    done = closed_export(project, store)
    assert (done.rows, done.new, done.closed, done.interims) == (1, 1, True, ())
    (row,) = rows_of(project)
    expected = {
        "framing": Score(3, "B", (passage,)),
        "severity": Score(0, "none"),
        "argument": Score(1, "none"),
        "normative": Score(2, "A"),
        "attribution": Score(0, "none"),
    }
    assert row == Annotation(
        project="first",
        annotator="ann",
        item=view.item.code,
        showing="first",
        pair=origin.pair,
        responses=origin.responses,
        design=origin.design,
        model=origin.model,
        rubric=project.sealed.rubric,
        position=1,
        first=view.first,
        revision=1,
        status="submitted",
        scores=expected,
        comments=comments,
        quotes={"framing": (Quoted("B", passage),)},
        flags=(Flagged("seen", HOSTILE),),
    )


def test_the_time_stands_beside_the_row(project: Place, store: Store) -> None:
    store.opened(row_of(store, "ann")[0])
    answer(store, "ann", 1)
    closed_export(project, store)
    (entry,) = read(project.run.annotations("first"))
    assert entry.seen.at.endswith("Z")
    assert entry.seen.wall is not None
    assert entry.seen.active is not None
    assert 0 <= entry.seen.active <= entry.seen.wall + 0.001
    spent = store.spent(annotator_id(store, "ann"))[entry.row.item]
    assert (entry.seen.wall, entry.seen.active) == (round(spent.wall, 3), round(spent.active, 3))


def test_the_table_has_every_place_with_its_status(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full(2, "B"))
    leave(store, "ann", 2, "skipped", "distress")
    leave(store, "ann", 3, "unsure", "no_basis")
    draft(store, "ann", 4)
    done = closed_export(project, store)
    assert done.counts == {"first": {"draft": 1, "open": 12, "skipped": 1, "submitted": 1, "unsure": 1}, "repeat": {}}
    lines = table(project)
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 2 * 8 * len(RUBRIC.dimensions)
    mine = [line for line in lines if line["annotator"] == "ann"]
    assert [line["status"] for line in mine[::5]] == ["submitted", "skipped", "unsure", *(["draft"] + ["open"] * 4)]
    scored = {line["status"] for line in lines if line["score"] or line["favoured"]}
    assert scored == {"submitted"}
    assert {line["reason"] for line in mine} == {"", "distress", "no_basis"}
    row = rows_of(project)[0]
    for line, dimension in zip(mine, RUBRIC.dimensions, strict=False):
        assert line["unit"] == f"{row.pair[:12]}:{row.model}:{dimension.id}"
        assert (line["score"], line["favoured"], line["option"]) == ("2", "B", "")
        assert (line["pair"], line["block"], line["template"]) == (row.pair, row.design.block, row.design.template)
        assert (line["topic"], line["roles"], line["tags"]) == (row.design.topic, "swapped", "tag-secret tag-two")


def test_a_draft_beside_a_submission_changes_nothing(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full(1))
    draft(store, "ann", 1, full(3))
    done = closed_export(project, store)
    assert done.counts["first"]["submitted"] == 1
    assert [row.scores["framing"].score for row in rows_of(project)] == [1]


def test_an_item_that_was_left_has_a_reason_and_no_scores(project: Place, store: Store) -> None:
    leave(store, "ann", 1, "skipped", "too_close")
    closed_export(project, store)
    (row,) = rows_of(project)
    assert (row.status, row.reason, row.scores, row.labels) == ("skipped", "too_close", {}, {})


def test_what_the_responses_give_away_is_marked(project: Place, store: Store) -> None:
    sealed = project.sealed
    code = row_item(store, "ann", 1)
    origin = msgspec.structs.replace(sealed.items[code], names_itself=("Qwen", "通义"))
    answer(store, "ann", 1)
    close(store)
    other = msgspec.structs.replace(sealed, items=sealed.items | {code: origin})
    forge(store.path, "created", {tagged_hash("sealed/1", sealed): tagged_hash("sealed/1", other)})
    export(store, other, project.run)
    assert rows_of(project)[0].names_itself == ("Qwen", "通义")
    assert {line["names_itself"] for line in table(project) if line["item"] == code} == {"Qwen; 通义"}
    assert "a response names its own model (`names_itself`): 1." in codebook(project)


def row_item(store: Store, name: str, number: int) -> str:
    return store.view(row_of(store, name)[number - 1]).item.code


def test_the_folder_is_sealed_and_the_run_verifies(project: Place, store: Store) -> None:
    before = manifest_hash(project.run.folder)
    answer(store, "ann", 1)
    done = closed_export(project, store)
    assert verify(project.run) == []
    closed_at = about(project)["projects"]["first"]["closed_at"]
    assert closed_at
    own = {"annotations": 1, "closed_at": closed_at, "counts": done.counts}
    assert about(project) == {"run": before, "projects": {"first": own}, "interim": {}}
    assert manifest_hash(project.run.folder) == before
    names = ["annotators.csv", "codebook.md", "csv", "jsonl", "parquet", "repeats.csv"]
    written = sorted(path.name for path in project.run.annotations_folder.iterdir())
    assert written == sorted(["manifest.json", *(f"first.{name}" for name in names)])
    assert {path.name for path in done.files} == {*written} - {"manifest.json"}
    done.files.codebook.write_text("changed")
    assert verify(project.run) != []


def test_a_second_export_adds_nothing(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    closed_export(project, store)
    files = sorted(path for path in project.run.annotations_folder.iterdir() if path.name != "manifest.json")
    before = [path.read_bytes() for path in files]
    done = export(store, project.sealed, project.run)
    assert (done.rows, done.new) == (1, 0)
    assert [path.read_bytes() for path in files] == before
    assert verify(project.run) == []


def test_a_changed_answer_supersedes_its_elder(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full(1))
    export(store, project.sealed, project.run, "a look")
    answer(store, "ann", 1, full(3))
    answer(store, "ann", 2, full(2))
    assert closed_export(project, store).new == 2
    entries = list(read(project.run.annotations("first")))
    assert [entry.row.scores["framing"].score for entry in entries] == [1, 3, 2]
    assert [entry.row.supersedes for entry in entries] == ["", entries[0].id, ""]
    assert [entry.row.revision for entry in entries] == [1, 2, 1]
    assert {line["score"] for line in table(project)} == {"3", "2", ""}
    assert export(store, project.sealed, project.run).new == 0
    assert verify(project.run) == []


def test_a_submission_that_was_given_up_later_has_no_scores_any_more(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    export(store, project.sealed, project.run, "a look")
    leave(store, "ann", 1, "unsure", "no_basis")
    closed_export(project, store)
    old, new = rows_of(project)
    assert (old.status, new.status, new.scores, new.reason) == ("submitted", "unsure", {}, "no_basis")


def test_an_export_cut_short_is_finished_by_the_next(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    export(store, project.sealed, project.run, "a look")
    stream = project.run.annotations("first")
    answer(store, "ann", 2)
    closed_export(project, store)
    (project.run.annotations_folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="manifest"):
        export(store, project.sealed, project.run)
    lines = stream.path.read_bytes().splitlines(keepends=True)
    head = Head(len(lines), stream.path.stat().st_size, line_hash(lines[-1]))
    head_path(stream.path).write_bytes(head.line())
    assert export(store, project.sealed, project.run).new == 0
    assert verify(project.run) == []


def test_an_older_copy_of_the_database_is_refused(project: Place, store: Store, tmp_path: Path) -> None:
    """What was exported once cannot be unknown to the project, whatever copy its database is restored from."""
    before = store.path.with_name("older.db")
    with closing(sqlite3.connect(store.path)) as database:
        database.execute("VACUUM INTO ?", [str(before)])
    answer(store, "ann", 1)
    closed_export(project, store)
    store.close()
    before.replace(store.path)
    for left in ("-wal", "-shm"):
        store.path.with_name(store.path.name + left).unlink(missing_ok=True)
    older = project.store
    close(older)
    with pytest.raises(InputError, match="an annotation of 'ann' that the project does not know"):
        export(older, project.sealed, project.run)


def test_two_projects_share_the_folder(project: Place, store: Store) -> None:
    other = Place(project.folder, project.run, make_on(project.run, project.folder, name="second"))
    answer(store, "ann", 1)
    export(store, project.sealed, project.run, "a look")
    enrol(other.store, "ann")
    answer(other.store, "ann", 1, full(3))
    export(other.store, other.sealed, project.run, "another")
    answer(store, "ann", 2)
    closed_export(project, store)
    assert verify(project.run) == []
    said_of = about(project)
    assert set(said_of["projects"]) == {"first", "second"}
    assert {name: [one["reason"] for one in known] for name, known in said_of["interim"].items()} == {
        "first": ["a look"],
        "second": ["another"],
    }


def test_another_state_of_the_run_is_refused(project: Place, store: Store, tmp_path: Path) -> None:
    other = build_run(tmp_path / "other" / "hand-made", models=["only"])
    with pytest.raises(InputError, match="not the state of the run"):
        export(store, project.sealed, other)
    assert not other.annotations_folder.exists()


def test_another_projects_sealed_file_is_refused(project: Place, store: Store) -> None:
    other = msgspec.structs.replace(project.sealed, project="other")
    with pytest.raises(InputError, match="another project"):
        export(store, other, project.run)


def test_a_study_of_another_kind_waits_for_its_own_export(project: Place, store: Store) -> None:
    other = msgspec.structs.replace(project.sealed, kind="reidentification")
    with pytest.raises(InputError, match="cannot be exported yet"):
        export(store, other, project.run)


def test_no_judge_is_in_the_export(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    closed_export(project, store)
    for path in project.run.annotations_folder.iterdir():
        assert JUDGE.encode() not in path.read_bytes()


@pytest.mark.parametrize("name", ["a.repeats", "first.annotators"])
def test_no_project_is_called_as_another_ones_table(project: Place, name: str) -> None:
    with pytest.raises(InputError, match="may end in"):
        make_on(project.run, project.folder, name=name)


def test_one_line_for_each_annotator(project: Place, store: Store) -> None:
    enrol(store, "cay")
    answer_all(store, "ann")
    leave(store, "bob", 1, "skipped", "broken")
    store.flag(annotator_id(store, "bob"), row_of(store, "bob")[1].presentation, "broken", "")
    stages = {one.annotator: one.stage for one in status(store).annotators}
    closed_export(project, store)
    lines = {line["annotator"]: line for line in table(project, "annotators.csv")}
    assert {name: line["stage"] for name, line in lines.items()} == stages
    assert stages == {"ann": "done", "bob": "at work", "cay": "invited"}
    assert [lines["ann"][name] for name in ("items", "submitted", "open", "flags")] == ["8", "8", "0", "0"]
    assert [lines["bob"][name] for name in ("items", "submitted", "skipped", "open", "flags")] == list("80171")
    assert lines["cay"]["active_seconds_median"] == ""
    assert float(lines["ann"]["active_seconds_median"]) >= 0


def test_terms_and_their_times_are_in_the_table_of_annotators(tmp_path: Path) -> None:
    consent = msgspec.structs.replace(WITHOUT_TERMS, consent="You may stop.")
    place = make_project(tmp_path, protocol=consent)
    store = place.store
    enrol(store, "ann", "bob")
    store.assent(annotator_id(store, "ann"), {"consent": "yes"})
    store.assent(annotator_id(store, "bob"), {"consent": "no"})
    answer(store, "ann", 1)
    closed_export(place, store)
    ann, bob = table(place, "annotators.csv")
    assert (ann["stage"], bob["stage"], bob["consent_at"]) == ("at work", "declined", "")
    assert ann["consent_at"].endswith("Z")
    assert "consent: You may stop." in codebook(place)
