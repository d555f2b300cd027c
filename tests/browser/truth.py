"""What the database holds, read with plain SQL: the page's word is checked against it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

from playwright.sync_api import Page

from tests.browser.conftest import PATIENCE, Server

LOOK_AGAIN = 50


class Stored(NamedTuple):
    """One sheet as it lies in the database. `answers` are by question id, `comments` and `quotes` by part."""

    position: int
    code: str
    role: str
    first: str
    instructed: str
    revision: int
    state: str
    reason: str
    answers: dict[str, str | None]
    comments: dict[str, str]
    quotes: dict[str, list[dict[str, str]]]

    def score(self, dimension: str) -> tuple[str | None, str | None]:
        return self.answers.get(f"{dimension}.score"), self.answers.get(f"{dimension}.favoured")


def query(server: Server, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{server.place.made.database}?mode=ro", uri=True)) as connection:
        return connection.execute(sql, values).fetchall()


def sheets(server: Server, name: str) -> list[Stored]:
    """Every sheet of one annotator, by position and revision."""
    found = query(
        server,
        "SELECT s.id, p.position, p.item_code, p.role, p.first, p.instructed, s.revision, s.state, s.reason, s.notes"
        " FROM sheet s JOIN presentation p ON p.id = s.presentation_id JOIN annotator a ON a.id = p.annotator_id"
        " WHERE a.name = ? ORDER BY p.position, s.revision",
        name,
    )
    return [_stored(server, *row) for row in found]


def _stored(server: Server, sheet: int, *rest: Any) -> Stored:
    *fields, notes = rest
    answers = dict(query(server, "SELECT question_id, value FROM answer WHERE sheet_id = ?", sheet))
    said = json.loads(notes)
    return Stored(*fields, answers, said.get("comments", {}), said.get("quotes", {}))


def states(server: Server, name: str) -> list[tuple[int, int, str]]:
    """Position, revision and state of every sheet."""
    return [(one.position, one.revision, one.state) for one in sheets(server, name)]


def events(server: Server, name: str, *left_out: str) -> list[tuple[str, dict[str, Any]]]:
    """Kind and body of everything that the chain tells of one annotator."""
    found = query(server, "SELECT kind, body FROM event WHERE annotator = ? ORDER BY number", name)
    return [(kind, json.loads(body)) for kind, body in found if kind not in left_out]


def kinds(server: Server, name: str) -> list[str]:
    """The kinds of those events, without what only says that somebody came and looked."""
    return [kind for kind, _ in events(server, name, "opened", "invited", "assigned", "redeemed")]


def presentations(server: Server, name: str) -> int:
    """How many places an annotator's row has."""
    sql = "SELECT count(*) FROM presentation p JOIN annotator a ON a.id = p.annotator_id WHERE a.name = ?"
    return int(query(server, sql, name)[0][0])


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Look at the database again and again until it says so; no page can be asked to wait for that."""
    for _ in range(PATIENCE // LOOK_AGAIN):
        if holds():
            return
        page.wait_for_timeout(LOOK_AGAIN)
    raise AssertionError("the database never came to hold this")
