"""Putting a finished project's database away: encrypted for whoever can open held-out labels, and for no one else.

The database must hold answers while people work. Once they have left it in a box, nobody needs it in the open.
"""

import contextlib
import os
import tempfile
from pathlib import Path

from annotate_app.copies import back_up, inspect
from annotate_app.database import FILE
from annotate_app.exporting.held import tied
from annotate_app.sealed import Sealed
from annotate_app.store import Store
from polibias.errors import InputError
from polibias.records.boxes import packed, read_key, unpacked
from polibias.records.documents import storing, sync_folder, write_file
from polibias.records.runs import Run

BOX = f"{FILE}.box"


def put_away(store: Store, sealed: Sealed, run: Run, prereg: Path) -> Path:
    """Encrypt the database and remove it. Returns where it lies.

    Raises InputError, with nothing changed, unless the project holds labels out that have left it in a box.
    """
    tie = tied(sealed, run, prereg)
    if tie is None or not tie.holder:
        raise InputError(f"{store.path}: holds no labels out, so there is nothing to put away; back it up instead")
    if tie.standing is None or not any(one.body["project"] == sealed.project for one in tie.standing.boxes):
        raise InputError(f"{store.path}: its labels have not left it yet; close the project and export it first")
    box = store.path.with_name(BOX)
    with tempfile.TemporaryDirectory(prefix=".put-away-", dir=store.path.parent) as folder:
        copy = back_up(store.path, Path(folder) / FILE)
        write_file(box, packed(copy.file.read_bytes(), tie.holder))
    store.close()
    with storing(box):
        box.chmod(0o600)
        for left in ("", "-wal", "-shm"):
            store.path.with_name(FILE + left).unlink(missing_ok=True)
        sync_folder(box.parent)
    return box


def take_out(folder: Path, key: Path) -> Path:
    """Bring a database back with the key of the person it was put away for. The box stays."""
    box, database = folder / BOX, folder / FILE
    if not box.is_file():
        raise InputError(f"{box}: no such box; nothing was put away here")
    if database.exists():
        raise InputError(f"{database}: there already, and nothing is overwritten")
    part = folder / f"{FILE}.part"
    try:
        with storing(part), os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(unpacked(box, read_key(key)))
            file.flush()
            os.fsync(file.fileno())
        inspect(part, str(box))
        part.rename(database)
        sync_folder(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    return database
