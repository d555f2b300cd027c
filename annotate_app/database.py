"""One project database on disk: who may read and write it at the same time, and how what it refuses is said.

Writers take SQLite's write lock at once (BEGIN IMMEDIATE) and commit one transaction at a time; readers see one
consistent view (WAL).
"""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlmodel import Session

from annotate_app import schema
from polibias.errors import InputError, StorageError

FILE = "blind.db"
BUSY_SECONDS = 15
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
"""How a project is called: its name is a folder's and a file's."""


class Database:
    """A project's database. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = engine_for(path)
        self._turn = threading.RLock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """No other thread of this process writes here in the meantime: what was written can be read back."""
        with self._turn:
            yield

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the database."""
        with self._said_plainly(), Session(self.engine) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: all of it is stored when the block ends, or none of it.

        Raises StorageError if the database cannot be written.
        """
        with self.turn(), self._said_plainly():
            writer = self.engine.execution_options(immediate=True)
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
        except NoConnection:
            raise StorageError(f"{self.path}: too much to do at once; nothing was half-written, try again") from None

    def close(self) -> None:
        """Give every connection back."""
        self.engine.dispose()

    def revision(self) -> str:
        """The migration that the database was last laid out by, '' if none did."""
        with self.reading() as session:
            connection = session.connection()
            tables = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
            if not connection.exec_driver_sql(tables).scalar_one():
                return ""
            return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() or "")


def check_layout(database: Database) -> None:
    """Raises InputError unless the database is laid out as this program reads it."""
    found = database.revision()
    if found == schema.REVISION:
        return
    if not found:
        raise InputError(
            f"{database.path}: laid out by a version that this program no longer reads; make the project again"
        )
    advice = "bring it up to date with: polibias-annotate upgrade PROJECT"
    if found > schema.REVISION:
        advice = "use the version of this program that made it, or a later one"
    raise InputError(f"{database.path}: laid out as {found:.40}, this program reads {schema.REVISION}; {advice}")


def find(name: str, projects: Path) -> Path:
    """The database of the project called `name`. Raises InputError if there is none."""
    path = projects / name / FILE
    if path.with_name(f"{FILE}.box").is_file() and not path.is_file():
        raise InputError(f"{path}: was put away; bring it back with: polibias-annotate take-out {name} --key FILE")
    if not path.is_file():
        raise InputError(f"{path}: no such project; make it with: polibias-annotate create RUN --project {name}")
    return path


def engine_for(path: Path) -> Engine:
    """A database engine whose transactions begin when ours do, with the write lock where one is asked for.

    What it refuses it names without the values: an answer is in no error and so in no log.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        pool_timeout=BUSY_SECONDS,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """Hand transactions over to `_begin`; write through to the disk at every commit.

    Recursive triggers make INSERT OR REPLACE ask the triggers that forbid removal.
    """
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "recursive_triggers = ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
