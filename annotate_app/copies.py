"""Copies of a project's database: taken while the app serves, checked before anybody relies on them, put back whole.

A copy is one file. It gets its name in one step, once it was checked and is on the disk; a copy that was interrupted
lies beside it under a name that ends in `.part` and can be thrown away.
"""

import contextlib
import datetime
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from annotate_app import migrations
from annotate_app.database import BUSY_SECONDS, FILE, NAME
from polibias.domain.chains import Link, check_chain
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import reading, storing, sync_folder

FOLDER = Path("backups")
EVENTS = "SELECT number, at, kind, annotator, item, body, prev, hash FROM event ORDER BY number"
NOT_ONE = "not a readable project database"


class Contents(NamedTuple):
    """What a checked database is: the project's name, its layout, and length, last hash and time of its chain."""

    project: str
    revision: str
    events: int
    head: str
    until: str


class Copy(NamedTuple):
    """A copy that was checked, and what it holds."""

    file: Path
    contents: Contents


def back_up(database: Path, out: Path | None = None) -> Copy:
    """Copy the database as it is at one moment, whoever writes to it meanwhile.

    `out` names the file, or a folder for it; without it the copy goes to `FOLDER` under its usual name. Raises
    InputError if the file is there already, DamagedRecord if the copy is not whole.
    """
    folder, name = _destination(out)
    with storing(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _part(folder, name or database.parent.name) as part:
        _copy(database, part)
        found = inspect(part, f"the copy of {database}")
        file = folder / (name or usual_name(found))
        _name(part, file)
    return Copy(file, found)


def _destination(out: Path | None) -> tuple[Path, str]:
    """The folder of a copy, and its file's name, '' for the usual one."""
    if out is None or out.is_dir():
        return out or FOLDER, ""
    if out.exists():
        raise InputError(f"{out}: there already; name another file with --out")
    return out.parent, out.name


def usual_name(found: Contents) -> str:
    """What a copy is called: project, time of the copy in UTC, the chain's last hash."""
    at = datetime.datetime.now(datetime.UTC)
    return f"{found.project}-{at:%Y%m%dT%H%M%S}{at.microsecond // 1000:03}Z-{found.head[:16]}.db"


@contextmanager
def _part(folder: Path, name: str) -> Iterator[Path]:
    """A new private file in `folder`, gone at the end."""
    with storing(folder):
        handle, path = tempfile.mkstemp(prefix=f".{name}-", suffix=".part", dir=folder)
        os.close(handle)
    try:
        yield Path(path)
    finally:
        for left in ("", "-journal", "-wal", "-shm"):
            Path(path + left).unlink(missing_ok=True)


def _name(part: Path, file: Path) -> None:
    """Give a finished copy its name, which nobody else has, and wait until the disk has both."""
    with storing(file):
        with part.open("rb") as copied:
            os.fsync(copied.fileno())
        try:
            file.hardlink_to(part)
        except FileExistsError:
            raise InputError(f"{file}: there already; name another file with --out") from None
        sync_folder(file.parent)


def _copy(source: Path, target: Path) -> None:
    """One consistent view of `source`, by SQLite itself, as a file that needs no other beside it."""
    with _readable(source), contextlib.closing(_open(source)) as old, contextlib.closing(_open(target)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE").fetchall()


def _open(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(f"{path}: cannot be copied ({error}); nothing was changed, try again") from None
    except sqlite3.DatabaseError as error:
        raise DamagedRecord(f"{path}: {NOT_ONE} ({error})") from None


def inspect(path: Path, called: str = "") -> Contents:
    """Check a database that nobody writes to: its pages, its references, its layout, its chain.

    Raises InputError for what is no project of ours, DamagedRecord for one that is not whole, naming it `called`.
    """
    where = called or str(path)
    try:
        with contextlib.closing(_open(path)) as connection:
            return _contents(connection, where)
    except sqlite3.DatabaseError as error:
        raise DamagedRecord(f"{where}: {NOT_ONE} ({error})") from None


def _contents(connection: sqlite3.Connection, where: str) -> Contents:
    said = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if said != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise DamagedRecord(f"{where}: damaged ({said if said != 'ok' else 'a row refers to one that is gone'})")
    laid_out = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    revision = str(laid_out[0]) if laid_out else "nothing"
    if revision not in migrations.known():
        raise InputError(f"{where}: laid out as {revision}, which this program does not know; use the one it is from")
    found = connection.execute("SELECT name, genesis FROM project").fetchone()
    if found is None or not NAME.fullmatch(str(found[0])):
        raise DamagedRecord(f"{where}: holds no project that this program made; restore another copy")
    project, genesis = found
    head = check_chain((Link(*row) for row in connection.execute(EVENTS)), genesis, where)
    events, until = connection.execute("SELECT count(*), max(at) FROM event").fetchone()
    if not events:
        raise DamagedRecord(f"{where}: its chain of events is gone; restore another copy")
    return Contents(project, revision, events, head, until)


def restore(file: Path, name: str | None, projects: Path) -> Copy:
    """Make a project from a copy, under the name that it has inside: cookies and the sealed file go by it.

    Raises InputError if `name` is another one or such a project is there; then nothing was changed.
    """
    with reading(file):
        file.open("rb").close()
    projects_folder = _projects_folder(projects)
    with storing(projects_folder):
        building = Path(tempfile.mkdtemp(prefix=f".{file.stem}-", dir=projects_folder))
    try:
        (building / FILE).touch(0o600)
        _copy(file, building / FILE)
        found = inspect(building / FILE, str(file))
        folder = _free(file, found.project, name, projects)
        with storing(folder):
            building.rename(folder)
            sync_folder(projects_folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Copy(folder / FILE, found)


def _projects_folder(projects: Path) -> Path:
    with storing(projects):
        projects.mkdir(parents=True, exist_ok=True)
    return projects


def _free(file: Path, inside: str, name: str | None, projects: Path) -> Path:
    if name not in (None, inside):
        raise InputError(f"{file}: holds the project '{inside}'; restore it under that name: --project {inside}")
    folder = projects / inside
    if folder.exists():
        raise InputError(f"{folder}: there already, and nothing is overwritten; move it away first")
    return folder
