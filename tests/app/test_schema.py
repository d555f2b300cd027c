"""What the database itself refuses, whatever the code above it does."""

import sqlite3
from collections.abc import Iterator

import pytest

from annotate_app.store import Store
from tests.app.conftest import annotator_id, full

Database = sqlite3.Connection


@pytest.fixture
def database(store: Store) -> Iterator[Database]:
    """A plain connection to a project in which ann has a draft (sheet 1) and a submitted sheet (sheet 2)."""
    ann = annotator_id(store, "ann")
    first, second = store.places(ann)[:2]
    store.submit(ann, first.presentation, 1, full())
    store.keep(ann, second.presentation, 1, full())
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    yield connection
    connection.close()


REFUSED = {
    "a score outside the scale": "UPDATE answer SET value = '9' WHERE sheet_id = 2 AND question_id = 'framing.score'",
    "an unknown side": "UPDATE answer SET value = '1' WHERE sheet_id = 2 AND question_id = 'framing.favoured'",
    "another question's value": "UPDATE answer SET value = 'A' WHERE sheet_id = 2 AND question_id = 'framing.score'",
    "an unknown question": "INSERT INTO answer (sheet_id, question_id) VALUES (2, 'charm.score')",
    "a new question": "UPDATE question SET id = 'charm.score' WHERE id = 'framing.score'",
    "a taken choice": "DELETE FROM choice WHERE value = '3'",
    "an incomplete submission": "UPDATE answer SET value = NULL WHERE sheet_id = 2 AND question_id = 'framing.score'; "
    "UPDATE sheet SET state = 'submitted' WHERE id = 2",
    "a submission with a row missing": "DELETE FROM answer WHERE sheet_id = 2 AND question_id = 'framing.favoured'; "
    "UPDATE sheet SET state = 'submitted' WHERE id = 2",
    "a sheet that was never drafted": "INSERT INTO sheet (presentation_id, revision, state, comment, touched_at) "
    "VALUES (3, 1, 'submitted', '\"\"', '')",
    "a second draft": "INSERT INTO sheet (presentation_id, revision, state, comment, touched_at) "
    "SELECT presentation_id, 2, 'draft', '\"\"', '' FROM sheet WHERE id = 2",
    "an unknown state": "UPDATE sheet SET state = 'lost' WHERE id = 2",
    "a changed submission": "UPDATE answer SET value = '1' WHERE sheet_id = 1 AND question_id = 'framing.score'",
    "a removed submission": "DELETE FROM answer WHERE sheet_id = 1",
    "a submission turned back into a draft": "UPDATE sheet SET state = 'draft' WHERE id = 1",
    "a changed event": "UPDATE event SET body = '{}' WHERE number = 1",
    "a removed event": "DELETE FROM event WHERE number = 1",
    "a moved presentation": "UPDATE presentation SET position = 99 WHERE id = 1",
    "a turned presentation": "UPDATE presentation SET first = 'A'",
    "an item shown twice to one annotator": "INSERT INTO presentation (annotator_id, item_code, position, first) "
    "SELECT annotator_id, item_code, 99, first FROM presentation WHERE id = 1",
    "a changed text": "UPDATE item SET content = '{}'",
    "a second project": "INSERT INTO project SELECT 2, name, kind, rubric, seed, genesis, created_at FROM project",
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(database: Database, name: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        database.executescript(REFUSED[name])


def test_the_refusals_are_the_only_obstacle(database: Database) -> None:
    """The same sheets do accept what is right, so the refusals above are not accidents of the test."""
    database.execute("UPDATE answer SET value = '1' WHERE sheet_id = 2 AND question_id LIKE '%.score'")
    database.execute("UPDATE answer SET value = 'B' WHERE sheet_id = 2 AND question_id LIKE '%.favoured'")
    database.execute("UPDATE sheet SET state = 'submitted' WHERE id = 2")
