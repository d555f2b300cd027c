"""What the database itself refuses, whatever the code above it does."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate_app import schema
from annotate_app.chain import now
from annotate_app.database import engine_for
from tests.app.conftest import annotator_id
from tests.app.projects import complete, made, rules

NOW = "2026-01-01T00:00:00.000Z"
PRESENTED = "INSERT INTO presentation (annotator_id, item_code, batch, position, first, role, instructed, options) "
DRAFTED = "INSERT INTO sheet (presentation_id, revision, state, reason, notes, touched_at) "


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection to a project.

    Of ann's places the first is submitted (sheet 1) and the second, which carries an instructed response, has a draft
    that wants nothing but the response to it (sheet 2).
    """
    store = made(tmp_path, rules(checks=1), "ann", "bob", items=2)
    ann = annotator_id(store, "ann")
    first, second = store.places(ann)
    store.submit(ann, first.presentation, 1, complete())
    store.keep(ann, second.presentation, 1, complete())
    store.flag(ann, second.presentation, "other", "")
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    yield connection
    connection.close()


def answering(value: str, question: str = "tone.score", sheet: int = 2) -> str:
    return f"UPDATE answer SET value = {value} WHERE sheet_id = {sheet} AND question_id = '{question}'"


SUBMIT = "UPDATE sheet SET state = 'submitted' WHERE id = 2"
CHECKED = "INSERT INTO answer SELECT 2, 'check.answer', instructed FROM presentation WHERE id = 2;"
CLOSED = f"INSERT INTO closure VALUES (1, '{NOW}'); "

REFUSED = {
    "a score outside the scale": answering("'9'"),
    "an unknown side": answering("'1'", "tone.favoured"),
    "another question's value": answering("'A'"),
    "an unknown question": "INSERT INTO answer VALUES (2, 'charm.score', NULL)",
    "an answer to nothing": "INSERT INTO answer VALUES (99, 'tone.score', '1')",
    "a second answer": "INSERT INTO answer VALUES (2, 'tone.score', '1')",
    "a new question": "UPDATE question SET id = 'charm.score' WHERE id = 'tone.score'",
    "a taken choice": "DELETE FROM choice WHERE value = '1'",
    "an incomplete submission": f"{CHECKED} {answering('NULL')}; {SUBMIT}",
    "a submission with a row missing": f"{CHECKED} DELETE FROM answer WHERE question_id = 'tone.score' "
    f"AND sheet_id = 2; {SUBMIT}",
    "a submission without the instructed response": SUBMIT,
    "a response instead of an answer": f"{CHECKED} {answering('NULL')}; {SUBMIT}",
    "a response that nobody asked for": f"{DRAFTED} VALUES (1, 2, 'draft', '', '{{}}', '{NOW}'); INSERT INTO answer "
    "SELECT 3, question_id, value FROM answer WHERE sheet_id = 1; INSERT INTO answer VALUES (3, 'check.answer', '1'); "
    "UPDATE sheet SET state = 'submitted' WHERE id = 3",
    "a sheet that was never drafted": f"{DRAFTED} VALUES (3, 1, 'submitted', '', '{{}}', '{NOW}')",
    "a second draft": f"{DRAFTED} VALUES (2, 2, 'draft', '', '{{}}', '{NOW}')",
    "a second sheet of one revision": f"{DRAFTED} VALUES (1, 1, 'draft', '', '{{}}', '{NOW}')",
    "revision zero": f"{DRAFTED} VALUES (3, 0, 'draft', '', '{{}}', '{NOW}')",
    "an unknown state": "UPDATE sheet SET state = 'lost' WHERE id = 2",
    "a skip without a reason": "UPDATE sheet SET state = 'skipped' WHERE id = 2",
    "a reason without a skip": "UPDATE sheet SET reason = 'other' WHERE id = 2",
    "a changed submission": answering("'1'", sheet=1),
    "a removed submission": "DELETE FROM answer WHERE sheet_id = 1",
    "an answer added to a submission": "INSERT INTO answer VALUES (1, 'check.answer', '1')",
    "an answer moved into a submission": "DELETE FROM answer WHERE sheet_id = 2 AND question_id <> 'tone.score'; "
    "UPDATE answer SET sheet_id = 1, question_id = 'check.answer', value = '1' WHERE sheet_id = 2",
    "a changed remark": "UPDATE sheet SET notes = '{\"comments\":{}}' WHERE id = 1",
    "a submission turned back into a draft": "UPDATE sheet SET state = 'draft' WHERE id = 1",
    "a removed sheet": "DELETE FROM sheet WHERE id = 1",
    "a sheet moved to another place": "UPDATE sheet SET presentation_id = 3 WHERE id = 2",
    "a changed event": "UPDATE event SET body = '{}' WHERE number = 1",
    "a removed event": "DELETE FROM event WHERE number = 1",
    "a moved presentation": "UPDATE presentation SET position = 99 WHERE id = 1",
    "a turned presentation": "UPDATE presentation SET first = 'A'",
    "a removed presentation": "DELETE FROM presentation WHERE id = 4",
    "an item shown twice to one annotator": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'first', '', '' "
    "FROM presentation WHERE id = 1",
    "two items at one place": f"{PRESENTED} SELECT 1, item_code, 1, 1, 'A', 'repeat', '', '' FROM presentation "
    "WHERE id = 1",
    "an unknown side first": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'C', 'repeat', '', '' FROM presentation",
    "an unknown role": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'third', '', '' FROM presentation",
    "an unknown instruction": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'first', '6', '' FROM presentation",
    "an instructed repeat": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'repeat', '5', '' FROM presentation",
    "practice in a share": f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'practice', '', '' FROM presentation",
    "a place before the first": f"{PRESENTED} SELECT 1, item_code, 1, 0, 'A', 'repeat', '', '' FROM presentation",
    "an item that there is not": f"{PRESENTED} VALUES (1, 'no-such-code', 1, 9, 'A', 'first', '', '')",
    "a changed text": "UPDATE item SET content = '{}'",
    "a changed name": "UPDATE annotator SET name = 'eve' WHERE id = 1",
    "a second spelling of one person": f"INSERT INTO annotator VALUES (9, 'Ann', 'ann', '{NOW}')",
    "a changed flag": "UPDATE flag SET reason = 'none'",
    "an unknown term": f"INSERT INTO assent VALUES (1, 1, 'marriage', 'yes', '', '{NOW}')",
    "neither yes nor no": f"INSERT INTO assent VALUES (1, 1, 'consent', 'perhaps', '', '{NOW}')",
    "more right than asked": f"INSERT INTO trial VALUES (1, 1, 3, 2, 1, '{NOW}')",
    "half passed": f"INSERT INTO trial VALUES (1, 1, 1, 2, 2, '{NOW}')",
    "attempt zero": f"INSERT INTO trial VALUES (1, 0, 1, 2, 1, '{NOW}')",
    "an unknown release": f"INSERT INTO release VALUES (1, 'bored', '{NOW}')",
    "a link given to another": "UPDATE invite SET annotator_id = 2 WHERE id = 1",
    "a link with another token": "UPDATE invite SET token_hash = 'x' WHERE id = 1",
    "a removed link": "DELETE FROM invite",
    "a link revived": f"UPDATE invite SET revoked_at = '{NOW}'; UPDATE invite SET revoked_at = NULL",
    "a second project": "INSERT INTO project SELECT 2, name, kind, scheme, protocol, address, pair_key, seed, genesis, "
    "created_at FROM project",
    "a second end": f"{CLOSED} INSERT INTO closure VALUES (2, '{NOW}')",
    "a study opened again": f"{CLOSED} DELETE FROM closure",
    "an answer after the end": f"{CLOSED} {answering('NULL')}",
    "a submission after the end": f"{CHECKED} {CLOSED} {SUBMIT}",
    "a draft after the end": f"{CLOSED} {DRAFTED} VALUES (3, 1, 'draft', '', '{{}}', '{NOW}')",
    "a draft removed after the end": f"{CLOSED} DELETE FROM answer WHERE sheet_id = 2",
    "a flag after the end": f"{CLOSED} INSERT INTO flag VALUES (9, 1, 'other', '\"\"', '{NOW}')",
    "somebody new after the end": f"{CLOSED} INSERT INTO annotator VALUES (9, 'eve', 'eve', '{NOW}')",
    "a practice outcome after the end": f"{CLOSED} INSERT INTO trial VALUES (1, 1, 1, 2, 1, '{NOW}')",
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(database: sqlite3.Connection, name: str) -> None:
    *before, last = [part for part in REFUSED[name].split(";") if part.strip()]
    for statement in before:
        database.execute(statement)
    with pytest.raises(sqlite3.IntegrityError):
        database.execute(last)


def test_the_refusals_are_the_only_obstacle(database: sqlite3.Connection) -> None:
    """The same sheets do accept what is right, so the refusals above are not accidents of the test."""
    database.execute("UPDATE answer SET value = '1' WHERE sheet_id = 2 AND question_id LIKE '%.score'")
    database.execute("UPDATE answer SET value = 'B' WHERE sheet_id = 2 AND question_id LIKE '%.favoured'")
    database.execute(CHECKED)
    database.execute(SUBMIT)
    database.execute(f"INSERT INTO release VALUES (3, 'abandoned', '{NOW}')")
    database.execute(f"{PRESENTED} SELECT 1, item_code, 1, 9, 'A', 'repeat', '', '' FROM presentation WHERE id = 1")
    database.execute(CLOSED)
    database.execute(f"INSERT INTO withdrawal VALUES (1, '{NOW}')")


TIMES = {
    "project": "created_at",
    "annotator": "enrolled_at",
    "invite": "created_at, revoked_at",
    "visit": "opened_at, ends_at",
    "assent": "at",
    "release": "at",
    "sheet": "touched_at",
    "flag": "at",
    "trial": "at",
    "withdrawal": "at",
    "closure": "at",
    "event": "at",
}
NO_TIMES = [
    "",
    "now",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00.000+00:00",
    "2026-01-01 00:00:00.000Z",
    "2026-01-01T00:00:00.000Z ",
    "2026-21-01T00:00:00.000Z",
    "2026-01-01T00:60:00.000Z",
    "2026-01-01T00:00:00.0000Z",
    "٢٠٢٦-01-01T00:00:00.000Z",
]


@pytest.mark.parametrize("time", NO_TIMES)
def test_what_is_no_utc_time_is_refused_in_every_column_of_times(tmp_path: Path, time: str) -> None:
    """Tried on copies of the tables without their triggers and keys, so that nothing but the check can refuse."""
    engine = engine_for(tmp_path / "declared.db")
    schema.SQLModel.metadata.create_all(engine)
    engine.dispose()
    connection = sqlite3.connect(tmp_path / "declared.db")
    for table, columns in TIMES.items():
        for column in columns.split(", "):
            fields = {**fields_of(connection, table), column: time}
            with pytest.raises(sqlite3.IntegrityError, match=f"CHECK constraint failed: {column}_is_utc"):
                insert(connection, table, fields)
            insert(connection, table, {**fields, column: NOW})
            connection.rollback()
    connection.close()


def fields_of(connection: sqlite3.Connection, table: str) -> dict[str, object]:
    """A row of this table that its checks accept."""
    valid: dict[str, object] = {
        "term": "consent",
        "answer": "yes",
        "reason": "abandoned",
        "state": "draft",
        "asked": 1,
        "passed": 1,
        "role": "first",
    }
    columns = [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
    times = {name: NOW for name, _ in columns if name.endswith("_at") or name == "at"}
    plain = {name: 1 if kind == "INTEGER" else "x" for name, kind in columns}
    fields = {**plain, **{name: valid[name] for name in plain if name in valid}, **times}
    return {**fields, "reason": ""} if table == "sheet" else fields


def insert(connection: sqlite3.Connection, table: str, fields: dict[str, object]) -> None:
    names = ", ".join(f'"{name}"' for name in fields)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(fields))})", [*fields.values()])


def test_every_column_of_times_is_known_to_the_test_above(database: sqlite3.Connection) -> None:
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {
        name: ", ".join(row[1] for row in database.execute(f"PRAGMA table_info({name})") if row[1].endswith("at"))
        for name in tables
    }
    assert {name: columns for name, columns in found.items() if columns} == TIMES


def test_a_row_replaced_through_the_apps_own_connection_is_a_row_removed(tmp_path: Path) -> None:
    store = made(tmp_path, rules(), "ann")
    replaced = "INSERT OR REPLACE INTO event SELECT number, at, kind, annotator, item, '{}', prev, hash FROM event"
    with pytest.raises(Exception, match="never edited"), store.writing() as session:
        session.connection().exec_driver_sql(replaced)


def test_times_are_utc_with_milliseconds() -> None:
    assert len(now()) == len(NOW)
    assert now().endswith("Z")
