"""Bringing a project's database to the present layout: a copy first, then every migration in one transaction."""

from pathlib import Path

from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Session, select

from annotate_app import migrations, schema
from annotate_app.copies import Copy, back_up
from annotate_app.database import Database
from annotate_app.schema import Event, Project
from polibias.domain.chains import check_chain
from polibias.errors import DamagedRecord, InputError, StorageError


def upgrade(path: Path, backups: Path | None = None) -> Copy | None:
    """Bring the database at `path` up to date and return the copy made before, None if there was nothing to do.

    All or nothing. Raises InputError if this program does not know its layout, StorageError if it cannot be written.
    """
    database = Database(path)
    found = database.revision()
    if found == schema.REVISION:
        return None
    if found not in migrations.known():
        raise InputError(f"{path}: laid out as {found or 'nothing known'}, which this program does not know")
    copy = back_up(path, backups)
    engine = database.engine.execution_options(immediate=True)
    try:
        with engine.begin() as connection:
            migrations.upgrade(connection)
            with Session(bind=connection) as session:
                _check(session, path)
    except OperationalError as error:
        raise StorageError(f"{path}: {error.orig}; nothing was changed, stop the app and try again") from None
    except DatabaseError as error:
        raise DamagedRecord(f"{path}: cannot be brought up to date ({error.orig}); nothing was changed") from None
    finally:
        database.close()
    return copy


def _check(session: Session, path: Path) -> None:
    """Raises DamagedRecord unless all that was there is there still."""
    if session.connection().exec_driver_sql("PRAGMA foreign_key_check").first():
        raise DamagedRecord(f"{path}: a row would refer to one that is gone; nothing was changed")
    genesis = session.exec(select(Project.genesis)).one()
    check_chain(session.exec(select(Event).order_by(schema.Event.number)), genesis, str(path))  # type: ignore[arg-type]
