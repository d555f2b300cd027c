"""The one door to a project's `blind.db`. The database is the only truth; pages hold ids and what is on the screen.

Writers take SQLite's write lock at once (BEGIN IMMEDIATE) and commit one transaction per click. What a
method reports as saved was read back after the commit.
"""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Session, select

from annotate_app import chain, schema, sheets
from annotate_app.blind import BlindItem, Entry, Question, gaps, merged, settle
from annotate_app.schema import Annotator, Item, Presentation, Project
from annotate_app.sheets import Place, first_open
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Side
from polibias.errors import InputError, StorageError

__all__ = ["Place", "Receipt", "Store", "View", "find", "first_open", "open_store", "shared_store"]

FILE = "blind.db"
BUSY_SECONDS = 15


class View(NamedTuple):
    """Everything a page needs to show one place: the item, which side comes first, and what was said so far."""

    place: Place
    item: BlindItem
    first: Side
    entry: Entry


class Receipt(NamedTuple):
    """What became of a click.

    `saved`: stored and read back. `unchanged`: there was nothing to store. `incomplete`: kept as a draft, `gaps`
    are missing. `repeated`: exactly this is submitted already (a second click). `late`: something else is (a click
    after the submission, another window). The last two touch nothing.
    """

    outcome: Literal["saved", "unchanged", "incomplete", "repeated", "late"]
    gaps: tuple[Question, ...] = ()


class Store:
    """A project's database. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = engine_for(path)
        self._turn = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the database."""
        with self._said_plainly(), Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: all of it is stored when the block ends, or none of it.

        Raises StorageError if the database cannot be written.
        """
        with self._turn, self._said_plainly():
            writer = self._engine.execution_options(immediate=True)
            with Session(writer) as session, session.begin():
                yield session

    @contextmanager
    def _said_plainly(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            raise StorageError(f"{self.path}: {error.orig}; nothing was half-written, try again") from None
        except DatabaseError as error:
            if isinstance(error.orig, sqlite3.IntegrityError):
                raise StorageError(f"{self.path}: refused: {error.orig}") from None
            raise StorageError(f"{self.path}: not a readable project database ({error.orig})") from None

    @cached_property
    def project(self) -> Project:
        with self.reading() as session:
            found = session.exec(select(Project)).one()
            session.expunge(found)
            return found

    @cached_property
    def rubric(self) -> Rubric:
        return msgspec.convert(json.loads(self.project.rubric), type=Rubric)

    def record(self, session: Session, kind: chain.Kind, annotator: str, item: str, body: dict[str, Any]) -> None:
        """Append an event to the chain within the transaction at hand."""
        chain.record(session, self.project.genesis, kind, annotator, item, body)

    def places(self, annotator_id: int) -> list[Place]:
        """The annotator's row of presentations, by position."""
        with self.reading() as session:
            return sheets.places(session, annotator_id)

    def view(self, place: Place) -> View:
        """What stands at a place."""
        with self.reading() as session:
            item, presentation = _shown(session, place.presentation)
            side: Side = "A" if presentation.first == "A" else "B"
            return View(place, read_item(item), side, sheets.standing(session, place))

    def opened(self, place: Place) -> None:
        """Record that a place was put before its annotator."""
        with self.writing() as session:
            self._event(session, "opened", place, {"position": place.position, "revision": place.revision})

    def keep(self, annotator_id: int, presentation: int, revision: int, given: Entry) -> Receipt:
        """Store what stands on the screen as the draft of `revision`; blanks leave what is stored."""
        with self.writing() as session:
            place = sheets.current(session, annotator_id, presentation, revision)
            if place is None:
                return self._overtaken(session, annotator_id, presentation, revision, given)
            now = merged(self.rubric, sheets.standing(session, place), given)
            if not self._draft(session, place, now):
                return Receipt("unchanged")
        self._read_back(presentation, revision, now)
        return Receipt("saved")

    def submit(self, annotator_id: int, presentation: int, revision: int, given: Entry) -> Receipt:
        """Submit what stands on the screen as `revision`, once: a second click comes late and changes nothing."""
        missing = tuple(gaps(self.rubric, settle(self.rubric, given).answers))
        with self.writing() as session:
            place = sheets.current(session, annotator_id, presentation, revision)
            if place is None:
                return self._overtaken(session, annotator_id, presentation, revision, given)
            now = merged(self.rubric, sheets.standing(session, place), given)
            begun = self._draft(session, place, now) or place.draft is not None
            if missing:
                return Receipt("incomplete", missing)
            if not begun:
                return Receipt("unchanged")
            if not sheets.finish(session, place):
                return Receipt("late")
            self._event(session, "revised" if place.submitted else "submitted", place, _submission(revision, now))
        self._read_back(presentation, revision, now)
        return Receipt("saved")

    def discard(self, annotator_id: int, presentation: int, revision: int) -> Receipt:
        """Forget a draft; what was submitted before stands again."""
        with self.writing() as session:
            place = sheets.current(session, annotator_id, presentation, revision)
            if place is None:
                return Receipt("late")
            if not sheets.drop_draft(session, place):
                return Receipt("unchanged")
            self._event(session, "discarded", place, {"revision": revision})
        return Receipt("saved")

    def _draft(self, session: Session, place: Place, given: Entry) -> bool:
        changed = sheets.write_draft(session, place, given)
        if changed:
            self._event(session, "draft", place, {"revision": place.revision, "changed": changed})
        return bool(changed)

    def _overtaken(
        self, session: Session, annotator_id: int, presentation: int, revision: int, given: Entry
    ) -> Receipt:
        """What to say to a click whose revision is no longer awaited."""
        own = any(place.presentation == presentation for place in sheets.places(session, annotator_id))
        done = sheets.entry(session, presentation, revision) if own else None
        return Receipt("repeated" if done and merged(self.rubric, done, given) == done else "late")

    def _event(self, session: Session, kind: chain.Kind, place: Place, body: dict[str, Any]) -> None:
        presentation = session.get_one(Presentation, place.presentation)
        annotator = session.get_one(Annotator, presentation.annotator_id)
        self.record(session, kind, annotator.name, presentation.item_code, body)

    def _read_back(self, presentation: int, revision: int, given: Entry) -> None:
        with self.reading() as session:
            if sheets.entry(session, presentation, revision) != given:
                raise StorageError(f"{self.path}: what was written could not be read back; try again")


def _submission(revision: int, given: Entry) -> dict[str, Any]:
    """What the chain keeps of a submission: all of it."""
    return {"revision": revision, "answers": given.answers, "comment": given.comment}


def _shown(session: Session, presentation_id: int) -> tuple[Item, Presentation]:
    presentation = session.get_one(Presentation, presentation_id)
    return session.get_one(Item, presentation.item_code), presentation


def read_item(item: Item) -> BlindItem:
    """The stored texts as a value."""
    return msgspec.convert({"code": item.code, **json.loads(item.content)}, type=BlindItem)


def find(name: str, projects: Path) -> Path:
    """The database of the project called `name`. Raises InputError if there is none."""
    path = projects / name / FILE
    if not path.is_file():
        raise InputError(f"{path}: no such project; make it with: polibias-annotate create RUN --project {name}")
    return path


def open_store(path: Path) -> Store:
    """The store at `path`. Raises InputError if it is missing or was laid out by another version."""
    if not path.is_file():
        raise InputError(f"{path}: no such project database")
    store = Store(path)
    with store.reading() as session:
        version = session.connection().exec_driver_sql("PRAGMA user_version").scalar_one()
    if version != schema.VERSION:
        raise InputError(f"{path}: laid out as version {version}, this program reads version {schema.VERSION}")
    return store


@cache
def shared_store(path: Path) -> Store:
    """The one store of this process for `path`, so that its writers take turns and its connections are reused."""
    return open_store(path)


def engine_for(path: Path) -> Engine:
    """A database engine whose transactions begin when ours do, with the write lock where one is asked for."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        pool_timeout=BUSY_SECONDS,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """Hand transactions over to `_begin`; write through to the disk at every commit."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
