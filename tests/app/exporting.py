"""Steps of a study for the tests of its export: answering, leaving, closing, and tampering with what is stored."""

import csv
import hashlib
import io
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from annotate_app.chain import now
from annotate_app.export import Exported, export
from annotate_app.questions import Entry
from annotate_app.schema import Closure, Presentation
from annotate_app.sheets import Place as Position
from annotate_app.store import Store
from polibias.domain.chains import Link
from polibias.domain.ids import canonical
from polibias.domain.rows import Annotation
from polibias.records.ledger import read
from tests.app.conftest import Place, annotator_id, full

COVERED = Link._fields[:-1]
"""What an event's hash covers."""


def row_of(store: Store, name: str) -> list[Position]:
    return store.places(annotator_id(store, name))


def answer(store: Store, name: str, number: int, entry: Entry | None = None) -> None:
    """Submit an entry at a place, whatever revision it awaits; a check beside it is answered as instructed."""
    place = row_of(store, name)[number - 1]
    given = entry or full()
    check = store.view(place).check
    said = Entry(given.answers | ({"check.answer": check} if check else {}), given.comments, given.quotes)
    receipt = store.submit(annotator_id(store, name), place.presentation, place.revision, said)
    assert receipt.outcome == "saved", receipt


def answer_all(store: Store, name: str, entry: Entry | None = None) -> None:
    """Submit everything that is still open."""
    for number, place in enumerate(row_of(store, name), start=1):
        if place.open:
            answer(store, name, number, entry)


def leave(store: Store, name: str, number: int, state: Literal["skipped", "unsure"], reason: str) -> None:
    place = row_of(store, name)[number - 1]
    me = annotator_id(store, name)
    assert store.leave(me, place.presentation, place.revision, state, reason, full()).outcome == "saved"


def draft(store: Store, name: str, number: int, entry: Entry | None = None) -> None:
    place = row_of(store, name)[number - 1]
    me = annotator_id(store, name)
    assert store.keep(me, place.presentation, place.revision, entry or full()).outcome == "saved"


def close(store: Store) -> None:
    """End the study."""
    with store.writing() as session:
        session.add(Closure.model_validate({"id": 1, "at": now()}))
        store.record(session, "closed", "", "", {})


def closed_export(project: Place, store: Store, bom: bool = False) -> Exported:
    close(store)
    return export(store, project.sealed, project.run, bom=bom)


def rows_of(project: Place) -> list[Annotation]:
    """Every row of the stream, in its order."""
    return [entry.row for entry in read(project.run.annotations("first"))]


def table(project: Place, end: str = "csv") -> list[dict[str, str]]:
    text = (project.run.annotations_folder / f"first.{end}").read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def about(project: Place) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((project.run.annotations_folder / "manifest.json").read_text("utf-8"))
    found: dict[str, Any] = manifest["about"]
    return found


def codebook(project: Place) -> str:
    return (project.run.annotations_folder / "first.codebook.md").read_text("utf-8")


def older_copy(store: Store) -> Path:
    """A copy of the database as it is now, beside the folder of projects."""
    copy = store.path.parents[2] / "older.db"
    _copy(store.path, copy)
    return copy


def put_back(store: Store, copy: Path) -> None:
    """Give the database an earlier state again, as `restore` would."""
    store.close()
    for path in store.path.parent.glob(f"{store.path.name}*"):
        path.unlink()
    _copy(copy, store.path)


def _copy(path: Path, to: Path) -> None:
    to.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)


def tamper(path: Path, *statements: str) -> None:
    """Change the database behind its triggers' back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            changed = database.execute(statement)
            assert changed.rowcount, f"nothing was changed by {statement}"


def forge(path: Path, kind: str, change: Mapping[str, str], annotator: str = "") -> None:
    """Change words in the bodies of one kind of event, and make the chain anew so that it is whole again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for verb in ("UPDATE", "DELETE"):
            database.execute(f"DROP TRIGGER IF EXISTS event_no_{verb}")
        events = database.execute(f"SELECT {', '.join(COVERED)} FROM event ORDER BY number").fetchall()
        database.execute("UPDATE event SET hash = number")
        prev = events[0][-1]
        for row in events:
            event = dict(zip(COVERED, row, strict=True)) | {"prev": prev}
            if event["kind"] == kind and annotator in ("", event["annotator"]):
                for old, new in change.items():
                    event["body"] = event["body"].replace(old, new)
            prev = hashlib.sha256(canonical(event)).hexdigest()
            values = (event["body"], event["prev"], prev, event["number"])
            database.execute("UPDATE event SET body = ?, prev = ?, hash = ? WHERE number = ?", values)


def presentation(store: Store, id: int) -> Presentation:
    with store.reading() as session:
        found = session.get_one(Presentation, id)
        session.expunge(found)
        return found
