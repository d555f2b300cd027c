"""The exported files: every string as it was written, no formula, types, repeats, and a codebook of all of it."""

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from annotate_app.export import COLUMNS, export
from annotate_app.exporting.cells import BOM, ESCAPED, FORMULA, STARTS, Column, guarded, held, unguarded, write_csv
from annotate_app.exporting.codebook import literal
from annotate_app.questions import Entry, Quote
from annotate_app.store import Store
from polibias.cli import main as polibias
from polibias.records.ledger import read
from tests.app.conftest import (
    EVEN,
    LONG,
    MODELS,
    RUBRIC,
    SHORT,
    SMALL,
    Place,
    Topic,
    annotator_id,
    enrol,
    full,
    make_project,
    said,
)
from tests.app.exporting import about, answer, answer_all, close, closed_export, codebook, leave, row_of, rows_of, table
from tests.app.projects import rules

WORDS = {
    "framing": '=HYPERLINK("http://attacker.invalid")',
    "severity": "NUL \x00, lone \ud800, line \u2028, bell \x07",
    "argument": "العربية ، עברית, 👩‍👩‍👧, 中文, é",
    "normative": 'quote " and, comma\nnew line\r\nand \r return',
    "attribution": "'=already guarded",
    "": "\u202eturned\u202c @home",
}
"""A comment for each dimension, and one for the item, that some reader of files takes for something else."""


def read_back(line: dict[str, str], name: str) -> str:
    """What a cell says, as the codebook tells it."""
    cell = unguarded(line[name])
    return json.loads(cell) if name in line[ESCAPED].split() else cell


def test_every_string_comes_back_from_every_file(project: Place, store: Store) -> None:
    store.flag(annotator_id(store, "ann"), row_of(store, "ann")[0].presentation, "other", WORDS["severity"])
    answer(store, "ann", 1, msgspec.structs.replace(full(), comments=WORDS))
    closed_export(project, store)
    assert [row.comments for row in rows_of(project)] == [WORDS]
    assert rows_of(project)[0].flags[0].comment == WORDS["severity"]
    lines = [line for line in table(project) if line["status"] == "submitted"]
    assert {line["dimension"]: read_back(line, "comment") for line in lines} == {n: WORDS[n] for n in WORDS if n}
    assert {read_back(line, "item_comment") for line in lines} == {WORDS[""]}
    assert {json.loads(line["flags"])[0]["comment"] for line in lines} == {WORDS["severity"]}
    typed = parquet.read_table(project.run.annotations_folder / "first.parquet").to_pylist()
    for row in (row for row in typed if row["status"] == "submitted"):
        comment = json.loads(row["comment"]) if "comment" in row[ESCAPED].split() else row["comment"]
        assert comment == WORDS[row["dimension"]]
    assert not [cell for line in table(project) for cell in line.values() if cell[:1] in tuple("=+-@\t\r")]


def test_quotes_keep_their_side_and_their_words(tmp_path: Path) -> None:
    text = "One \x00 two \ud800 three \u2028 four 👩‍👩‍👧 =1+1"
    place = make_project(tmp_path, [Topic("main", "one", ("Iran", "Israel"), (text, LONG))], MODELS[:1])
    store = place.store
    enrol(store, "ann")
    quotes = {"framing": (Quote("A", text[4:30]), Quote("B", LONG[:20])), "": (Quote("A", text),)}
    answer(store, "ann", 1, msgspec.structs.replace(full(), quotes=quotes))
    closed_export(place, store)
    (row,) = rows_of(place)
    assert {part: [(q.side, q.text) for q in given] for part, given in row.quotes.items()} == {
        "framing": [("A", text[4:30]), ("B", LONG[:20])],
        "": [("A", text)],
    }
    assert row.scores["framing"].evidence == (text[4:30], LONG[:20])
    line = next(line for line in table(place) if line["dimension"] == "framing")
    assert json.loads(line["quotes"]) == [{"side": "A", "text": text[4:30]}, {"side": "B", "text": LONG[:20]}]
    assert json.loads(line["item_quotes"]) == [{"side": "A", "text": text}]


@given(st.text(st.characters(exclude_categories=())))
def test_a_guard_is_taken_off_again(text: str) -> None:
    cell = guarded(text)
    assert isinstance(cell, str)
    assert unguarded(cell) == text
    assert cell[:1] not in (STARTS - {"'"})
    assert not FORMULA.match(text) or text[:1] in STARTS


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1", "＠x"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert guarded("a" + text) == "a" + text
    assert guarded("'" + text) == f"''{text}"
    assert guarded(-1) == -1


@given(st.dictionaries(st.sampled_from("abc"), st.text(st.characters(exclude_categories=())), min_size=1))
def test_csv_gives_every_text_back(tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]) -> None:
    columns = [Column(name, "text", "") for name in (*values, ESCAPED)]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    write_csv(path, columns, [list(held(values).values())])
    (line,) = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline=""))
    assert {name: read_back(line, name) for name in values} == values


def test_a_mark_for_excel_where_it_is_asked_for(
    project: Place, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        answer_all(store, name, full(len(name) % 3))
    done = closed_export(project, store, bom=True)
    for path in (done.files.csv, done.files.repeats, done.files.annotators):
        assert path.read_bytes().startswith(BOM + path.read_bytes()[3:9])
    assert tuple(table(project)[0]) == COLUMNS
    assert polibias(["agreement", str(done.files.csv), "--where", "dimension=framing", "--resamples", "100"]) == 0
    assert capsys.readouterr().err == ""
    export(store, project.sealed, project.run)
    assert not done.files.csv.read_bytes().startswith(BOM)


def test_parquet_has_types_and_says_the_same_as_the_csv(project: Place, store: Store) -> None:
    store.opened(row_of(store, "ann")[0])
    answer(store, "ann", 1, msgspec.structs.replace(full(), comments={"framing": "=1"}))
    leave(store, "ann", 2, "skipped", "other")
    done = closed_export(project, store)
    typed = parquet.read_table(done.files.parquet)
    kinds = {field.name: str(field.type) for field in typed.schema}
    assert tuple(kinds) == COLUMNS
    assert {name: kind for name, kind in kinds.items() if kind != "string"} == {
        "score": "int64",
        "position": "int64",
        "revision": "int64",
        "at": "timestamp[ms, tz=UTC]",
        "active_seconds": "double",
        "wall_seconds": "double",
    }
    lines, rows = table(project), typed.to_pylist()
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        for name in COLUMNS:
            value = row[name]
            said_there = "" if value is None else value
            if name == "at" and value is not None:
                said_there = value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            assert unguarded(line[name]) == str(said_there), name
    assert rows[0]["comment"] == "=1"
    named = {name.decode(): value.decode() for name, value in typed.schema.metadata.items()}
    assert (named["project"], named["interim"]) == ("first", "[]")


def test_a_study_without_annotators_has_tables_without_lines(project: Place) -> None:
    done = closed_export(project, project.store)
    assert (done.rows, done.counts) == (0, {"first": {}, "repeat": {}})
    assert table(project) == table(project, "repeats.csv") == table(project, "annotators.csv") == []
    assert parquet.read_table(done.files.parquet).num_rows == 0
    assert "0 of 0 invited annotators" in codebook(project)


REPEATING = rules(repeats=3, repeat_gap=2, checks=2)


@pytest.fixture
def repeating(tmp_path: Path) -> Place:
    """A project of which three items come back and two carry an instructed response, with one annotator."""
    place = make_project(tmp_path, protocol=REPEATING)
    enrol(place.store, "ann")
    return place


def test_both_showings_of_what_came_back(repeating: Place, capsys: pytest.CaptureFixture[str]) -> None:
    store = repeating.store
    scores: dict[str, list[int]] = {}
    for number, place in enumerate(row_of(store, "ann"), start=1):
        seen = scores.setdefault(store.view(place).item.code, [])
        seen.append((number * 2) % 4)
        answer(store, "ann", number, full(seen[-1]))
    done = closed_export(repeating, store)
    assert done.counts == {"first": {"submitted": 8}, "repeat": {"submitted": 3}}
    rows = rows_of(repeating)
    assert len(rows) == done.rows == 11
    twice = {row.item for row in rows if row.showing == "repeat"}
    assert len(twice) == 3
    for item in twice:
        first, again = sorted((row for row in rows if row.item == item), key=lambda row: row.position)
        assert (first.showing, again.showing, first.first == again.first) == ("first", "repeat", False)
        assert [row.scores["framing"].score for row in (first, again)] == scores[item]
    lines = table(repeating, "repeats.csv")
    assert len(lines) == 3 * 2 * len(RUBRIC.dimensions)
    assert all(line["unit"] == f"{line['pair'][:12]}:{line['model']}:ann:{line['dimension']}" for line in lines)
    assert {line["showing"] for line in table(repeating)} == {"first"}
    assert len(table(repeating)) == 8 * len(RUBRIC.dimensions)
    columns = ["--unit", "unit", "--rater", "showing", "--value", "score"]
    assert polibias(["agreement", str(done.files.repeats), *columns, "--resamples", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    exact = sum(one == other for one, other in (scores[item] for item in twice)) / 3
    assert (found["exact"]["n"], found["exact"]["value"]) == (15, pytest.approx(exact))


def test_repeats_are_no_second_rater_of_the_study(repeating: Place, capsys: pytest.CaptureFixture[str]) -> None:
    store = repeating.store
    enrol(store, "bob")
    for name, score in (("ann", 1), ("bob", 2)):
        answer_all(store, name, full(score))
    done = closed_export(repeating, store)
    for file in (done.files.jsonl, done.files.csv):
        arguments = ["agreement", str(file), "--where", "dimension=framing", "--resamples", "100", "--json"]
        assert polibias(arguments) == 0
        assert json.loads(capsys.readouterr().out)["exact"]["n"] == 8


def test_instructed_responses_are_told_of_as_passed_or_failed(repeating: Place) -> None:
    store = repeating.store
    checked = [number for number, place in enumerate(row_of(store, "ann"), start=1) if store.view(place).check]
    assert len(checked) == 2
    wrong = checked[0]
    for number, place in enumerate(row_of(store, "ann"), start=1):
        value = store.view(place).check
        given = {"check.answer": "1" if value == "2" else "2"} if number == wrong else {"check.answer": value}
        entry = Entry(full().answers | (given if value else {}))
        assert store.submit(annotator_id(store, "ann"), place.presentation, 1, entry).outcome == "saved"
    closed_export(repeating, store)
    told = {row.position: row.check for row in rows_of(repeating)}
    expected = {number: "failed" if number == wrong else "passed" for number in checked}
    assert told == {number: expected.get(number, "") for number in told}
    (line,) = table(repeating, "annotators.csv")
    assert [line[f"checks_{name}"] for name in ("asked", "answered", "passed")] == ["2", "2", "1"]
    assert all("check" not in row.scores and "check" not in row.labels for row in rows_of(repeating))
    assert "Of 2 answers to instructed responses 1 were as instructed" in codebook(repeating)


def test_a_side_alone_and_labels_are_values_of_their_own(tmp_path: Path) -> None:
    place = make_project(tmp_path, SHORT[:1], MODELS[:1], EVEN)
    store = place.store
    enrol(store, "ann")
    opinion = {"helpfulness.favoured": "B", "counter_perspectives.A": "1", "counter_perspectives.B": "4"}
    answer(store, "ann", 1, Entry({**opinion, "refusal.A": "5", "refusal.B": "2"}))
    closed_export(place, store)
    told = [tuple(line[name] for name in ("dimension", "side", "score", "favoured", "option")) for line in table(place)]
    assert told == [
        ("helpfulness", "", "", "B", ""),
        ("counter_perspectives", "A", "1", "", "1"),
        ("counter_perspectives", "B", "4", "", "4"),
        ("refusal", "A", "5", "", "5"),
        ("refusal", "B", "2", "", "2"),
    ]
    assert [line["unit"].rsplit(":", 2)[1:] for line in table(place)][1] == ["counter_perspectives", "A"]


def test_labels_that_do_not_ascend_have_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusal = msgspec.structs.replace(RUBRIC.labels[0], asked=("human",))
    rubric = msgspec.structs.replace(SMALL, labels=(refusal, RUBRIC.labels[1]))
    place = make_project(tmp_path, SHORT, MODELS[:1], rubric)
    store = place.store
    enrol(store, "ann", "bob")
    answers = {**said("tone", 1, "A"), **said("depth", 2, "B"), "refusal.A": "partial", "refusal.B": "full"}
    for name in ("ann", "bob"):
        answer_all(store, name, Entry(answers))
    done = closed_export(place, store)
    lines = [line for line in table(place) if line["dimension"] == "refusal"]
    assert {(line["side"], line["score"], line["option"]) for line in lines} == {
        ("A", "", "partial"),
        ("B", "", "full"),
    }
    words = ",".join(option.id for option in refusal.options)
    wanted = ["--where", "dimension=refusal", "--value", "option", "--categories", words, "--level", "nominal"]
    for file in (done.files.jsonl, done.files.csv):
        assert polibias(["agreement", str(file), *wanted, "--resamples", "100", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["exact"]["n"], found["exact"]["value"]) == (6, 1.0)


def test_who_has_not_begun_is_no_rater(project: Place, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    enrol(store, "cay")
    for name in ("ann", "bob"):
        answer_all(store, name, full(len(name) % 3))
    leave(store, "bob", 1, "skipped", "other")
    done = closed_export(project, store)
    for file in (done.files.jsonl, done.files.csv, done.files.parquet):
        arguments = ["agreement", str(file), "--where", "dimension=framing", "--resamples", "100"]
        assert polibias(arguments) == 0
        out = capsys.readouterr().out
        assert "ann and bob gave the same rating to 100% of 7 units" in out
        assert "cay" not in out


def test_the_codebook_explains_everything(repeating: Place) -> None:
    store = repeating.store
    answer_all(store, "ann")
    done = closed_export(repeating, store)
    text = codebook(repeating)
    assert all(f"| {name} |" in text for name in COLUMNS)
    assert all(f"| {name} |" in text for name in table(repeating, "annotators.csv")[0])
    assert all(dimension.id in text and literal(dimension.human) in text for dimension in RUBRIC.dimensions)
    assert all(literal(level.human) in text for level in RUBRIC.levels)
    assert all(reason.text.split()[0] in text for reason in REPEATING.reasons.skip)
    for part in (
        "1 of 1 invited annotator worked",
        "8 items (4 pairs",
        "from seed 7",
        "3 repeats at least 2 places later",
    ):
        assert part in text
    assert f"closed at {about(repeating)['projects']['first']['closed_at'][:16].replace('T', ' ')} UTC" in text
    assert "| submitted | 8 | 3 |" in text
    assert "| all | 8 | 3 | as many as in the database |" in text
    assert "Opened before" not in text
    assert "For a judge" not in text
    assert done.counts == about(repeating)["projects"]["first"]["counts"]
    assert len(list(read(repeating.run.annotations("first")))) == done.rows


def test_words_in_the_codebook_mean_nothing_to_markdown() -> None:
    hostile = "[x](javascript:alert(1)) <script> | a `b` *c* _d_ # e\n\n# f ![g](http://h.invalid) www.i.invalid \u202e"
    shown = literal(hostile)
    assert "\n" not in shown
    assert "⟨U+202E⟩" in shown
    for mark in ("\\[x\\]", "\\<script\\>", "\\|", "\\`b\\`", "\\*c\\*", "\\_d\\_", "\\!", "http\\://", "www\\.i"):
        assert mark in shown


def test_an_open_study_s_files_are_no_result(project: Place, store: Store) -> None:
    answer(store, "ann", 1)
    export(store, project.sealed, project.run, "a look")
    assert "The study is still open: these files are not its result." in codebook(project)
    close(store)
    export(store, project.sealed, project.run)
    assert "still open" not in codebook(project)
