"""Naming the countries of masked pairs: laws of the scheme, draws of the list, and the way from answers to rows."""

import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from annotate_app import reid_export
from annotate_app.assignment import Draw, share
from annotate_app.blind import shown_answer, stored_answer
from annotate_app.chain import now
from annotate_app.create import Created
from annotate_app.exposure import barred_pairs
from annotate_app.protocol import AnnotationProtocol, Assignment
from annotate_app.questions import CANNOT_TELL, Entry, Naming, gaps, merged, settle
from annotate_app.reid_export import Exported, export_guesses
from annotate_app.reid_tables import COLUMNS, guarded
from annotate_app.schema import Closure
from annotate_app.sealed import pair_code, pair_key, read_sealed
from annotate_app.sheets import Place
from annotate_app.store import Store, open_store
from polibias.cli import main as polibias
from polibias.domain import reidentification
from polibias.domain.reidentification import OUTCOMES, chance, outcome
from polibias.domain.rows import ReidGuess
from polibias.domain.sides import SIDES
from polibias.errors import DamagedRecord, InputError, StorageError
from polibias.records.ledger import Entry as Stored
from polibias.records.ledger import read, row_id
from polibias.records.manifest import read_manifest
from polibias.records.openings import openings_of
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.app.conftest import annotator_id, enrol, make_project
from tests.app.exporting import older_copy, put_back, tamper
from tests.app.masked_items import NAMING, PROTOCOL, assigned, line, make, named, naming, pairs

COUNTRIES = tuple(one.id for one in NAMING.candidates)
GUESSES = st.sampled_from([*COUNTRIES, CANNOT_TELL, None, "atlantis", ""])
LEVELS = st.sampled_from(["1", "4", "5", "none", None, ""])


# the scheme


@given(st.permutations(NAMING.candidates), GUESSES, GUESSES, LEVELS)
def test_what_is_stored_does_not_depend_on_the_order_of_the_list(
    shuffled: list[object], x: str | None, y: str | None, level: str | None
) -> None:
    given_entry = named(x, y, level)
    one, other = (settle(scheme, given_entry) for scheme in (NAMING, naming(candidates=tuple(shuffled))))
    assert one == other == settle(NAMING, one)
    assert one.answers.keys() == {"x.country", "y.country", "naming.confidence"}
    for question in NAMING.questions():
        assert one.answers[question.id] in (*question.values, None)


def test_a_country_is_stored_as_it_is_chosen_whichever_version_comes_first() -> None:
    for question in NAMING.questions():
        for value in question.values:
            for first in SIDES:
                assert stored_answer(question, value, first) == shown_answer(question, value, first) == value
        assert stored_answer(question, "Iran", "A") is None


@given(GUESSES, GUESSES, LEVELS)
def test_confidence_is_closed_for_exactly_who_can_name_neither(x: str | None, y: str | None, level: str | None) -> None:
    entry = settle(NAMING, named(x, y, level))
    closed = x == y == CANNOT_TELL
    assert (entry.answers["naming.confidence"] == "none") == closed
    missing = {question.id for question in gaps(NAMING, entry.answers)}
    assert ("naming.confidence" in missing) == (not closed and level not in ("1", "4"))


def test_who_names_a_country_after_all_is_asked_how_sure_they_are() -> None:
    nothing = settle(NAMING, named(CANNOT_TELL, CANNOT_TELL, None))
    after = merged(NAMING, nothing, Entry({**nothing.answers, "x.country": "iran"}))
    assert [question.id for question in gaps(NAMING, after.answers)] == ["naming.confidence"]
    sure = merged(NAMING, after, named("iran", None, "4"))
    assert sure.answers == {"x.country": "iran", "y.country": CANNOT_TELL, "naming.confidence": "4"}
    assert merged(NAMING, sure, named("iran", None, "none")) == sure


@given(st.sampled_from([*COUNTRIES, CANNOT_TELL]), st.sampled_from([*COUNTRIES, CANNOT_TELL]))
def test_only_one_country_for_both_is_a_conflict(x: str, y: str) -> None:
    said = NAMING.conflict(settle(NAMING, named(x, y)).answers)
    assert said == (NAMING.same_country if x == y and x != CANNOT_TELL else "")


# the list


def test_every_order_of_the_list_is_equally_likely_and_can_be_drawn_again() -> None:
    four = COUNTRIES[:4]
    items = {f"item-{number}": "s" for number in range(60)}
    draws = [Draw(11, f"annotator-{number}", 1, four) for number in range(80)]
    rows = [share(draw, items, Assignment(), {}) for draw in draws]
    found = Counter(one.options for row in rows for one in row)
    assert found.keys() == set(permutations(four))
    expected = 80 * 60 / 24
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 49.7  # chi-squared, 23 df, p = 0.001
    again = [share(draw._replace(candidates=tuple(reversed(four))), items, Assignment(), {}) for draw in draws]
    assert again == rows


def test_the_order_of_the_list_tells_nothing_of_the_truth(tmp_path: Path) -> None:
    lists = [options_of(open_store(make(tmp_path / name, pairs(30)).database)) for name in map(str, range(2))]
    for found in lists:
        assert all(sorted(one) == sorted(COUNTRIES) for one in found)
        assert len(set(found)) > 20
    assert lists[0] != lists[1]  # opaque codes are made anew for each project


def options_of(store: Store) -> list[tuple[str, ...]]:
    enrol(store, "ann")
    return [store.view(place).options for place in store.places(annotator_id(store, "ann"))]


def test_an_item_that_comes_back_has_a_list_of_its_own(tmp_path: Path) -> None:
    made = make(tmp_path, pairs(12), assigned(repeats=2))
    found = options_of(open_store(made.database))
    store = open_store(made.database)
    row = store.places(annotator_id(store, "ann"))
    views = [store.view(place) for place in row]
    for place, view in zip(row, views, strict=True):
        if place.role == "repeat":
            (before,) = [one for one in views if one.item == view.item and one.place.role == "first"]
            assert before.first != view.first
            assert before.options != view.options
    assert len(found) == 14


# outcomes


def test_outcomes_are_what_they_say() -> None:
    said = {
        ("p", "q"): "both",
        ("q", "p"): "swapped",
        ("p", "r"): "one",
        ("p", CANNOT_TELL): "one",
        (CANNOT_TELL, "q"): "one",
        ("q", "r"): "none",
        ("r", "s"): "none",
        (CANNOT_TELL, "p"): "none",
        (CANNOT_TELL, CANNOT_TELL): "cannot_tell",
    }
    assert {guess: outcome("p", "q", *guess) for guess in said} == said
    assert reidentification.CANNOT_TELL == CANNOT_TELL


@pytest.mark.parametrize("n", [2, 3, 4, 7, 54])
def test_chance_is_the_share_of_all_ordered_draws(n: int) -> None:
    draws = list(permutations(map(str, range(n)), 2))
    counted = Counter(outcome("0", "1", *draw) for draw in draws)
    assert chance(n) == {name: Fraction(counted[name], len(draws)) for name in OUTCOMES}
    assert sum(chance(n).values()) == 1


def test_chance_needs_two_candidates() -> None:
    with pytest.raises(ValueError, match="less than two"):
        chance(1)


# from answers to rows

SAID = {
    "both": named("iran", "israel", "4", {"": "=cmd", "x": "line\nbreak"}),
    "swapped": named("israel", "iran", "2"),
    "one": named("iran", CANNOT_TELL, "1"),
    "none": named("peru", "france", "3"),
    "cannot_tell": named(CANNOT_TELL, CANNOT_TELL, None),
}


class Study(NamedTuple):
    """A project in a folder, and its store."""

    folder: Path
    made: Created
    store: Store

    @property
    def out(self) -> Path:
        return self.folder / "exports" / "masked"

    def row(self, name: str) -> list[Place]:
        return self.store.places(annotator_id(self.store, name))

    def answer(self, name: str, place: Place, entry: Entry) -> None:
        self.store.opened(place)
        receipt = self.store.submit(annotator_id(self.store, name), place.presentation, place.revision, entry)
        assert receipt.outcome == "saved", receipt

    def close(self) -> None:
        with self.store.writing() as session:
            session.add(Closure.model_validate({"at": now()}))
            self.store.record(session, "closed", "", "", {})

    def export(self, interim: str | None = None, bom: bool = False) -> Exported:
        return export_guesses(self.store, read_sealed(self.made.sealed), self.out, interim, bom)

    def rows(self) -> list[Stored[ReidGuess]]:
        return list(read(Run(self.out).guesses()))

    def table(self, name: str = "guesses.csv") -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO((self.out / name).read_bytes().decode("utf-8"), newline="")))


def study(
    folder: Path, items: int = 7, protocol: AnnotationProtocol = PROTOCOL, people: Sequence[str] = ("ann",)
) -> Study:
    made = make(folder, pairs(items), protocol)
    store = open_store(made.database)
    enrol(store, *people)
    return Study(folder, made, store)


@pytest.fixture
def answered(tmp_path: Path) -> Study:
    """Every outcome once, one item skipped, one left as unsure, one revised, one flagged; then closed."""
    here = study(tmp_path)
    ann = annotator_id(here.store, "ann")
    places = here.row("ann")
    for place, entry in zip(places, SAID.values(), strict=False):
        here.answer("ann", place, entry)
    here.store.leave(ann, places[5].presentation, 1, "skipped", "distress", named("iran", None, None))
    here.store.leave(ann, places[6].presentation, 1, "unsure", "not_listed", Entry({}))
    here.answer("ann", here.row("ann")[3], named("peru", "germany", "1"))
    here.store.flag(ann, places[0].presentation, "name_left", "-2+3")
    here.close()
    return here


def test_every_outcome_comes_out_as_it_was_answered(answered: Study) -> None:
    done = answered.export()
    assert (done.rows, done.revisions, done.interim) == (7, 8, ())
    rows = {(one.row.position, one.row.revision): one.row for one in answered.rows()}
    assert [rows[position, 1].outcome for position in range(1, 8)] == [*SAID, None, None]
    for position, entry in enumerate(SAID.values(), start=1):
        row = rows[position, 1]
        assert (row.guess_x, row.guess_y) == (entry.answers["x.country"], entry.answers["y.country"])
        level = entry.answers["naming.confidence"]
        assert row.confidence == (int(level) if level else None)
        assert row.comments == entry.comments
        assert (row.x, row.y, row.status, row.reason, row.showing) == ("iran", "israel", "submitted", "", "first")
    assert (rows[6, 1].status, rows[6, 1].reason, rows[6, 1].guess_x, rows[6, 1].guess_y) == (
        *("skipped", "distress", "iran"),
        None,
    )
    assert (rows[7, 1].status, rows[7, 1].reason, rows[7, 1].guess_x) == ("unsure", "not_listed", None)


def test_rows_point_at_their_pair_and_hold_the_list_as_shown(answered: Study) -> None:
    answered.export()
    sealed = read_sealed(answered.made.sealed)
    views = [answered.store.view(place) for place in answered.row("ann")]
    for entry in answered.rows():
        row, view = entry.row, views[entry.row.position - 1]
        origin = sealed.items[row.item]
        assert (row.pair, row.model) == (origin.pair, origin.model)
        assert row.category == ("active" if int(row.pair[-1]) % 2 == 0 else "tension")
        assert (row.item, row.options, row.first) == (view.item.code, view.options, view.first)


def test_a_revision_supersedes_the_one_before_and_is_the_one_in_the_tables(answered: Study) -> None:
    answered.export()
    first, second = [entry for entry in answered.rows() if entry.row.position == 4]
    assert second.row.supersedes == first.id == row_id(first.row)
    assert second.key == first.key
    assert (first.row.guess_y, second.row.guess_y) == ("france", "germany")
    (line,) = [one for one in answered.table() if one["position"] == "4"]
    assert (line["id"], line["revision"], line["guess_y"]) == (second.id, "2", "germany")
    assert first.seen.seconds is None
    assert second.seen.seconds is not None
    assert second.seen.at > first.seen.at


def test_counts_are_those_of_the_database(answered: Study) -> None:
    done = answered.export()
    with closing(sqlite3.connect(answered.made.database)) as connection:
        ((sheets, places),) = connection.execute(
            "SELECT count(*), count(DISTINCT presentation_id) FROM sheet WHERE state <> 'draft'"
        )
        ((events,),) = connection.execute("SELECT count(*) FROM event")
    assert (done.revisions, done.rows) == (sheets, places) == (len(answered.rows()), len(answered.table()))
    about = read_manifest(answered.out).about
    assert (about["revisions"], about["rows"], about["events"], about["flags"]) == (sheets, places, events, 1)


def test_the_table_is_safe_and_the_same_in_parquet(answered: Study) -> None:
    answered.export()
    text = (answered.out / "guesses.csv").read_bytes()
    assert not text.startswith(b"\xef\xbb\xbf")
    lines = answered.table()
    assert list(lines[0]) == list(COLUMNS)
    found = parquet.read_table(answered.out / "guesses.parquet").to_pylist()
    for one, typed in zip(lines, found, strict=True):
        for name, value in typed.items():
            assert one[name] == ("" if value is None else str(value)), name
    assert json.loads(lines[0]["comments"]) == {"": "=cmd", "x": "line\nbreak"}
    assert isinstance(found[0]["confidence"], int)
    assert found[4]["confidence"] is None
    (flag,) = answered.table("flags.csv")
    assert (flag["reason"], flag["comment"], flag["position"]) == ("name_left", "'-2+3", "1")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"])
def test_no_cell_is_taken_for_a_formula(start: str) -> None:
    assert guarded(f"{start}1") == f"'{start}1"
    assert guarded("a=1") == "a=1"
    assert guarded(-1) == -1


def test_a_byte_order_mark_on_request(answered: Study) -> None:
    answered.export(bom=True)
    for name in ("guesses.csv", "flags.csv"):
        assert (answered.out / name).read_bytes().startswith(b"\xef\xbb\xbf")


def test_half_characters_are_whole_in_the_ledger_and_escaped_elsewhere(tmp_path: Path) -> None:
    here = study(tmp_path, 1)
    here.answer("ann", here.row("ann")[0], named("iran", "peru", "1", {"": "half \ud800"}))
    here.close()
    here.export()
    assert here.rows()[0].row.comments == {"": "half \ud800"}
    assert json.loads(here.table()[0]["comments"]) == {"": "half \ud800"}


def test_the_codebook_says_everything_that_is_in_the_files(answered: Study) -> None:
    answered.export()
    text = (answered.out / "codebook.md").read_text("utf-8")
    assert "| both | both countries named, each in its place | 1/20 | 0.050000 |" in text
    assert "| one | exactly one country named in its place, whatever stands in the other | 3/10 | 0.300000 |" in text
    for name in (*COLUMNS, *COUNTRIES, *OUTCOMES, *(path.name for path in answered.out.iterdir())):
        assert name in text, name
    for words in (NAMING.question, NAMING.cannot_tell, NAMING.confidence_question, *NAMING.confidence):
        assert words in text
    assert "The study was closed at" in text


def test_the_folder_is_sealed_and_whole_and_a_changed_one_is_not_replaced(answered: Study) -> None:
    done = answered.export()
    assert sorted(path.name for path in answered.out.iterdir()) == [
        "codebook.md",
        "flags.csv",
        "guesses.csv",
        "guesses.jsonl",
        "guesses.parquet",
        "manifest.json",
    ]
    assert done.manifest == read_manifest(answered.out).hash
    assert verify(Run(answered.out)) == []
    table = answered.out / "guesses.csv"
    table.write_bytes(table.read_bytes().replace(b"peru", b"iran"))
    assert any("guesses.csv" in problem for problem in verify(Run(answered.out)))
    with pytest.raises(InputError, match=r"guesses\.csv: changed .* not replaced"):
        answered.export()


def test_a_second_export_changes_nothing(answered: Study) -> None:
    answered.export()
    before = {path.name: path.read_bytes() for path in answered.out.iterdir()}
    answered.export()
    assert before == {path.name: path.read_bytes() for path in answered.out.iterdir()}
    assert [path.name for path in answered.out.parent.iterdir()] == ["masked"]


@pytest.mark.parametrize("step", ["parquet_of", "seal", "_put"])
def test_an_export_that_fails_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object) -> None:
        raise StorageError("disk full")

    here = study(tmp_path)
    here.export("before")
    before = {path: path.read_bytes() for path in here.out.iterdir()}
    here.answer("ann", here.row("ann")[0], SAID["both"])
    here.close()
    monkeypatch.setattr(reid_export, step, fail)
    with pytest.raises(StorageError, match="disk full"):
        here.export()
    assert list(here.out.parent.iterdir()) == [here.out]
    assert {path: path.read_bytes() for path in here.out.iterdir()} == before


def test_a_folder_of_something_else_is_left_alone(answered: Study) -> None:
    answered.out.mkdir(parents=True)
    (answered.out / "mine.txt").write_text("keep")
    with pytest.raises(InputError, match="holds something else"):
        answered.export()
    assert (answered.out / "mine.txt").read_text() == "keep"


def test_an_open_study_needs_a_reason_which_every_later_export_tells(tmp_path: Path) -> None:
    here = study(tmp_path)
    here.answer("ann", here.row("ann")[0], SAID["both"])
    for reason, said in ((None, "still open"), ("", "say why"), ("  ", "say why"), ("\u200b", "say why")):
        with pytest.raises(InputError, match=said):
            here.export(reason)
    assert not here.out.exists()
    done = here.export("a look | at half-time")
    assert [one.reason for one in done.interim] == ["a look | at half-time"]
    assert "The study is NOT closed." in (here.out / "codebook.md").read_text("utf-8")
    interim = {entry.id for entry in here.rows()}
    here.answer("ann", here.row("ann")[1], SAID["one"])
    here.close()
    with pytest.raises(InputError, match="without --interim"):
        here.export("again")
    assert here.export().interim == done.interim
    assert "a look \\| at half-time" in (here.out / "codebook.md").read_text("utf-8")
    assert interim < {entry.id for entry in here.rows()}


def test_marks_in_a_reason_mean_nothing_in_the_codebook(tmp_path: Path) -> None:
    here = study(tmp_path)
    here.export("<b>x</b> [y](http://attacker.invalid) **now** \u202e")
    text = (here.out / "codebook.md").read_text("utf-8")
    assert "\\<b\\>x\\</b\\> \\[y\\](http\\://attacker.invalid) \\*\\*now\\*\\* ⟨U+202E⟩" in text


def test_agreement_tells_of_a_look_at_masked_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = study(tmp_path, people=("ann", "bob"))
    for name in ("ann", "bob"):
        for place, entry in zip(here.row(name), SAID.values(), strict=False):
            here.answer(name, place, entry)
    here.export("half-time")
    columns = ("--unit", "item", "--rater", "annotator", "--value", "outcome", "--level", "nominal")
    table = str(here.out / "guesses.csv")
    assert polibias(["agreement", table, *columns, "--categories", ",".join(OUTCOMES), "--resamples", "100"]) == 0
    assert "Human annotations of project masked were opened once before the study closed: " in capsys.readouterr().out
    manifest = here.out / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace("half-time", "the end"), "utf-8")
    with pytest.raises(DamagedRecord, match="changed after it was written"):
        openings_of(here.out / "guesses.csv")


def test_an_older_copy_forgets_no_look_and_replaces_no_later_answer(tmp_path: Path) -> None:
    here = study(tmp_path)
    here.answer("ann", here.row("ann")[0], SAID["both"])
    copy = older_copy(here.store)
    here.export("peek")
    put_back(here.store, copy)
    here = here._replace(store=open_store(here.made.database))
    assert [one.reason for one in here.export("again").interim] == ["peek", "again"]
    assert "peek" in (here.out / "codebook.md").read_text("utf-8")
    copy = older_copy(here.store)
    here.answer("ann", here.row("ann")[0], SAID["none"])
    here.export("third")
    put_back(here.store, copy)
    with pytest.raises(DamagedRecord, match="it is an older copy; restore a newer one, or move"):
        here._replace(store=open_store(here.made.database)).export("fourth")
    assert len(here.rows()) == 2


def test_repeats_and_instructions_are_told_apart(tmp_path: Path) -> None:
    here = study(tmp_path, 11, assigned(repeats=1, checks=2))
    followed = {}
    for place in here.row("ann"):
        wanted = here.store.view(place).check
        said = {**SAID["both"].answers, **({"check.answer": "1"} if wanted else {})}
        followed[here.row("ann").index(place) + 1] = {"": "", "1": "passed"}.get(wanted, "failed")
        here.answer("ann", place, Entry(said))
    here.close()
    assert here.export().rows == 12
    rows = [entry.row for entry in here.rows()]
    assert {row.position: row.check for row in rows} == followed
    (again,) = [row for row in rows if row.showing == "repeat"]
    (before,) = [row for row in rows if row.item == again.item and row.showing == "first"]
    assert again.supersedes == ""
    assert again.first != before.first
    assert again.options != before.options


@pytest.mark.parametrize(("rule", "left"), [("remove", ["bob"]), ("keep", ["ann", "bob"])])
def test_who_withdraws_is_handled_as_the_protocol_says(tmp_path: Path, rule: str, left: list[str]) -> None:
    here = study(tmp_path, 3, msgspec.structs.replace(PROTOCOL, withdrawal=rule), ["ann", "bob"])
    for name in ("ann", "bob"):
        here.answer(name, here.row(name)[0], SAID["both"])
        here.store.flag(annotator_id(here.store, name), here.row(name)[0].presentation, "seen", "")
    here.export("before anybody left")
    assert {entry.row.annotator for entry in here.rows()} == {"ann", "bob"}
    here.store.withdraw(annotator_id(here.store, "ann"))
    here.close()
    here.export()
    assert sorted({entry.row.annotator for entry in here.rows()}) == left
    assert [one["annotator"] for one in here.table("flags.csv")] == left
    assert read_manifest(here.out).about["removed"] == 2 - len(left)
    assert verify(Run(here.out)) == []


def test_practice_is_no_result(tmp_path: Path) -> None:
    texts = {name: line()[name] for name in ("prompts", "responses")}
    names = {"acting": {"A": "X", "B": "Y"}, "facing": {"A": "Y", "B": "X"}}
    item = {**texts, **names, "expected": {"x.country": ["peru"]}, "feedback": "It was Peru."}
    practice = msgspec.convert({"items": [item]}, type=type(PROTOCOL.practice))
    here = study(tmp_path, 2, msgspec.structs.replace(PROTOCOL, practice=practice))
    for place in here.row("ann"):
        here.answer("ann", place, SAID["one"])
    here.close()
    assert here.export().revisions == 2
    assert {entry.row.position for entry in here.rows()} == {2, 3}


# what is not exported

TAMPERED = {
    "another answer": "UPDATE answer SET value = 'peru' WHERE question_id = 'x.country' AND value = 'iran'",
    "another list": "UPDATE presentation SET options = (SELECT options FROM presentation WHERE position = 2)",
    "another side": "UPDATE presentation SET first = CASE first WHEN 'A' THEN 'B' ELSE 'A' END WHERE position = 1",
    "an event less": "DELETE FROM event WHERE number = (SELECT max(number) FROM event)",
    "an event changed": "UPDATE event SET body = replace(body, 'iran', 'peru')",
    "another scheme": "UPDATE project SET scheme = replace(scheme, 'guessing', 'sure')",
    "no end": "DELETE FROM closure",
    "a withdrawal": "INSERT INTO withdrawal VALUES (1, '2028-01-01T00:00:00.000Z')",
    "no flag": "DELETE FROM flag",
    "another flag": """UPDATE flag SET comment = '"nothing"'""",
    "a place given up": "INSERT INTO release VALUES (1, 'abandoned', '2028-01-01T00:00:00.000Z')",
    "another role": "UPDATE presentation SET role = 'practice', batch = 0",
    "another text": "UPDATE item SET content = replace(content, 'wrongly', 'rightly')",
    "another rule": "UPDATE project SET protocol = replace(protocol, 'guess', 'know')",
    "an item less": "DELETE FROM item WHERE code = (SELECT max(code) FROM item)",
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_database_that_was_changed_is_not_exported(answered: Study, name: str) -> None:
    answered.store.close()
    with closing(sqlite3.connect(answered.made.database)) as connection, connection:
        triggers = [one for (one,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for trigger in triggers:
            connection.execute(f"DROP TRIGGER {trigger}")
        assert connection.execute(TAMPERED[name]).rowcount
    changed = answered._replace(store=open_store(answered.made.database))
    if name == "an event less":  # a chain cut at its end is whole; what it does not tell of any more is missed
        with closing(sqlite3.connect(answered.made.database)) as connection, connection:
            connection.execute(
                "DELETE FROM event WHERE number >= (SELECT max(number) FROM event WHERE kind = 'unsure')"
            )
    with pytest.raises(DamagedRecord, match="restore"):
        changed.export()
    assert not answered.out.exists()


def test_times_are_those_of_the_chain(answered: Study) -> None:
    tamper(
        answered.made.database, *(f"UPDATE {name} SET at = '2020-01-01T00:00:00.000Z'" for name in ("closure", "flag"))
    )
    answered.export()
    assert "2020" not in (answered.out / "codebook.md").read_text("utf-8")
    assert not answered.table("flags.csv")[0]["at"].startswith("2020")


def test_a_sealed_file_of_another_project_is_refused(answered: Study, tmp_path: Path) -> None:
    other = make(tmp_path / "other", pairs(7), name="other")
    with pytest.raises(InputError, match="another project"):
        export_guesses(answered.store, read_sealed(other.sealed), answered.out)


@pytest.mark.parametrize("changed", [{"x": "peru"}, {"y": "peru"}, {"category": "tension"}])
def test_the_truth_cannot_be_changed_afterwards(answered: Study, changed: dict[str, str]) -> None:
    sealed = read_sealed(answered.made.sealed)
    items = {code: msgspec.structs.replace(one, **changed) for code, one in sealed.items.items()}
    with pytest.raises(DamagedRecord, match="the sealed file is not the one"):
        export_guesses(answered.store, msgspec.structs.replace(sealed, items=items), answered.out)
    assert not answered.out.exists()


# one person, one identity


def test_nobody_names_a_pair_whose_names_they_have_read(tmp_path: Path) -> None:
    place = make_project(tmp_path)
    enrol(place.store, "Ann")
    ids = sorted({item.pair for item in place.sealed.items.values()})
    made = make(tmp_path, [line(pair=pair) for pair in (*ids, "elsewhere")])
    key = pair_key(tmp_path / "sealed")
    assert barred_pairs(made.database, "ann") == {pair_code(key, pair) for pair in ids}
    assert barred_pairs(made.database, "bob") == frozenset()
    store = open_store(made.database)
    enrol(store, "bob")
    assert barred_pairs(place.made.database, "BOB") == {pair_code(key, pair) for pair in (*ids, "elsewhere")}


def test_the_scheme_of_the_project_holds_the_candidates(tmp_path: Path) -> None:
    scheme = open_store(make(tmp_path, pairs(2)).database).scheme
    assert isinstance(scheme, Naming)
    assert scheme == NAMING
