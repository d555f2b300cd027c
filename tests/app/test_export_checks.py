"""An export trusts nothing: what the database says must be what its chain tells, and what the seed draws."""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app.export import export
from annotate_app.protocol import Practice
from annotate_app.questions import Quote
from annotate_app.store import Store
from polibias.domain.chains import event_hash
from polibias.domain.ids import canonical
from polibias.errors import DamagedRecord, InputError
from tests.app.conftest import Place, annotator_id, enrol, full, make_project, place_in
from tests.app.exporting import answer, close, draft, forge, leave, row_of, tamper
from tests.app.projects import lesson, rules

PRACTICE = Practice((lesson({"framing.score": ("2",)}),), 1.0, 1)
PROTOCOL = rules(PRACTICE, terms=True, overlap=1, items_each=4, repeats=1, repeat_gap=3, checks=1)
AT = "2028-01-01T00:00:00.000Z"
LEFT = """INSERT INTO sheet (presentation_id, revision, state, reason, notes, touched_at)
SELECT id, 1, 'skipped', 'other', '{"comments":{},"quotes":{}}', '2028-01-01T00:00:00.000Z' FROM presentation
WHERE id NOT IN (SELECT presentation_id FROM sheet) LIMIT 1"""
ONE_SKIPPED = "(SELECT id FROM sheet WHERE state = 'skipped')"

NOT_REPEATED = """(SELECT min(id) FROM presentation WHERE annotator_id = 3 AND role = 'first' AND instructed = ''
AND item_code NOT IN (SELECT item_code FROM presentation WHERE annotator_id = 3 AND role = 'repeat'))"""


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A closed study with something of everything in it: ann works, bob withdraws, cay takes his places over."""
    place = make_project(tmp_path_factory.mktemp("studied"), protocol=PROTOCOL)
    store = place.store
    enrol(store, "ann", "bob")
    for name in ("ann", "bob"):
        store.assent(annotator_id(store, name), {"consent": "yes", "content": "yes", "statement": "yes"})
        answer(store, name, 1, full(2))
    text = store.view(row_of(store, "ann")[1]).item.responses.A
    said = full(2, "A", "a thought")
    answer(store, "ann", 2, msgspec.structs.replace(said, quotes={"framing": (Quote("A", text[:5]),)}))
    leave(store, "ann", 3, "skipped", "distress")
    draft(store, "ann", 4)
    store.flag(annotator_id(store, "ann"), row_of(store, "ann")[2].presentation, "seen", "a flag")
    store.withdraw(annotator_id(store, "bob"))
    enrol(store, "cay")
    close(store)
    store.close()
    return place


@pytest.fixture
def place(studied: Place, tmp_path: Path) -> Place:
    """A copy of the study that a test may spoil."""
    return place_in(shutil.copytree(studied.folder, tmp_path / "copy"), studied)


def test_the_study_as_it_is_can_be_exported(place: Place) -> None:
    """Otherwise no refusal below would say anything."""
    done = export(place.store, place.sealed, place.run)
    assert done.counts == {
        "first": {"draft": 1, "open": 5, "skipped": 1, "submitted": 1, "withdrawn": 4},
        "repeat": {"open": 2, "withdrawn": 1},
    }


DAMAGE: dict[str, tuple[str, ...]] = {
    "an answer": ("the answers", "UPDATE answer SET value = '1' WHERE question_id = 'framing.score'"),
    "an answer taken away": ("the answers", f"DELETE FROM answer WHERE sheet_id = {ONE_SKIPPED}"),
    "a comment": ("the answers", "UPDATE sheet SET notes = replace(notes, 'a thought', 'another')"),
    "the side of a quote": ("the answers", """UPDATE sheet SET notes = replace(notes, '"side":"A"', '"side":"B"')"""),
    "a state": ("the answers", "UPDATE sheet SET state = 'unsure' WHERE state = 'skipped'"),
    "a reason": ("the answers", "UPDATE sheet SET reason = 'other' WHERE state = 'skipped'"),
    "a revision": ("the answers", "UPDATE sheet SET revision = 9 WHERE state = 'skipped'"),
    "a sheet taken away": (
        "the answers",
        f"DELETE FROM answer WHERE sheet_id = {ONE_SKIPPED}",
        "DELETE FROM sheet WHERE state = 'skipped'",
    ),
    "a sheet added": ("the answers", LEFT),
    "a sheet of no place": ("not there", "UPDATE sheet SET presentation_id = 999 WHERE state = 'skipped'"),
    "a draft taken away": (
        "the drafts",
        "DELETE FROM answer WHERE sheet_id = (SELECT id FROM sheet WHERE state = 'draft')",
        "DELETE FROM sheet WHERE state = 'draft'",
    ),
    "the reason of a flag": ("the flags", "UPDATE flag SET reason = 'other'"),
    "the comment of a flag": ("the flags", """UPDATE flag SET comment = '"another"'"""),
    "a flag taken away": ("the flags", "DELETE FROM flag"),
    "a flag added": ("the flags", f"INSERT INTO flag VALUES (9, 2, 'seen', '\"\"', '{AT}')"),
    "an answer to a term": ("the terms", "UPDATE assent SET answer = 'no' WHERE term = 'consent'"),
    "the words of a term": ("the terms", "UPDATE assent SET text_hash = '00' WHERE term = 'consent'"),
    "a term taken away": ("the terms", "DELETE FROM assent WHERE term = 'consent'"),
    "a practice result": ("the practice results", 'UPDATE trial SET "right" = 0'),
    "a practice result taken away": ("the practice results", "DELETE FROM trial"),
    "a withdrawal taken away": ("the rules of withdrawal", "DELETE FROM withdrawal"),
    "a withdrawal added": ("the rules of withdrawal", f"INSERT INTO withdrawal VALUES (1, '{AT}')"),
    "the end of the study": ("whether the study is closed", "DELETE FROM closure"),
    "a place taken back": (
        "the places given up",
        "DELETE FROM release WHERE presentation_id IN (SELECT id FROM presentation WHERE role = 'first')",
    ),
    "a repeat taken back": (
        "without the other",
        "DELETE FROM release WHERE presentation_id IN (SELECT id FROM presentation WHERE role = 'repeat')",
    ),
    "why a place was given up": ("the places given up", "UPDATE release SET reason = 'abandoned'"),
    "a place given up": ("the places given up", f"INSERT INTO release VALUES (3, 'abandoned', '{AT}')"),
    "a side": ("the places", "UPDATE presentation SET first = iif(first = 'A', 'B', 'A') WHERE id = 3"),
    "a position": ("the places", "UPDATE presentation SET position = 90 WHERE id = 3"),
    "an instruction": ("the places", "UPDATE presentation SET instructed = '' WHERE instructed <> ''"),
    "a batch": ("the places", "UPDATE presentation SET batch = 2 WHERE id = 3"),
    "a role": ("the places", f"UPDATE presentation SET role = 'repeat' WHERE id = {NOT_REPEATED}"),
    "options": ("do not follow from", """UPDATE presentation SET options = '["x"]' WHERE id = 3"""),
    "a place taken away": ("the places", "DELETE FROM presentation WHERE annotator_id = 3 AND role = 'repeat'"),
    "a place added": (
        "the places",
        "INSERT INTO presentation SELECT 90, 3, item_code, 1, 90, first, 'first', '', '' FROM presentation "
        "WHERE annotator_id = 1 AND role = 'first' LIMIT 1",
    ),
    "a name": ("an annotator", "UPDATE annotator SET name = 'eve' WHERE name = 'ann'"),
    "an annotator added": ("an annotator", f"INSERT INTO annotator VALUES (9, 'eve', 'eve', '{AT}')"),
    "an identity": ("do not follow from", "UPDATE annotator SET identity = 'eve' WHERE name = 'ann'"),
    "the text of an item": (
        "the texts of",
        "UPDATE item SET content = replace(content, 'Israel struck', 'Iran struck')",
    ),
    "the text of a practice item": ("the texts of", "UPDATE item SET content = replace(content, 'other', 'another')"),
    "a stratum": ("the texts of", "UPDATE item SET stratum = 'x' WHERE lesson = ''"),
    "an item": ("items are not those", "DELETE FROM item WHERE lesson = '' AND rowid = (SELECT min(rowid) FROM item)"),
    "a practice item": ("the texts of", "DELETE FROM item WHERE lesson <> ''"),
    "a practice item added": (
        "practice items are not those",
        "INSERT INTO item SELECT 'more', '2', '', content, lesson FROM item WHERE lesson <> ''",
    ),
    "the rule of withdrawal": (
        "event chain begins with",
        """UPDATE project SET protocol = replace(protocol, '"withdrawal":"remove"', '"withdrawal":"keep"')""",
    ),
    "the words of the consent": (
        "event chain begins with",
        "UPDATE project SET protocol = replace(protocol, 'free choice', 'duty')",
    ),
    "a protocol cut short": ("protocol cannot be read", "UPDATE project SET protocol = substr(protocol, 1, 40)"),
    "questions of no kind": ("scheme cannot be read", "UPDATE project SET scheme = '{}'"),
    "the address": ("event chain begins with", "UPDATE project SET address = 'http://elsewhere'"),
    "the key for pairs": ("event chain begins with", "UPDATE project SET pair_key = '00'"),
    "the pair of an item": ("event chain begins with", "UPDATE item SET pair = '00' WHERE lesson = ''"),
    "what a practice item teaches": ("event chain begins with", "UPDATE item SET lesson = '{}' WHERE lesson <> ''"),
    "the rubric": ("rubric is not the one", "UPDATE project SET scheme = replace(scheme, 'Framing', 'Farming')"),
    "an event": ("event 2 ", "UPDATE event SET at = replace(at, '2', '1') WHERE number = 2"),
    "the body of an event": ("event 5 ", "UPDATE event SET body = replace(body, '1', '2') WHERE number = 5"),
    "an event taken away": ("event 7 ", "DELETE FROM event WHERE number = 6"),
    "the last event taken away": ("whether the study is closed", "DELETE FROM event WHERE kind = 'closed'"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_database_changed_by_hand_is_refused(place: Place, name: str) -> None:
    said, *statements = DAMAGE[name]
    tamper(place.made.database, *statements)
    store = place.store
    before = events(store)
    with pytest.raises(DamagedRecord, match=said) as refused:
        export(store, place.sealed, place.run)
    assert "\n" not in str(refused.value)
    assert not place.run.annotations_folder.exists()
    assert events(store) == before


def events(store: Store) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store.path)) as database:
        return database.execute("SELECT * FROM event").fetchall()


def untouched(place: Place) -> list[tuple[str, str]]:
    """Code and instruction of cay's first showings, in their order; she has answered none of them."""
    with closing(sqlite3.connect(place.made.database)) as database:
        query = "SELECT item_code, instructed FROM presentation WHERE annotator_id = 3 AND role = 'first'"
        return database.execute(f"{query} ORDER BY position").fetchall()


def _sides(place: Place) -> tuple[dict[str, str], list[str]]:
    return {'"A"': '"B"'}, ["UPDATE presentation SET first = 'B'"]


def _order(place: Place) -> tuple[dict[str, str], list[str]]:
    (one, _), (other, _) = [each for each in untouched(place) if not each[1]][:2]
    swap = [(one, "?"), (other, one), ("?", other)]
    row = "UPDATE presentation SET item_code = '{}' WHERE annotator_id = 3 AND item_code = '{}'"
    return dict(swap), [row.format(new, old) for old, new in swap]


def _instruction(place: Place) -> tuple[dict[str, str], list[str]]:
    value = next(check for _, check in untouched(place) if check)
    other = "1" if value == "2" else "2"
    statement = f"UPDATE presentation SET instructed = '{other}' WHERE instructed = '{value}'"
    return {f'"first","{value}"': f'"first","{other}"'}, [statement]


def _practice(place: Place) -> tuple[dict[str, str], list[str]]:
    turn = {'"A","practice"': '"?"', '"B","practice"': '"A","practice"', '"?"': '"B","practice"'}
    return turn, ["UPDATE presentation SET first = iif(first = 'A', 'B', 'A') WHERE role = 'practice'"]


@pytest.mark.parametrize("forged", [_sides, _order, _instruction, _practice])
def test_a_whole_chain_that_the_seed_does_not_draw_is_refused(
    place: Place, forged: Callable[[Place], tuple[dict[str, str], list[str]]]
) -> None:
    """Somebody who can write the whole chain anew cannot have drawn what is in it."""
    change, statements = forged(place)
    tamper(place.made.database, *statements)
    forge(place.made.database, "assigned", change, "cay" if forged is _order else "")
    with pytest.raises(DamagedRecord, match="do not follow from the project's seed"):
        export(place.store, place.sealed, place.run)


def test_a_submission_told_of_as_another_is_refused(place: Place) -> None:
    """The body of an event is not all that it says."""
    with closing(sqlite3.connect(place.made.database)) as database:
        database.execute("DROP TRIGGER event_no_UPDATE")
        database.execute("UPDATE event SET kind = 'unsure' WHERE kind = 'skipped'")
        database.commit()
    forge(place.made.database, "", {})
    with pytest.raises(DamagedRecord, match="told of as others"):
        export(place.store, place.sealed, place.run)


def test_further_items_are_drawn_again_from_where_the_first_left_off(tmp_path: Path) -> None:
    from tests.app.projects import invited

    place = make_project(tmp_path, protocol=rules(items_each=3, repeats=1, repeat_gap=2, checks=1))
    store = place.store
    invited(store, "ann")
    invited(store, "ann", more=2)
    invited(store, "ann", more=3)
    close(store)
    assert export(store, place.sealed, place.run).counts == {"first": {"open": 8}, "repeat": {"open": 1}}
    tamper(store.path, "UPDATE presentation SET first = iif(first = 'A', 'B', 'A') WHERE batch = 3")
    turn = {'"A","first"': '"?"', '"B","first"': '"A","first"', '"?"': '"B","first"'}
    forge(store.path, "assigned", turn)
    with pytest.raises(DamagedRecord):
        export(place.store, place.sealed, place.run)


def test_a_quote_that_the_response_does_not_hold_is_refused(project: Place, store: Store) -> None:
    text = store.view(row_of(store, "ann")[0]).item.responses.A
    said = full()
    answer(store, "ann", 1, msgspec.structs.replace(said, quotes={"framing": (Quote("B", f"{text} and more"),)}))
    close(store)
    with pytest.raises(DamagedRecord, match="does not stand there"):
        export(store, project.sealed, project.run)


def test_a_sealed_file_that_says_another_design_is_refused(place: Place) -> None:
    sealed = place.sealed
    code, origin = next(iter(sealed.items.items()))
    design = msgspec.structs.replace(origin.design, block="control" if origin.design.block == "main" else "main")
    other = msgspec.structs.replace(origin, design=design)
    with pytest.raises(DamagedRecord, match=r"what \w+ was made from is not in this run"):
        export(place.store, msgspec.structs.replace(sealed, items=sealed.items | {code: other}), place.run)


def test_a_sealed_file_changed_where_nothing_else_tells_is_refused(place: Place) -> None:
    sealed = place.sealed
    code, origin = next(iter(sealed.items.items()))
    other = msgspec.structs.replace(origin, names_itself=("a name",))
    with pytest.raises(DamagedRecord, match="the sealed file is not the one"):
        export(place.store, msgspec.structs.replace(sealed, items=sealed.items | {code: other}), place.run)


def test_another_seed_is_another_project(place: Place) -> None:
    with pytest.raises(InputError, match="another project"):
        export(place.store, msgspec.structs.replace(place.sealed, seed=8), place.run)


@given(st.tuples(*[st.text()] * 5), st.integers(0, 2**63))
def test_an_event_s_hash_is_that_of_its_canonical_form(texts: tuple[str, ...], number: int) -> None:
    event = dict(zip(("annotator", "at", "body", "item", "kind"), texts, strict=True))
    event |= {"number": number, "prev": "0" * 64}
    assert event_hash(event) == hashlib.sha256(canonical(event)).hexdigest()
