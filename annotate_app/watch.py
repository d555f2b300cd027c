"""What a coordinator may know: who is where, which items have whom, what happened when. Never what was answered.

`READABLE` is the whole of it. A `Watched` database refuses, in SQLite itself, to read anything else and to write at
all, so that a process that opens no other cannot show an answer, a comment, a reason, a quote, or an event's body.
"""

import datetime
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import sqlalchemy
from sqlalchemy import SQLColumnExpression, event, func
from sqlmodel import Session, col, select

from annotate_app import chain
from annotate_app.database import Database, check_layout
from annotate_app.protocol import AnnotationProtocol
from annotate_app.schema import (
    Annotator,
    Assent,
    Closure,
    Event,
    Flag,
    Item,
    Presentation,
    Project,
    Release,
    Sheet,
    Withdrawal,
)
from annotate_app.sheets import Place, places
from annotate_app.slots import last_activity
from annotate_app.standing import standing_of

READABLE: dict[str, frozenset[str]] = {
    "sqlite_master": frozenset({"name"}),
    "alembic_version": frozenset({"version_num"}),
    "project": frozenset({"name", "protocol"}),
    "annotator": frozenset({"id", "name"}),
    "assent": frozenset(Assent.model_fields),
    "closure": frozenset(Closure.model_fields),
    "withdrawal": frozenset(Withdrawal.model_fields),
    "trial": frozenset({"annotator_id", "attempt", "passed"}),
    "item": frozenset({"code", "lesson"}),
    "presentation": frozenset({"id", "annotator_id", "item_code", "position", "role"}),
    "release": frozenset({"presentation_id"}),
    "sheet": frozenset({"presentation_id", "revision", "state", "touched_at"}),
    "flag": frozenset({"id", "presentation_id"}),
    "event": frozenset({"number", "at", "kind", "annotator", "item", "hash"}),
}
"""Every column by table that a coordinator's page may be made of."""

HARMLESS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION)
WAITING = ("invited", "practice", "at work")


class Standing(NamedTuple):
    """One annotator's progress over the items of the study, repeats included.

    `stage` is invited, declined, practice, failed practice, at work, done or withdrawn. `left` counts items skipped or
    marked unsure. `last_activity` is UTC, None if there was none beyond being invited; `stalled` says that it was so
    long ago that open places may go to others. Nobody is stalled once the study is closed.
    """

    annotator: str
    stage: str
    submitted: int
    left: int
    total: int
    flags: int
    last_activity: str | None
    stalled: bool

    @property
    def open(self) -> int:
        """The places that are still to be done."""
        return self.total - self.submitted - self.left if self.stage in WAITING else 0


class Coverage(NamedTuple):
    """One item: how many people have it, how many of them are done with it, and how many there should be.

    `wanted` is the overlap, or everybody who takes part. `flags` counts what was reported about it.
    """

    item: str
    assigned: int
    done: int
    wanted: int
    flags: int


class Board(NamedTuple):
    """A project at one moment. `events` and `head` are length and last hash of its event chain, unchecked."""

    project: str
    closed_at: str | None
    annotators: list[Standing]
    items: list[Coverage]
    events: int
    head: str


class Happening(NamedTuple):
    """An event without its body."""

    number: int
    at: str
    kind: str
    annotator: str
    item: str


class Happenings(NamedTuple):
    """Some events, newest first, and how many there are of their kind in all."""

    shown: list[Happening]
    total: int


class Watched(Database):
    """A project's database as a coordinator's page sees it: nothing but `READABLE`, and nothing to write."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        event.listen(self.engine, "connect", _guard)

    def project(self) -> str:
        """The project's name."""
        with self.reading() as session:
            return session.exec(select(Project.name)).one()

    def board(self) -> Board:
        """Everybody's and every item's progress."""
        with self.reading() as session:
            return board(session)

    def names(self) -> list[str]:
        """The annotators' names."""
        with self.reading() as session:
            return list(session.exec(select(Annotator.name).order_by(col(Annotator.name))).all())

    def kinds(self) -> list[str]:
        """The kinds of events there are."""
        with self.reading() as session:
            return list(session.exec(select(Event.kind).distinct().order_by(col(Event.kind))).all())

    def happenings(self, annotator: str, kind: str, skip: int, most: int) -> Happenings:
        """At most `most` events after the newest `skip`, of one annotator and of one kind; '' is any."""
        wanted = [col(Event.annotator) == annotator] * bool(annotator) + [col(Event.kind) == kind] * bool(kind)
        columns = sqlalchemy.select(*(getattr(Event, name) for name in Happening._fields)).where(*wanted)
        with self.reading() as session:
            total = session.exec(select(func.count(col(Event.number))).where(*wanted)).one()
            newest = columns.order_by(col(Event.number).desc()).offset(skip).limit(most)
            found = session.connection().execute(newest).all()
        return Happenings([Happening(*one) for one in found], total)


def _guard(connection: sqlite3.Connection, _: object) -> None:
    connection.set_authorizer(_allowed)


def _allowed(action: int, table: str | None, column: str | None, _: str | None, __: str | None) -> int:
    """SQLite asks this about every part of a statement before it runs any. A count of rows reads the column ''."""
    if action in HARMLESS or (action == sqlite3.SQLITE_READ and column in {"", *READABLE.get(table or "", ())}):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def open_watched(path: Path) -> Watched:
    """The database at `path`. Raises InputError if it was laid out by another version."""
    found = Watched(path)
    check_layout(found)
    return found


@cache
def shared_watched(path: Path) -> Watched:
    """The one such database of this process for `path`."""
    return open_watched(path)


def board(session: Session) -> Board:
    """The project as it stands, inside the caller's transaction."""
    project, rules = session.exec(select(Project.name, Project.protocol)).one()
    protocol = msgspec.convert(json.loads(rules), type=AnnotationProtocol)
    closure = session.get(Closure, 1)
    people = _standings(session, protocol, closure is not None)
    number, head = session.exec(select(Event.number, Event.hash).order_by(col(Event.number).desc()).limit(1)).one()
    staying = {who for who, one in people.items() if one.stage in (*WAITING, "done")}
    items = _coverage(session, staying, protocol.assignment.overlap or len(staying))
    return Board(project, closure.at if closure else None, list(people.values()), items, number, head)


def _standings(session: Session, protocol: AnnotationProtocol, over: bool) -> dict[int, Standing]:
    """Every annotator by number, in the order of their names."""
    heard, latest, flags = _heard(session), last_activity(session), _flags(session, col(Presentation.annotator_id))
    since = _since(protocol)
    found = {}
    for number, name in session.exec(select(Annotator.id, Annotator.name).order_by(col(Annotator.name))).all():
        who, at = number or 0, heard.get(name)
        practice, row = _halves(places(session, who))
        stage = _stage(session, protocol, who, practice, row, at is not None)
        finished = Counter(place.state for place in row if not place.open)
        stalled = not over and stage in WAITING and latest.get(who, "") <= since
        left = finished["skipped"] + finished["unsure"]
        found[who] = Standing(name, stage, finished["submitted"], left, len(row), flags[who], at, stalled)
    return found


def _halves(row: Iterable[Place]) -> tuple[list[Place], list[Place]]:
    """The practice items of a row, and the others."""
    halves: tuple[list[Place], list[Place]] = ([], [])
    for place in row:
        halves[place.role != "practice"].append(place)
    return halves


def _heard(session: Session) -> dict[str, str]:
    """When each annotator last did something, by name."""
    theirs = select(Event.annotator, func.max(col(Event.at))).where(col(Event.kind).not_in(chain.NOT_THEIR_OWN))
    return dict(session.exec(theirs.group_by(col(Event.annotator))).all())


def _flags(session: Session, by: SQLColumnExpression[Any]) -> Counter[Any]:
    """How often something was reported, by annotator or by item."""
    query = select(by, func.count(col(Flag.id))).join_from(Presentation, Flag).group_by(by)
    return Counter(dict(session.exec(query).all()))


def _stage(
    session: Session,
    protocol: AnnotationProtocol,
    who: int,
    practice: Sequence[Place],
    row: Sequence[Place],
    heard: bool,
) -> str:
    standing = standing_of(session, who)
    if standing.withdrawn:
        return "withdrawn"
    if standing.declined():
        return "declined"
    if standing.failed(protocol):
        return "failed practice"
    if not heard:
        return "invited"
    if any(place.open for place in practice):
        return "practice"
    return "at work" if any(place.open for place in row) else "done"


def _since(protocol: AnnotationProtocol) -> str:
    hours = datetime.timedelta(hours=protocol.assignment.reopen_after_hours)
    return chain.stamp(datetime.datetime.now(datetime.UTC) - hours)


def _coverage(session: Session, staying: Collection[int], wanted: int) -> list[Coverage]:
    """Every item of the study. What somebody who left had not finished is before nobody."""
    shown = select(Presentation.id, Presentation.item_code, Presentation.annotator_id)
    held = shown.where(Presentation.role == "first", col(Presentation.id).not_in(select(Release.presentation_id)))
    finished = set(session.exec(select(Sheet.presentation_id).where(Sheet.state != "draft")).all())
    assigned, done, flags = Counter[str](), Counter[str](), _flags(session, col(Presentation.item_code))
    for number, code, who in session.exec(held).all():
        done[code] += number in finished
        assigned[code] += number in finished or who in staying
    study = session.exec(select(Item.code).where(Item.lesson == "").order_by(col(Item.code))).all()
    return [Coverage(code, assigned[code], done[code], wanted, flags[code]) for code in study]
