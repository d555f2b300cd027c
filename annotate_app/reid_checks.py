"""Whether a project's database can be believed before anything is exported from it.

It belongs to its sealed file, its event chain is whole, every draw follows from the seed, and every finished sheet is
the one that the chain tells of. Every function raises an error that names the file, or returns what it read.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlmodel import Session, col, select

from annotate_app import chain
from annotate_app.assignment import Placement, practice, share
from annotate_app.enrolment import PRACTICE, draw_of, fitting, lead, practice_order
from annotate_app.questions import Naming
from annotate_app.schema import Annotator, Event, Item, Presentation, Sheet
from annotate_app.sealed import Sealed
from annotate_app.sheets import Finish, entry
from annotate_app.store import Store, submission
from polibias.domain.ids import canonical, tagged_hash
from polibias.errors import DamagedRecord, InputError

FINISHES: tuple[Finish, ...] = ("submitted", "skipped", "unsure")


class Chain(NamedTuple):
    """The event chain, checked: its events and the hash of the last one."""

    events: Sequence[Event]
    head: str


def check_origin(store: Store, session: Session, sealed: Sealed) -> None:
    """Raises InputError or DamagedRecord unless the sealed file is that of this very project."""
    project = store.project
    if (sealed.project, sealed.seed, sealed.kind) != (project.name, project.seed, project.kind):
        raise InputError(f"{store.path}: the sealed file is that of another project ({sealed.project})")
    if not isinstance(store.scheme, Naming) or tagged_hash("naming/1", store.scheme) != sealed.rubric:
        raise DamagedRecord(f"{store.path}: what is asked is not what the project was made with; restore it")
    if set(session.exec(select(Item.code).where(Item.lesson == "")).all()) != sealed.items.keys():
        raise DamagedRecord(f"{store.path}: its items are not those of the sealed file; restore it from a copy")


def check_chain(store: Store, session: Session) -> Chain:
    """The events of a chain that is whole."""
    events = session.exec(select(Event).order_by(col(Event.number))).all()
    return Chain(events, chain.check(events, store.project.genesis, str(store.path)))


def check_draws(store: Store, session: Session, annotator: Annotator) -> None:
    """Raises DamagedRecord unless order, first sides, checks, repeats and options of a person follow from the seed."""
    query = select(Presentation).where(Presentation.annotator_id == annotator.id).order_by(col(Presentation.position))
    row = session.exec(query).all()
    stored = [(one.batch, one.position, _placement(one)) for one in row]
    if stored != list(_drawn(store, session, annotator, row)):
        raise DamagedRecord(
            f"{store.path}: what '{annotator.name}' was shown does not follow from the project's seed; "
            "restore it from a copy"
        )


def _placement(one: Presentation) -> tuple[str, str, str, str, str]:
    return one.item_code, one.first, one.role, one.instructed, one.options


def _drawn(store: Store, session: Session, annotator: Annotator, row: Sequence[Presentation]) -> Iterator[Any]:
    """The row drawn again: batch by batch, from which items each batch holds."""
    position = 0
    for batch in sorted({one.batch for one in row}):
        for one in _batch(store, session, annotator, row, batch):
            position += 1
            options = canonical(one.options).decode("ascii") if one.options else ""
            yield batch, position, (one.item, one.first, one.role, one.check, options)


def _batch(
    store: Store, session: Session, annotator: Annotator, row: Sequence[Presentation], batch: int
) -> list[Placement]:
    draw = draw_of(store, annotator, batch)
    held = [session.get_one(Item, one.item_code) for one in row if one.batch == batch and one.role != "repeat"]
    if batch == PRACTICE:
        return practice(draw, practice_order(held))
    strata = {item.code: item.stratum for item in held}
    before = lead(session, [one for one in row if one.batch < batch])
    return share(draw, strata, fitting(store.protocol.assignment, batch), before)


class Finished(NamedTuple):
    """A finished sheet of one presentation: what the chain says of it, and when."""

    annotator: str
    shown: Presentation
    revision: int
    state: Finish
    reason: str
    said: dict[str, Any]
    at: str


def check_told(store: Store, session: Session, events: Sequence[Event]) -> list[Finished]:
    """Every finished sheet, by annotator, position and revision.

    Raises DamagedRecord unless each is told of by exactly one event, word by word, and each such event has its sheet.
    """
    told = _told(store, events)
    found = []
    for name, shown, sheet in _finished(session):
        at, body = told.pop((name, shown.position, sheet.revision), ("", {}))
        said = _submission(session, shown, sheet)
        if body != {**said, "item": shown.item_code}:
            raise DamagedRecord(
                f"{store.path}: the answers of '{name}' to {shown.item_code} are not those in the event chain; "
                "restore it from a copy"
            )
        found.append(Finished(name, shown, sheet.revision, said["state"], sheet.reason, said, at))
    if told:
        raise DamagedRecord(f"{store.path}: the chain tells of answers that are not there; restore it from a copy")
    return found


def _told(store: Store, events: Sequence[Event]) -> dict[tuple[str, int, int], tuple[str, dict[str, Any]]]:
    """When each sheet was finished and what the chain says of it, by annotator, position and revision."""
    told: dict[tuple[str, int, int], tuple[str, dict[str, Any]]] = {}
    for event in events:
        if event.kind not in (*FINISHES, "revised"):
            continue
        body = chain.body(event)
        key = (event.annotator, body.pop("position"), body["revision"])
        if key in told:
            raise DamagedRecord(f"{store.path}: event {event.number} finishes a sheet anew; restore it from a copy")
        told[key] = (event.at, {**body, "item": event.item})
    return told


def _finished(session: Session) -> list[tuple[str, Presentation, Sheet]]:
    query = (
        select(Annotator.name, Presentation, Sheet)
        .join(Presentation, onclause=col(Presentation.annotator_id) == col(Annotator.id))
        .join(Sheet, onclause=col(Sheet.presentation_id) == col(Presentation.id))
        .where(Sheet.state != "draft")
        .order_by(col(Annotator.name), col(Presentation.position), col(Sheet.revision))
    )
    return [(name, shown, sheet) for name, shown, sheet in session.exec(query).all()]


def _submission(session: Session, shown: Presentation, sheet: Sheet) -> dict[str, Any]:
    """A finished sheet as the chain tells of it, in the same JSON types."""
    said = entry(session, shown.id or 0, sheet.revision)
    state: Finish = next(one for one in FINISHES if one == sheet.state)
    if said is None:
        raise DamagedRecord(f"a sheet of {shown.item_code} has no answers; restore the project from a copy")
    plain: dict[str, Any] = json.loads(canonical(submission(sheet.revision, state, sheet.reason, said)))
    return plain
