"""Export: exact rows, once, from the sealed side; a table no spreadsheet runs."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotate_app.questions import Entry
from annotate_app.export import COLUMNS, export, guarded
from annotate_app.store import Store
from polibias.domain.rows import Annotation, Score
from polibias.errors import DamagedRecord, InputError
from polibias.records.ledger import line_hash, read
from polibias.records.manifest import manifest_hash
from polibias.records.segments import Head, head_path
from polibias.records.verify import verify
from tests.app.conftest import HOSTILE, JUDGE, RUBRIC, Place, annotator_id, build_run, enrol, full, said


def answer(store: Store, name: str, position: int, entry: Entry) -> None:
    """Submit an entry at a position, whatever revision it awaits."""
    me = annotator_id(store, name)
    place = store.places(me)[position - 1]
    assert store.submit(me, place.presentation, place.revision, entry).outcome == "saved"


def exported(project: Place) -> list[Annotation]:
    return [entry.row for entry in read(project.run.annotations("first"))]


def table(project: Place) -> list[dict[str, str]]:
    text = (project.run.annotations_folder / "first.csv").read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_join_the_answers_to_their_pairs(project: Place, store: Store) -> None:
    answers = {
        **said("framing", 3, "B"),
        **said("severity", 0),
        **said("argument", 1, "none"),
        **said("normative", 2, "A"),
        **said("attribution", 0, "A"),
    }
    answer(store, "ann", 1, Entry(answers, HOSTILE))
    store.keep(annotator_id(store, "ann"), store.places(annotator_id(store, "ann"))[1].presentation, 1, full())
    done = export(store, project.sealed, project.run)
    assert (done.rows, done.new) == (1, 1)
    (row,) = exported(project)
    view = store.view(store.places(annotator_id(store, "ann"))[0])
    origin = project.sealed.items[view.item.code]
    expected = {
        "framing": Score(3, "B"),
        "severity": Score(0, "none"),
        "argument": Score(1, "none"),
        "normative": Score(2, "A"),
        "attribution": Score(0, "none"),
    }
    assert row.scores == expected
    assert row.labels == {}
    assert (row.project, row.annotator, row.item) == ("first", "ann", view.item.code)
    assert (row.pair, row.model, row.responses, row.design) == (
        origin.pair,
        origin.model,
        origin.responses,
        origin.design,
    )
    assert (row.position, row.first, row.revision, row.comment) == (1, view.first, 1, HOSTILE)
    assert row.rubric == project.sealed.rubric


def test_the_table_has_one_line_per_score(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full(2, "B"))
    answer(store, "bob", 1, full(1, "A"))
    export(store, project.sealed, project.run)
    lines = table(project)
    assert len(lines) == 2 * len(RUBRIC.dimensions)
    assert tuple(lines[0]) == COLUMNS
    rows = {row.annotator: row for row in exported(project)}
    for line in lines:
        row = rows[line["annotator"]]
        assert line["unit"] == f"{row.pair[:12]}:{row.model}:{line['dimension']}"
        assert (line["score"], line["favoured"]) == (("2", "B") if line["annotator"] == "ann" else ("1", "A"))
        assert (line["pair"], line["block"], line["template"]) == (row.pair, row.design.block, row.design.template)
        assert (line["topic"], line["roles"], line["tags"]) == (row.design.topic, "swapped", "tag-secret tag-two")


def test_the_folder_is_sealed_and_the_run_verifies(project: Place, store: Store) -> None:
    before = manifest_hash(project.run.folder)
    answer(store, "ann", 1, full())
    export(store, project.sealed, project.run)
    assert verify(project.run) == []
    about = json.loads((project.run.annotations_folder / "manifest.json").read_text())["about"]
    assert about == {"projects": ["first"], "run": before}
    assert manifest_hash(project.run.folder) == before


def test_a_second_export_adds_nothing(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full())
    export(store, project.sealed, project.run)
    files = sorted(path for path in project.run.annotations_folder.iterdir() if path.name != "manifest.json")
    before = [path.read_bytes() for path in files]
    done = export(store, project.sealed, project.run)
    assert (done.rows, done.new) == (1, 0)
    assert [path.read_bytes() for path in files] == before
    assert verify(project.run) == []


def test_a_changed_answer_supersedes_its_elder(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full(1))
    export(store, project.sealed, project.run)
    answer(store, "ann", 1, full(3))
    answer(store, "ann", 2, full(2))
    assert export(store, project.sealed, project.run).new == 2
    entries = list(read(project.run.annotations("first")))
    assert [entry.row.scores["framing"].score for entry in entries] == [1, 3, 2]
    assert [entry.row.supersedes for entry in entries] == ["", entries[0].id, ""]
    assert [entry.row.revision for entry in entries] == [1, 2, 1]
    assert {line["score"] for line in table(project)} == {"3", "2"}
    assert export(store, project.sealed, project.run).new == 0
    assert verify(project.run) == []


def test_an_export_cut_short_is_finished_by_the_next(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full())
    export(store, project.sealed, project.run)
    stream = project.run.annotations("first")
    answer(store, "ann", 2, full())
    export(store, project.sealed, project.run)
    (project.run.annotations_folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="manifest"):
        export(store, project.sealed, project.run)
    lines = stream.path.read_bytes().splitlines(keepends=True)
    head = Head(len(lines), stream.path.stat().st_size, line_hash(lines[-1]))
    head_path(stream.path).write_bytes(head.line())
    assert export(store, project.sealed, project.run).new == 0
    assert verify(project.run) == []


def test_two_projects_share_the_folder(project: Place, store: Store) -> None:
    from annotate_app.create import create

    made = create(project.run, "second", 3, 2, project.folder / "projects", project.folder / "sealed")
    other = Place(project.folder, project.run, made)
    answer(store, "ann", 1, full())
    export(store, project.sealed, project.run)
    enrol(other.store, "ann")
    answer(other.store, "ann", 1, full(3))
    export(other.store, other.sealed, project.run)
    answer(store, "ann", 2, full())
    export(store, project.sealed, project.run)
    assert verify(project.run) == []
    about = json.loads((project.run.annotations_folder / "manifest.json").read_text())["about"]
    assert about["projects"] == ["first", "second"]


def test_another_state_of_the_run_is_refused(project: Place, store: Store, tmp_path: Path) -> None:
    other = build_run(tmp_path / "other" / "hand-made", models=["only"])
    with pytest.raises(InputError, match="not the state of the run"):
        export(store, project.sealed, other)
    assert not other.annotations_folder.exists()


def test_another_projects_sealed_file_is_refused(project: Place, store: Store) -> None:
    other = msgspec.structs.replace(project.sealed, project="other")
    with pytest.raises(InputError, match="another project"):
        export(store, other, project.run)


DAMAGE = {
    "an answer": (
        "answer_fixed_UPDATE",
        "UPDATE answer SET value = '1' WHERE question_id = 'framing.score'",
        "event chain",
    ),
    "an event": ("event_no_UPDATE", "UPDATE event SET at = replace(at, '2', '1') WHERE number = 2", "event 2"),
    "a side": ("presentation_no_UPDATE", "UPDATE presentation SET first = 'A'", "do not follow from"),
    "an order": ("presentation_no_UPDATE", "UPDATE presentation SET position = 90 WHERE id = 1", "do not follow from"),
    "an item": ("item_no_DELETE", "PRAGMA foreign_keys = OFF; DELETE FROM item WHERE rowid = 1", "items are not those"),
    "a sheet": ("answer_fixed_DELETE", "DELETE FROM answer; DELETE FROM sheet", "never edited|not there"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_database_changed_by_hand_is_refused(project: Place, store: Store, name: str) -> None:
    trigger, statement, message = DAMAGE[name]
    answer(store, "ann", 1, full(2))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        for fixed in {trigger, "sheet_fixed_DELETE"}:
            connection.execute(f"DROP TRIGGER {fixed}")
        connection.executescript(statement)
    with pytest.raises(DamagedRecord, match=message):
        export(store, project.sealed, project.run)
    assert not project.run.annotations_folder.exists()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert guarded("a" + text) == "a" + text
    assert guarded(-1) == -1


def test_no_judge_is_in_the_export(project: Place, store: Store) -> None:
    answer(store, "ann", 1, full())
    export(store, project.sealed, project.run)
    for path in project.run.annotations_folder.iterdir():
        assert JUDGE not in path.read_text()
