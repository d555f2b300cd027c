"""Looks before the end of a study: the reason that they take, how the chain is told, and that none is forgotten."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from annotate_app.exporting.snapshot import Snapshot
from annotate_app.schema import Event
from annotate_app.standing import closed
from annotate_app.store import Store
from polibias.errors import InputError
from polibias.records.openings import Opening, openings


def check_end(store: Store, closed_at: str, interim: str | None) -> None:
    """Raises InputError for an early look without a reason, and for a reason where it is not early."""
    where, name = store.path, store.project.name
    if interim is not None and not any(map(str.isalnum, interim)):
        raise InputError("--interim: say why, in words that can be read")
    if closed_at and interim is not None:
        raise InputError(f"{where}: the study is closed; export it without --interim")
    if not closed_at and interim is None:
        raise InputError(
            f"{where}: the study is still open; close it with: polibias-annotate close {name}, or look early with "
            "--interim REASON, which is recorded and said in every later report"
        )


def open_early(store: Store, snapshot: Snapshot, reason: str, annotations: int, more: dict[str, Any]) -> Opening:
    """Tell the chain that somebody looks before the end, at what state of it, and at how much."""
    events = snapshot.events
    seen = {"annotations": annotations, "events": len(events), "head": events[-1].hash}
    with store.writing() as session:
        if closed(session):
            raise InputError(f"{store.path}: the study was closed meanwhile; export it without --interim")
        store.record(session, "interim", "", "", {"reason": reason, **seen, **more})
        at = session.exec(select(Event.at).order_by(col(Event.number).desc()).limit(1)).one()
    return Opening(at, reason, annotations)


def all_openings(told: Iterable[Opening], folder: Path, project: str) -> tuple[Opening, ...]:
    """What the chain tells and what the folder's earlier seal told, in the order of time.

    A database that was restored from an older copy knows less than the folder. Raises DamagedRecord if the seal was
    changed.
    """
    known = {(one.at, one.reason): one for one in (*openings(folder).get(project, ()), *told)}
    return tuple(known[key] for key in sorted(known))
