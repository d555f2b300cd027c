"""Everything a project's database says about its people, in one consistent view, read table by table."""

from collections import defaultdict
from typing import Any, NamedTuple

import sqlalchemy
from sqlmodel import Session, col, select

from annotate_app.questions import Entry
from annotate_app.schema import (
    Annotator,
    Answer,
    Assent,
    Closure,
    Event,
    Flag,
    Item,
    Presentation,
    Release,
    Sheet,
    Trial,
    Withdrawal,
)
from annotate_app.sheets import entry_from
from polibias.domain.chains import Link


class StoredItem(NamedTuple):
    """An item as annotators get it; `lesson` is '' for an item of the study."""

    code: str
    stratum: str
    pair: str
    content: str
    lesson: str


class Shown(NamedTuple):
    """One place in one person's row, as it was drawn."""

    id: int
    annotator_id: int
    item: str
    batch: int
    position: int
    first: str
    role: str
    instructed: str
    options: str


class StoredSheet(NamedTuple):
    """One revision of the answers at one place."""

    revision: int
    state: str
    reason: str
    entry: Entry


class StoredFlag(NamedTuple):
    """What was reported about one place; `comment` is JSON."""

    reason: str
    comment: str


class Snapshot(NamedTuple):
    """The database at one moment. Places are in each person's order, sheets, flags and terms in theirs.

    `sheets` and `flags` are by presentation, `assents` (term, answer, text hash) and `trials` (attempt, right, asked,
    passed) by annotator id, `released` says by presentation why a place was given up.
    """

    people: dict[int, Annotator]
    items: dict[str, StoredItem]
    places: list[Shown]
    sheets: dict[int, list[StoredSheet]]
    flags: dict[int, list[StoredFlag]]
    assents: dict[int, list[tuple[str, str, str]]]
    trials: dict[int, list[tuple[int, int, int, int]]]
    withdrawn: set[int]
    released: dict[int, str]
    closed: bool
    events: list[Link]

    @property
    def study(self) -> list[Shown]:
        """The places of the study, practice apart."""
        return [place for place in self.places if place.role != "practice"]


def take(session: Session) -> Snapshot:
    """Read everything within one transaction."""
    people = session.exec(select(Annotator).order_by(col(Annotator.name))).all()
    for one in people:
        session.expunge(one)
    return Snapshot(
        people={one.id or 0: one for one in people},
        items={row[0]: StoredItem(*row) for row in _rows(session, Item, StoredItem._fields)},
        places=_places(session),
        sheets=_sheets(session),
        flags=_grouped(_rows(session, Flag, ("presentation_id", "reason", "comment"), "id"), StoredFlag),
        assents=_grouped(_rows(session, Assent, ("annotator_id", "term", "answer", "text_hash"), "id"), _tuple),
        trials=_grouped(
            _rows(session, Trial, ("annotator_id", "attempt", "right", "asked", "passed"), "attempt"), _tuple
        ),
        withdrawn={row[0] for row in _rows(session, Withdrawal, ("annotator_id",))},
        released=dict(_rows(session, Release, ("presentation_id", "reason"))),
        closed=session.get(Closure, 1) is not None,
        events=[Link(*row) for row in _rows(session, Event, Link._fields, "number")],
    )


def _rows(session: Session, table: type[Any], names: tuple[str, ...], *order: str) -> list[Any]:
    """Plain rows: an object for each event and answer would take most of an export's time."""
    query = sqlalchemy.select(*(getattr(table, name) for name in names))
    ordered = query.order_by(*(getattr(table, name) for name in order))
    return list(session.connection().execute(ordered).all())


def _places(session: Session) -> list[Shown]:
    names = tuple({"item": "item_code"}.get(name, name) for name in Shown._fields)
    return [Shown(*row) for row in _rows(session, Presentation, names, "annotator_id", "position")]


def _sheets(session: Session) -> dict[int, list[StoredSheet]]:
    answers: dict[int, dict[str, str | None]] = defaultdict(dict)
    for sheet, question, value in _rows(session, Answer, ("sheet_id", "question_id", "value")):
        answers[sheet][question] = value
    found: dict[int, list[StoredSheet]] = defaultdict(list)
    names = ("id", "presentation_id", "revision", "state", "reason", "notes")
    for id, presentation, revision, state, reason, notes in _rows(session, Sheet, names, "presentation_id", "revision"):
        found[presentation].append(StoredSheet(revision, state, reason, entry_from(answers[id], notes)))
    return dict(found)


def _tuple(*values: Any) -> tuple[Any, ...]:
    return values


def _grouped(rows: list[Any], made: Any) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for key, *rest in rows:
        found[key].append(made(*rest))
    return dict(found)
